"""Which arm a player uses next: the policy's choice, with what is under way and what was cut."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.samples import rank
from .._kernels.states import rows, with_samples
from .failing import least_failing
from .player import Player
from .streams import CHOICE, Streams

Ages = Mapping[int, Sequence[float]]
Samples = dict[int, NDArray[np.float64]]
NO_AGES: Ages = {}


class Prepared(NamedTuple):
    """What a choice is made from; the same for each repetition of it."""

    state: Any
    t: int
    candidates: list[int] | None  # None: all arms
    least: int | None = None  # who fails least, if the choice rests on that


def next_arm(player: Player, streams: Streams, trial: int) -> int:
    """Return the arm for a trial, of all arms there are."""
    rng = streams.at(trial, CHOICE) if player.draws else None
    if player.cut or player.failed or player.under_way:
        return pick(player, prepare(player, None), rng)
    t = player.remembered + 1  # nothing is unusual, so there is nothing to prepare
    return player.functions.choose(player.parameters_at(t), player.lean, t, rng)


def prepare(player: Player, candidates: list[int] | None, ages: Ages = NO_AGES) -> Prepared:
    """Return what the next choice is made from.

    `candidates` is None for all arms; `ages` are how long each arm's requests have been running,
    where that is what is measured.
    """
    state, estimated = _view(player, ages) if player.cut or ages else (player.state, {})
    t = player.remembered + player.under_way + 1
    if player.under_way:
        candidates = _without_waiting(player, candidates, t)
    if candidates is not None and len(candidates) == len(player.pending):
        candidates = None
    if candidates is None and state is player.state:
        state = player.lean
    if player.under_way or estimated:  # an estimate may leave out what was cut early
        state = state._replace(pulls=_pulls(player))
    if player.cut or player.failed:
        least = _least_failing(player, candidates, estimated, t)
        if least is not None:
            return Prepared(state, t, candidates, least)
    if candidates is not None and len(candidates) > 1:
        state = rows(state, candidates)
    return Prepared(state, t, candidates)


def pick(player: Player, prepared: Prepared, rng: Any) -> int:
    """Return the arm to use next; only the random numbers may make a difference."""
    state, t, candidates, least = prepared
    if least is not None:
        return least
    if candidates is not None and len(candidates) == 1:
        return candidates[0]
    chosen = player.functions.choose(player.parameters_at(t), state, t, rng)
    return chosen if candidates is None else candidates[chosen]


def _without_waiting(player: Player, candidates: list[int] | None, t: int) -> list[int] | None:
    """Return the candidates without arms that were asked for often enough and never answered.

    An arm of which nothing is known comes first, whatever the policy. If it does not answer, all
    asks would go there. So while another one is known, it gets its initial pulls, or 2 ln t asks
    if that is more, and then waits for an answer, or for its asks to expire.
    """
    arms = range(len(player.pending)) if candidates is None else candidates
    unknown = [arm for arm in arms if not player.state.pulls[arm]]
    if not unknown or len(unknown) == len(arms):
        return candidates
    most = max(player.settings.policy.initial_pulls, math.ceil(2.0 * math.log(t)))
    waiting = {arm for arm in unknown if player.pending[arm] >= most}
    return [arm for arm in arms if arm not in waiting] if waiting else candidates


def _pulls(player: Player) -> NDArray[np.int64]:
    """Return W: what was learned and is remembered, and what is under way."""
    pulls: NDArray[np.int64] = player.state.pulls + player.pending
    return pulls


def _view(player: Player, ages: Ages) -> tuple[Any, Samples]:
    """Return the state to choose from, and the samples that stand for cut ones, as told."""
    estimated: Samples = {}
    for arm, cuts in enumerate(player.cuts):
        running = ages.get(arm, ())
        if running or player.needs_estimate(arm):
            known = player.known(arm)
            sample = player.estimated(known, [*cuts, *running] if len(known) else cuts)
            if cuts or sample is not known:  # the state has a stand-in for each cut
                estimated[arm] = sample
    if not estimated:
        return player.state, estimated
    seen = {arm: 0.0 - told[::-1] if player.negates else told for arm, told in estimated.items()}
    return with_samples(player.parameters, player.functions, player.state, seen), estimated


def _least_failing(
    player: Player, candidates: list[int] | None, estimated: Samples, t: int
) -> int | None:
    """Return who fails least, if no candidate's quantile is known; else None."""
    tau, failed = player.settings.quantile, player.settings.failed
    if tau is None:
        return None
    arms = range(len(player.pending)) if candidates is None else candidates
    good = []
    for arm in arms:
        if arm in estimated:
            size, bad = len(estimated[arm]), int((estimated[arm] == failed).sum())
        else:
            size = int(player.samples.size[arm])
            bad = int(player.failures[arm]) + len(player.cuts[arm])
        if size == 0:
            return None
        place = rank(tau, size)
        if not (place > size - bad if player.settings.minimize else place <= bad):
            return None
        good.append(1.0 - bad / size)
    return least_failing(list(arms), good, _pulls(player), t)
