"""What is known of each arm, in numbers: for tables, pages and whoever asks."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.samples import rank
from ..calibrators import Interval
from ..calibrators.quantile_sequence import central_ranks
from ..checks import FAILED
from .best import Best, Counted, best_of, counted
from .machine import Machine
from .player import Player, finite
from .sketched import around, possible

Values = NDArray[np.float64]


class ArmReport(NamedTuple):
    """What is known of one arm."""

    arm: Any
    retired: bool
    pulls: int  # outcomes told of it, those forgotten included
    pending: int
    share: float  # of all outcomes
    quantile: float | None  # the estimate; None: nothing is known
    confidence: Interval  # for the quantile, valid whenever one looks
    prediction: Interval | None  # for the next outcome
    coverage: float | None  # the share of outcomes that their prediction interval held
    failed: int  # among what is remembered
    at_least: int  # outcomes of which only a bound is known, likewise


class Leader(NamedTuple):
    """The arm that looks best."""

    arm: Any  # None: no arm has enough outcomes for a confidence bound
    conclusive: bool  # whether its confidence reaches what was asked for
    confidence: float  # that no other arm has a better quantile, whenever one looks
    rival: Any  # the arm that is hardest to rule out
    quantile: float | None


def report_of(
    machine: Machine, segment: int, confidence: float, most: int | None = None
) -> list[ArmReport]:
    """Return what is known of each arm of a segment, of the first `most` if that is given."""
    player = machine.players[segment]
    total = max(player.outcomes, 1)
    return [
        ArmReport(
            name,
            arm in machine.retired,
            int(player.learned[arm]),
            int(player.pending[arm]),
            int(player.learned[arm]) / total,
            estimate(player, arm),
            confidence_interval(player, arm, 1.0 - confidence),
            prediction(player, arm),
            int(player.covered[arm]) / int(player.judged[arm]) if player.judged[arm] else None,
            int(player.failures[arm]),
            len(player.cuts[arm]),
        )
        for arm, name in enumerate(machine.arms[:most])
    ]


def leader_of(machine: Machine, segment: int, confidence: float) -> Leader:
    """Return who leads among the arms that are not retired, and how surely."""
    found = best_of_player(machine, machine.players[segment])
    arm = None if found.arm is None else machine.place(found.arm)
    quantile = None if arm is None else estimate(machine.players[segment], arm)
    return Leader(
        found.arm, found.confidence >= confidence, found.confidence, found.rival, quantile
    )


def best_of_player(machine: Machine, player: Player, tau: float | None = None) -> Best:
    """Return the arm with the best quantile, with outcomes that are known in part."""
    settings = machine.settings
    level = tau if tau is not None else settings.quantile
    arms = [arm for arm in range(len(machine.arms)) if arm not in machine.retired]
    outcomes = [_outcomes(player, arm) for arm in arms]  # none if all are retired
    worst, best = [found[0] for found in outcomes], [found[1] for found in outcomes]
    names = [machine.arms[arm] for arm in arms]
    ever, minimize = len(machine.arms), settings.minimize
    return best_of(names, worst, level or 0.5, minimize=minimize, best=best, ever=ever)


def _outcomes(player: Player, arm: int) -> tuple[Counted, Counted]:
    """Return the worst and the best that the arm's outcomes can be."""
    cuts, found = player.cuts[arm], possible(player, arm)
    if found is not None:
        least, most = found
    else:
        known = player.known(arm)
        least = counted(np.append(known, cuts))
        most = counted(np.append(known, np.full(len(cuts), FAILED)))
    return (most, least) if player.settings.minimize else (least, most)


def estimate(player: Player, arm: int) -> float | None:
    """Return the arm's quantile; ±∞ if it lies among failures, None if nothing is known."""
    tau = player.settings.quantile
    if tau is None:
        return None
    size, cuts = int(player.samples.size[arm]), player.cuts[arm]
    if player.needs_estimate(arm):
        sample = player.estimated(player.known(arm), cuts)
        value = float(sample[rank(tau, len(sample)) - 1])
    elif size:
        value = player.ordered(arm, rank(tau, size))
    else:
        return None
    return finite(value)


def confidence_interval(player: Player, arm: int, delta: float) -> Interval:
    """Return an interval for the arm's quantile that may be looked at at any time.

    What is known only to be at least so much counts as just that in the lower end, and as +∞ in
    the upper.
    """
    tau, cuts = player.settings.quantile, player.cuts[arm]
    size = 0 if tau is None else int(player.samples.size[arm])
    if tau is None or not size:
        return Interval(-np.inf, np.inf)
    lower, upper = central_ranks(tau, delta, size)
    low, high = -np.inf, np.inf
    if lower > 0 and cuts:
        low = float(np.sort(np.append(player.known(arm), cuts))[lower - 1])
    elif lower > 0:
        low = around(player, arm, lower)[0]
    if upper <= size - len(cuts):
        high = float(player.known(arm)[upper - 1]) if cuts else around(player, arm, upper)[1]
    return Interval(*(finite(end) for end in (low, high)))


def prediction(player: Player, arm: int) -> Interval | None:
    """Return the arm's prediction interval for what comes next, if there is one."""
    ends = player.interval(arm)
    if ends is None:
        return None
    return Interval(*(finite(end) for end in ends))
