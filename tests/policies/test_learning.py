"""Learning in bulk: what the policies learn one by one."""

import numpy as np

from upperhand._kernels.compiler import compile_closure
from upperhand._kernels.loop import make_learning
from upperhand._kernels.states import to_arrays
from upperhand.calibrators import ACI
from upperhand.checks import FAILED
from upperhand.policies import ACPUCB1

from ..looping import for_each
from .examples import EXAMPLES
from .late import Worker

ALL = EXAMPLES | {"ACP-UCB1 on ACI": ACPUCB1(b=0.5, calibrator=ACI())}


def functions_of(policy):
    f = policy.functions
    return f.update, f.full, f.forget if policy.forgets else None, f.interval


def bulk(policy, events, *, compiled):
    """Learn in bulk; return the state and the counts."""
    arms, values, signs = events
    if compiled:
        functions = functions_of(policy)
        learn = compile_closure(make_learning, *functions, user=type(policy), parts=policy.parts)
    else:
        learn = make_learning(*functions_of(policy))
    parameters, done = policy.parameters, 0
    state = policy.functions.start(parameters, 3, 0)
    judged, covered = np.zeros((2, 3), np.int64)
    while done < len(arms):
        done = learn(parameters, state, arms, values, signs, done, judged, covered)
        assert done > 0
        if policy.functions.full(parameters, state, int(arms[done - 1])):
            state = policy.functions.grow(state)
    return state, judged.tolist(), covered.tolist()


def events_of(policy, n=600, window=200):
    """Return arms, values and signs: with a window if the policy can forget."""
    rng = np.random.default_rng(0)
    past, events = [], []
    for _ in range(n):
        arm, value = int(rng.integers(3)), round(float(rng.random()), 2)
        if policy.functions.interval is not None and rng.random() < 0.03:
            value = FAILED if arm else -FAILED
        past.append((arm, value))
        events.append((*past[-1], 1))
        if policy.forgets and len(past) > window:
            events.append((*past.pop(0), -1))
    arms, values, signs = zip(*events, strict=True)
    return np.array(arms), np.array(values), np.array(signs, np.int8)


@for_each("name", ALL)
def test_in_bulk_as_one_by_one(name):
    policy = ALL[name]
    events = events_of(policy)
    worker, judged, covered = Worker(policy, 3), [0] * 3, [0] * 3
    interval = policy.functions.interval
    for arm, value, sign in zip(*(each.tolist() for each in events), strict=True):
        if sign < 0:
            worker.forget(arm, value)
            continue
        if interval is not None:
            lower, upper = interval(worker.parameters, worker.state, arm)
            if (lower, upper) != (-np.inf, np.inf):
                judged[arm] += 1
                covered[arm] += lower <= value <= upper
        worker.learn(arm, value)
    expected = to_arrays(worker.state)
    state, *counts = bulk(policy, events, compiled=False)
    found = to_arrays(state)
    for each in expected:
        np.testing.assert_array_equal(found[each], expected[each], err_msg=each)
    assert counts == [judged, covered]
    assert (sum(judged) > 500) == (interval is not None)
    assert 0 < sum(covered) < sum(judged) or interval is None


def test_a_policy_that_cannot_forget_stops_there():
    policy = ALL["MaRaB"]
    arms, values, signs = np.zeros(4, np.int64), np.ones(4), np.array([1, 1, -1, 1], np.int8)
    state = policy.functions.start(policy.parameters, 2, 0)
    learn, counts = make_learning(*functions_of(policy)), np.zeros((2, 2), np.int64)
    assert learn(policy.parameters, state, arms, values, signs, 0, *counts) == -3
    assert state.pulls.tolist() == [2, 0]
