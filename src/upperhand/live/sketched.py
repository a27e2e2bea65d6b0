"""Outcomes of which a policy keeps a sketch: what is sure of them, and what cannot be done.

Ranks are then known within bounds, and confidence is taken from the bounds, so that it is never
more than all outcomes would give.
"""

import numpy as np

from .._kernels.sketches import Sketches, counts_of, within
from ..errors import ParameterError
from .best import Counted
from .learner import Learner
from .settings import Settings, described


def around(learner: Learner, arm: int, place: int) -> tuple[float, float]:
    """Return two outcomes between which the place-th smallest surely lies: itself, if known."""
    samples = learner.samples
    if not isinstance(samples, Sketches):
        return (learner.ordered(arm, place),) * 2
    if not learner.negates:
        return within(samples, arm, place)
    low, high = within(samples, arm, int(samples.size[arm]) + 1 - place)
    return 0.0 - high, 0.0 - low


def possible(learner: Learner, arm: int) -> tuple[Counted, Counted] | None:
    """Return the least that the arm's outcomes can be, and the most.

    None if all are known.
    """
    samples = learner.samples
    if not isinstance(samples, Sketches):
        return None
    found = counts_of(samples, arm)
    all_below = np.append(found.below[1:], found.taken[-1:])  # of the next value; of the last, all
    least, most = (Counted(found.values, upto) for upto in (all_below, found.least))
    return (most.negated(), least.negated()) if learner.negates else (least, most)


def refuse_sketching(settings: Settings) -> None:
    """Refuse a sketch where requests that still run count: of these a bound is known."""
    if settings.duration is not None and getattr(settings.policy, "sketch", None) is not None:
        raise ParameterError(
            f"{described(settings.policy)} keeps few outcomes, and duration={settings.duration!r} "
            "counts requests that still run, for which all outcomes are needed. Measure the time "
            "yourself and tell it, or leave out sketch."
        )
