"""Compiled code does what the same functions do interpreted.

Each class is compiled once, for all its settings, and plays one table with all kinds of rewards.
"""

from itertools import count

import numpy as np
import pytest

from upperhand._kernels.states import to_arrays
from upperhand.policies import ACPUCB1, BEST_ARM_POLICIES, KLQUCB, POLICIES, UCB1, UCBCP
from upperhand.simulation import player
from upperhand.simulation.player import play

from ..calibrators.examples import EXAMPLES as CALIBRATORS
from ..calibrators.streams import run, stream
from ..tables import draw
from .best_arm.examples import EXAMPLES as BEST_ARM_EXAMPLES
from .best_arm.runs import search
from .examples import EXAMPLES
from .test_contract import assert_finite
from .test_learning import bulk, events_of
from .test_shortlists import MANY, NEVER, played
from .test_sketches import SKETCHED

pytestmark = pytest.mark.compiled
SKETCHES = {name: policy for name, policy in EXAMPLES.items() if "sketched" in name}
IN_ACP_UCB1 = ("ACI", "AgACI", "DtACI")
ALONE = ("Split conformal", "CQR", "NexCP", "Decaying steps", "SPS", "Clipped ACI")


def mixed(rounds):
    """Return rewards of five arms; the kind of each arm's rewards changes after every 60."""
    kinds = ("gaussian", "ties", "heavy", "constant", "bernoulli")
    turns = (np.arange(rounds) // 60 + np.arange(5)[:, None]) % 5
    return np.choose(turns, [draw(kind, 5, rounds) for kind in kinds])


TABLE = mixed(1500)


def assert_same_states(compiled, interpreted, policy):
    """Compare arrays, of samples their values: blocks of them may split at different places."""
    ours, theirs = to_arrays(compiled), to_arrays(interpreted)
    assert ours.keys() == theirs.keys() >= {"pulls"}
    for field, values in ours.items():
        np.testing.assert_array_equal(values, theirs[field], err_msg=f"{policy}: {field}")


def assert_same(policy, table=TABLE):
    """Assert that a policy pulls the same arms compiled, and ends with the same state.

    So it does if it is compiled on the way, after 1,000 looks at arms.
    """
    compiled, interpreted = (play(policy, table, 5, compiled=c) for c in (True, False))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("UPPERHAND_COMPILE")
        patch.setattr(player, "compile_seconds", lambda *_, **__: 5.0)
        patch.setattr(player, "thread_time", count(step=10).__next__)
        midway = play(policy, table, 5)
    for found in (compiled, midway):
        assert found.arms.tolist() == interpreted.arms.tolist(), policy
        assert_same_states(found.state, interpreted.state, policy)


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name):
    policies = [each for each in EXAMPLES.values() if each.name == name]
    for policy in policies:
        if policy not in SKETCHES.values():
            assert_same(policy)
            assert_finite(policy, draw("heavy", 4, 100_000))
    assert_same(policies[0].replace(random_ties=True), draw("bernoulli", 4, 300))


@pytest.mark.parametrize("name", SKETCHES)
def test_policies_with_sketches(name):
    assert_same(SKETCHES[name])
    assert_finite(SKETCHES[name], draw("heavy", 4, 100_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", SKETCHED)
def test_all_policies_with_sketches(name):
    assert_same(SKETCHED[name], draw("gaussian", 3, 2500))


@pytest.mark.parametrize("name", BEST_ARM_POLICIES)
def test_best_arm_policies(name):
    """On arms that are hard to tell apart, and on arms that are easy to."""
    for policy in (each for each in BEST_ARM_EXAMPLES.values() if each.name == name):
        for table in (TABLE, TABLE[:3] + 3.0 * np.arange(3)[:, None]):
            runs = [search(policy, table, 1500, seed=5, compiled=c) for c in (True, False)]
            (compiled, state), (interpreted, other) = runs
            assert compiled == interpreted
            assert_same_states(state, other, policy)


@pytest.mark.parametrize("policy", [UCB1(), KLQUCB(0.5), UCBCP(decay=1.0)], ids=repr)
def test_shortlists(policy):
    table = np.concatenate([draw("gaussian", 40, 1500), draw("ties", 40, 1500)])
    assert played(policy, table, MANY, interpreted=False) == played(policy, table, NEVER)


@pytest.mark.parametrize("name", IN_ACP_UCB1)
def test_calibrators_in_acp_ucb1(name):
    for calibrator in (each for each, _ in CALIBRATORS.values() if each.name == name):
        policy = ACPUCB1(calibrator.alpha, b=0.5, calibrator=calibrator)
        assert_same(policy, TABLE[:, :500])


@pytest.mark.parametrize("name", ALONE)
def test_calibrators_in_a_bare_loop(name):
    for calibrator in (each for each, _ in CALIBRATORS.values() if each.name == name):
        for kind in ("gaussian", "ties", "heavy"):
            steps = stream(kind, 300, points=False)
            assert np.array_equal(run(calibrator, steps, compiled=True), run(calibrator, steps))


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("ACP-UCB1", "KL-QUCB") else pytest.param(name, marks=pytest.mark.slow)
        for name in EXAMPLES
    ],
)
def test_learning_in_bulk(name):
    policy = EXAMPLES[name]
    (state, *counts), (other, *expected) = (
        bulk(policy, events_of(policy), compiled=compiled) for compiled in (True, False)
    )
    assert_same_states(state, other, policy)
    assert counts == expected
