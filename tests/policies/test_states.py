"""States made from states: a choice from a part, arms that come, samples replaced, files."""

import io
import math

import numpy as np
import pytest

from upperhand._kernels.states import copied, from_arrays, rows, to_arrays, widened, with_samples
from upperhand.errors import ParameterError
from upperhand.policies import ACPUCB1

from ..looping import for_each
from ..tables import draw
from .examples import EXAMPLES, ON_CALIBRATORS, TOGETHER
from .late import Worker

ALL = EXAMPLES | ON_CALIBRATORS
every_policy = for_each("name", ALL)
T = (2, 30, 700, 10**5)


def follows_from_samples(policy):
    """Tell whether the samples determine the rest of the state.

    They do not determine the scores of a calibrator, nor a sketch, which depends on the order.
    """
    scored = getattr(policy, "calibrator", None) is not None and not policy.forgets
    return policy.functions.refresh and getattr(policy, "sketch", None) is None and not scored


def learned(policy, arms=4, rewards=200, seed=0, *, worker=None):
    worker, rng = worker or Worker(policy, arms), np.random.default_rng(seed)
    table = draw("ties", 4, rewards, seed)
    for i in range(rewards):
        arm = int(rng.integers(arms))
        worker.learn(arm, table[arm % 4, i] + 0.0)
        if i % 7 == 0:
            worker.choose(i + 1, rng)
    return worker


def equal(one, other):
    """Tell whether two states are equal, array by array."""
    ours, theirs = to_arrays(one), to_arrays(other)
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[name], theirs[name], equal_nan=True) for name in ours
    )


def same_choices(one, other, rounds=T):
    for t in rounds:
        streams = [np.random.default_rng(t) for _ in range(2)]
        ours, theirs = (w.choose(t, rng) for w, rng in zip((one, other), streams, strict=True))
        assert ours == theirs


@every_policy
@for_each("arms", ([2, 0], [3], [3, 1, 2]))
def test_a_choice_among_some_arms(name, arms):
    """As by a state that has learned these alone; the state that it is taken from does not change.

    Not where what is remembered of an arm depends on all others, also on those left out.
    """
    policy = ALL[name].replace(random_ties=True)
    if name.startswith("ACP-UCB1 auto"):
        policy = policy.replace(scale="unit")  # the scale is of all arms, also of those left out
    whole = learned(policy)
    whole.pending[:] = [0, 3, 1, 0]
    before = copied(whole.state)
    part = Worker(policy, len(arms), state=rows(whole.asked, arms))
    alone, values = Worker(policy, len(arms)), Worker(policy, 4)
    rng, table = np.random.default_rng(0), draw("ties", 4, 200, 0)
    for i in range(200):
        arm = int(rng.integers(4))
        if arm in arms:
            alone.learn(arms.index(arm), table[arm, i] + 0.0)
        values.learn(arm, table[arm, i] + 0.0)
        if i % 7 == 0:
            values.choose(i + 1, rng)
    alone.pending[:] = whole.pending[arms]
    if name not in TOGETHER:
        same_choices(part, alone)
    assert all(0 <= part.choose(t) < len(arms) for t in T)
    assert equal(whole.state._replace(**_memory(before)), before)
    whole.pending[:] = 0
    same_choices(whole, values)


def _memory(state):
    """Return what a choice may write: draws and what is remembered of rounds."""
    names = {"drawn", "best", "clock", "log_t"}
    return {name: getattr(state, name) for name in names & set(state._fields)}


@every_policy
def test_arms_that_come_later(name):
    """As a state that had them from the beginning, and nothing of them."""
    policy = ALL[name]
    early, late = learned(policy, 2, 400), Worker(policy, 5)
    rng, table = np.random.default_rng(0), draw("ties", 4, 400, 0)
    for i in range(400):
        arm = int(rng.integers(2))
        late.learn(arm, table[arm, i] + 0.0)
        if i % 7 == 0:
            early.choose(5, np.random.default_rng(0))
            rng.bit_generator.state = _after(policy, late, rng, i)
    fresh = policy.functions.start(policy.parameters, 5, 0)
    more = Worker(policy, 5, state=widened(early.state, fresh))
    assert not any(policy.functions.full(policy.parameters, more.state, arm) for arm in range(5))
    same_choices(more, late)
    for worker in (more, late):
        learned(policy, 5, 600, 3, worker=worker)
    same_choices(more, late)
    assert more.state.pulls.tolist() == late.state.pulls.tolist()


def _after(policy, late, rng, i):
    """Return the stream after the choice of two arms that `learned` makes."""
    Worker(policy, 2, state=rows(late.state, [0, 1])).choose(i + 1, rng)
    return rng.bit_generator.state


