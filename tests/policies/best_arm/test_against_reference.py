"""Every pull, the stopping time and the answer are those of the reference implementation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import upperhand as uh

from ...reference import best_arm_policies as reference
from ...reference.qlucb import qlucb
from ...tables import draw
from ..pairwise import pairwise
from .runs import search

KINDS = ("gaussian", "ties", "heavy", "bernoulli", "constant")
ARMS = (2, 3, 10)
LEVELS = {"tau", "epsilon"}  # text, as it is written down
SEED = 5


class Reference(NamedTuple):
    """A policy, the function that should do as it does, and the settings to try on both."""

    policy: type
    function: Callable[..., reference.Search]
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
REFERENCES = {
    "QLUCB": Reference(
        uh.QLUCB,
        qlucb,
        {
            "tau": ("0.5", "0.8", "0.1"),
            "epsilon": ("0", "0.1", "0.05"),
            "radius": ("beta-binomial", "stitched", "dkw"),
            "delta": (0.2,),
            "t_opt": (100,),
        },
        cap=300,
    ),
    "QPAC": Reference(
        uh.QPAC, reference.qpac, {**SURE, "epsilon": ("0", "0.15"), "radius": ("dkw",)}, cap=900
    ),
    "QPAC-BB": Reference(
        uh.QPAC,
        reference.qpac,
        {**SURE, "epsilon": ("0", "0.1"), "radius": ("beta-binomial",), "t_opt": (20, 1000)},
        cap=600,
    ),
    "Max-Q": Reference(uh.MaxQ, reference.max_q, {**LAX, "epsilon": ("0.19", "0.18")}, cap=2000),
    "Doubled": Reference(
        uh.DoubledMaxQ, reference.doubled_max_q, {**LAX, "epsilon": ("0.19",)}, cap=2500
    ),
    "Elimination": Reference(
        uh.QuantileElimination,
        reference.quantile_elimination,
        {**SURE, "epsilon": ("0", "0.15")},
        cap=1000,
    ),
    "Q-SAR": Reference(uh.QSAR, reference.successive, BUDGETS, {"rule": "SAR"}),
    "Q-SR": Reference(uh.QSR, reference.successive, BUDGETS, {"rule": "SR"}),
    "Q-Batch": Reference(uh.QBatch, reference.successive, BUDGETS, {"rule": "batch"}),
}


def rewards(kind: str, arms: int, apart: float, n: int) -> np.ndarray:
    """Return a table of that kind; the arms are some steps apart, the best one in the middle."""
    steps = np.roll(np.arange(arms), 1 + arms // 2)[:, None]
    return draw(kind, arms, n) + apart * steps


def cases(name: str) -> Iterator[tuple[uh.Policy, dict[str, Any], np.ndarray]]:
    """Yield policies, their settings and tables; every two values of different settings meet."""
    each = REFERENCES[name]
    factors = {"kind": KINDS, "arms": ARMS, "apart": (0.0, 0.5, 2.0), **each.settings}
    for case in pairwise(factors):
        kind, arms, apart = (case.pop(factor) for factor in ("kind", "arms", "apart"))
        if "top" in case and arms == 10:
            case["top"] = 3
        policy = each.policy(**{k: float(v) if k in LEVELS else v for k, v in case.items()})
        yield policy, case, rewards(kind, arms, apart, each.cap)


@pytest.mark.parametrize("name", REFERENCES)
def test_the_same_run_as_the_reference(name):
    """Runs end by the policy and by the cap; with a budget, every run ends by itself."""
    each, endings = REFERENCES[name], set()
    for policy, settings, table in cases(name):
        expected = each.function(table.tolist(), each.cap, **settings, **each.passed)
        found, state = search(policy, table, each.cap, seed=SEED, stepwise=True)
        assert found == expected, settings
        assert state.pulls.tolist() == np.bincount(found.arms, minlength=len(table)).tolist()
        endings.add(found.stopped)
    assert endings == ({True} if "budget" in each.settings else {True, False})
