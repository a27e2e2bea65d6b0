"""A policy at play: the loop, and what must be done between two calls of it."""

from concurrent.futures import CancelledError
from threading import Event
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._kernels.addresses import Record
from .._kernels.compile import compile_closure, layout_of
from .._kernels.loop import Loop, Stock, Tally, make_loop
from .._kernels.shortlist import Shortlist, all_listed, forget_lists
from .._kernels.state_rows import copied, overwrite
from ..policies import Policy
from .seeds import lent

ARMS_PER_SLICE = 100_000  # arms that one call of the loop looks at: well below a second
LISTED = 50  # arms that a round looks at with a shortlist
MANY = 60  # arms from which on a shortlist pays


class Source(Protocol):
    """Where rewards come from: `Rewards`, or a table."""

    stock: Stock

    def draw(self, arm: int) -> None:
        """Draw more of an arm's rewards."""


class Ended(NamedTuple):
    """How a run ended."""

    state: Any
    rounds: int
    stopped: bool  # by the policy


class Runner:
    """A policy on a source of rewards, ready to play, and to play again from the beginning."""

    def __init__(
        self,
        policy: Policy,
        state: Any,  # modified
        source: Source,  # modified: more is drawn
        tally: Tally,  # modified
        *,
        parameters: Any = None,  # by default those of the policy
        negated: bool = False,
        interpreted: bool = False,
        many: int = MANY,
    ) -> None:
        self.policy, self.state, self.source, self.tally = policy, state, source, tally
        self.parameters = policy.parameters if parameters is None else parameters
        self.negated, self.interpreted = negated, interpreted
        self._shortlist = shortlist_for(policy, len(state.pulls), many)
        looks = len(state.pulls) if self._shortlist is None else LISTED
        self._slice = max(1, ARMS_PER_SLICE // looks)
        self._begun: Any = None  # a copy of the state before the first round, to play again from
        self._grown = False  # the state has other arrays than the one that was copied
        self._record: Record | None = None
        self._loop: Loop | None = None

    def again(self) -> None:
        """Begin anew: the state and the tally are as they were before the first call."""
        if self._begun is None:
            self._begun = copied(self.state)
        elif self._grown:
            self.state, self._grown = copied(self._begun), False
        else:
            overwrite(self.state, self._begun)
        self.tally.counted[0] = 0
        if self._shortlist is not None:
            forget_lists(self._shortlist)

    def play(self, rng: np.random.Generator, last: int, stop: Event | None = None) -> Ended:
        """Play to round `last`, or until the policy stops.

        The loop is left after each slice of rounds, so that Python hears Ctrl-C, and another
        thread can set `stop`: then `CancelledError` is raised. It is also left where a state must
        grow, or rewards must be drawn. None of this changes anything else.
        """
        f, source = self.policy.functions, self.source
        played, stopped = 0, False
        with lent(rng) as own:
            while played < last and not stopped:
                if stop is not None and stop.is_set():
                    raise CancelledError
                record, end = self._recorded(own), min(last, played + self._slice)
                played, arm, stopped = self._looped(record)(
                    record.address, self.negated, played, end
                )
                if played < last and not stopped:
                    if int(self.state.pulls[arm]) == int(source.stock.drawn[arm]):
                        source.draw(arm)
                    if f.full(self.parameters, self.state, arm):
                        self.state, self._grown = f.grow(self.state), True
        return Ended(self.state, int(played), bool(stopped))

    def _recorded(self, rng: np.random.Generator) -> Record:
        """Return the record for the loop, made anew where an array was replaced."""
        parts: tuple[Any, ...] = (self.parameters, self.state, self.source.stock, self.tally, rng)
        if self._shortlist is not None:
            parts = (*parts, self._shortlist)
        made = self._record
        if made is None or any(a is not b for a, b in zip(made.contents, parts, strict=True)):
            self._record = made = Record(parts)
        return made

    def _looped(self, record: Record) -> Loop:
        """Return the loop, compiled or as it is."""
        if self._loop is None:
            f, listed = self.policy.functions, self._shortlist is not None
            functions = (f.index, f.select, f.update, f.full, f.stop)
            if self.interpreted:
                self._loop = make_loop(*functions, "", listed)
            else:
                layout, parts = layout_of(record), self.policy.parts
                self._loop = compile_closure(
                    make_loop, *functions, layout, listed, user=type(self.policy), parts=parts
                )
        return self._loop


def shortlist_for(policy: Policy, arms: int, many: int) -> Shortlist | None:
    """Return a shortlist if there are many arms and the policy's indices allow it."""
    moves = policy.between_pulls if _speaks_for_itself(type(policy)) else None
    if arms < many or moves is None or policy.random_ties:
        return None
    return all_listed(arms, rises=moves == "rises")


def _speaks_for_itself(policy: type[Policy]) -> bool:
    """Tell whether `between_pulls` was said of these functions, and not of those of a base."""
    said, made = (
        next(place for place, each in enumerate(policy.__mro__) if name in vars(each))
        for name in ("between_pulls", "functions")
    )
    return said <= made
