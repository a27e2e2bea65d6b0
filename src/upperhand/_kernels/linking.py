"""Kernels are copied into the loop that calls them, so no machine code is made for each alone.

By default Numba optimises every function and makes machine code of it, then links it into its
callers, which are optimised again with all that they call: a formula ten calls below the loop goes
through that ten times. Nobody runs a kernel by itself. Here its code is only kept for linking, and
optimised once, as part of the loop: compiling a policy on samples takes half the time, and the loop
is as fast. One exception is the look at each arm (`branching_kernel`): LLVM takes its branches out
when it first sees it within the loop, and UCB1 takes half as long again.

This reaches into Numba's code generation. Where that is not built as expected, kernels are compiled
as Numba does by default.
"""

from typing import Any

from numba.core import codegen, compiler

# What is replaced or called below, and must be there for that.
EXPECTED = (
    "_ensure_finalized",
    "_finalize_dynamic_globals",
    "_finalize_final_module",
    "_optimize_final_module",
    "_verify_declare_only_symbols",
    "get_pointer_to_function",
)


class LinkedOnly(codegen.JITCodeLibrary):
    """The code of one kernel, as it is written; it has no address and cannot be called."""

    @property
    def codegen(self) -> Any:
        """Return the maker of code; it is asked to note the function's environment."""
        return _NoEnvironment(self._codegen)

    def get_pointer_to_function(self, _name: str) -> int:
        """Return 0: there is no such function."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Leave it to the caller's library."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class LinkedWhenOptimised(LinkedOnly):
    """The code of one kernel, optimised by itself before it is copied."""

    def _optimize_final_module(self) -> None:
        codegen.JITCodeLibrary._optimize_final_module(self)


class _NoEnvironment:
    """A maker of code that does not write a function's environment to where the function is not."""

    def __init__(self, maker: Any) -> None:
        self.maker = maker

    def __getattr__(self, name: str) -> Any:
        return getattr(self.maker, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: environments serve functions that Python calls."""


class LinkingCompiler(compiler.Compiler):
    """Numba's compiler, with a library of that kind."""

    library = LinkedOnly

    def define_pipelines(self) -> Any:
        """Return Numba's own passes, after giving the function its library."""
        state = self.state
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()


class BranchingCompiler(LinkingCompiler):
    """The same, for kernels that keep their branches."""

    library = LinkedWhenOptimised


def options(*, branching: bool = False) -> dict[str, Any]:
    """Return the options that compile a kernel so, or none if this Numba is built differently."""
    known = all(hasattr(codegen.JITCodeLibrary, name) for name in EXPECTED)
    return {"pipeline_class": BranchingCompiler if branching else LinkingCompiler} if known else {}
