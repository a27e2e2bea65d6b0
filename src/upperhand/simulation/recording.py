"""What is kept of a trajectory: pull counts on a grid of rounds."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels.loop import Tally
from ..errors import ParameterError

NOTHING = np.empty(0, np.int64)


def arms_of(arms: NDArray[np.int64]) -> Tally:
    """Return the tally that notes the arm of each round in this array."""
    return Tally(arms, NOTHING, np.empty((0, 0), np.int64), np.zeros(1, np.int64))


def pulls_at(rounds: NDArray[np.int64], arms: int) -> Tally:
    """Return the tally that notes how often each arm was pulled, (G, K), up to these rounds."""
    pulls = np.zeros((len(rounds), arms), np.int64)
    own = rounds.copy()  # what came from another process may be read-only
    return Tally(NOTHING, own, pulls, np.zeros(1, np.int64))


def recorded_rounds(rounds: int | ArrayLike, horizon: int) -> NDArray[np.int64]:
    """Return the rounds at which pulls are recorded: rising, from 1 on, the last the horizon."""
    if isinstance(rounds, str) or not np.iterable(rounds):
        count = min(checks.integer("rounds", rounds, least=1), horizon)  # type: ignore[arg-type]
        return np.unique(np.linspace(0, horizon, count + 1).round().astype(np.int64)[1:])
    try:
        given = np.asarray(rounds)
    except ValueError:  # rows of unequal lengths
        given = np.empty(0)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.any((given < 1) | (given > horizon)):
        raise ParameterError(
            f"rounds must be whole numbers from 1 to the horizon {horizon}; got {rounds!r}."
        )
    return np.unique(np.append(given, horizon)).astype(np.int64)
