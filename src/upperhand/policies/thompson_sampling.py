"""Thompson sampling: pull each arm as often as it is likely to be the best.

W. R. Thompson, Biometrika 25:285–294, 1933. Each round draws one value for each arm from what its
rewards say of its mean, and pulls the arm with the largest:

    beta                     Beta(1 + S_j, 1 + T_j − S_j),  S_j the sum of the rewards
    gaussian, sd known       X̄_j + sd / √T_j · Z,  Z standard normal
    gaussian, sd unknown     X̄_j + √(SS_j / (T_j ν_j)) · W,  W Student's t with ν_j = T_j + 2a − 1
                             degrees of freedom,  SS_j = Σ (Y − X̄_j)²

The last is of J. Honda, A. Takemura, "Optimality of Thompson sampling for Gaussian bandits depends
on priors", AISTATS 2014, for the prior (σ²)^(−1−a); it begins with max(2, 3 − ⌊2a⌋) pulls of each
arm, the others with one.

Each reaches the lower bound of Lai and Robbins on its own arms (`upperhand.theory.lower_bounds`):
beta on rewards 0 or 1 (E. Kaufmann, N. Korda, R. Munos, ALT 2012), gaussian with a known sd (the
same authors, NIPS 2013), with an unknown one for a < 0; with a ≥ 0, where the priors of Jeffreys
and of reference are, it does not. Rewards between 0 and 1 count in beta as fractions of a success,
with no coin tossed, and have no guarantee. Each round costs K draws.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.argmax import Index, argmax
from .._kernels.compiler import kernel
from .._kernels.moments import CompensatedSums, Moments, add, learn_moments, no_moments, no_sums
from ..errors import ParameterError
from ..objectives import Mean
from ..parameters import derived, parameter
from .base import Functions, Modelled, Policy

USUAL_PRIOR = -1.0


class ThompsonSampling(Modelled, Policy):
    """Chase the best mean by drawing means that the rewards make plausible.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]
    >>> uh.play(uh.ThompsonSampling("gaussian", sd=0.1), table, seed=0).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "Thompson sampling"
    compared = {"Thompson sampling": {"model": "gaussian"}}
    objective = Mean()
    draws = True

    model: Literal["beta", "gaussian"] = parameter(
        'What means are drawn from: "beta" for rewards in [0, 1] (others are clipped; for costs in '
        '[0, 1] tell 1 − cost), or "gaussian".',
        default="beta", kw_only=False,
    )  # fmt: skip
    sd: float | None = parameter(
        'For "gaussian": the standard deviation of the rewards if it is known. Otherwise each '
        "arm's own is inferred, and nothing depends on the unit of the rewards.",
        default=None, above=0,
    )  # fmt: skip
    prior: float = parameter(
        'For "gaussian" without sd: the exponent a of the prior (σ²)^(−1−a). Keep it below 0.',
        default=USUAL_PRIOR, least=-1e9, most=1e9,
    )  # fmt: skip

    def check(self) -> None:
        """Refuse what the model does not use."""
        super().check()
        if self.prior != USUAL_PRIOR and (self.beta or self.sd):
            raise ParameterError(
                f'prior belongs to model="gaussian" without sd; got {self.prior!r}. Leave it out: '
                "what is asked for has no variance to infer."
            )

    @derived
    def beta(self) -> bool:
        return self.model == "beta"

    @derived
    def initial_pulls(self) -> int:
        return 1 if self.beta or self.sd else max(2, 3 - math.floor(2 * self.prior))

    def advice(self, state: "State") -> str | None:
        """Return a word of warning if rewards are not in [0, 1], where "beta" needs them."""
        return self.unit_advice(state.moments, 'ThompsonSampling("gaussian")')


class State(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) T_j
    successes: CompensatedSums  # (K,) S_j, for beta
    moments: Moments  # (K,) X̄_j and SS_j, for gaussian; of rewards as they are
    drawn: NDArray[np.float64]  # (K,) the values of the last round


def start(policy: ThompsonSampling, arms: int, capacity: int) -> State:
    return State(np.zeros(arms, np.int64), no_sums(arms), no_moments(arms), np.zeros(arms))


@kernel
def index(policy: ThompsonSampling, state: State, arm: int, t: int) -> float:
    return float(state.drawn[arm])


@kernel
def select(
    index: Index, policy: ThompsonSampling, state: State, t: int, rng: np.random.Generator
) -> int:
    """Draw a value for each arm, in order; return the arm with the largest."""
    for arm in range(len(state.pulls)):
        state.drawn[arm] = plausible_mean(policy, state, arm, rng)
    return argmax(index, policy, state, t, rng)


@kernel
def plausible_mean(
    policy: ThompsonSampling, state: State, arm: int, rng: np.random.Generator
) -> float:
    """Return a draw of the arm's mean given its rewards; +∞, and no draw, in its initial pulls.

    Compiled and interpreted draw the same numbers: Numba's beta equals NumPy's where both
    parameters are at least 1, which they are here (below, the two differ); its t and normal do
    everywhere.
    """
    pulls = int(state.moments.pulls[arm])  # seen: pending outcomes are unknown
    if pulls < policy.initial_pulls:
        return math.inf
    if policy.beta:
        successes = float(state.successes.rounded[arm])
        return rng.beta(1.0 + successes, 1.0 + pulls - successes)
    mean = float(state.moments.mean[arm])
    if policy.known_sd > 0.0:
        return mean + policy.known_sd / math.sqrt(pulls) * rng.standard_normal()
    freedom = pulls + 2.0 * policy.prior - 1.0
    spread = math.sqrt(float(state.moments.squares[arm]) / (pulls * freedom))
    return mean + spread * rng.standard_t(freedom)


@kernel
def update(policy: ThompsonSampling, state: State, arm: int, reward: float) -> None:
    """Learn a reward: in mean and squares, and as a success between 0 and 1."""
    learn_moments(state.moments, arm, reward)
    state.pulls[arm] += 1
    add(state.successes, arm, min(max(reward, 0.0), 1.0), 0.0)


ThompsonSampling.functions = Functions(start, index, update, select=select, memory=("drawn",))
