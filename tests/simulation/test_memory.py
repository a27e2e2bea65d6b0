"""A simulation keeps its result, and little else."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import upperhand as uh
from upperhand.simulation.player import play_rounds
from upperhand.simulation.rewards import lent
from upperhand.simulation.workers import BYTES_PER_BLOCK, Workers, cut

ARMS = [uh.Normal(0, 1), uh.Normal(1, 1)]


def test_what_was_kept_is_let_go_of():
    """Of 40 blocks' results, none but the last is there when the next is kept."""

    class Result:
        """What a block of replications gives."""

    kept, alive = [], []

    def keep(block, result):
        alive.append(sum(each() is not None for each in kept))
        kept.append(weakref.ref(result))

    team = Workers.checked(40, 10, None, False)
    team.run("Testing", lambda job, block, stop: Result(), None, 1, keep)
    assert len(kept) == 40
    assert max(alive) <= 1


def test_blocks_are_small_against_the_memory():
    blocks = cut(10_000, length=200, size=24_000, pieces=8)
    assert len(blocks) >= 10_000 * 24_000 / BYTES_PER_BLOCK
    assert len(cut(60, length=200, size=24_000, pieces=8)) == 8
    assert len(cut(3, length=200, size=10**9, pieces=8)) == 3


def simulated(policies, replications):
    return uh.simulate(ARMS, policies, 20, replications, seed=0, rounds=1, progress=False)


def identified(policies, replications):
    return uh.identify(
        ARMS, policies, 0.1, cap=20, replications=replications, seed=0, progress=False
    )


@pytest.mark.parametrize(
    ("play", "policies"),
    [
        (simulated, [uh.QuantileTS()]),
        (simulated, [uh.UCB1(), uh.KLQUCB()]),
        (identified, [uh.QLUCB()]),
    ],
    ids=["one", "two", "a search"],
)
def test_nothing_stays_of_a_replication(play, policies):
    """A generator of each would be 2 kB: 1.2 MB or more here."""
    tracemalloc.start()
    try:
        play(policies, 100)  # what is made once is there
        before = tracemalloc.get_traced_memory()[0]
        play(policies, 600)  # its result goes at once
        gc.collect()
        stays = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert stays < 300_000


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.Philox])
def test_what_compiled_code_draws_is_drawn_from_the_generator(kind):
    """Afterwards it is where it is after the same rounds without the compiler."""
    policy, after = uh.QuantileTS(), []
    table = np.random.default_rng(0).normal(size=(2, 50))
    for interpreted in (False, True):
        rng, arms = np.random.Generator(kind(7)), np.empty(50, np.int64)
        state = policy.functions.start(policy.parameters, 2, 50)
        play_rounds(policy, state, table, rng, arms, interpreted=interpreted)
        after.append((arms.tolist(), rng.random()))
    assert after[0] == after[1]


def test_a_generator_comes_back_after_an_error_too():
    rng, twin = np.random.default_rng(3), np.random.default_rng(3)

    def fail():
        with lent(rng) as own:
            own.random(5)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    twin.random(5)
    assert rng.random() == twin.random()
