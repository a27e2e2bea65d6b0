"""Costs: what is shown is a quantile of the costs as told, and what is chosen by."""

from fractions import Fraction

import numpy as np
import pytest

import upperhand as uh
from upperhand.objectives import DIRECTIONS

from ..looping import for_each
from ..reference import conformal
from ..tables import draw

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")


def smallest_reaching(costs, level):
    """Return the smallest cost x with F̂(x) ≥ level, by counting."""
    return min(x for x in costs if Fraction(sum(c <= x for c in costs), len(costs)) >= level)


@pytest.mark.parametrize("policy", [uh.QuantileUCB(alpha=0.1), uh.ACPUCB1(alpha=0.1, eta=0)])
def test_the_p95_of_one_to_twenty_is_nineteen(policy):
    bandit = uh.Bandit(["a"], policy, direction="minimize")
    for cost in range(1, 21):
        bandit.tell("a", cost)
    assert bandit.interval("a") == (1, 19)


@pytest.mark.parametrize("alpha", ["0.1", "0.2", "0.5", "0.07"])
@pytest.mark.parametrize("tail", ["upper", "lower"])
def test_the_ends_are_quantiles_of_the_costs(alpha, tail):
    costs = np.random.default_rng(0).integers(0, 40, 100).tolist()
    policies = uh.QuantileUCB(float(alpha), tail=tail), uh.ACPUCB1(float(alpha), eta=0, tail=tail)
    bandits = [uh.Bandit(["a"], policy, direction="minimize") for policy in policies]
    for m, cost in enumerate(costs, 1):
        half = Fraction(alpha) / 2
        expected = tuple(smallest_reaching(costs[:m], level) for level in (half, 1 - half))
        for bandit in bandits:
            bandit.tell("a", cost)
            assert bandit.interval("a") == expected


@pytest.mark.parametrize("policy", [uh.QuantileUCB(), uh.ACPUCB1(), uh.UCBCP()])
def test_the_interval_does_not_depend_on_what_is_good(policy):
    """UCB-CP's quantiles are interpolated: the same from both sides, but for rounding."""
    good, bad = (uh.Bandit(["a"], policy, direction=direction) for direction in DIRECTIONS)
    for cost in np.random.default_rng(1).gamma(2.0, 1.0, 500).round(1):
        good.tell("a", cost)
        bad.tell("a", cost)
        assert bad.interval("a") == pytest.approx(good.interval("a"))


SETTINGS = [
    {"alpha": "0.1"},
    {"alpha": "0.1", "eta": 0},
    {"alpha": "0.5", "eta": 0.1, "b": 0.2},
    {"alpha": "0.2", "tail": "lower", "b": 0.1},
    {"alpha": "0.2", "scale": "auto", "b": 0.1, "init": 3},
]


@for_each("kind", ["gaussian", "ties", "bernoulli"])
@for_each("settings", SETTINGS)
def test_it_chases_what_it_shows(settings, kind):
    """Against a reference that rescores all costs and plays the lowest end less the bonus."""
    costs, names = draw(kind, 3, 150), ["0", "1", "2"]
    expected = conformal.acp_ucb1(costs.tolist(), costs=True, **settings)
    bandits = [uh.ACPUCB1(**settings | {"alpha": float(settings["alpha"])})]
    if settings.get("eta") == 0:
        bandits.append(uh.QuantileUCB(float(settings["alpha"])))
    for policy in bandits:
        bandit, arms = uh.Bandit(names, policy, direction="minimize"), []
        for _ in range(150):
            name = bandit.ask()
            arms.append(int(name))
            bandit.tell(name, costs[arms[-1], bandit.pulls(name)])
        assert arms == expected.arms
        assert [bandit.interval(name) for name in names] == list(
            zip(expected.lower, expected.upper, strict=True)
        )


def test_an_end_at_zero_has_no_sign():
    bandit = uh.Bandit(["a"], uh.UCBCP(), direction="minimize")
    for _ in range(3):
        bandit.tell("a", 0.0)
    assert repr(bandit.interval("a")) == "Interval(lower=0.0, upper=0.0)"
