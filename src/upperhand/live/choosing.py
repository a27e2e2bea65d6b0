"""Which arm a learner uses next: the policy's choice, with what is under way and what was cut.

Random numbers are keyed by seed, ask and purpose, so that a replay draws the same ones.

If more than a share 1 − τ of an arm's costs are failures or time-outs, its τ-quantile is worse than
anything known. Where that holds for every candidate, their quantiles tie, and the choice rests on
the shares of outcomes that did not fail, by KL-UCB (A. Garivier, O. Cappé, COLT 2011):

    argmax_j  max{p : W_j kl(1 − failed share, p) ≤ ln t}.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.samples import rank
from .._kernels.special import kl_upper
from .._kernels.states import rows, with_samples
from .learner import Learner

Ages = Mapping[int, Sequence[float]]
Samples = dict[int, NDArray[np.float64]]
NO_AGES: Ages = {}
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


class Prepared(NamedTuple):
    """What a choice is made from; the same for each repetition of it."""

    state: Any
    t: int
    candidates: list[int] | None  # None: all arms
    least: int | None = None  # who fails least, if the choice rests on that


def next_arm(learner: Learner, streams: Streams, trial: int) -> int:
    """Return the arm for a trial, of all arms there are."""
    rng = streams.at(trial, CHOICE) if learner.draws else None
    if learner.cut or learner.failed or learner.under_way:
        return pick(learner, prepare(learner, None), rng)
    t = learner.remembered + 1  # nothing is unusual, so there is nothing to prepare
    return learner.functions.choose(learner.parameters_at(t), learner.lean, t, rng)


def prepare(learner: Learner, candidates: list[int] | None, ages: Ages = NO_AGES) -> Prepared:
    """Return what the next choice is made from.

    `candidates` is None for all arms; `ages` are how long each arm's requests have been running,
    where that is what is measured.
    """
    state, estimated = _view(learner, ages) if learner.cut or ages else (learner.state, {})
    t = learner.remembered + learner.under_way + 1
    if learner.under_way:
        candidates = _without_waiting(learner, candidates, t)
    if candidates is not None and len(candidates) == len(learner.pending):
        candidates = None
    if candidates is None and state is learner.state:
        state = learner.lean
    if learner.under_way or estimated:  # an estimate may leave out what was cut early
        state = state._replace(pulls=_pulls(learner))
    if learner.cut or learner.failed:
        least = _least_failing(learner, candidates, estimated, t)
        if least is not None:
            return Prepared(state, t, candidates, least)
    if candidates is not None and len(candidates) > 1:
        state = rows(state, candidates)
    return Prepared(state, t, candidates)


def pick(learner: Learner, prepared: Prepared, rng: Any) -> int:
    """Return the arm to use next; only the random numbers may make a difference."""
    state, t, candidates, least = prepared
    if least is not None:
        return least
    if candidates is not None and len(candidates) == 1:
        return candidates[0]
    chosen = learner.functions.choose(learner.parameters_at(t), state, t, rng)
    return chosen if candidates is None else candidates[chosen]


def _without_waiting(learner: Learner, candidates: list[int] | None, t: int) -> list[int] | None:
    """Return the candidates without arms that were asked for often enough and never answered.

    An arm of which nothing is known comes first, whatever the policy. If it does not answer, all
    asks would go there. So while another one is known, it gets its initial pulls, or 2 ln t asks
    if that is more, and then waits for an answer, or for its asks to expire.
    """
    arms = range(len(learner.pending)) if candidates is None else candidates
    unknown = [arm for arm in arms if not learner.state.pulls[arm]]
    if not unknown or len(unknown) == len(arms):
        return candidates
    most = max(learner.settings.policy.initial_pulls, math.ceil(2.0 * math.log(t)))
    waiting = {arm for arm in unknown if learner.pending[arm] >= most}
    return [arm for arm in arms if arm not in waiting] if waiting else candidates


def _pulls(learner: Learner) -> NDArray[np.int64]:
    """Return W: what was learned and is remembered, and what is under way."""
    pulls: NDArray[np.int64] = learner.state.pulls + learner.pending
    return pulls


def _view(learner: Learner, ages: Ages) -> tuple[Any, Samples]:
    """Return the state to choose from, and the samples that stand for cut ones, as told."""
    estimated: Samples = {}
    for arm, cuts in enumerate(learner.cuts):
        running = ages.get(arm, ())
        if running or learner.needs_estimate(arm):
            known = learner.known(arm)
            sample = learner.estimated(known, [*cuts, *running] if len(known) else cuts)
            if cuts or sample is not known:  # the state has a stand-in for each cut
                estimated[arm] = sample
    if not estimated:
        return learner.state, estimated
    seen = {arm: 0.0 - told[::-1] if learner.negates else told for arm, told in estimated.items()}
    return with_samples(learner.parameters, learner.functions, learner.state, seen), estimated


def _least_failing(
    learner: Learner, candidates: list[int] | None, estimated: Samples, t: int
) -> int | None:
    """Return who fails least, if no candidate's quantile is known; else None."""
    tau, failed = learner.settings.quantile, learner.settings.failed
    if tau is None:
        return None
    arms = range(len(learner.pending)) if candidates is None else candidates
    good = []
    for arm in arms:
        if arm in estimated:
            size, bad = len(estimated[arm]), int((estimated[arm] == failed).sum())
        else:
            size = int(learner.samples.size[arm])
            bad = int(learner.failures[arm]) + len(learner.cuts[arm])
        if size == 0:
            return None
        place = rank(tau, size)
        if not (place > size - bad if learner.settings.minimize else place <= bad):
            return None
        good.append(1.0 - bad / size)
    return least_failing(list(arms), good, _pulls(learner), t)


def least_failing(
    arms: Sequence[int], good: Sequence[float], pulls: NDArray[np.int64], t: int
) -> int:
    """Return the arm whose share of good outcomes may be the largest; the first of equal ones."""
    bounds = [
        kl_upper(share, math.log(t) / int(pulls[arm]))
        for arm, share in zip(arms, good, strict=True)
    ]
    return arms[int(np.argmax(bounds))]
