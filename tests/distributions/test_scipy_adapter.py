"""Distributions of `scipy.stats`, adapted, stored by name and rebuilt."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from upperhand.distributions import (
    ScipyDistribution,
    ScipyLaw,
    as_distribution,
    from_scipy,
    from_spec,
)
from upperhand.errors import ParameterError, UnknownNameError

FROZEN = [
    stats.gamma(2, scale=3),
    stats.gamma(a=2.5),
    stats.genpareto(0.25, 0, 2),
    stats.norm(),
    stats.binom(10, 0.3),
    stats.poisson(mu=4),
    stats.randint(0, 6),
]
every_frozen = pytest.mark.parametrize("frozen", FROZEN, ids=[f.dist.name for f in FROZEN])


@every_frozen
def test_it_computes_what_scipy_computes(frozen):
    arm = from_scipy(frozen)
    p = np.linspace(0.01, 1, 50)
    x = frozen.ppf(p)
    assert (arm.mean, arm.sd) == (frozen.mean(), frozen.std())
    assert arm.quantile(p).tolist() == x.tolist()
    assert arm.cdf(x).tolist() == frozen.cdf(x).tolist()
    if arm.has_density:
        assert arm.pdf(x[:-1]).tolist() == frozen.pdf(x[:-1]).tolist()


@every_frozen
def test_it_draws_what_scipy_draws(frozen):
    drawn = from_scipy(frozen).sample((4, 5), np.random.default_rng(3))
    expected = frozen.rvs(size=(4, 5), random_state=np.random.default_rng(3))
    assert drawn.tolist() == expected.tolist()


@every_frozen
def test_the_spec_is_plain_and_rebuilds_it(frozen):
    arm = as_distribution(frozen)
    spec = arm.spec()
    assert spec == {
        "family": "scipy",
        "name": frozen.dist.name,
        "args": list(frozen.args),
        "kwds": frozen.kwds,
    }
    assert from_spec(json.loads(json.dumps(spec))) == arm


def test_the_former_name_stays():
    assert ScipyLaw is ScipyDistribution


def test_numpy_numbers_become_plain_and_whole_ones_stay_whole():
    arm = from_scipy(stats.binom(np.int64(10), np.float64(0.3)))
    assert repr(arm) == "ScipyDistribution(name='binom', args=(10, 0.3), kwds=())"


def test_a_spec_may_leave_out_what_has_a_default():
    assert from_spec({"family": "scipy", "name": "norm"}) == from_scipy(stats.norm())


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match=r"distribution 'gama'. Did you mean 'ga"):
        ScipyDistribution("gama", (2,))
    for name in ("kstest", "__name__", "rv_continuous", ["gamma"], None):
        with pytest.raises(UnknownNameError, match=r"Unknown scipy\.stats distribution"):
            ScipyDistribution(name)


@pytest.mark.parametrize(
    ("name", "args", "kwds", "message"),
    [
        ("gamma", (), {}, r"scipy\.stats\.gamma takes a,loc,scale; got gamma\(\)"),
        ("gamma", (1, 2, 3, 4), {}, r"gamma takes a,loc,scale; got gamma\(1, 2, 3, 4\)"),
        ("binom", (3,), {"q": 1}, r"binom takes n,p,loc; got binom\(3, q=1\)"),
        ("gamma", (-2,), {}, r"scipy\.stats\.gamma are out of their range; got gamma\(-2\)"),
        ("norm", (), {"scale": -1}, r"norm are out of their range; got norm\(scale=-1\)"),
        ("norm", ("0",), {}, "each of args must be a finite number; got '0'"),
        ("norm", ([0, 1],), {}, r"each of args must be a finite number; got \[0, 1\]"),
        ("norm", 3, {}, "args must be a list of numbers; got 3"),
        ("norm", (), 3, "kwds must be a dict from names to numbers; got 3"),
        ("norm", (), {"loc": None}, "loc must be a finite number; got None"),
    ],
)
def test_bad_parameters_are_refused(name, args, kwds, message):
    with pytest.raises(ParameterError, match=message):
        ScipyDistribution(name, args, kwds)


@pytest.mark.parametrize("thing", [stats.gamma, 3, None, "gamma"])
def test_only_every_frozen_are_adapted(thing):
    with pytest.raises(ParameterError, match="from_scipy takes a frozen distribution such as"):
        from_scipy(thing)


def test_one_that_is_not_in_scipy_is_refused_since_it_could_not_be_rebuilt():
    class Odd(stats.rv_continuous):
        def _pdf(self, x):
            return 2 * x

    for name in ("odd", "gamma"):
        with pytest.raises(ParameterError, match=f"Only the named .* '{name}' is not"):
            from_scipy(Odd(a=0, b=1, name=name)())


def test_importing_the_distributions_does_not_import_scipy():
    code = (
        "import sys, upperhand.distributions as d;"
        "d.parse_arm('normal:0,1').spec(), d.Empirical([1, 2]).quantile(.5);"
        "assert 'scipy' not in sys.modules;"
        "d.Normal(0, 1).quantile(.5), d.SkewedStudentT(0, 1, 5, .6).cdf(.5);"
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
