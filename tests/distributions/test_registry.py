"""Distributions from specs, from text and from other objects."""

import math
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from upperhand import Instance, distributions
from upperhand.distributions import (
    Bernoulli,
    Distribution,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    Pareto,
    ScipyDistribution,
    SkewedStudentT,
    StudentT,
    Uniform,
    as_distribution,
    from_spec,
    parse_arm,
)
from upperhand.distributions.base import Family
from upperhand.distributions.derived import Negated
from upperhand.distributions.registry import (
    ALIASES,
    FAMILIES,
    arm_forms,
    named_distributions,
)
from upperhand.errors import FileError, MissingExtraError, ParameterError, UnknownNameError


def test_every_family_is_registered_and_public():
    """Except `Negated`, which policies observe, and which no user writes."""
    classes = (*Distribution.__subclasses__(), *Family.__subclasses__())
    ours = {cls for cls in classes if cls.__module__.startswith("upperhand.")}
    assert set(FAMILIES.values()) == ours - {Family, Negated}
    public = {getattr(distributions, name) for name in distributions.__all__}
    assert set(FAMILIES.values()) <= public


@pytest.mark.parametrize(
    ("text", "arm"),
    [
        ("normal:0.10,0.05", Normal(0.1, 0.05)),
        ("t:0,0.16,3", StudentT(0, 0.16, 3)),
        ("skewed-t:0,0.16,5,0.6", SkewedStudentT(0, 0.16, 5, 0.6)),
        ("uniform:0,1", Uniform(0, 1)),
        ("exponential:2", Exponential(2)),
        ("lognormal:0,1", LogNormal(0, 1)),
        ("pareto:1,1.1", Pareto(1, 1.1)),
        ("bernoulli:0.3", Bernoulli(0.3)),
        ("scipy:gamma,2,0,1", ScipyDistribution("gamma", (2, 0, 1))),
        ("scipy:norm", ScipyDistribution("norm")),
        ("NORMAL:0,1", Normal(0, 1)),
        ("Gaussian:0,1", Normal(0, 1)),
        ("student-t:0,1,3", StudentT(0, 1, 3)),
        ("exp:2", Exponential(2)),
        (" normal : -1e-2 , 5e-2 ", Normal(-0.01, 0.05)),
    ],
)
def test_arms_as_text(text, arm):
    assert parse_arm(text) == arm


def test_whole_numbers_stay_whole_for_discrete_distributions():
    assert "name='binom', args=(10, 0.3)" in repr(parse_arm("scipy:binom,10,0.3"))


def test_an_arm_from_a_file(tmp_path):
    file = tmp_path / "a:b.csv"
    file.write_text("reward\n2\n1\n")
    assert parse_arm(f"empirical:{file}") == Empirical([1, 2])
    with pytest.raises(FileError, match="Cannot read values from"):
        parse_arm(f"empirical:{tmp_path}/none")


@pytest.mark.parametrize("name", ["eu.csv", "C:eu.csv", "a:b:c"])
@pytest.mark.parametrize("column", ["p95: ms", "2"])
def test_a_column_of_a_file_also_where_names_have_colons(tmp_path, name, column):
    file = tmp_path / name
    file.write_text("n,p95: ms\n7,2\n8,1\n")
    arm = parse_arm(f"empirical:{file}:{column}")
    assert arm == Empirical([1, 2])
    assert arm.name == f"{name}:p95: ms"
    with pytest.raises(FileError, match="has 2 columns of numbers"):
        parse_arm(f"empirical:{file}")


