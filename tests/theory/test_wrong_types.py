"""Every public function of the theory, given the wrong type for each argument in turn."""

import inspect

import numpy as np
import pytest

import upperhand as uh
from upperhand import theory
from upperhand.errors import ParameterError
from upperhand.theory import LocalConstants, quantile_policies, theorem_1, theory_card

from ..looping import for_each

ARMS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
RIGHT = {  # an argument of each name that every function takes
    "a": 1.645, "acp_gap": 0.1, "alpha": 0.1, "arm": 0, "arms": ARMS, "b": 1.0, "beta": 0.2,
    "chance": 0.5, "constants": LocalConstants(0.1, 1.0, 0.1, 0.1, 0.1), "delta": 0.05,
    "delta_mu": 0.1, "delta_sigma": 0.1, "epsilon": 0.01, "eta": 0.01, "evidence": "asked",
    "frugal": 40, "f_min": 0.1, "g_0": 0.1, "g_min": 0.1, "gap": 0.1, "gaps": [0.0, 0.1, 0.2],
    "high": 0.2,
    "high_error": 0.1, "horizon": 1000, "init": 2, "kappa": 0.5, "lam": 1.0, "late": 2,
    "level_max": 0.5, "level_min": 1e-4, "low": 0.1, "low_error": 0.1, "m": 10, "mean": 2.5,
    "mean_gap": 0.1, "means": [0.1, 0.0, 0.04], "minimize": False, "n": 1000, "p": 0.5,
    "plus": True, "policy": uh.ACPUCB1(0.1), "pulls": [1, 2, 3], "q": 0.5, "r": 1.0, "r_s": 0.02,
    "r_y": 0.02, "radius": 0.1, "rounds": [10, 100], "sd": 0.1, "sd_best": 0.2,
    "sds": [0.05, 0.15, 0.08],
    "share": 0.1, "sup_distance": 0.01, "tau": 0.95, "trust": 1.0, "variance": "known",
    "window": (0.05, 0.2), "y": 0.5, "z": 0.1,
}  # fmt: skip
ARM = {"arm": uh.Normal(0, 1)}  # where it is a distribution, and not the number of an arm
OURS = {"policy": uh.KLQUCB(0.95)}  # where it is not about ACP-UCB1
COUNT = {"arms": 3}  # where it is how many there are
COUNTS = {"arms": [uh.Bernoulli(0.01), uh.Bernoulli(0.2)]}  # where arms have no mass below u*
ONE_GAP = (theorem_1.pull_bound, theorem_1.leading_pulls)  # those of arms behind the best one
OPTIONAL = (("r_y", None), ("r_s", None), ("policy", None))  # on a card
WRONG = ["text", b"bytes", None, object(), ["a", None], {"a": 1}, {0.5}, 1j, [[1.0], [1.0, 2.0]]]
WRONG += [True, ARMS, [1.5, ARMS[0]], np.array(["a"]), lambda: 0.1, slice(3), type, float("nan")]


FUNCTIONS = [*filter(inspect.isfunction, (getattr(theory, name) for name in theory.__all__))]


def arguments(function):
    kinds = inspect.get_annotations(inspect.unwrap(function))
    found = {name: RIGHT[name] for name in inspect.signature(function).parameters}
    found |= {name: ARM[name] for name in ARM if kinds.get(name) is uh.Distribution}
    found |= {name: COUNT[name] for name in COUNT if kinds.get(name) is int}
    found |= OURS if function.__module__ == quantile_policies.__name__ and "policy" in found else {}
    found |= COUNTS if function is quantile_policies.imed_lattice_pulls else {}
    return found | ({"gaps": 0.1} if function in ONE_GAP else {})


def call(function, given):
    by_place = [
        given.pop(name)
        for name, each in inspect.signature(function).parameters.items()
        if each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    return function(*by_place, **given)


@for_each("function", FUNCTIONS)
@pytest.mark.filterwarnings("error")
def test_wrong_types(function):
    call(function, arguments(function))
    for name, parameter in inspect.signature(function).parameters.items():
        for wrong in WRONG:
            is_flag = name in ("minimize", "plus") and wrong is True
            optional = function is theory_card and (name, wrong) in OPTIONAL
            optional |= wrong is None and parameter.default is None
            # Arms of a card may be texts, observations or functions: tests/distributions.
            arms = function is theory_card and name == "arms" and not isinstance(wrong, float)
            if wrong is RIGHT[name] or is_flag or optional or arms:
                continue
            try:
                call(function, arguments(function) | {name: wrong})
            except ParameterError as error:
                said = str(error)
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            else:
                said = "accepted"
            assert " got " in said, f"{name}={wrong!r}: {said}"
