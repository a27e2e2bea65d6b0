"""The asks and tells of a bandit, compiled: about a microsecond each.

Compiled code chooses and learns at once, on the arrays of the player. What the machine counts
besides follows from the journal, and is caught up when somebody looks. A machine that is caught up
is the one that took in the same events one by one.
"""

import math

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kinds_of
from .._kernels.loop import ELSEWHERE, LOOK, TOLD, UNDER_WAY, live_record
from .choosing import next_arm
from .compiling import Steps
from .journal import Journal, next_trial
from .machine import Machine
from .pending import Pending
from .streams import CHOICE
from .trial import ASKS

NEVER = 2**62


class Shortcut:
    """Asks and tells of a machine that a journal without times is kept of."""

    def __init__(self, steps: Steps, machine: Machine, journal: Journal) -> None:
        self._machine, self._player = machine, machine.players[0]
        self.steps = steps
        self._ask, self._tell, self._kinds = steps
        self._arms, self._values = journal.arms, journal.values
        self._draws, self._negates = self._player.draws, self._player.negates
        self._counted = machine.n  # events of the journal that the machine knows of
        self._clock = np.zeros(3, np.int64)
        self.fits = True  # the state has the types that were compiled for
        self.look_at(math.inf)
        self._resume()
        self._bind()

    def ask(self) -> int:
        """Return the arm to use next, and note it."""
        if self._draws:
            asked = len(self._arms) - len(self._values)
            self._machine.streams.at(ASKS + asked + 1, CHOICE)
        asks = len(self._arms) - len(self._values)
        known = not self._player.end or asks == self._clock[TOLD] + self._clock[UNDER_WAY]
        arm = self._ask(self._address) if known else ELSEWHERE
        if arm < 0:
            arm = self._ask_machine()
        self._arms.append(arm)
        return arm

    def tell(self, arm: int, told: float) -> bool:
        """Learn what was told, and note it; say whether it is time to look."""
        look = self._tell(self._address, arm, (-told if self._negates else told) + 0.0)
        self._values.append(told)
        self._arms.append(~arm)
        return look and self._made_room(arm)

    @property
    def outcomes(self) -> int:
        """How many outcomes were told."""
        return len(self._values)

    def look_at(self, outcomes: float) -> None:
        """Let `tell` say so when there are so many outcomes."""
        self._clock[LOOK] = min(outcomes, NEVER)

    def replay(self) -> bool:
        """Let a new machine take in all that the journal has; say whether it fits to the end."""
        values = iter(self._values)
        for code in self._arms:
            if code >= 0:
                self._player.asked(code)
                self._clock[UNDER_WAY] += 1
            else:
                told = next(values)
                if self._tell(self._address, ~code, (-told if self._negates else told) + 0.0):
                    self._made_room(~code)
            if not self.fits:
                return False
        self.catch_up()
        return True

    def catch_up(self) -> Machine:
        """Let the machine count what it did not see; return it."""
        if self._counted < len(self._arms):
            count_events(self._machine, np.array(self._arms[self._counted :]))
            self._counted = len(self._arms)
        return self._machine

    def _ask_machine(self) -> int:
        """Return what the machine answers where something is unusual."""
        machine = self.catch_up()
        trial = next_trial(machine)
        arm = next_arm(self._player, machine.streams, trial)
        machine.take_ask(trial, 0, arm)
        self._counted += 1
        self._resume()
        return arm

    def _made_room(self, arm: int) -> bool:
        """Make room for the arm's next reward if need be; say whether it is time to look."""
        player = self._player
        if player.functions.full(player.parameters, player.lean, arm):
            player.state = player.functions.grow(player.state)
            self._bind()
        return bool(self._clock[TOLD] >= self._clock[LOOK]) or not self.fits

    def _resume(self) -> None:
        """Set the clock by the machine, which is caught up."""
        self._clock[TOLD], self._clock[UNDER_WAY] = self._player.remembered, self._player.under_way

    def _bind(self) -> None:
        """Note where the arrays are."""
        player = self._player
        counts = (player.pending, player.judged, player.covered, self._clock)
        rng = self._machine.streams.generator
        self._record = live_record(player.parameters, player.state, counts, rng)
        self._address = self._record.address
        self.fits = kinds_of(self._record.contents) == self._kinds


def count_events(machine: Machine, codes: NDArray[np.intc]) -> None:
    """Count asks and rewards that the player's arrays know already: arm, or ~arm if it was told."""
    player, arms, told = machine.players[0], codes[codes >= 0], ~codes[codes < 0]
    trials = ASKS + machine.counts["asked"] + 1 + np.arange(len(arms))
    machine.n += len(codes)
    machine.counts["asked"] += len(arms)
    machine.counts["outcomes"] += len(told)
    player.asks += len(arms)
    if len(arms):
        machine.epochs[1] = machine.counts["asked"]
    k = len(player.pending)
    player.count_many(np.bincount(told, minlength=k), np.zeros(k, np.int64))
    player.under_way = int(player.pending.sum())
    before = list(machine.pending)
    asked = np.append([machine.pending[trial].arm for trial in before], arms).astype(np.int64)
    newest = _newest(asked, player.pending)
    trials = np.append(before, trials).astype(np.int64)[newest]
    machine.pending = {
        trial: Pending(0, arm, machine.at)
        for trial, arm in zip(trials.tolist(), asked[newest].tolist(), strict=True)
    }


def _newest(arms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the places of the last counts[j] asks of each arm j, in order.

    These are still under way, as a reward is that of the arm's oldest ask.
    """
    order = np.argsort(arms, kind="stable")
    ends = np.cumsum(np.bincount(arms, minlength=len(counts)))
    behind = ends[arms[order]] - 1 - np.arange(len(arms))
    return np.sort(order[behind < counts[arms[order]]])
