"""What policies that look for the best arm share: their settings, and how they drop arms.

With fixed confidence, a policy stops when it is sure: with probability at least 1 − δ its answer is
an arm whose (τ+ε)-quantile is at least the best arm's τ-quantile. With a fixed budget it stops
after so many pulls, and answers as well as it can.

The kernels are for policies that drop arms one by one. Their state has `samples`, `pulls` and,
besides, `active` (K,): the arms that are left; `due` (1,): how many pulls are missing until they
are compared; `found` (1,): the answer, or NONE.
"""

import math
from collections.abc import Callable
from typing import Any, Self

from ..._kernels.compiler import kernel
from ..._kernels.samples import quantile_of
from ...errors import ParameterError
from ...parameters import parameter
from ..base import LevelPolicy, Policy

NONE = -1
LOWER, UPPER, LOWER_TOLERANT, UPPER_TOLERANT = range(4)  # ends of intervals at τ and at τ+ε


class FixedConfidence(LevelPolicy):
    """A policy that stops when the best arm is found, up to ε in level and a chance δ of error."""

    delta: float = parameter(
        "The chance δ of a wrong answer that is allowed.", default=0.05, above=0, below=1
    )
    epsilon: float = parameter(
        "The tolerance ε, in level: an arm is good enough if its (τ+ε)-quantile is at least the "
        "best τ-quantile. With 0, it never stops if the best arms tie.",
        default=0.0, least=0, below=1,
    )  # fmt: skip

    def check(self) -> None:
        """Refuse a tolerance that leaves no level."""
        if self.tau + self.epsilon >= 1:
            raise ParameterError(
                f"tau + epsilon must be below 1; got {self.tau:g} + {self.epsilon:g}. Choose a "
                "smaller epsilon."
            )

    def mirrored(self) -> Self:
        """Return the policy for negated costs: the lowest τ-quantile of costs, less ε in level."""
        if self.epsilon > 0 and 1 - self.tau + self.epsilon >= 1:
            raise ParameterError(
                f"Of costs, an arm is good enough if its (tau − epsilon)-quantile is at most the "
                f"lowest tau-quantile, so epsilon must be below tau; got epsilon {self.epsilon:g} "
                f"and tau {self.tau:g}. Choose a smaller epsilon."
            )
        return super().mirrored()


class FixedBudget(LevelPolicy):
    """A policy that stops after a given number of pulls and names the `top` best arms."""

    budget: int = parameter("How many pulls there are in all.", least=1)
    top: int = parameter("How many arms are looked for.", default=1, least=1)


def as_search(policy: Policy) -> FixedConfidence | FixedBudget:
    """Return the policy if it looks for the best arm; refuse one that minimises regret."""
    functions = policy.functions
    if isinstance(policy, FixedConfidence | FixedBudget) and functions.stop and functions.recommend:
        return policy
    raise ParameterError(
        f"{policy.name} plays for a small regret and never stops; identify runs policies that look "
        "for the best arm, such as UniformSampling(0.95, budget=1000). Run it by simulate."
    )


@kernel
def fewest_pulls(policy: Any, state: Any, arm: int, t: int) -> float:
    """Return an index that pulls the active arms in turn, each as often as the others."""
    return -float(state.pulls[arm]) if state.active[arm] else -math.inf


@kernel
def found(policy: Any, state: Any, t: int) -> bool:
    """Tell whether there is an answer."""
    return int(state.found[0]) != NONE


@kernel
def compare(end: Callable[..., float], policy: Any, state: Any, n: int) -> None:
    """End a pass, after n pulls of each: find the answer, or drop arms that are not the best.

    `end(policy, state, arm, which, n)` is an end of the arm's interval, `which` says which. An arm
    is the answer if its lower end at τ+ε is above the upper ends at τ of all other active arms. It
    is dropped if its upper end at τ+ε is below the lower end at τ of one of them; the last one left
    is the answer too.
    """
    leader, highest, second, floor = NONE, -math.inf, -math.inf, -math.inf
    for arm in range(len(state.pulls)):
        if state.active[arm]:
            upper = end(policy, state, arm, UPPER, n)
            if upper > highest:
                leader, highest, second = arm, upper, highest
            elif upper > second:
                second = upper
            floor = max(floor, end(policy, state, arm, LOWER, n))
    left, last = 0, NONE
    for arm in range(len(state.pulls)):
        if state.active[arm]:
            others = second if arm == leader else highest
            if end(policy, state, arm, LOWER_TOLERANT, n) > others:
                state.found[0] = arm
                return
            if end(policy, state, arm, UPPER_TOLERANT, n) < floor:
                state.active[arm] = False
            else:
                left, last = left + 1, arm
    state.due[0] = left
    if left == 1:
        state.found[0] = last


def recommend(policy: Any, state: Any) -> list[int]:
    """Return the arm found; before that, the lowest of the active arms with the largest Q̂_j(τ)."""
    if int(state.found[0]) != NONE:
        return [int(state.found[0])]
    active = getattr(state, "active", state.pulls >= 0)
    arms = [arm for arm in range(len(state.pulls)) if active[arm]]
    return [max(arms, key=lambda arm: quantile_of(policy.tau, state, arm, 0))]
