"""Live choices by the plain functions, with a new generator for each ask."""

import numpy as np


def keyed(policy, rewards, seed, parameters=None):
    """Play a table with a new generator for each ask, keyed by seed and the ask's number."""
    key = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    functions, parameters = policy.functions, parameters or policy.parameters
    state, arms = functions.start(parameters, len(rewards), 10_000), []
    for t in range(1, rewards.shape[1] + 1):
        rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 2**40 + t, 0, 0]))
        arms.append(functions.choose(parameters, state, t, rng))
        functions.update(parameters, state, arms[-1], rewards[arms[-1], state.pulls[arms[-1]]])
    return arms
