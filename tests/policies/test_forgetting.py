"""A state that forgets rewards is as if it had learned only the others."""

import math

import numpy as np

from upperhand.calibrators import ACI
from upperhand.checks import FAILED
from upperhand.policies import ACPUCB1, MaRaB

from ..looping import for_each
from ..tables import draw
from .examples import EXAMPLES
from .late import Worker

# With η = 0 the levels of ACP-UCB1 stay at α: then they are those of a state that learned less too.
FORGETFUL = {name: policy for name, policy in EXAMPLES.items() if policy.forgets}
LEVELLED = {
    name: policy.replace(eta=0.0) if isinstance(policy, ACPUCB1) else policy
    for name, policy in FORGETFUL.items()
}
every_policy = for_each("name", FORGETFUL)
T = (1, 2, 3, 50, 1000, 10**6)


def test_who_can_forget():
    assert {type(policy).__name__ for policy in FORGETFUL.values()} == {
        "KLQUCB", "QuantileIMED", "QuantileTS", "QUCB", "QuantileUCB", "ACPUCB1", "UCB1",
        "MaxMedian", "RoundRobin", "EpsilonGreedy",
    }  # fmt: skip
    assert not ACPUCB1(calibrator=ACI()).forgets
    assert not MaRaB().forgets


def same(one, other, rounds=T):
    """Compare indices, intervals and choices, with the same random numbers."""
    for t in rounds:
        streams = [np.random.default_rng(t) for _ in range(2)]
        ours, theirs = (w.choose(t, rng) for w, rng in zip((one, other), streams, strict=True))
        assert ours == theirs
        for arm in range(len(one.pending)):
            assert one.index(arm, t) == other.index(arm, t)
    interval = one.functions.interval
    if interval is not None:
        for arm in range(len(one.pending)):
            ends = [interval(w.parameters, w.state, arm) for w in (one, other)]
            assert ends[0] == ends[1]


@every_policy
@for_each("kind", ("ties", "heavy", "rising", "falling"))
def test_a_window_is_a_state_of_what_is_in_it(name, kind):
    policy, rng, noise = LEVELLED[name], np.random.default_rng(0), np.random.default_rng(1)
    table, arms = draw(kind, 3, 420), rng.integers(0, 3, 420)
    sliding, window = Worker(policy, 3), []
    for i, arm in enumerate(arms.tolist()):
        window.append((arm, table[arm, i]))
        sliding.learn(*window[-1])
        if len(window) > 150:
            sliding.forget(*window.pop(0 if i % 3 else int(noise.integers(len(window)))))
        sliding.choose(int(noise.integers(1, 1000)), noise)
        if i % 60 == 59:
            fresh = Worker(policy, 3)
            for each in window:
                fresh.learn(*each)
            same(sliding, fresh)


@every_policy
def test_when_all_is_forgotten_the_arm_is_as_new(name):
    policy, rewards = LEVELLED[name], draw("ties", 1, 300)[0] + 0.0
    worker, fresh = Worker(policy, 2), Worker(policy, 2)
    for reward in rewards:
        worker.learn(0, reward)
        worker.learn(1, reward)
        worker.choose(7)
    for reward in np.random.default_rng(0).permutation(rewards):
        worker.forget(0, reward)  # without an ask: what was found for 300 rewards is still there
    for reward in rewards:
        fresh.learn(1, reward)
    worker.choose(50)  # what was drawn before is no index of now
    assert worker.index(0, 50) == math.inf
    same(worker, fresh)
    for reward in rewards[:40]:
        for each in (worker, fresh):
            each.learn(0, reward)
    same(worker, fresh)
    for reward in rewards[:40]:
        worker.forget(0, reward)
    for reward in rewards:
        worker.forget(1, reward)
    same(worker, Worker(policy, 2))
    if name == "ACP-UCB1 auto":
        assert worker.state.spread.tolist() == [0.0]


@every_policy
def test_a_sample_that_only_shrinks(name):
    """Asked after each reward that leaves, at one round: what was found before must not stay."""
    policy, rewards = LEVELLED[name], draw("gaussian", 1, 120)[0].tolist()
    worker = Worker(policy, 2)
    others = rewards[:4]
    for arm, past in enumerate((rewards, others)):
        for reward in past:
            worker.learn(arm, reward)
    for left in range(119, 0, -1):
        worker.forget(0, rewards[left])
        fresh = Worker(policy, 2)
        for arm, past in enumerate((rewards[:left], others)):
            for reward in past:
                fresh.learn(arm, reward)
        same(worker, fresh, (60,))


