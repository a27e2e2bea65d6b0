"""The rewards of one replication, drawn as they are needed: a run that may end early reads few.

Each arm's stream is the one of `tables.draw_table`, read in chunks that double what there is:
FIRST, FIRST, 2·FIRST, … rewards. The chunks are whole whoever asks, so a value depends on the seed,
the replication, the arm and its place alone. Memory is used as far as rewards were drawn, at most
twice what some policy has pulled: rows are made without being filled.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from .seeds import reward_stream
from .tables import Table, draw_row

FIRST = 1024  # rewards of an arm's first chunk


class Rewards:
    """What each arm pays, pull by pull; with `negated`, the negatives of what it costs."""

    def __init__(
        self, laws: Sequence[Distribution], seed: int, replication: int, *, negated: bool = False
    ) -> None:
        self.laws, self.negated = laws, negated
        self.streams = [reward_stream(seed, replication, arm) for arm in range(len(laws))]
        self.table: Table = np.empty((len(laws), FIRST))  # (K, n)  table[j, s − 1] = Y_{j,s}
        self.drawn: NDArray[np.int64] = np.zeros(len(laws), np.int64)  # (K,) of each arm
        for arm in range(len(laws)):
            self.draw(arm)

    def draw(self, arm: int) -> None:
        """Draw the arm's next chunk, into a larger table where this one is full."""
        first = int(self.drawn[arm])
        last = max(FIRST, 2 * first)
        if last > self.table.shape[1]:
            self._widen(last)
        row = self.table[arm, first:last]
        draw_row(row, arm, self.laws[arm], self.streams[arm])
        if self.negated:
            np.subtract(0.0, row, out=row)  # and no −0.0
        self.drawn[arm] = last

    def _widen(self, columns: int) -> None:
        wider = np.empty((len(self.laws), columns))
        for row, kept, count in zip(wider, self.table, self.drawn, strict=True):
            row[:count] = kept[:count]
        self.table = wider
