"""Each policy pulls the arms that its slow reference implementation pulls, with ==."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from upperhand._kernels.special import TABLE, binomial, tabulate
from upperhand.policies import ACPUCB1, POLICIES, Policy
from upperhand.simulation.player import play

from .. import reference
from ..looping import for_each
from ..tables import TABLES, draw
from .pairwise import pairwise

ARMS = (1, 2, 3, 7)
SEED = 11
# Where a setting is text, it is a level as it is written down.
LEVELS = {"alpha", "tau", "level", "q", "share"}
# Below 2⁻¹⁰²² half of the last digit is no double: a mean found from the first reward may miss it.
NORMAL = [kind for kind in TABLES if kind != "subnormal"]


class Reference(NamedTuple):
    """A policy, the function that should play as it does, and the settings to try on both."""

    policy: str
    function: Callable[..., Any]
    settings: Mapping[str, Sequence[Any]]
    kinds: Sequence[str] = tuple(TABLES)
    rounds: int = 200
    arms: Sequence[int] = ARMS
    fixed: Mapping[str, Any] = {}  # for the policy alone
    passed: Mapping[str, Any] = {}  # for the function alone


def successes(rng: np.random.Generator, n: int, p: float) -> int:
    """Return a binomial draw of the library's own sampler, which has its own tests."""
    sums = np.empty(TABLE)
    tabulate(sums, n, p)
    return binomial(rng, n, p, sums)


DRAWS = {"seed": SEED}
ALPHAS = ("0.05", "0.1", "0.14", "0.3", "0.5")
TAUS = ("0.95", "0.5", "0.8", "0.07")