@pytest.mark.parametrize("kind", [set, frozenset])
def test_arms_have_an_order(kind):
    with pytest.raises(ParameterError, match=f"must have an order; got a {kind.__name__}"):
        named_distributions(kind([Normal(0, 1), Normal(1, 1)]))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("norml:0,1", UnknownNameError, "Unknown distribution 'norml'. Did you mean 'normal'"),
        ("NORML:0,1", UnknownNameError, "Did you mean 'normal'"),
        ("norml:0,1", UnknownNameError, r"lognormal, pareto, bernoulli, empirical, scipy\.$"),
        ("", UnknownNameError, "Unknown distribution ''"),
        ("normal", ParameterError, "normal takes loc,scale; got ''"),
        ("normal:1", ParameterError, "normal takes loc,scale; got '1'"),
        ("normal:0,1,2", ParameterError, "normal takes loc,scale; got '0,1,2'"),
        ("skewed-t:0,1,5", ParameterError, "skewed-t takes loc,scale,df,skew; got '0,1,5'"),
        ("normal:0,x", ParameterError, "normal takes numbers .*; 'x' is not a number"),
        ("exponential:", ParameterError, "exponential takes numbers .*; '' is not a number"),
        ("normal:0,-1", ParameterError, "scale must be a finite number > 0; got -1"),
        ("normal:nan,1", ParameterError, "loc must be a finite number; got nan"),
        ("mixture:0,1", ParameterError, r"Make it in Python, e\.g\. Mixture\(\["),
        ("empirical:", ParameterError, "empirical takes a file of numbers, FILE or"),
        ("scipy:gama,2", UnknownNameError, "Unknown scipy.stats distribution 'gama'"),
        ("scipy:gamma,x", ParameterError, "gamma takes numbers .*; 'x' is not a number"),
        ("scipy:gamma", ParameterError, r"scipy\.stats\.gamma takes a,loc,scale; got gamma\(\)"),
    ],
)
def test_bad_arms_are_refused(text, error, message):
    with pytest.raises(error, match=message):
        parse_arm(text)


def test_every_form_of_an_arm_is_listed():
    forms = arm_forms()
    assert {form.partition(":")[0] for form in forms} == set(FAMILIES) - {"mixture"}
    assert "skewed-t:loc,scale,df,skew" in forms
    assert "empirical:FILE[:COLUMN]" in forms
    assert all(0 < len(text) < 100 for text in forms.values())


def test_aliases_lead_to_families_and_hide_none():
    assert set(ALIASES.values()) <= set(FAMILIES)
    assert not set(ALIASES) & set(FAMILIES)


def test_nested_specs():
    arm = Mixture([Normal(0, 1), Mixture([Bernoulli(0.5), Empirical([1])], [0.5, 0.5])], [0.2, 0.8])
    assert from_spec(arm.spec()) == arm


def test_reading_a_spec_leaves_it_as_it_was():
    spec = Mixture([Normal(0, 1)], [1]).spec()
    from_spec(spec)
    assert spec == Mixture([Normal(0, 1)], [1]).spec()


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ({"loc": 0}, ParameterError, "A distribution's spec is a dict such as .*; got {'loc': 0}"),
        ("normal", ParameterError, "A distribution's spec is a dict such as .*; got 'normal'"),
        ({"family": "gauss"}, UnknownNameError, "Unknown distribution 'gauss'"),
        ({"family": ["t"]}, UnknownNameError, "Unknown distribution"),
        ({"family": "normal"}, ParameterError, "normal takes loc,scale; got nothing"),
        ({"family": "normal", "loc": 0, "sd": 1}, ParameterError, "takes loc,scale; got loc,sd"),
        ({"family": "normal", "loc": 0, "scale": "1"}, ParameterError, "scale must be a finite"),
        ({str(i): i for i in range(3000)}, ParameterError, r"got {'0': 0, .{,50}}\.$"),
        (
            {"family": "mixture", "components": 3, "weights": [1]},
            ParameterError,
            "components must be a list of Distributions; got 3",
        ),
        (
            {"family": "mixture", "components": [3], "weights": [1]},
            ParameterError,
            "A distribution's spec is a dict",
        ),
    ],
)
def test_bad_specs_are_refused(spec, error, message):
    with pytest.raises(error, match=message):
        from_spec(spec)


