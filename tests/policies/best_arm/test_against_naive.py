"""Compiled = interpreted = the obvious twin: every pull, the stopping time and the answer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from upperhand.policies.best_arm import (
    QPAC,
    QSAR,
    QSR,
    DoubledMaxQ,
    MaxQ,
    QBatch,
    QuantileElimination,
)

from ...reference import best_arm_policies as naive
from ...tables import draw
from ..pairwise import case_id, pairwise
from .runs import search

KINDS = ("gaussian", "ties", "heavy", "bernoulli", "constant")
ARMS = (2, 3, 10)
LEVELS = {"tau", "epsilon"}  # text, as it is written down
SEED = 5


class Twin(NamedTuple):
    """A policy, the function that should do as it does, and the settings to try on both."""

    policy: type
    function: Callable[..., naive.Search]
    settings: Mapping[str, Sequence[Any]]
    passed: Mapping[str, Any] = {}  # for the function alone
    cap: int = 1500


BUDGETS = {
    "tau": ("0.5", "0.8", "0.07"),
    "budget": (120, 300, 54),
    "top": (1,),
    "interpolated": (True, False),
}
SURE = {"tau": ("0.5", "0.8", "0.3"), "delta": (0.05, 0.5)}
LAX = {"tau": ("0.8", "0.5"), "delta": (0.5, 0.95)}  # few pulls
TWINS = {
    "QPAC": Twin(QPAC, naive.qpac, {**SURE, "epsilon": ("0", "0.15"), "radius": ("dkw",)}, cap=900),
    "QPAC-BB": Twin(
        QPAC,
        naive.qpac,
        {**SURE, "epsilon": ("0", "0.1"), "radius": ("beta-binomial",), "t_opt": (20, 1000)},
        cap=600,
    ),
    "Max-Q": Twin(MaxQ, naive.max_q, {**LAX, "epsilon": ("0.19", "0.18")}, cap=2000),
    "Doubled": Twin(DoubledMaxQ, naive.doubled_max_q, {**LAX, "epsilon": ("0.19",)}, cap=2500),
    "Elimination": Twin(
        QuantileElimination,
        naive.quantile_elimination,
        {**SURE, "epsilon": ("0", "0.15")},
        cap=1000,
    ),
    "Private": Twin(
        QuantileElimination,
        naive.private_elimination,
        {**SURE, "privacy": (2.0, 50.0)},
        passed={"seed": SEED},
    ),
    "Q-SAR": Twin(QSAR, naive.successive, BUDGETS, {"rule": "SAR"}),
    "Q-SR": Twin(QSR, naive.successive, BUDGETS, {"rule": "SR"}),
    "Q-Batch": Twin(QBatch, naive.successive, BUDGETS, {"rule": "batch"}),
}


def rewards(kind: str, arms: int, apart: float, n: int) -> np.ndarray:
    """Return a table of that kind; the arms are some steps apart, the best one in the middle."""
    steps = np.roll(np.arange(arms), 1 + arms // 2)[:, None]
    return draw(kind, arms, n) + apart * steps


def cases() -> list:
    """Return the cases of all twins: every two values of different settings meet."""
    return [
        pytest.param(twin, case, id=f"{name}-{case_id(case)}")
        for name, twin in TWINS.items()
        for case in pairwise(
            {"kind": KINDS, "arms": ARMS, "apart": (0.0, 0.5, 2.0), **twin.settings}
        )
    ]


@pytest.mark.parametrize(("twin", "case"), cases())
def test_the_same_run_as_the_twin(twin, case):
    settings = {k: v for k, v in case.items() if k not in ("kind", "arms", "apart")}
    if twin.policy in (QSAR, QSR, QBatch) and case["arms"] == 10:
        settings["top"] = 3
    table = rewards(case["kind"], case["arms"], case["apart"], twin.cap)
    expected = twin.function(table.tolist(), twin.cap, **settings, **twin.passed)
    policy = twin.policy(**{k: float(v) if k in LEVELS else v for k, v in settings.items()})
    found, _ = search(policy, table, twin.cap, seed=SEED, compiled=False, stepwise=True)
    assert found == expected
    found, state = search(policy, table, twin.cap, seed=SEED)
    assert (found.stopped, found.answer) == (expected.stopped, expected.answer)
    counts = np.bincount(expected.arms, minlength=len(table))
    assert state.pulls.tolist() == counts.tolist()


@pytest.mark.parametrize("name", TWINS)
def test_both_endings_are_among_the_cases(name):
    """Else the equality above would say little. With a budget, every run ends by itself."""
    twin = TWINS[name]
    endings = set()
    for case in (each.values[1] for each in cases() if each.values[0] is twin):
        settings = {k: v for k, v in case.items() if k not in ("kind", "arms", "apart")}
        policy = twin.policy(**{k: float(v) if k in LEVELS else v for k, v in settings.items()})
        table = rewards(case["kind"], case["arms"], case["apart"], twin.cap)
        endings.add(search(policy, table, twin.cap, seed=SEED)[0].stopped)
    assert endings == ({True} if "budget" in twin.settings else {True, False})
