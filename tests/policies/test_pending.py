"""Outcomes that are still pending count as pulls, and not as observations."""

import math

import numpy as np
import pytest

from .. import reference
from ..looping import for_each
from ..tables import draw
from .examples import BASELINES, EXAMPLES
from .late import Worker, play_late
from .pairwise import pairwise
from .test_against_reference import REFERENCES, SEED, policy_of, squeezed

every_policy = for_each("name", EXAMPLES)
LATE = {
    "some": lambda rng, n: rng.integers(0, 6, n),
    "many": lambda rng, n: rng.integers(0, 40, n),
    "a few for ever": lambda rng, n: np.where(rng.random(n) < 0.03, 10**6, rng.integers(0, 3, n)),
    "in batches": lambda _, n: 9 - np.arange(n) % 10,
}
# Thompson sampling draws from the observations: pending trials only separate arms at +∞.
BY_OBSERVATIONS = [name for name in EXAMPLES if name.startswith("Thompson")]
BY_OBSERVATIONS += BASELINES  # which have no bonus


@pytest.mark.parametrize("name", REFERENCES)
def test_the_same_arms_as_the_reference(name):
    each = REFERENCES[name]
    for case in pairwise(
        {"late": tuple(LATE), "kind": ("gaussian", "ties", "bernoulli"), "arms": (2, 5)}
        | {setting: values[:2] for setting, values in each.settings.items()}
    ):
        settings = {n: value for n, value in case.items() if n not in ("late", "kind", "arms")}
        late = LATE[case["late"]](np.random.default_rng(1), 160).tolist()
        table = draw(case["kind"], case["arms"], 160)
        expected = each.function(table.tolist(), **settings, **each.passed, late=late)
        arms, waited = play_late(policy_of(each, settings), table, late, SEED)
        assert arms == getattr(expected, "arms", expected), case
        assert waited > 100


@pytest.mark.parametrize("late", LATE)
def test_bernoulli_kl_ucb_too(late):
    """Its reference's index is near and not equal; without ties that makes no difference."""
    rounds = LATE[late](np.random.default_rng(1), 200).tolist()
    table = squeezed(draw("gaussian", 3, 200))
    arms, _ = play_late(EXAMPLES["KL-UCB bernoulli"], table, rounds, SEED)
    assert arms == reference.kl_ucb_bernoulli(table.tolist(), late=rounds)


def learned(name, rewards=40, arms=3):
    worker, rng = Worker(EXAMPLES[name], arms), np.random.default_rng(5)
    for _ in range(rewards):
        for arm in range(arms):
            worker.learn(arm, squeezed(rng.normal(arm / 5)))
    return worker


@every_policy
def test_no_number_under_way_breaks_an_index(name):
    """From one reward to many, and none; t also goes back."""
    for rewards in (0, 1, 2, 3, 40):
        worker, rng = learned(name, rewards), np.random.default_rng(0)
        for pending in (0, 1, 2, 7, 500):
            worker.pending[:] = rng.permutation([0, 0, pending])
            for t in (10**6, 500, 3, 2, 1):
                assert 0 <= worker.choose(t) < 3
                for arm in range(3):
                    value = worker.index(arm, t)
                    assert not math.isnan(value)
                    assert value == math.inf or rewards > 0


def test_ucb1_normal_by_hand():
    """The variance is of 40 rewards, and the bonus of 160 pulls."""
    worker = learned("UCB1-NORMAL", 40)
    rng = np.random.default_rng(5)
    seen = [squeezed(rng.normal(arm / 5)) for _ in range(40) for arm in range(3)][::3]
    worker.pending[0] = 120
    bonus = math.sqrt(16 * np.var(seen, ddof=1) * math.log(999) / 160)
    assert worker.index(0, 1000) == pytest.approx(np.mean(seen) + bonus, rel=1e-12)


@every_policy
def test_arms_without_a_reward_are_asked_in_turn(name):
    """The first answers are slow: all arms are at +∞, and the fewest pulls come first."""
    worker, arms = Worker(EXAMPLES[name], 4), []
    for t in range(1, 21):
        arms.append(worker.choose(t))
        worker.pending[arms[-1]] += 1
    explores = name.startswith("UCB-CP")  # at random, after two pulls of each
    assert arms[:8] == [0, 1, 2, 3] * 2
    assert explores or arms == [0, 1, 2, 3] * 5


@for_each("name", [name for name in EXAMPLES if name not in BY_OBSERVATIONS])
def test_pulls_under_way_make_an_arm_less_tempting(name):
    """The more are under way, the smaller the bonus; MaRaB's caution, and what marks a draw, too.

    ExpExp, QoMax-ETC and UCB-CP have no bonus: there initial pulls count.
    """
    if name.startswith(("ExpExp", "QoMax-ETC", "UCB-CP")):
        first = EXAMPLES[name].initial_pulls
        before = 2 if first > 2 else 1
        worker = learned(name, before)
        worker.pending[0] = first
        indices = [worker.index(arm, 9) for arm in range(3)]
        assert indices[1:] == [math.inf] * 2
        assert worker.choose(9) == 1
        return
    worker, rng = learned(name), np.random.default_rng(3)
    before = after = 0.0
    for _ in range(200):  # many, as Quantile-TS draws
        worker.pending[0] = 0
        worker.choose(2000, rng)
        before += min(worker.index(0, 2000), 9.0)
        worker.pending[0] = 40_000
        worker.choose(2000, rng)
        after += min(worker.index(0, 2000), 9.0)
    assert (before < after) if name.startswith("MaRaB") else (before > after)


@every_policy
def test_asking_leaves_no_trace(name):
    """One is asked all the time, at any round, with anything under way; the other only learns."""
    policy = EXAMPLES[name].replace(random_ties=True)
    rng, noise = np.random.default_rng(2), np.random.default_rng(3)
    asked, quiet = Worker(policy, 4), Worker(policy, 4)
    table = squeezed(draw("ties", 4, 400))
    for i in range(150):
        for _ in range(3):
            asked.pending[:] = noise.integers(0, 9, 4) * noise.integers(0, 2)
            asked.choose(int(noise.integers(1, 5000)), noise)
            for arm in noise.permutation(4):
                asked.index(int(arm), int(noise.integers(1, 5000)))
        arm = int(rng.integers(4))
        for worker in (asked, quiet):
            worker.learn(arm, table[arm, i])
    asked.pending[:] = 0
    streams = [np.random.default_rng(9), np.random.default_rng(9)]
    for t in range(151, 351):
        arms = [w.choose(t, stream) for w, stream in zip((asked, quiet), streams, strict=True)]
        assert arms[0] == arms[1]
        for worker in (asked, quiet):
            worker.learn(arms[0], table[arms[0], t])
