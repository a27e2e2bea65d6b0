"""One policy at play: on a reward table, on rewards that are drawn, or until it stops.

`Runner` calls the loop over rounds (`_kernels/loop.py`), compiled or interpreted. Between two calls
it does what must be done: draw more rewards, let the state grow, hear of an interrupt.

Compiling takes as long as 100,000 to 500,000 interpreted rounds with three arms, so a shorter job
runs interpreted. If that takes longer than expected, the loop is compiled and goes on where it was:
when interpreting the policy has taken as long in this process as compiling would. Choices are the
same.
"""

import math
from concurrent.futures import CancelledError
from dataclasses import dataclass
from threading import Event
from time import thread_time
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels.argmax import Shortlist, all_listed
from .._kernels.compiler import (
    Record,
    compile_closure,
    compile_seconds,
    compile_wanted,
    is_installed,
    layout_of,
)
from .._kernels.loop import Loop, Stock, Tally, make_loop
from .._kernels.states import copied, overwrite
from ..errors import ParameterError, TableError
from ..objectives import wanted
from ..policies import Policy
from ..policies.base import check_horizon, named_in_errors
from ..policies.parsing import PolicyLike, policy_set, settings_for
from ..results import frame
from .rewards import GivenRewards, lent, reward_table

ARMS_PER_SLICE = 100_000  # arms that one call of the loop looks at: well below a second
ARMS_PER_SECOND = 120_000  # … and an interpreted loop in a second, where compiling takes 5 s …
ARMS_TRIED = 1_000  # … and in a call while its time is taken
LISTED = 50  # arms that a round looks at with a shortlist
MANY = 60  # arms from which on a shortlist pays

