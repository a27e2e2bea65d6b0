"""Are two bandits in the same state? Every array of it, to the bit."""

import numpy as np


def parts(state):
    """Yield the arrays of a state that mean something: blocks of the pool in use only."""
    for name, part in state._asdict().items():
        if isinstance(part, tuple):
            yield from ((f"{name}.{inner}", array) for inner, array in parts(part))
        else:
            yield name, part[: int(state.used[0])] if name == "values" else part


def assert_same(bandit, twin):
    """Compare what was told, the state, and the stream of random numbers."""
    state, expected = dict(parts(bandit.state)), dict(parts(twin.state))
    assert len(bandit) == len(twin)
    assert state.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(state[name], array, err_msg=name)
    streams = [each._journal.player._rng.bit_generator.state for each in (bandit, twin)]
    assert streams[0] == streams[1]
