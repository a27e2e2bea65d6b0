"""The rewards of one replication: given as a table, or drawn as they are needed.

The s-th reward of arm j is the paper's Y_{j,s}, ``table[j, s - 1]``. It depends on the seed, the
replication, the arm and s alone: each arm has a random stream of its own. Arms that pay costs are
negated once, before anything is played (`simulate.as_rewards`).

Most distributions draw their rewards one by one, so that the same stream gives the same rewards
however it is cut (`Distribution.in_sequence`). Of these, an arm's rewards are drawn in chunks,
about as far as the arm was pulled in the replication before, and memory holds what some policy
pulled. Other distributions, such as mixtures, draw all components first: of these a simulation
draws the whole horizon at once. Without a horizon, all are drawn in chunks that double what there
is: FIRST, FIRST, 2·FIRST, … rewards.

The policies of a replication share what was drawn. With a LONG horizon they do not: of an arm that
draws one by one only the last chunk is kept, and each policy draws again (`rewind`), the same.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import local

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels.loop import Stock
from ..distributions import Distribution
from ..distributions.derived import Negated
from ..errors import ParameterError, TableError

REWARDS, POLICY, ROWS = 0, 1, 2

_own = local()  # the generator that each thread lends to compiled code


def reward_stream(seed: int, replication: int, arm: int) -> np.random.Generator:
    """Return the stream of one arm's rewards in one replication, the same for every policy."""
    return _stream(seed, replication, REWARDS, arm)


def policy_stream(seed: int, replication: int) -> np.random.Generator:
    """Return the stream from which a policy draws in one replication."""
    return _stream(seed, replication, POLICY)


def row_stream(seed: int, replication: int) -> np.random.Generator:
    """Return the stream from which a replay draws the rows of one replication."""
    return _stream(seed, replication, ROWS)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


@contextmanager
def lent(rng: np.random.Generator) -> Iterator[np.random.Generator]:
    """Lend a loop the thread's own generator in the state of this one, and take that state back.

    The address of one generator serves all replications; that of a new one takes 10 µs to find.
    """
    if not isinstance(rng.bit_generator, np.random.PCG64):
        yield rng
        return
    own = getattr(_own, "rng", None)
    if own is None:
        own = _own.rng = np.random.Generator(np.random.PCG64(0))
    own.bit_generator.state = rng.bit_generator.state
    try:
        yield own
    finally:
        rng.bit_generator.state = own.bit_generator.state


Table = NDArray[np.float64]  # (K, n)


def reward_table(given: ArrayLike) -> Table:
    """Return the caller's table as an array of doubles of our own, or refuse it."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf" or np.ma.isMaskedArray(given):
        raise TableError(
            f"A reward table must be a (K, n) array of real numbers, its rows of equal length; got "
            f"{type(given).__name__} of {array.dtype} values."
        )
    if array.ndim != 2 or 0 in array.shape:
        raise TableError(
            f"A reward table must have shape (K, n), K ≥ 1 arms by n ≥ 1 rewards; got shape "
            f"{array.shape}."
        )
    table = np.array(array, dtype=np.float64, order="C")
    if not (allowed := checks.is_reward(table)).all():
        arm, column = np.argwhere(~allowed)[0]
        raise TableError(
            f"Each reward of a table must be {checks.A_REWARD}; got {table[arm, column]} as reward "
            f"{column + 1} of arm {arm}. Drop or replace it, or choose a larger unit."
        )
    table += 0.0  # −0.0 becomes 0.0: equal numbers, equal bits
    return table


def draw_table(arms: Sequence[Distribution], horizon: int, seed: int, replication: int) -> Table:
    """Return the rewards of one replication, each arm's from a stream of its own."""
    table = np.empty((len(arms), horizon))
    for place, arm in enumerate(arms):
        _draw_row(table[place], str(place), arm, reward_stream(seed, replication, place))
    return table


def _draw_row(
    row: NDArray[np.float64],  # (n,) modified
    name: str,
    arm: Distribution,
    rng: np.random.Generator,
) -> None:
    """Fill a row with the arm's next rewards, checked."""
    row[:] = arm.sample(len(row), rng)
    if not (allowed := checks.is_reward(row)).all():
        reward = float(row[np.argmin(allowed)])
        arm, reward = (arm.costs, -reward) if isinstance(arm, Negated) else (arm, reward)
        raise ParameterError(
            f"Arm {name}, {arm!r}, drew the reward {reward}, which is not "
            f"{checks.A_REWARD}. Choose a distribution with a lighter tail, or a smaller scale."
        )
    row += 0.0  # −0.0 becomes 0.0


FIRST = 1024  # rewards of an arm's first chunk, if nothing is known of how far it is pulled
LONG = 1 << 20  # rounds from which on rewards are forgotten when they were pulled …
WINDOW = 1 << 16  # … and the most that an arm has at a time
LEAST = 64  # rewards of a chunk, at least: a chunk costs as much as 500 rewards


