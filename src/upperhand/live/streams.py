"""Random numbers keyed by seed, trial and purpose, so that a replay draws the same ones."""

from typing import Any

import numpy as np

CHOICE, SHARES, CHANCES = 0, 1, 2  # purposes; from CHANCES on, one for each repeated choice


class Streams:
    """One generator that is set to the stream that is wanted: 2 µs, where a new one takes 15."""

    def __init__(self, seed: int) -> None:
        key = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        self._bits = np.random.Philox(key=key)
        self.generator = np.random.Generator(self._bits)
        self._start: Any = self._bits.state
        self._start["state"]["counter"] = self._counter = np.zeros(4, np.uint64)

    def at(self, trial: int, purpose: int) -> np.random.Generator:
        """Return the generator at the beginning of the stream of this trial and purpose."""
        self._counter[1], self._counter[2] = trial, purpose
        self._bits.state = self._start
        return self.generator