@for_each("name", [name for name in FORGETFUL if name.startswith("ACP")])
def test_with_levels_that_adapt_all_else_follows_from_the_sample(name):
    """Given the levels, which stay, the rest is that of a state that learned what is left."""
    policy, table = FORGETFUL[name], draw("gaussian", 2, 400)
    sliding, fresh = Worker(policy, 2), Worker(policy, 2)
    for i in range(400):
        for arm in (0, 1):
            sliding.learn(arm, table[arm, i])
            if i >= 100:
                level = float(sliding.state.calibration.level[arm])
                sliding.forget(arm, table[arm, i - 100])
                assert sliding.state.calibration.level[arm] == level
    for i in range(300, 400):
        for arm in (0, 1):
            fresh.learn(arm, table[arm, i])
    assert sliding.state.calibration.level.tolist() != fresh.state.calibration.level.tolist()
    fresh.state.calibration.level[:] = sliding.state.calibration.level
    for arm in (0, 1):
        fresh.functions.refresh(fresh.parameters, fresh.state, arm)
    same(sliding, fresh)


@for_each("name", [name for name in FORGETFUL if name != "UCB1"])
def test_a_reward_that_was_never_learned_changes_nothing(name):
    worker, other = Worker(FORGETFUL[name], 2), Worker(FORGETFUL[name], 2)
    for arm in (0, 1, 0, 1):
        for each in (worker, other):
            each.learn(arm, 0.5 + arm)
    worker.forget(0, 0.25)
    assert worker.state.pulls.tolist() == [2, 2]
    same(worker, other)


@for_each("name", [name for name in EXAMPLES if EXAMPLES[name].functions.interval])
def test_trials_that_failed(name):
    """±1e300 among the rewards: no index is NaN, none overflows, and they can leave again."""
    policy, rng = EXAMPLES[name], np.random.default_rng(0)
    worker, past = Worker(policy, 3), []
    with np.errstate(over="raise", invalid="raise"):
        for i in range(300):
            arm, kind = int(rng.integers(3)), rng.random()
            failed = FAILED if arm == 1 else -FAILED
            past.append((arm, failed if kind < 0.2 else rng.normal()))
            worker.learn(*past[-1])
            if policy.forgets and i > 100:
                worker.forget(*past.pop(0))
            assert 0 <= worker.choose(i + 1) < 3
            for each in range(3):
                assert not math.isnan(worker.index(each, i + 2))
                lower, upper = policy.functions.interval(worker.parameters, worker.state, each)
                assert lower <= upper or name.startswith("UCB-CP")  # whose ends may cross


@for_each("name", [name for name in EXAMPLES if EXAMPLES[name].functions.refresh])
def test_refreshing_changes_nothing(name):
    worker, other = Worker(EXAMPLES[name], 3), Worker(EXAMPLES[name], 3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        arm, reward = int(rng.integers(3)), rng.normal()
        for each in (worker, other):
            each.learn(arm, reward)
        worker.functions.refresh(worker.parameters, worker.state, arm)
        same(worker, other, (3, 500))


@for_each("name", ["KL-QUCB", "Quantile-IMED", "Quantile-TS", "QUCB"])
@for_each(
    "tau, seen, ends",
    [
        (0.9, 20, (2, 19)),  # ⌈0.9 · 21⌉ = 19
        (0.1, 20, (2, 19)),
        (0.9, 19, (2, 18)),  # ⌈0.9 · 20⌉ = 18
        (0.5, 19, (2, 18)),  # no narrower for the median
        (0.95, 19, (1, 19)),
        (0.95, 18, (-math.inf, math.inf)),
        (0.9, 0, (-math.inf, math.inf)),
    ],
)
def test_central_intervals(name, tau, seen, ends):
    """Ranks by hand; with one more reward, in any place, each place is as likely as another."""
    worker = Worker(EXAMPLES[name].replace(tau=tau), 2)
    for reward in np.random.default_rng(0).permutation(seen):
        worker.learn(0, reward + 1.0)
    lower, upper = worker.functions.interval(worker.parameters, worker.state, 0)
    assert (lower, upper) == ends
    places = [place + 0.5 for place in range(seen + 1)]
    held = sum(lower <= place <= upper for place in places) / len(places)
    assert held >= 1 - 2 * min(tau, 1 - tau, 0.1) - 1e-12