class Rewards:
    """What each arm pays, pull by pull."""

    def __init__(
        self,
        arms: Sequence[Distribution],
        seed: int,
        replication: int,
        horizon: int | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.arms, self.seed, self.horizon = arms, seed, horizon
        self._names = names or tuple(map(str, range(len(arms))))
        k = len(arms)
        share = FIRST if horizon is None else min(FIRST, max(LEAST, 2 * horizon // k))
        self._wanted = np.full(k, share)  # of each arm, to begin with
        self._most = np.zeros(k, np.int64)  # pulls of each arm by any policy
        self._start = np.zeros(k, np.int64)  # where each arm's part of the values begins …
        self._size = np.zeros(k, np.int64)  # … and how much it is
        self._taken = 0  # values that are in some arm's part
        empty = np.zeros((2, k), np.int64)
        self.stock = Stock(np.empty(k * share), first=empty[0], drawn=empty[1])
        self.begin(replication)

    def begin(self, replication: int) -> None:
        """Begin another replication, in the memory of the last."""
        if self._most.any():
            self._wanted, self._most = self._most, np.zeros_like(self._most)
        self._begin(replication)

    def _begin(self, replication: int) -> None:
        seeds = (self.seed, replication)
        self.streams = [reward_stream(*seeds, arm) for arm in range(len(self.arms))]
        self.stock.drawn[:] = 0
        self._refusals: dict[int, ParameterError] = {}  # of arms whose last reward is invalid
        for arm in range(len(self.arms)):
            self.draw(arm)

    def rewind(self, replication: int) -> None:
        """Go back to the first rewards of the replication under way, for another policy."""
        if any(self._passes(arm) for arm in range(len(self.arms))):
            self._begin(replication)

    def _passes(self, arm: int) -> bool:
        """Tell whether the arm's rewards are forgotten when they were pulled."""
        return self.horizon is not None and self.horizon > LONG and self.arms[arm].in_sequence

    def draw(self, arm: int) -> None:
        """Draw the arm's next chunk.

        A simulation refuses an invalid reward only when it is pulled. How far chunks go beyond that
        depends on what was played before, and so on the workers.
        """
        if arm in self._refusals:
            raise self._refusals[arm]
        stock, distribution = self.stock, self.arms[arm]
        there = int(stock.drawn[arm])
        chunk = self._chunk(arm, there, distribution.in_sequence)
        kept = 0 if self._passes(arm) else there
        self._enlarge(arm, kept, kept + chunk)
        at = int(self._start[arm]) + kept
        row = self.stock.values[at : at + chunk]
        try:
            _draw_row(row, self._names[arm], distribution, self.streams[arm])
        except ParameterError as refusal:
            if self.horizon is None:
                raise
            chunk = self._put_off(arm, row, refusal)
        stock.first[arm], stock.drawn[arm] = at - there, there + chunk

    def note(self, pulls: NDArray[np.int64]) -> None:
        """Note how far a policy pulled each arm."""
        np.maximum(self._most, pulls, out=self._most)
        for arm, refusal in self._refusals.items():
            if self._most[arm] == self.stock.drawn[arm]:
                raise refusal

    def _put_off(self, arm: int, row: NDArray[np.float64], refusal: ParameterError) -> int:
        """End a row with its first invalid reward, as a 0, and keep the error until it is pulled.

        Return how many rewards the row has then.
        """
        first = int(np.argmin(checks.is_reward(row)))
        row[first] = 0.0
        row[: first + 1] += 0.0
        self._refusals[arm] = refusal
        return first + 1

    def _chunk(self, arm: int, there: int, in_sequence: bool) -> int:
        """Return how many rewards of an arm to draw next."""
        if self.horizon is None:
            return max(FIRST, there)
        if not in_sequence:
            return self.horizon
        wanted = int(self._wanted[arm]) if there == 0 else there // 8
        most = WINDOW if self._passes(arm) else self.horizon
        return min(max(wanted, LEAST), most, self.horizon - there)

    def _enlarge(self, arm: int, kept: int, needed: int) -> None:
        """Give the arm a part for so many rewards, if need be a new one, and keep its first."""
        if needed <= self._size[arm]:
            return
        stock, size = self.stock, max(needed, 2 * int(self._size[arm]))
        start, self._taken = self._taken, self._taken + size
        if self._taken > len(stock.values):
            larger = np.empty(max(self._taken, 2 * len(stock.values)))
            larger[:start] = stock.values[:start]
            self.stock = stock = stock._replace(values=larger)
        old = int(self._start[arm])
        stock.values[start : start + kept] = stock.values[old : old + kept]
        self._start[arm], self._size[arm] = start, size


class GivenRewards:
    """The rewards of a table, which are all there."""

    def __init__(self, table: Table) -> None:
        arms, columns = table.shape
        first = columns * np.arange(arms)
        self.stock = Stock(np.ascontiguousarray(table).ravel(), first, np.full(arms, columns))

    def draw(self, arm: int) -> None:
        """Refuse: nothing is left to draw."""
        raise TableError(f"The table has no more rewards of arm {arm}.")
