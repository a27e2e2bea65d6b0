"""The confidence sequence over a stream: its ends, its refusals, and that it stays itself."""

import copy
import math
import pickle

import numpy as np
import pytest

import upperhand as uh
from upperhand.calibrators.quantile_sequence import METHODS

from ..looping import for_each
from ..reference import quantile_bounds as reference
from ..reference.ranks import order_statistic, quantile

RNG = np.random.default_rng(2)
STREAMS = {
    "continuous": RNG.standard_cauchy(900).tolist(),
    "ties": RNG.integers(0, 4, 900).tolist(),
    "constant": [-1.5] * 900,
}


def ends(values, method, tau, delta, t_opt):
    """Return the interval from the whole history."""
    lower, upper = reference.ranks(method, tau, delta, t_opt, len(values))
    return (
        order_statistic(values, lower) if lower > 0 else -math.inf,
        order_statistic(values, upper) if upper <= len(values) else math.inf,
    )


@for_each("stream", STREAMS)
@for_each("tau", ["0.1", "0.5", "0.9"])
@for_each("method", METHODS)
def test_against_the_whole_history(method, tau, stream):
    values = STREAMS[stream]
    settings = {"method": method, "tau": float(tau), "delta": 0.2, "t_opt": 100}
    sequence, glanced = uh.QuantileSequence(**settings), uh.QuantileSequence(**settings)
    for t, y in enumerate(values, 1):
        sequence.update(y)
        glanced.update(y)
        found = sequence.interval()
        if t % 37 == 0 or t < 20:
            assert found == ends(values[:t], **settings)
            assert sequence.estimate() == quantile(values[:t], tau)
        assert found.lower <= sequence.estimate() <= found.upper
        assert len(sequence) == t
        if t % 211 == 0:  # looking seldom changes nothing
            assert glanced.interval() == found
    assert math.isfinite(found.lower)
    assert math.isfinite(found.upper)


def test_nothing_is_known_at_first():
    for method in METHODS:
        sequence = uh.QuantileSequence(0.9, method=method)
        assert sequence.interval() == uh.Interval(-math.inf, math.inf)
        assert math.isnan(sequence.estimate())
        sequence.update(3)
        assert sequence.interval() == uh.Interval(-math.inf, math.inf)
        assert sequence.estimate() == 3.0


@pytest.mark.parametrize("tau", [1e-6, 1 - 1e-6])
@pytest.mark.parametrize("t_opt", [1, 10**9])
@pytest.mark.parametrize("delta", [1e-100, 0.999])
def test_the_ends_of_the_settings(tau, t_opt, delta):
    for method in METHODS:
        sequence = uh.QuantileSequence(tau, delta, method, t_opt)
        for y in range(2000):
            sequence.update(y)
        lower, upper = sequence.interval()
        assert lower <= sequence.estimate() <= upper


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tau": 0}, r"tau must be a finite number ≥ 1e-06 and ≤ 0.999999; got 0"),
        ({"tau": 1.0}, "tau must be a finite number"),
        ({"tau": math.nan}, "tau must be a finite number"),
        ({"tau": "p95"}, "got 'p95'"),
        ({"tau": 0.5, "delta": 0}, "delta must be a finite number ≥ 1e-100 and < 1; got 0"),
        ({"tau": 0.5, "delta": 1}, "delta must be a finite number"),
        ({"tau": 0.5, "method": "DKW"}, "method must be one of 'beta-binomial', 'stitched', 'dkw'"),
        ({"tau": 0.5, "t_opt": 0}, "t_opt must be a whole number, 1 or more; got 0"),
        ({"tau": 0.5, "t_opt": 10.0}, "t_opt must be a whole number, 1 or more"),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_refused_settings(settings, message):
    with pytest.raises(uh.ParameterError, match=message):
        uh.QuantileSequence(**settings)


@pytest.mark.parametrize("y", [math.nan, math.inf, -math.inf, 1e200, "3", None, True, 1j])
def test_refused_values_leave_no_trace(y):
    sequence = uh.QuantileSequence(0.5)
    sequence.update(1.0)
    with pytest.raises(uh.RewardError, match=r"must be a finite number.*Nothing was learned"):
        sequence.update(y)
    assert (len(sequence), sequence.estimate()) == (1, 1.0)


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_continue_on_their_own(copied):
    one = uh.QuantileSequence(0.5, t_opt=50)
    for y in range(200):
        one.update(y)
    before, other = one.interval(), copied(one)
    for y in range(300):
        other.update(-y)
    assert one.interval() == before
    assert (len(one), len(other)) == (200, 500)
    for y in range(300):
        one.update(-y)
    assert one.interval() == other.interval() != before


def test_one_kind_of_interval():
    told = uh.Bandit(["a"], uh.ACPUCB1()).interval("a")
    assert type(told) is type(uh.QuantileSequence(0.5).interval()) is uh.Interval


def test_what_a_prompt_shows():
    assert repr(uh.QuantileSequence(0.95, t_opt=200)) == (
        "QuantileSequence(tau=0.95, delta=0.05, method='beta-binomial', t_opt=200) of 0 values"
    )
