"""Compiled = interpreted = the obvious twin: every arm, level and endpoint, with ==."""

import random
from itertools import combinations

import numpy as np
import pytest

from upperhand.policies import ACPUCB1, UCB1
from upperhand.trajectory import play

from .. import naive
from ..tables import TABLES, draw

FACTORS = {
    "kind": tuple(TABLES),
    "alpha": ("0.05", "0.1", "0.14", "0.3", "0.5"),
    "b": (1.0, 0.0, 0.1),
    "eta": (0.01, 0.0, 0.2),
    "eta_decay": (0.0, 0.6),
    "lam": (1.0, 0.0, 0.1, 5.0),
    "levels": ((1e-4, 0.5), (0.04, 0.7)),
    "arms": (1, 2, 3, 7),
    "init": (2, 1, 5),
    "tail": ("upper", "lower"),
}


def pairwise_cases(seed: int = 0) -> list[dict]:
    """Return cases in which every two values of different factors meet at least once."""
    rng = random.Random(seed)  # noqa: S311

    def pairs(case: dict) -> set:
        return set(combinations(case.items(), 2))

    wanted = {
        ((f, x), (g, y))
        for f, g in combinations(FACTORS, 2)
        for x in FACTORS[f]
        for y in FACTORS[g]
    }
    cases = []
    while wanted:
        (f, x), (g, y) = min(wanted, key=repr)
        candidates = [
            {name: rng.choice(values) for name, values in FACTORS.items()} | {f: x, g: y}
            for _ in range(30)
        ]
        cases.append(max(candidates, key=lambda case: len(pairs(case) & wanted)))
        wanted -= pairs(cases[-1])
    return cases


CASES = pairwise_cases()


def case_id(case: dict) -> str:
    return "-".join(str(value) for value in case.values()).replace(" ", "")


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_acp_ucb1(case):
    settings = dict(case)
    kind, arms, alpha = settings.pop("kind"), settings.pop("arms"), settings.pop("alpha")
    settings["level_min"], settings["level_max"] = settings.pop("levels")
    check_acp_ucb1(draw(kind, arms, 350), alpha, settings)


@pytest.mark.parametrize("kind", TABLES)
def test_acp_ucb1_over_many_blocks(kind):
    check_acp_ucb1(draw(kind, 1, 900), "0.14", {"eta": 0.05})


def check_acp_ucb1(table, alpha, settings):
    expected = naive.acp_ucb1(table.tolist(), alpha=alpha, **settings)
    policy = ACPUCB1(float(alpha), **settings)
    for compiled in (True, False):
        found = play(policy, table, compiled=compiled)
        assert found.arms.tolist() == expected.arms
        assert found.state.level.tolist() == expected.level
        assert found.state.lower.tolist() == expected.lower
        assert found.state.upper.tolist() == expected.upper
        assert np.all(found.state.upper >= found.state.lower)


@pytest.mark.parametrize("arms", FACTORS["arms"])
@pytest.mark.parametrize("kind", TABLES)
def test_ucb1(kind, arms):
    table = draw(kind, arms, 200)
    expected = naive.ucb1(table.tolist())
    for compiled in (True, False):
        assert play(UCB1(), table, compiled=compiled).arms.tolist() == expected


@pytest.mark.parametrize("kind", ["gaussian", "heavy", "huge"])
def test_ucb1_with_exact_means(kind):
    """Where no two means tie, the rounding of the running mean changes nothing."""
    table = draw(kind, 3, 150)
    expected = naive.ucb1(table.tolist(), mean=naive.exact_mean)
    assert play(UCB1(), table).arms.tolist() == expected
