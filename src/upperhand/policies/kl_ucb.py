"""KL-UCB: the largest mean that the rewards do not rule out.

A. Garivier, O. Cappé, "The KL-UCB algorithm for bounded stochastic bandits and beyond", COLT 2011,
PMLR 19:359–376.

An arm's index is the largest mean q from which its rewards are not yet too far, where distance is
the divergence d of the model:

    sup{q : T_j(t−1) · d(X̄_j, q) ≤ ln t + c ln ln t}.

"bernoulli" has d(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)), for any rewards in [0, 1];
"gaussian" has d(p, q) = (p−q)² / (2 sd²), for a standard deviation that is known, and its index is
X̄_j + sd √(2 (ln t + c ln ln t) / T_j). With sd = 1 and c = 0 that is UCB1, to the last bit.

For Bernoulli arms, and for Gaussian ones of that sd, E[T_j] / ln n tends to 1 / d(μ_j, μ*): no
policy that is good on all of them does better (`upperhand.theory.lower_bounds`). The proof has
c = 3; its authors recommend c = 0. For other distributions on [0, 1] "bernoulli" keeps its bound,
which is below UCB1's, though a policy that knew the distribution could do better. Each round costs
O(K), and there two or three steps of a root search an arm.
"""

import math
from typing import Literal

from .._kernels.compiler import kernel
from .._kernels.moments import Means, start_means, update_mean
from .._kernels.special import kl_upper
from ..errors import ParameterError
from ..objectives import Mean
from ..parameters import derived, parameter
from .base import Functions, Modelled, Policy


class KLUCB(Modelled, Policy):
    """Chase the best mean, with the bonus that the model's divergence allows.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.KLUCB(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "KL-UCB"
    compared = {"KL-UCB (sd)": {"model": "gaussian", "sd": None}}  # sd: the arms' largest
    objective = Mean()
    index_trend = "rises"

    model: Literal["bernoulli", "gaussian"] = parameter(
        'The distribution whose divergence is used; "bernoulli" clips means to [0, 1], and for '
        "costs in [0, 1] give it 1 − cost.",
        default="bernoulli", kw_only=False,
    )  # fmt: skip
    sd: float | None = parameter(
        'The standard deviation of the rewards: needed for "gaussian", and only there.',
        default=None, above=0,
    )  # fmt: skip
    c: float = parameter("Weight of ln ln t, which counts from t = 3 on.", default=0.0, least=0)

    def check(self) -> None:
        """Refuse a model without its standard deviation, and the other way round."""
        super().check()
        if self.gaussian and self.sd is None:
            raise ParameterError(
                'KL-UCB with model="gaussian" needs the standard deviation of the rewards: '
                'KLUCB("gaussian", sd=…). UCB1Normal estimates it.'
            )

    @derived
    def gaussian(self) -> bool:
        return self.model == "gaussian"

    def advice(self, state: Means) -> str | None:
        """Return a word of warning if rewards are not in [0, 1], where "bernoulli" needs them."""
        return self.unit_advice(state, 'KLUCB("gaussian", sd=…)')


@kernel
def index(policy: KLUCB, state: Means, arm: int, t: int) -> float:
    """Return sup{q : T_j(t−1) d(X̄_j, q) ≤ budget}, or +∞ for an arm not yet pulled."""
    pulls = int(state.pulls[arm])
    if int(state.seen[arm]) == 0:
        return math.inf
    mean = mean_seen(policy, state, arm)
    if policy.gaussian:
        return mean + policy.known_sd * math.sqrt(2.0 * budget(policy, t) / pulls)
    return kl_upper(mean, budget(policy, t) / pulls)


@kernel
def mean_seen(policy: KLUCB, state: Means, arm: int) -> float:
    """Return X̄_j as the model sees it: "bernoulli" within [0, 1]."""
    mean = float(state.mean[arm])
    return mean if policy.gaussian else min(max(mean, 0.0), 1.0)


@kernel
def budget(policy: KLUCB, t: int) -> float:
    """Return ln t + c ln ln t; the second term from t = 3 on, where it is positive."""
    return math.log(t) + policy.c * math.log(max(1.0, math.log(t)))


@kernel
def same_index(policy: KLUCB, state: Means, one: int, other: int) -> bool:
    same = mean_seen(policy, state, one) == mean_seen(policy, state, other)
    return bool(same and state.pulls[one] == state.pulls[other])


KLUCB.functions = Functions(start_means, index, update_mean, same_index=same_index)
