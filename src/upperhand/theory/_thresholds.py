"""The thresholds u of Theorems Q1 to Q3: what arm j and the best arm have below each of them.

Every u with Q_j⁺ < u < u* gives a bound, by p = F_j(u−) and q = F_1(u−), the shares of rewards
strictly below u. There is such a u iff p > τ just below u*, that is F_j(u*−) > τ: assumption A(j).
Then q < τ by itself. If several arms are best, each may be arm 1; the least q is best.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.negated import Negated
from ..errors import AssumptionError
from ..objectives import Quantile
from ._arms import laws
from .best_arm import TIE

Array = NDArray[np.float64]

# Fewer thresholds give a larger bound, never too small a one. Shares of the way from one level to
# another, densest at the ends.
SHARES = np.concatenate([np.geomspace(1e-6, 0.04, 10), np.linspace(0.06, 0.94, 23)])
SHARES = np.unique(np.concatenate([SHARES, 1.0 - SHARES]))


class Seen(NamedTuple):
    """The arms as a policy sees them, costs negated, and what tells them apart."""

    given: Sequence[Distribution]
    laws: Sequence[Distribution]
    tau: float
    gaps: Array  # 0 for the best ones
    best: float  # u*


class Pair(NamedTuple):
    """The shares of arms of one law, not best, and of a best arm, below each threshold."""

    arms: list[int]
    p: Array
    q: Array


def seen(arms: Sequence[Distribution], tau: float, minimize: bool) -> Seen:
    """Return the arms with their gaps; of costs, the lowest quantile is best."""
    given, level = laws(arms), Quantile(tau).tau
    judged = list(given)
    if checks.flag("minimize", minimize):
        judged, level = [Negated(arm) for arm in given], 1.0 - level
    objective = Quantile(level)
    values = objective.values(judged)
    return Seen(given, judged, level, objective.gaps(judged), float(values.max()))


def below(arm: Distribution, u: Array) -> Array:
    """Return F(u−), the probability of a reward strictly below u."""
    return arm.cdf(np.nextafter(u, -np.inf))


def below_best(arms: Seen, u: Array) -> Array:
    """Return F_1(u−), the least of all best arms."""
    shares: Array = np.min([below(arm, u) for arm in _best_laws(arms)], axis=0)
    return shares


def open_share(arms: Seen, j: int) -> float:
    """Return F_j(u*−); refuse an arm for which A(j) fails."""
    share = float(below(arms.laws[j], np.array([arms.best]))[0])
    if share > arms.tau * (1.0 + TIE):
        return share
    raise _refusal(arms, j, share)


def _refusal(arms: Seen, j: int, share: float) -> AssumptionError:
    return AssumptionError(
        f"There is no bound for arm {j + 1}, {arms.given[j]!r}: no threshold has more than "
        f"{arms.tau:g} of its mass strictly on the worse side, and less than that of the best "
        f"arm's (assumption A(j)); got {share:g} at the best arm's quantile. The proofs say "
        f"nothing then."
    )


def behind(arms: Seen) -> Iterator[int]:
    """Yield the arms that are not best."""
    yield from np.flatnonzero(arms.gaps > 0).tolist()


def thresholds(arms: Seen) -> list[Pair]:
    """Return the shares below many thresholds, for each law of an arm that is not best."""
    alike: dict[Distribution, list[int]] = {}
    for j in behind(arms):
        alike.setdefault(arms.laws[j], []).append(j)
    return [_pair(arms, each, open_share(arms, each[0])) for each in alike.values()]


def _pair(arms: Seen, alike: list[int], most: float) -> Pair:
    """Return the thresholds at quantiles of an arm and of the best ones, and just beside them."""
    own, top = arms.laws[alike[0]], np.array([arms.best])
    places = own.quantile(arms.tau + (most - arms.tau) * SHARES)
    least = float(below_best(arms, places[:1])[0])
    levels = least + (arms.tau - least) * SHARES
    of_best = [arm.quantile(levels) for arm in _best_laws(arms)]
    places = np.concatenate([places, *of_best, top])
    places = np.concatenate([np.nextafter(places, -np.inf), places, np.nextafter(places, np.inf)])
    places = np.unique(places[places < arms.best])
    p = below(own, places)
    q = below_best(arms, places)
    usable = (p > arms.tau * (1.0 + TIE)) & (q < arms.tau * (1.0 - TIE))
    if not usable.any():  # the arms differ by hardly more than rounding
        raise _refusal(arms, alike[0], most)
    return Pair(alike, *_thinned(p[usable], q[usable]))


def _thinned(p: Array, q: Array) -> tuple[Array, Array]:
    """Leave out thresholds that differ by rounding alone; of equal p the least q is enough."""
    new = np.append(True, np.diff(p) > TIE * p[1:])  # both rise with u
    return p[new], q[new]


def _best_laws(arms: Seen) -> list[Distribution]:
    """Return the laws of the best arms, each once."""
    pairs = zip(arms.laws, arms.gaps, strict=True)
    return list(dict.fromkeys(law for law, gap in pairs if gap == 0))
