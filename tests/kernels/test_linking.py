"""Kernels are kept for linking, and are called by the loop that they are linked into."""

import numba
import pytest
from numba.core import codegen

from upperhand._kernels import linking
from upperhand._kernels.compile import compile_closure, kernel

made: list[str] = []


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
    assert linking.options() == {"pipeline_class": linking.LinkingCompiler}


@pytest.mark.parametrize("name", linking.EXPECTED)
def test_another_numba_compiles_kernels_its_own_way(monkeypatch, name):
    class Library:
        pass

    for other in linking.EXPECTED:
        if other != name:
            setattr(Library, other, None)
    monkeypatch.setattr(codegen, "JITCodeLibrary", Library)
    assert linking.options() == {}


def test_machine_code_is_made_of_the_loop_alone(monkeypatch):
    finished = codegen.JITCodeLibrary._finalize_specific
    noted = lambda library: made.append(library.name) or finished(library)  # noqa: E731
    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_specific", noted)
    total = compile_closure(make_sum, tripled_and_one, user=type("Fresh", (), {}))
    assert total(4) == 3.0 * (0 + 1 + 2 + 3) + 4.0
    assert any("total" in name for name in made)
    assert not any("tripled" in name for name in made)


def test_what_numba_compiles_itself_may_call_a_kernel():
    compile_closure(make_sum, tripled, user=int)  # tells Numba of it
    assert numba.njit(lambda x: tripled_and_one(x))(2.0) == 7.0