REFERENCES = {
    "ACP-UCB1": Reference(
        "ACP-UCB1",
        reference.acp_ucb1,
        {
            "alpha": ALPHAS,
            "b": (1.0, 0.0, 0.1),
            "eta": (0.01, 0.0, 0.2),
            "eta_decay": (0.0, 0.6),
            "lam": (1.0, 0.0, 0.1, 5.0),
            "level_min": (1e-4, 0.04),
            "level_max": (0.5, 0.7),
            "init": (2, 1, 5),
            "tail": ("upper", "lower"),
            "scale": ("unit", "auto"),
        },
        rounds=250,
    ),
    "UCB1": Reference("UCB1", reference.ucb1, {}),
    "Quantile-UCB": Reference(
        "Quantile-UCB",
        reference.quantile_ucb,
        {"alpha": ALPHAS, "b": (1.0, 0.0, 0.2), "init": (2, 1, 4), "tail": ("upper", "lower")},
    ),
    "KL-QUCB": Reference(
        "KL-QUCB",
        reference.kl_qucb,
        {"tau": TAUS, "plus": (False, True), "trust": (0.0, 3.0, 0.5, 20.0)},
        rounds=300,
    ),
    "Quantile-TS": Reference(
        "Quantile-TS",
        reference.quantile_ts,
        {"tau": TAUS},
        rounds=300,
        passed=DRAWS | {"binomial": successes},
    ),
    "Quantile-IMED": Reference(
        "Quantile-IMED",
        reference.quantile_imed,
        {"tau": TAUS, "trust": (0.0, 3.0, 0.5, 20.0)},
        rounds=300,
    ),
    "QUCB": Reference("QUCB", reference.qucb, {"tau": TAUS, "c": (2.0, 0.0, 0.05, 0.5)}),
    "UCB-CP": Reference(
        "UCB-CP",
        reference.ucb_cp,
        {
            "score": ("U", "L", "UL", "comb"),
            "alpha": (0.1, 0.2, 0.5),
            "eta": (0.01, 0.0, 0.3),
            "lam": (0.7, 0.2),
            "decay": (0.4, 0.0, 2.0),
            "level_min": (1e-4, 0.05),
            "level_max": (0.5, 0.9),
        },
        rounds=150,
        passed=DRAWS,
    ),
    "MaRaB": Reference(
        "MaRaB", reference.marab, {"level": ("0.1", "0.07", "0.5", "1"), "c": (1.0, 0.0, 0.1)}
    ),
    "UCB1-NORMAL": Reference("UCB1-NORMAL", reference.ucb1_normal, {}, NORMAL, rounds=400),
    "KL-UCB gaussian": Reference(
        "KL-UCB",
        reference.kl_ucb_gaussian,
        {"sd": (1.0, 0.3, 5.0), "c": (0.0, 3.0)},
        fixed={"model": "gaussian"},
    ),
    "UCB-V": Reference(
        "UCB-V",
        reference.ucb_v,
        {"span": (1.0, 0.1, 4.0), "zeta": (1.2, 0.3), "c": (1.0, 0.0)},
        NORMAL,
    ),
    "Thompson beta": Reference(
        "Thompson sampling", reference.thompson_beta, {}, fixed={"model": "beta"}, passed=DRAWS
    ),
    "Thompson gaussian known": Reference(
        "Thompson sampling",
        reference.thompson_gaussian_known,
        {"sd": (1.0, 0.05)},
        fixed={"model": "gaussian"},
        passed=DRAWS,
    ),
    "Thompson gaussian": Reference(
        "Thompson sampling",
        reference.thompson_gaussian,
        {"prior": (-1.0, -0.5, 0.0, 0.5)},
        NORMAL,
        fixed={"model": "gaussian"},
        passed=DRAWS,
    ),
    "Round robin": Reference("Round robin", reference.round_robin, {}),
    "Epsilon-greedy": Reference(
        "Epsilon-greedy",
        reference.epsilon_greedy,
        {"tau": TAUS, "epsilon": (0.1, 0.0, 1.0)},
        passed=DRAWS,
    ),
    "Explore-then-commit": Reference(
        "Explore-then-commit",
        reference.explore_in_turn,
        {"tau": TAUS, "horizon": (200, 55, 1), "share": ("0.2", "0.7")},
    ),
    "Mean of last": Reference("Mean of last", reference.mean_of_last, {"last": (10, 1, 3)}, NORMAL),
    "MV-LCB": Reference(
        "MV-LCB",
        reference.mv_lcb,
        {"horizon": (200, 10_000), "span": (1.0, 0.1), "rho": (1.0, 0.0, 20.0)},
        NORMAL,
    ),
    "ExpExp": Reference(
        "ExpExp", reference.exp_exp, {"horizon": (200, 1, 1500), "rho": (1.0, 0.0, 20.0)}, NORMAL
    ),
    "ThresholdAscent": Reference(
        "ThresholdAscent",
        reference.threshold_ascent,
        {"horizon": (300, 10_000), "s": (10, 1, 100), "delta": (0.1, 0.01)},
        rounds=300,
    ),
    "MaxMedian": Reference("MaxMedian", reference.max_median, {}, rounds=400, passed=DRAWS),
    "QoMax-ETC": Reference(
        "QoMax-ETC",
        reference.qomax_etc,
        {"horizon": (200, 5), "q": ("0.9", "0.5", "0.07"), "batches": (7, 1), "length": (3, 1, 7)},
        rounds=400,
    ),
    "QoMax-SDA": Reference(
        "QoMax-SDA",
        reference.qomax_sda,
        {"q": ("0.9", "0.5", "0.07"), "least": (1, 5)},
        rounds=600,
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_the_same_arms_as_the_reference(name):
    """Every two values of different settings meet in some case."""
    each = REFERENCES[name]
    for case in pairwise({"kind": each.kinds, "arms": each.arms, **each.settings}):
        check(each, case, each.rounds)


def test_every_policy_has_a_reference():
    assert {each.policy for each in REFERENCES.values()} == set(POLICIES)


OTHER_SETTINGS = {  # settings, and changes that must show
    "ThresholdAscent": ({"horizon": 300, "s": 10}, ({"s": 11}, {"delta": 0.2}, {"horizon": 600})),
    "QoMax-ETC": ({"horizon": 200, "batches": 4, "length": 3}, ({"q": "0.5"}, {"batches": 3})),
    "QoMax-SDA": ({}, ({"q": "0.5"}, {"least": 4})),
}


@pytest.mark.parametrize("name", OTHER_SETTINGS)
def test_a_reference_with_another_setting_pulls_other_arms(name):
    settings, changes = OTHER_SETTINGS[name]
    for change in changes:
        tables = [draw("ties", 3, 400, seed).tolist() for seed in range(6)]
        runs = [(REFERENCES[name].function, table, settings) for table in tables]
        assert any(f(t, **given) != f(t, **given | change) for f, t, given in runs), change


def check(each: Reference, case: Mapping[str, Any], rounds: int, seed: int = 0) -> None:
    """Play a case by the policy and by its reference implementation."""
    settings = {name: value for name, value in case.items() if name not in ("kind", "arms")}
    table = draw(case["kind"], case["arms"], rounds, seed)
    expected = each.function(table.tolist(), **settings, **each.passed)
    agree(policy_of(each, settings), table, expected)


def policy_of(each: Reference, settings: Mapping[str, Any]) -> Policy:
    """Return the policy; its levels are the doubles next to those that are written down."""
    as_given = {name: float(v) if name in LEVELS else v for name, v in settings.items()}
    return POLICIES[each.policy](**each.fixed, **as_given)


def agree(policy: Policy, table: np.ndarray, expected: Any) -> None:
    """Assert that the policy pulls the arms, and ends with the intervals, that are expected."""
    outcome = expected if isinstance(expected, reference.Outcome) else None
    found = play(policy, table, SEED)
    assert found.arms.tolist() == (outcome.arms if outcome else expected), policy
    if outcome:
        assert found.state.calibration.level.tolist() == outcome.level
        assert found.state.lower.tolist() == outcome.lower
        assert found.state.upper.tolist() == outcome.upper
        assert np.all(found.state.upper >= found.state.lower)


@pytest.mark.parametrize("kind", ["gaussian", "ties", "heavy", "alternating"])
def test_acp_ucb1_over_many_blocks(kind):
    """All kinds, for longer, are in `tests/slow`."""
    check_acp_ucb1(draw(kind, 1, 900), "0.14", {"eta": 0.05})


def check_acp_ucb1(table, alpha, settings):
    agree(
        ACPUCB1(float(alpha), **settings),
        table,
        reference.acp_ucb1(table.tolist(), alpha=alpha, **settings),
    )


def squeezed(table: np.ndarray) -> np.ndarray:
    """Return the rewards between 0 and 1, in the same order."""
    return 0.5 + np.arctan(table) / np.pi


class TestBernoulliKLUCB:
    """The reference finds the index by bisection: equal up to the last digits, not to the bit."""

    KL_UCB = staticmethod(lambda **settings: POLICIES["KL-UCB"]("bernoulli", **settings))

    @for_each("mean", [1e-9, 0.01, 0.1, 0.5, 0.77, 0.95, 1 - 1e-6])
    def test_the_index(self, mean):
        policy = self.KL_UCB(c=1.0)
        k = policy.functions
        state = k.start(policy, 1, 0)
        state.mean[0] = mean
        for pulls in (1, 2, 7, 50, 1000):
            state.pulls[0] = state.seen[0] = pulls
            for t in (pulls + 1, 3 * pulls, 10**4, 10**9):
                expected = reference.kl_upper(mean, reference.kl_budget(t, 1.0) / pulls)
                assert k.index(policy, state, 0, t) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("c", [0.0, 3.0])
    def test_the_same_arms_where_nothing_ties(self, c):
        for arms in ARMS:
            table = squeezed(draw("gaussian", arms, 200))
            agree(self.KL_UCB(c=c), table, reference.kl_ucb_bernoulli(table.tolist(), c=c))

    @for_each("kind", TABLES)
    def test_every_arm_is_one_of_the_best(self, kind):
        for arms, c in ((2, 3.0), (3, 0.0)):
            table = draw(kind, arms, 100)
            for arm, histories, t in replayed(table, play(self.KL_UCB(c=c), table).arms.tolist()):
                indices = [reference.kl_ucb_bernoulli_index(past, t, c) for past in histories]
                assert indices[arm] == pytest.approx(max(indices), rel=1e-11)
                equal = [(len(past), reference.exact_mean(past or [0])) for past in histories]
                assert arm == equal.index(equal[arm])


def replayed(table, arms):
    """Yield, for each round, its arm, the rewards of each arm before it, and its number."""
    histories = [[] for _ in table]
    for t, arm in enumerate(arms, start=1):
        yield arm, histories, t
        histories[arm].append(float(table[arm, len(histories[arm])]))


def test_the_exploration_of_exp_exp_is_a_whole_number_without_rounding():
    """(n / 14)^(2/3) is whole at n = 14 m³: there, and next to it, a plain power may err."""
    roots = [round((least / 14) ** (1 / 3)) for least in (14, 10**3, 10**6, 10**12, 10**18)]
    edges = [14 * m**3 for root in roots for m in range(root, root + 50)]
    for horizon in (*range(1, 200), *(n + step for n in edges for step in (-1, 0, 1))):
        pulls = POLICIES["ExpExp"](horizon).initial_pulls
        assert 14**2 * (pulls - 1) ** 3 < horizon**2 <= 14**2 * pulls**3, horizon


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("tau", ["0.95", "0.5", "0.8", "0.25", "0.07"])
def test_the_rank_of_kl_qucb_without_rounding(tau, plus):
    """τ = ½ at t = 2^N, τ = ¼ at t = 4^N: there the divergence is as large as the budget."""
    policy = POLICIES["KL-QUCB"](float(tau), plus=plus)
    k, rounds = policy.functions, [2**i for i in range(60)] + [10**i for i in range(18)]
    for n in (1, 2, 3, 5, 8, 20, 21, 59, 100, 180, 300):
        state = k.start(policy, 1, n)
        for reward in range(1, n + 1):
            k.update(policy, state, 0, float(reward))  # so that x_(k) = k
        for t in sorted({t for t in (*rounds, *range(n + 1, n + 6)) if t > n}):
            budget = max(Fraction(1), Fraction(t, n)) if plus else Fraction(t)
            r = reference.kl_rank(n, Fraction(tau), budget)
            expected = math.inf if r == n else r + 1
            assert k.index(policy, state, 0, t) == expected, (n, t)
