"""KL-UCB: the largest mean that the rewards do not rule out.

A. Garivier, O. Cappé, "The KL-UCB algorithm for bounded stochastic bandits and beyond", COLT 2011,
PMLR 19:359–376.

An arm's index is the largest mean q from which its rewards are not yet too far, where distance is
the divergence d of the model:

    sup{q : T_j(t−1) · d(X̄_j, q) ≤ ln t + c ln ln t}.

"bernoulli" has d(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)), for rewards in [0, 1] of any law;
"gaussian" has d(p, q) = (p−q)² / (2 sd²), for a standard deviation that is known, and its index is
X̄_j + sd √(2 (ln t + c ln ln t) / T_j). With sd = 1 and c = 0 that is UCB1, to the last bit.

For Bernoulli arms, and for Gaussian ones of that sd, E[T_j] / ln n tends to 1 / d(μ_j, μ*): no
policy that is good on all of them does better (`upperhand.theory.lower_bounds`). The proof has
c = 3; its authors recommend c = 0. For other laws in [0, 1] "bernoulli" keeps its bound, which is
below UCB1's, though a policy that knew the law could do better. Each round costs O(K), and there
two or three steps of a root search an arm.
"""

import math
from typing import Literal, NamedTuple, Self

import numpy as np

from .. import checks
from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from .._kernels.divergence import kl_upper
from .._kernels.running import Means, learn_mean, no_means
from ..errors import ParameterError
from .contract import Kernels, Policy
from .scale import unit_advice


class _Parameters(NamedTuple):
    gaussian: bool
    scale: float  # sd; 0 for Bernoulli
    c: float
    random_ties: bool


class KLUCB(Policy, _Parameters):
    """Chase the best mean, with the bonus that the model's divergence allows.

    Parameters
    ----------
    model
        "bernoulli" for rewards in [0, 1], or "gaussian". Means outside [0, 1] are clipped by
        "bernoulli"; for costs in [0, 1] tell 1 − cost.
    sd
        The standard deviation of the rewards: wanted for "gaussian", and only there.
    c
        Weight of ln ln t, which counts from t = 3 on.
    random_ties
        Break ties at random instead of by the lowest arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.KLUCB(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    __slots__ = ()
    name = "KL-UCB"

    def __new__(  # noqa: D102
        cls,
        model: Literal["bernoulli", "gaussian"] = "bernoulli",
        *,
        sd: float | None = None,
        c: float = 0.0,
        random_ties: bool = False,
    ) -> Self:
        gaussian = checks.choice("model", model, ("bernoulli", "gaussian")) == "gaussian"
        if gaussian and sd is None:
            raise ParameterError(
                'KL-UCB with model="gaussian" must be told the standard deviation of the rewards: '
                'KLUCB("gaussian", sd=…). UCB1Normal estimates it.'
            )
        if not gaussian and sd is not None:
            raise ParameterError(
                f'sd belongs to model="gaussian"; got sd={sd!r} with model="bernoulli". Leave it '
                "out, or choose the other model."
            )
        return super().__new__(
            cls,
            gaussian=gaussian,
            scale=0.0 if sd is None else checks.real("sd", sd, above=0),
            c=checks.real("c", c, least=0),
            random_ties=checks.flag("random_ties", random_ties),
        )

    @property
    def model(self) -> Literal["bernoulli", "gaussian"]:
        """The law whose divergence is used."""
        return "gaussian" if self.gaussian else "bernoulli"

    @property
    def sd(self) -> float | None:
        """The standard deviation of the rewards; None for "bernoulli"."""
        return self.scale if self.gaussian else None

    def advice(self, state: Means) -> str | None:
        """Return a word of warning if rewards are not in [0, 1], where "bernoulli" needs them."""
        return None if self.gaussian else unit_advice(state, 'KLUCB("gaussian", sd=…)')

    def mirrored(self) -> Self:
        """Return the policy itself if Gaussian; refuse Bernoulli, which needs rewards in [0, 1]."""
        if self.gaussian:
            return self
        raise ParameterError(
            'KL-UCB with model="bernoulli" needs rewards in [0, 1], and negated costs are not: '
            "tell 1 − cost instead of asking for minimize=True."
        )


def init(policy: KLUCB, arms: int, room: int) -> Means:
    """Return the state before the first round."""
    return no_means(arms)


@kernel
def index(policy: KLUCB, state: Means, arm: int, t: int) -> float:
    """Return sup{q : T_j(t−1) d(X̄_j, q) ≤ budget}, or +∞ for an arm not yet pulled."""
    pulls, mean = int(state.pulls[arm]), float(state.mean[arm])
    if pulls == 0:
        return math.inf
    if policy.gaussian:
        return mean + policy.scale * math.sqrt(2.0 * budget(policy, t) / pulls)
    return kl_upper(min(max(mean, 0.0), 1.0), budget(policy, t) / pulls)


@kernel
def budget(policy: KLUCB, t: int) -> float:
    """Return ln t + c ln ln t; the second term from t = 3 on, where it is positive."""
    return math.log(t) + policy.c * math.log(max(1.0, math.log(t)))


@kernel
def select(policy: KLUCB, state: Means, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index."""
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy: KLUCB, state: Means, arm: int, reward: float) -> None:
    """Learn a reward."""
    learn_mean(state, arm, reward)


KLUCB.kernels = Kernels(init, index, select, update)
