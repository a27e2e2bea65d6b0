"""A rule with fixed confidence that is easy to see through: round-robin until the bands part."""

import math

from upperhand._kernels.samples import learn_reward, rank, samples_full, start_samples
from upperhand._kernels.sorted_samples import value_at
from upperhand.policies import Functions, kernel
from upperhand.policies.best_arm.base import FixedConfidence


class Bands(FixedConfidence):
    """Stop when one arm's lower end is above all other arms' upper ends, by DKW's inequality."""

    name = "Bands"


@kernel
def index(policy, state, arm, t):
    return math.inf


@kernel
def radius(policy, state, arm):
    n = int(state.pulls[arm])
    return math.sqrt(math.log(2.0 * len(state.pulls) * n * (n + 1) / policy.delta) / (2.0 * n))


@kernel
def lower(policy, state, arm):
    level = policy.tau + policy.epsilon - radius(policy, state, arm)
    n = int(state.pulls[arm])
    return value_at(state.samples, arm, 0, rank(level, n)) if level > 0.0 else -math.inf


@kernel
def upper(policy, state, arm):
    level = policy.tau + radius(policy, state, arm)
    n = int(state.pulls[arm])
    return value_at(state.samples, arm, 1, rank(level, n)) if level < 1.0 else math.inf


@kernel
def found(policy, state, arm):
    floor = lower(policy, state, arm)
    for other in range(len(state.pulls)):
        if other != arm and not upper(policy, state, other) <= floor:
            return False
    return floor > -math.inf


@kernel
def stop(policy, state, t):
    if t < len(state.pulls):
        return False
    for arm in range(len(state.pulls)):  # noqa: SIM110 a generator does not compile
        if found(policy, state, arm):
            return True
    return False


def recommend(policy, state):
    arms = range(len(state.pulls))
    sure = [arm for arm in arms if found(policy, state, arm)]
    guess = [value_at(state.samples, j, 2, rank(policy.tau, int(state.pulls[j]))) for j in arms]
    return sure[:1] or [guess.index(max(guess))]


Bands.functions = Functions(
    start_samples, index, learn_reward, full=samples_full, stop=stop, recommend=recommend
)