def test_as_distribution():
    arm = Normal(0, 1)
    assert as_distribution(arm) is arm
    assert as_distribution(stats.gamma(2)) == ScipyDistribution("gamma", (2,))


@pytest.mark.parametrize("thing", [3, None, stats.gamma, Normal, {}])
def test_other_things_are_no_distributions(thing):
    with pytest.raises(ParameterError, match=r"arm must be a distribution, such as Normal\(0, 1\)"):
        as_distribution(thing)


def test_text_observations_and_functions_are_arms():
    assert as_distribution("normal:0,1") == Normal(0, 1)
    data = np.array([3.0, 1.0, 2.0])
    for given in (data, data.tolist(), pd.Series(data)):
        assert as_distribution(given) == Empirical((1, 2, 3))

    drawn = as_distribution(lambda rng: rng.normal(2, 1))
    assert drawn == as_distribution(lambda rng: rng.normal(2, 1))  # from a fixed seed
    assert drawn.quantile(0.95) == pytest.approx(2 + 1.645, abs=0.03)
    assert (
        repr(drawn) == "Empirical(<lambda>: 100,000 values from -2.49412 to 6.73196; 100,000 draws)"
    )


class TestArmsInAnyForm:
    def test_names(self):
        frame = pd.DataFrame({"eu": [1.0, 2.0, 3.0], "us": [4.0, 5.0, 6.0]})
        expected = {"eu": Empirical((1, 2, 3)), "us": Empirical((4, 5, 6))}
        assert named_distributions(frame) == expected
        assert named_distributions(dict(expected)) == expected
        assert named_distributions([Normal(0, 1), [1, 2]]) == {
            "0": Normal(0, 1), "1": Empirical((1, 2)),
        }  # fmt: skip
        assert list(named_distributions(frame.to_numpy()).values()) == list(expected.values())
        assert list(named_distributions("normal:0,1")) == ["0"]
        assert list(named_distributions(Instance("mine", [Normal(0, 1)]))) == ["0"]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([0.1, 0.3], r"For chances of success write \[Bernoulli\(p\)"),
            (np.array([0.1, 0.3]), r"Numbers alone are no arms"),
            (np.ones((2, 5)), r"2 rows and 5 columns. If its rows are the arms, write x.T or list"),
            ([[1, 2], []], r"arms\[1\]"),
            ([[1, 2], [1, math.nan]], r"arms\[1\].*nan as arms\[1\]\[1\]"),
            ([np.array([1, "a"], dtype=object)], r"arms\[0\] must be a number or an array of numb"),
            ({1: Normal(0, 1), "1": Normal(0, 2)}, "Each arm needs its own name"),
            ({}, "at least one arm"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), "needs its own name"),
            (pd.DataFrame({"a": [1, None, 2]}), r"'a' has missing values.*dropna"),
            (
                pd.DataFrame({"arm": ["a", "b"], "ms": [1, 2]}),
                r"write \{arm: rows\['ms'\] for arm, rows in frame.groupby\('arm'\)\}",
            ),
        ],
    )
    def test_what_is_refused(self, given, message):
        with pytest.raises(ParameterError, match=message):
            named_distributions(given)


def test_without_scipy_the_extra_is_named(monkeypatch):
    for module in ("scipy", "scipy.special", "scipy.stats"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'upperhand\[lab\]'"):
        Normal(0, 1).quantile(0.5)


def test_a_file_without_its_family_names_the_line(tmp_path):
    (tmp_path / "eu.csv").write_text("1\n2\n")
    with pytest.raises(ParameterError, match=r"is a file: write empirical:eu.csv, or …:COLUMN"):
        parse_arm("eu.csv", tmp_path)


def test_an_arm_without_observations_is_named():
    with pytest.raises(ParameterError, match=r"arms\['eu'\] has no observations"):
        named_distributions({"eu": [], "us": [1.0]})
