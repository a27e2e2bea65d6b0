"""Reward tables: given by the caller or drawn from laws, both through one check.

``table[j, s - 1]`` is the s-th reward of arm j: the paper's Y_{j,s}.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..errors import ParameterError, TableError, UpperhandError
from .seeds import reward_stream

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

    def refusal(arm: int, column: int, reward: float) -> UpperhandError:
        return TableError(
            f"Each reward of a table must be {checks.A_REWARD}; got {reward} as reward "
            f"{column + 1} of arm {arm}. Drop or replace it, or choose a larger unit."
        )

    return _checked(np.array(array, dtype=np.float64, order="C"), refusal)


def draw_table(laws: Sequence[Distribution], horizon: int, seed: int, replication: int) -> Table:
    """Return the rewards of one replication, each arm's from a stream of its own."""
    table = np.empty((len(laws), horizon))
    for arm, law in enumerate(laws):
        draw_row(table[arm], arm, law, reward_stream(seed, replication, arm))
    return table


def draw_row(
    row: NDArray[np.float64],  # (n,) modified
    arm: int,
    law: Distribution,
    rng: np.random.Generator,
) -> None:
    """Fill a row with the arm's next rewards, checked."""
    row[:] = law.sample(rng, len(row))

    def refusal(_arm: int, _column: int, reward: float) -> UpperhandError:
        return ParameterError(
            f"Arm {arm + 1}, {law!r}, drew the reward {reward}, which is not "
            f"{checks.A_REWARD}. Choose a law with a lighter tail, or a smaller scale."
        )

    _checked(row[None], refusal)


def _checked(table: Table, refusal: Callable[[int, int, float], UpperhandError]) -> Table:
    """Return the table without negative zeros, in place; refuse its first bad reward."""
    allowed = checks.is_reward(table)
    if not allowed.all():
        arm, column = np.argwhere(~allowed)[0]
        raise refusal(int(arm), int(column), float(table[arm, column]))
    table += 0.0  # −0.0 becomes 0.0: equal numbers, equal bits
    return table