@for_each("name", [name for name, policy in ALL.items() if follows_from_samples(policy)])
@for_each("given", (0, 1, 95, 96, 97, 400))
def test_other_samples(name, given):
    policy = ALL[name]
    if isinstance(policy, ACPUCB1):
        still = (
            {"eta": 0.0}
            if policy.calibrator is None
            else {"calibrator": policy.method.replace(eta=0.0)}
        )
        policy = policy.replace(**still)
    worker = learned(policy)
    before = copied(worker.state)
    values = np.sort(draw("heavy", 1, given)[0]) if given else np.empty(0)
    made = Worker(policy, 4)
    made.state = with_samples(policy.parameters, policy.functions, worker.state, {1: values})
    assert equal(worker.state, before)
    alone, rng, table = Worker(policy, 4), np.random.default_rng(0), draw("ties", 4, 200, 0)
    for value in np.random.default_rng(1).permutation(values):
        alone.learn(1, value)
    other = Worker(policy, 4)
    for i in range(200):
        arm = int(rng.integers(4))
        other.learn(arm, table[arm, i] + 0.0)
        if arm != 1:
            alone.learn(arm, table[arm, i] + 0.0)
        if i % 7 == 0:
            other.choose(i + 1, rng)
    same_choices(made, alone)
    for arm in range(4):
        assert made.index(arm, 900) == alone.index(arm, 900) or name.startswith("Quantile-TS")
    made.choose(9)
    made.state.samples.values[:] = math.nan  # a state of its own
    assert equal(worker.state, before)


def test_samples_that_cannot_be_replaced():
    policy = EXAMPLES["UCB-CP U"]
    with pytest.raises(ParameterError, match="KLQUCB"):
        with_samples(policy.parameters, policy.functions, learned(policy).state, {0: np.empty(0)})


def through_a_file(arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as kept:
        return dict(kept)


@every_policy
def test_a_state_that_was_kept_goes_on(name):
    policy = ALL[name].replace(random_ties=True)
    for rewards in (0, 3, 600):
        worker = learned(policy, 4, rewards)
        arrays = through_a_file(to_arrays(worker.state))
        fresh = policy.functions.start(policy.parameters, 4, 0)
        back = Worker(policy, 4, state=from_arrays(fresh, arrays))
        assert equal(back.state, worker.state)
        for arm in range(4):
            assert not policy.functions.full(policy.parameters, back.state, arm)
        same_choices(back, worker)
        for each in (back, worker):
            learned(policy, 4, 300, 8, worker=each)
        assert equal(back.state, worker.state)
        same_choices(back, worker)


@pytest.mark.parametrize("name", ["KL-QUCB", "ACP-UCB1 on AgACI", "ACP-UCB1 on NexCP", "ExpExp"])
def test_arrays_that_are_none_of_a_state(name):
    policy = ALL[name]
    arrays = to_arrays(learned(policy).state)
    fresh = policy.functions.start(policy.parameters, 4, 0)
    for each, array in arrays.items():
        other = np.float32 if array.dtype == np.float64 else np.float64
        bad = [
            {n: a for n, a in arrays.items() if n != each},
            arrays | {each: array.astype(other)},
            arrays | {each: np.concatenate([array, array])},
            arrays | {each: array[..., None]},
            arrays | {each: array.astype(object)},
        ]
        for given in bad:
            with pytest.raises(ParameterError, match=each.split(".")[-1]):
                from_arrays(fresh, given)
    with pytest.raises(ParameterError, match="too much: extra"):
        from_arrays(fresh, arrays | {"extra": np.zeros(1)})
    with pytest.raises(ParameterError):
        from_arrays(policy.functions.start(policy.parameters, 5, 0), arrays)


@every_policy
def test_arrays_do_not_depend_on_the_capacity(name):
    """Equal whatever the capacity was to begin with, and whatever grew."""
    policy, table, states = ALL[name], draw("falling", 3, 150), []
    for capacity in (0, 10_000):
        worker = Worker(policy, 3, state=policy.functions.start(policy.parameters, 3, capacity))
        for i in range(150):
            for arm in range(3):
                worker.learn(arm, table[arm, i])
        states.append(worker.state)
    assert equal(*states)


def test_samples_that_are_none():
    policy = EXAMPLES["KL-QUCB"]
    arrays = to_arrays(learned(policy).state)
    fresh = policy.functions.start(policy.parameters, 4, 0)
    sizes, values = arrays["samples.size"], arrays["samples.values"]
    for bad, said in (
        ({"samples.values": values[::-1].copy()}, "ascend"),
        ({"samples.values": np.where(values == values[0], np.nan, values)}, "ascend"),
        ({"samples.size": sizes * [1, 1, 1, -1]}, "negative"),
        ({"pulls": arrays["pulls"] + 1}, "count the same"),
    ):
        with pytest.raises(ParameterError, match=said):
            from_arrays(fresh, arrays | bad)


def test_decaying_samples_come_back_with_capacity():
    """Kept when the late values are as many as there can be: the next one merges them."""
    policy = ALL["ACP-UCB1 on NexCP split"]
    worker = Worker(policy, 2)
    while worker.state.calibration.scores.late[0] < 128 or worker.state.pulls[0] < 200:
        worker.learn(0, float(worker.state.pulls[0]))
    fresh = policy.functions.start(policy.parameters, 2, 0)
    back = Worker(policy, 2, state=from_arrays(fresh, to_arrays(worker.state)))
    assert not policy.functions.full(policy.parameters, back.state, 0)
    for each in (worker, back):
        each.learn(0, 0.5)
    assert equal(worker.state, back.state)
