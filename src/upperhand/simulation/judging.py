"""Which answers are right, by the laws of the arms.

With fixed confidence, arm h is right if q_h(τ+ε) ≥ max_a q_a(τ), with the lower quantiles
q_a(p) = inf{x : F_a(x) ≥ p}. With a fixed budget, m arms are right if no other arm's τ-quantile is
larger than one of theirs. Values that differ by rounding alone are equal (`objectives.gaps`).

Arms that pay costs are judged as policies see them: by the laws of the negated costs, at 1−τ. So h
is right if its (τ−ε)-quantile is at most the lowest τ-quantile, with upper quantiles in both places
where the laws have atoms.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..distributions.negated import Negated
from ..objectives import Quantile
from ..objectives.gaps import best_of, gaps_of
from ..policies.best_arm import FixedBudget, FixedConfidence

LEVEL_ROUNDING = 1e-12  # levels this near are equal: cdfs are not computed more exactly


def as_seen(
    arms: Sequence[Distribution], policy: FixedConfidence | FixedBudget, minimize: bool
) -> tuple[list[Distribution], float]:
    """Return the laws that a policy sees, and the level at which it compares them."""
    if not minimize:
        return list(arms), policy.tau
    return [Negated(arm) for arm in arms], policy.mirrored().tau


def wrong_answers(
    arms: Sequence[Distribution],
    policy: FixedConfidence | FixedBudget,
    minimize: bool,
    recommended: NDArray[np.int64],  # (R, m)
) -> NDArray[np.bool_]:
    """Return which of the recommendations are wrong, (R,)."""
    laws, tau = as_seen(arms, policy, minimize)
    values, sizes = Quantile(tau).values(laws), np.array([law.magnitude for law in laws])
    if isinstance(policy, FixedBudget):
        sets = [_is_best_set(values, sizes, row) for row in recommended]
        return ~np.array(sets, bool)
    tolerant = Quantile(tau + policy.epsilon).values(laws)
    right = [
        gaps_of(np.append(values, tolerant[arm]), np.append(sizes, sizes[arm]))[-1] == 0
        for arm in range(len(laws))
    ]
    return ~np.array(right, bool)[recommended[:, 0]]


def _is_best_set(
    values: NDArray[np.float64], sizes: NDArray[np.float64], chosen: NDArray[np.int64]
) -> bool:
    """Tell whether no arm outside is better than the worst one inside."""
    others = np.setdiff1d(np.arange(len(values)), chosen)
    pair = [chosen[values[chosen].argmin()], others[values[others].argmax()]]
    return bool(gaps_of(values[pair], sizes[pair])[0] == 0)


def tied_arms(arms: Sequence[Distribution], policy: FixedConfidence, minimize: bool) -> list[int]:
    """Return the best arms if they tie so that no policy can stop; an empty list otherwise.

    At the best τ-quantile v, all laws near to those of the arms make arm h wrong if another arm a
    has F_a(v) = τ: a little less mass at or below v, and its quantile is larger. Arms that share an
    atom at v can be told to be right, each of them.
    """
    laws, tau = as_seen(arms, policy, minimize)
    if policy.epsilon > 0:
        return []
    values = Quantile(tau).values(laws)
    best = best_of(gaps_of(values, [law.magnitude for law in laws]))
    largest = float(values.max())
    rivals = {a for a, law in enumerate(laws) if law.cdf(largest) <= tau + LEVEL_ROUNDING}
    return best if len(best) > 1 and all(rivals - {arm} for arm in best) else []
