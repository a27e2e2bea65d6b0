"""Kernels are kept for linking, and are called by the loop that they are linked into."""

import dataclasses
import math

import numba
import numpy as np
import pytest
from numba.core import codegen

from upperhand._kernels import numba_backend
from upperhand._kernels.compiler import compile_closure, kernel
from upperhand._kernels.numba_backend import linking_options
from upperhand.policies import UCB1
from upperhand.simulation.player import play

pytestmark = pytest.mark.compiled


@kernel
def tripled(x: float) -> float:
    return 3.0 * x


@kernel
def tripled_and_one(x: float) -> float:
    return tripled(x) + 1.0


def make_sum(term):
    def total(n):
        result = 0.0
        for i in range(n):
            result += term(float(i))
        return result

    return total


def test_the_installed_numba_is_built_as_expected():
    assert linking_options() == {"pipeline_class": numba_backend.LinkingCompiler}
    assert linking_options(branching=True) == {"pipeline_class": numba_backend.BranchingCompiler}


@pytest.mark.parametrize("name", numba_backend.EXPECTED)
def test_another_numba_compiles_kernels_its_own_way(monkeypatch, name):
    class Library:
        pass

    for other in numba_backend.EXPECTED:
        if other != name:
            setattr(Library, other, None)
    monkeypatch.setattr(codegen, "JITCodeLibrary", Library)
    assert linking_options() == {}


def test_machine_code_is_made_of_the_loop_alone(monkeypatch):
    made, finished = [], codegen.JITCodeLibrary._finalize_specific
    noted = lambda library: made.append(library.name) or finished(library)  # noqa: E731
    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_specific", noted)
    total = compile_closure(make_sum, tripled_and_one, user=type("Fresh", (), {}))
    assert total(4) == 3.0 * (0 + 1 + 2 + 3) + 4.0
    assert any("total" in name for name in made)
    assert not any("tripled" in name for name in made)


def test_a_line_says_that_a_policy_is_compiled(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    class Fresh(UCB1):
        """A policy of which no loop is in the cache."""

        name = "Another UCB1"

    for _ in range(2):
        play(Fresh(), np.zeros((2, 4)))
    assert capsys.readouterr().err == "Compiling Another UCB1 (once, about 5 s) …\n"


def test_the_look_at_each_arm_is_optimised_by_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    optimised, real = [], numba_backend.LinkedWhenOptimised._optimize_final_module
    noted = lambda library: optimised.append(library.name) or real(library)  # noqa: E731
    monkeypatch.setattr(numba_backend.LinkedWhenOptimised, "_optimize_final_module", noted)

    class Fresh(UCB1):
        """A policy of which no loop is in the cache."""

        name = "Fresh"

    Fresh.functions = dataclasses.replace(UCB1.functions, index=_fresh_index)
    play(Fresh(), np.zeros((2, 4)))
    assert optimised == ["_best_of"]


@kernel
def _fresh_index(policy, state, arm, t):
    return float(state.mean[arm]) if state.pulls[arm] > 0 else math.inf


def test_what_numba_compiles_itself_may_call_a_kernel():
    compile_closure(make_sum, tripled, user=int)  # tells Numba of it
    assert numba.njit(lambda x: tripled_and_one(x))(2.0) == 7.0
