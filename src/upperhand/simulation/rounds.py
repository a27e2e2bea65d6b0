"""A policy at play: the loop, and what must be done between two calls of it."""

from concurrent.futures import CancelledError
from threading import Event
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._kernels.compile import compile_closure
from .._kernels.loop import Record, Stock, make_loop
from .._kernels.shortlist import Shortlist, all_listed
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


def play_on(
    policy: Policy,
    state: Any,  # modified
    source: Source,  # modified: more is drawn
    rng: np.random.Generator,
    record: Record,  # modified
    last: int,
    *,
    parameters: Any = None,  # by default those of the policy
    negated: bool = False,
    interpreted: bool = False,
    stop: Event | None = None,
    many: int = MANY,
) -> Ended:
    """Play to round `last`, or until the policy stops.

    The loop is left after each slice of rounds, so that Python hears Ctrl-C, and another thread
    can set `stop`: then `CancelledError` is raised. It is also left where a state must grow, or
    rewards must be drawn. None of this changes anything else.
    """
    f = policy.functions
    parameters = policy.parameters if parameters is None else parameters
    functions = (f.index, f.select, f.update, f.full, f.stop)
    if interpreted:
        loop = make_loop(*functions)
    else:
        loop = compile_closure(make_loop, *functions, user=type(policy), parts=policy.parts)
    arms = len(state.pulls)
    shortlist = shortlist_for(policy, arms, many)
    slice_ = max(1, ARMS_PER_SLICE // (arms if shortlist is None else LISTED))
    played, stopped = 0, False
    with lent(rng) as own:
        while played < last and not stopped:
            if stop is not None and stop.is_set():
                raise CancelledError
            end = min(last, played + slice_)
            played, arm, stopped = loop(
                parameters, state, source.stock, negated, record, shortlist, own, played, end
            )  # fmt: skip
            if played < last and not stopped:
                if int(state.pulls[arm]) == int(source.stock.drawn[arm]):
                    source.draw(arm)
                if f.full(parameters, state, arm):
                    state = f.grow(state)
    return Ended(state, int(played), bool(stopped))


def shortlist_for(policy: Policy, arms: int, many: int) -> Shortlist | None:
    """Return a shortlist if there are many arms and the policy's indices allow it."""
    moves = policy.between_pulls
    if arms < many or moves is None or policy.random_ties:
        return None
    return all_listed(arms, rises=moves == "rises")