_interpreted: dict[Any, float] = {}  # CPU seconds that loops ran interpreted before compiling


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
        expected: float = math.inf,  # rounds of the policy in the whole job; few are interpreted
        many: int = MANY,
        by_round: bool = False,  # an arm pays by the round, and not by its pulls
    ) -> None:
        self.by_round = by_round
        self.policy, self.state, self.source, self.tally = policy, state, source, tally
        self.parameters = policy.parameters if parameters is None else parameters
        self.negated, self.expected = negated, expected
        self.interpreted = interpreted or policy.interpreted or compile_wanted() is False
        self._open = math.isfinite(expected) and not self.interpreted and not compile_wanted()
        self._shortlist = shortlist_for(policy, len(state.pulls), many)
        self._looks = len(state.pulls) if self._shortlist is None else LISTED
        self._begun: Any = None  # a copy of the state before the first round, to play again from
        self._grown = False  # the state has other arrays than the one that was copied
        self._record: Record | None = None
        self._loop: Loop | None = None

    def again(self) -> None:
        """Begin again: the state and the tally are as they were before the first call."""
        if self._begun is None:
            self._begun = copied(self.state)
        elif self._grown:
            self.state, self._grown = copied(self._begun), False
        else:
            overwrite(self.state, self._begun)
        self.tally.counted[0] = 0
        if self._shortlist is not None:  # only the list of all arms serves
            self._shortlist.depth[0] = 0
            self._shortlist.wait[:] = 0

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
                loop, address = self._prepared(own)
                most = ARMS_TRIED if self._open else ARMS_PER_SLICE
                end, began = min(last, played + max(1, most // self._looks)), thread_time()
                with named_in_errors(self.policy):
                    played, arm, stopped = loop(address, self.negated, played, end)
                if self._open:
                    self._spend(thread_time() - began)
                if played < last and not stopped:
                    if int(self.state.pulls[arm]) == int(source.stock.drawn[arm]):
                        source.draw(arm)
                    if f.full(self.parameters, self.state, arm):
                        self.state, self._grown = f.grow(self.state), True
        return Ended(self.state, int(played), bool(stopped))

    def _prepared(self, rng: np.random.Generator) -> tuple[Loop, int]:
        """Return the loop and the address of its record, made again where an array was replaced."""
        parts: tuple[Any, ...] = (self.parameters, self.state, self.source.stock, self.tally, rng)
        if self._shortlist is not None:
            parts = (*parts, self._shortlist)
        record = self._record
        if record is None or any(a is not b for a, b in zip(record.contents, parts, strict=True)):
            self._record = record = Record(parts)
        if self._loop is None:
            f, listed = self.policy.functions, self._shortlist is not None
            functions = (f.index, f.select, f.update, f.full, f.stop)
            user: Any = {"user": type(self.policy), "parts": self.policy.parts}
            self._closure = (make_loop, *functions, layout_of(record), listed, self.by_round)
            if self._open:
                self._saved = compile_seconds(*self._closure, **user)
                self._open = self.expected * self._looks < self._saved * ARMS_PER_SECOND
            if self.interpreted or self._open:
                self._loop = make_loop(*functions, "", listed, self.by_round)
            else:
                self._loop = compile_closure(*self._closure, **user)
        return self._loop, record.address

    def _spend(self, seconds: float) -> None:
        """Note that the loop ran interpreted, and compile it for the next call if that was long."""
        spent = _interpreted[self._closure] = _interpreted.get(self._closure, 0.0) + seconds
        if spent > self._saved and is_installed():  # else it goes on as it is
            self._open, self._loop = False, None


def shortlist_for(policy: Policy, arms: int, many: int) -> Shortlist | None:
    """Return a shortlist if there are many arms and the policy's indices allow it.

    They do if `index_trend` was said of the policy's own functions, not of those of a base.
    """
    said, made = (
        next(place for place, each in enumerate(type(policy).__mro__) if name in vars(each))
        for name in ("index_trend", "functions")
    )
    moves = policy.index_trend if said <= made else None
    if arms < many or moves is None or policy.random_ties:
        return None
    return all_listed(arms, rises=moves == "rises")


NOTHING = np.empty(0, np.int64)


def arms_of(arms: NDArray[np.int64]) -> Tally:
    """Return the tally that notes the arm of each round in this array."""
    return Tally(arms, NOTHING, np.empty((0, 0), np.int64), np.zeros(1, np.int64))


def pulls_at(rounds: NDArray[np.int64], arms: int) -> Tally:
    """Return the tally that notes how often each arm was pulled, (G, K), up to these rounds."""
    pulls = np.zeros((len(rounds), arms), np.int64)
    own = rounds.copy()  # what came from another process may be read-only
    return Tally(NOTHING, own, pulls, np.zeros(1, np.int64))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What happened: the arm and the reward of each round, and the policy's final state."""

    arms: NDArray[np.int64]  # (n,)
    rewards: NDArray[np.float64]  # (n,)
    state: Any
    names: tuple[str, ...] = ()  # of the arms of a DataFrame

    def __repr__(self) -> str:
        named = [f"{name}: " for name in self.names] or [""] * 20
        pulls = ", ".join(f"{a}{b}" for a, b in zip(named, self.state.pulls[:20], strict=False))
        more = ", …" if len(self.state.pulls) > 20 else ""
        return f"Trajectory of {len(self.arms)} rounds, pulls ({pulls}{more})"

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each round. Columns: round, arm, reward."""
        arms = np.array(self.names)[self.arms] if self.names else self.arms
        rounds = np.arange(1, len(arms) + 1)
        return frame({"round": rounds, "arm": arms, "reward": self.rewards})


@checks.our_keywords
def play(
    policy: PolicyLike,
    table: ArrayLike,
    seed: int | None = None,
    *,
    quantile: float | None = None,
    rounds: int | None = None,
    compiled: bool | None = None,
) -> Trajectory:
    """Play a policy on a reward table.

    Parameters
    ----------
    policy
        A policy, a class or a name, as for `simulate`.
    table
        (K, n) numbers, of size 1e150 at most: ``table[j, s - 1]`` is the s-th reward of arm j, so
        the rows of an array are arms. Of a DataFrame each column is an arm.
    seed
        For policies that draw random numbers.
    quantile
        Sets the level of a policy that is given as a class or a name.
    rounds
        How many rounds to play, by default as many as the table has columns.
    compiled
        True compiles the policy first, and False runs the same functions without Numba. By default
        a policy is compiled if the rounds would take longer than that. The choices are the same.

    Examples
    --------
    >>> import upperhand as uh
    >>> trajectory = uh.play(uh.ACPUCB1(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]])
    >>> trajectory.rewards.tolist()
    [0.1, 0.9, 0.3, 0.8]
    """
    names: tuple[str, ...] = ()
    if hasattr(table, "columns"):  # a DataFrame: each column is an arm
        names, table = tuple(map(str, table.columns)), np.asarray(table).T
        if len(set(names)) < len(names):
            raise TableError(f"Each column is an arm and needs its own name; got {list(names)}.")
    aim, rewards = wanted(quantile), reward_table(table)
    policy = policy_set(policy, settings_for(aim, 0.1, rewards.shape[1]) if aim else {})[1]
    horizon = rewards.shape[1] if rounds is None else checks.integer("rounds", rounds, least=1)
    if horizon > rewards.shape[1]:
        raise TableError(
            f"{horizon} rounds need a table of at least {horizon} columns (one arm could be pulled "
            f"every time); got {rewards.shape[1]}. Draw more rewards or play fewer rounds."
        )
    try:
        check_horizon(policy, rewards.shape[0], horizon)
    except ParameterError as error:
        arms_are = " Rows of an array are arms. If your columns are the arms, write table.T."
        raise ParameterError(f"{error}{arms_are}") from None
    rng, arms = np.random.default_rng(checks.seed(seed)), np.empty(horizon, np.int64)
    state = policy.functions.start(policy.parameters, len(rewards), horizon)
    expected = horizon if compiled is None else math.inf
    options: Any = {"interpreted": compiled is False, "expected": expected}
    state = play_rounds(policy, state, rewards, rng, arms, **options)
    paid = np.empty(horizon)  # each arm's row, in the order of its pulls
    for arm, row in enumerate(rewards):
        pulled = np.flatnonzero(arms == arm)
        paid[pulled] = row[: len(pulled)]
    return Trajectory(arms, paid, state, names)


def compile_ahead(policy: Policy) -> None:
    """Compile the policy's loop for later runs, with fewer than `MANY` arms, by playing it."""
    if policy.interpreted:
        raise ParameterError(f"{policy.name} is a plain class, which cannot be compiled.")
    state = policy.functions.start(policy.parameters, 2, 2)
    runner = Runner(policy, state, GivenRewards(np.zeros((2, 2))), arms_of(NOTHING))
    runner.play(np.random.default_rng(0), 2)


def play_rounds(
    policy: Policy,
    state: Any,  # modified
    table: NDArray[np.float64],  # (K, n or more)
    rng: np.random.Generator,
    arms: NDArray[np.int64],  # (n,) modified: the arm of each round
    *,
    stop: Event | None = None,
    **options: Any,  # of `Runner`
) -> Any:
    """Play n rounds on a table that `reward_table` has passed; return the state, maybe grown."""
    runner = Runner(policy, state, GivenRewards(table), arms_of(arms), **options)
    return runner.play(rng, len(arms), stop).state


CAPACITY = 1024  # rewards that a state can take to begin with; it grows, as runs may be short


class Search(NamedTuple):
    """How a run ended."""

    samples: int  # pulls in all
    decided: bool  # False: the cap came first, and the arms are the best guess
    recommended: list[int]
    pulls: NDArray[np.int64]  # (K,)


def search(
    policy: Policy,
    rewards: Source,  # modified: more are drawn
    rng: np.random.Generator,
    cap: int,
    *,
    stop: Event | None = None,
    **options: Any,  # of `Runner`
) -> Search:
    """Play until the policy stops, or to the cap; what happens meanwhile, `Runner` says."""
    f = policy.functions
    if f.stop is None or f.recommend is None:
        raise TypeError(f"{policy.name} has no stop, or no recommend.")
    state = f.start(policy.parameters, len(rewards.stock.drawn), min(cap, CAPACITY))
    runner = Runner(policy, state, rewards, arms_of(NOTHING), **options)
    ended = runner.play(rng, cap, stop)
    recommended = [int(arm) for arm in f.recommend(policy.parameters, ended.state)]
    return Search(ended.rounds, ended.stopped, recommended, ended.state.pulls)
