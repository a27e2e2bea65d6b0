"""A policy at work on one set of arms: what it learned, what is under way, what it forgets.

How costs are learned is the policy's own affair (`Policy.learns_costs`). Asks that nobody told of
yet count as pulls wherever a count of pulls explores: W = N + pending. So a burst of asks spreads
over the arms. All that is kept here is made by `asked`, `released` and the outcomes, in their
order; choosing (`choosing.py`) leaves no trace.
"""

import heapq
import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.loop import anything, judge
from .._kernels.samples import Samples, value_at, values_of
from .._kernels.sketches import Sketches
from .._kernels.sorted_samples import remove
from .._kernels.states import lean, reads_elements, widened
from ..checks import LARGEST_REWARD
from ..errors import RewardError
from .censored import kaplan_meier
from .log.event import Kind
from .settings import Settings, described

Values = NDArray[np.float64]
Entry = tuple[float, int, int, float, bool]  # due, order of learning, arm, value, whether a cut
READING = 2  # the cursor for reports


class Learner:
    """What one policy knows of K arms; the same events in the same order give the same learner."""

    def __init__(self, settings: Settings, arms: int) -> None:
        policy = settings.policy
        self.settings, self.functions = settings, policy.functions
        self.draws, self._failed_value = policy.draws, settings.failed
        self._rule = settings.forgetting
        self.parameters = policy.parameters_for(settings.minimize)
        self.negates = settings.minimize and not policy.learns_costs
        self._expect = self.functions.interval or anything
        self._elements = reads_elements(*vars(self.functions).values(), *policy.parts)
        self._state: Any = self.functions.start(self.parameters, arms, 0)
        # Of a policy that keeps no values, they are kept here, if they are asked for.
        keeps = hasattr(self._state, "samples") or settings.quantile is None
        self.own = None if keeps else sorted_samples.empty(arms)
        self.pending = np.zeros(arms, np.int64)
        self.learned = [0] * arms  # outcomes of each arm, those forgotten included
        self.failures = np.zeros(arms, np.int64)  # failed trials among what is remembered
        self.cuts: list[list[float]] = [[] for _ in range(arms)]  # sorted bounds of outcomes
        self.judged = np.zeros(arms, np.int64)  # outcomes for which there was an interval …
        self.covered = np.zeros(arms, np.int64)  # … and those that it held
        # Heaps: what is forgotten next, of each arm if that is counted in its own rewards.
        self.due: list[list[Entry]] = [[] for _ in range(arms)]
        # Sums over the arms: asks under way, outcomes remembered, among these failed and cut ones.
        self.under_way = self.remembered = self.failed = self.cut = 0
        self.outcomes = 0  # learned, those forgotten included
        self.asks = 0  # those of outcomes that never came included
        self.end = settings.end
        self.look_at = 1  # outcomes at which to look which arm leads
        self.bind()

    # The policy's state, and views of its arrays: interpreted code reads and writes them faster

    @property
    def state(self) -> Any:
        """The policy's state."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state
        self.bind()

    def bind(self) -> None:
        """Note where all arrays are; to be called when one of them was replaced."""
        self.lean = lean(self._state) if self._elements else self._state
        self._pending = self.pending.data

    def __getstate__(self) -> dict[str, Any]:
        return {name: each for name, each in vars(self).items() if name not in ("lean", "_pending")}

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts)
        self.bind()

    # What happens

    def parameters_at(self, t: int) -> Any:
        """Return what the policy's functions get in round t, by which a horizon counts asks."""
        if not self.end:
            return self.parameters
        return self.parameters._replace(end=self.end + t - self.asks - 1)

    def asked(self, arm: int) -> None:
        """Count an ask of the arm as under way."""
        self._pending[arm] += 1
        self.under_way += 1

    def released(self, arm: int) -> None:
        """Count one ask of the arm less: it was told, or it expired."""
        self._pending[arm] -= 1
        self.under_way -= 1

    def learn(self, arm: int, told: float, at: float) -> None:
        """Learn a reward or cost, ±FAILED for a failed trial."""
        self._update(arm, (-told if self.negates else told) + 0.0)
        if told == self._failed_value:
            self._count_failure(arm, 1)
        self._remember(arm, told, at, cut=False)

    def learn_at_least(self, arm: int, bound: float, at: float) -> None:
        """Learn that an outcome is at least so much, and no more.

        In the policy's sample something stands for it, so that its rank is right as long as no
        known outcome is beyond the bound; else choices are made by Kaplan and Meier's estimate.
        """
        self._update(arm, self._seen(self.stand_in(bound)))
        self.note_cut(arm, bound)
        self._remember(arm, bound, at, cut=True)

    def note_cut(self, arm: int, bound: float) -> None:
        """Note that of an outcome only a bound is known."""
        insort(self.cuts[arm], bound)
        self.cut += 1

    def stand_in(self, bound: float) -> float:
        """Return what counts for an outcome of which a bound is known: of a cost the worst."""
        return self.settings.failed if self.settings.minimize else bound

    def _update(self, arm: int, value: float) -> None:
        """Let the policy learn a value, and judge its interval by it."""
        policy, state = self.parameters, self.lean
        judge(self._expect, policy, state, arm, value, self.judged, self.covered)
        self.functions.update(policy, state, arm, value)
        if self.functions.full(policy, state, arm):
            self.state = self.functions.grow(self._state)
        if self.own is not None:
            sorted_samples.insert(self.own, arm, value)
            if sorted_samples.full(self.own, arm):
                self.own = sorted_samples.grown(self.own)

    def forget_until(self, at: float) -> None:
        """Forget what is too old at that time, if time is what counts."""
        rule = self.settings.forgetting
        if rule is not None and rule.unit == "seconds":
            self._forget(self.due[0], at)

    def put_back(self, seconds: float) -> None:
        """Take that the clock was ahead into account, if time is what counts."""
        if self._rule is not None and self._rule.unit == "seconds":
            self.due = [[(each[0] - seconds, *each[1:]) for each in heap] for heap in self.due]

    def _forget(self, due: list[Entry], now: float) -> None:
        """Forget what is due, by the clock of that heap."""
        while due and due[0][0] <= now:
            _, _, arm, told, cut = heapq.heappop(due)
            self.remembered -= 1
            value = self._seen(self.stand_in(told) if cut else told)
            if self.functions.forget is not None:
                self.functions.forget(self.parameters, self.state, arm, value)
            if self.own is not None:
                remove(self.own, arm, value)
            if cut:
                del self.cuts[arm][bisect_left(self.cuts[arm], told)]
                self.cut -= 1
            elif told == self._failed_value:
                self._count_failure(arm, -1)

    def count_many(self, learned: NDArray[np.int64], failed: NDArray[np.int64]) -> None:
        """Count outcomes that were learned in bulk, and how many of them were failures."""
        self.learned = (np.array(self.learned) + learned).tolist()
        self.failures += failed
        self.failed += int(failed.sum())
        self.remembered += int(learned.sum())
        self.outcomes += int(learned.sum())

    def add_arm(self) -> None:
        """Take in one more arm, the last."""
        arms = len(self.pending) + 1
        fresh = self.functions.start(self.parameters, arms, 0)
        if self.own is not None:
            self.own = widened(self.own, sorted_samples.empty(arms))
        for name in ("pending", "failures", "judged", "covered"):
            setattr(self, name, np.append(getattr(self, name), 0))
        self.state = widened(self._state, fresh)
        self.learned.append(0)
        self.cuts.append([])
        self.due.append([])

    def _seen(self, told: float) -> float:
        """Return what the policy sees of what was told; −0.0 becomes 0.0."""
        return (-told if self.negates else told) + 0.0

    def _count_failure(self, arm: int, by: int) -> None:
        self.failures[arm] += by
        self.failed += by

    def _remember(self, arm: int, told: float, at: float, *, cut: bool) -> None:
        self.learned[arm] += 1
        self.remembered += 1
        self.outcomes += 1
        rule = self._rule
        if rule is not None:
            own = self.learned[arm]
            now = {"rewards": float(own), "rounds": float(self.outcomes), "seconds": at}[rule.unit]
            due = self.due[arm if rule.unit == "rewards" else 0]
            heapq.heappush(due, (now + rule.life(own), self.outcomes, arm, told, cut))
            self._forget(due, now)

    # What is known

    def ordered(self, arm: int, place: int) -> float:
        """Return the place-th smallest of the arm's known outcomes, as told."""
        samples = self.samples
        if not self.negates:
            return value_at(samples, arm, READING, place)
        return 0.0 - value_at(samples, arm, READING, int(samples.size[arm]) + 1 - place)

    def needs_estimate(self, arm: int) -> bool:
        """Tell whether some known outcome is beyond one that was cut, so that ranks do not do.

        For rewards always: what is beyond all that is known counts as the largest bound.
        """
        cuts = self.cuts[arm]
        if not cuts or not self.settings.minimize:
            return bool(cuts)
        known = int(self.samples.size[arm]) - len(cuts) - int(self.failures[arm])
        return known > 0 and self.ordered(arm, known) > cuts[0]

    def estimated(self, known: Values, cuts: Sequence[float]) -> Values:
        """Return the sample that stands for known and cut outcomes, by Kaplan and Meier.

        Beyond all that is known, a cost is as bad as can be; of a reward, only its bound counts.
        """
        return kaplan_meier(known, cuts, self.beyond(known, cuts)) if cuts else known

    def beyond(self, known: Values, cuts: Sequence[float]) -> float:
        """Return what stands for an outcome beyond all that is known."""
        if self.settings.minimize:
            return self.settings.failed
        return max(*cuts, float(known[-1])) if len(known) else max(cuts)

    def known(self, arm: int) -> Values:
        """Return the arm's known outcomes, sorted, as told."""
        values = values_of(self.samples, arm)
        values = 0.0 - values[::-1] if self.negates else values  # a zero has no sign
        cuts = self.cuts[arm]
        if not cuts:
            return values
        if self.settings.minimize:  # what stands for them is the largest there is
            return values[: -len(cuts)]
        same = np.arange(len(cuts)) - np.searchsorted(cuts, cuts)
        return np.delete(values, np.searchsorted(values, cuts) + same)

    @property
    def samples(self) -> Samples:
        """The sorted outcomes, as the policy sees them."""
        found: Samples = self.state.samples if self.own is None else self.own
        return found

    def interval(self, arm: int) -> tuple[float, float] | None:
        """Return the arm's prediction interval, of what was told; None if the policy has none."""
        if self.functions.interval is None:
            return None
        lower, upper = self.functions.interval(self.parameters, self.state, arm)
        return (0.0 - upper, 0.0 - lower) if self.negates else (lower, upper)

    def refuse_unknown(self, kind: int) -> None:
        """Refuse an outcome without a value that the policy cannot learn."""
        if self.functions.refresh is None:
            raise RewardError(
                f"{self.settings.policy.name} needs the value of every outcome: a failed trial, or "
                "one known only to be at least so much, has none. Use a policy on quantiles, such "
                "as kl-qucb, or tell a number that such an outcome is worth to you."
            )
        if kind == Kind.AT_LEAST and isinstance(self.samples, Sketches):
            raise RewardError(
                f"{described(self.settings.policy)} keeps few outcomes, too few to estimate where "
                "one lies of which only a bound is known. Tell its value, or that it failed; or "
                "begin an experiment without sketch."
            )


def finite(value: float) -> float:
    """Return an estimate as people read it: what lies among failures as an infinity."""
    return math.copysign(math.inf, value) if abs(value) > LARGEST_REWARD else value
