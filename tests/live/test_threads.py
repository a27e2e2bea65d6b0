"""Threads that share a bandit."""

import copy
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import upperhand as uh

from .states import assert_same, parts

THREADS, ROUNDS = 8, 500


@pytest.fixture
def hasty():
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
@pytest.mark.parametrize(
    "policy",
    [uh.UCB1(), uh.ACPUCB1(), uh.KLQUCB(), uh.QuantileIMED(), uh.QuantileTS(random_ties=True)],
    ids=lambda policy: policy.name,
)
def test_nothing_is_lost_or_torn(policy):
    names = ["a", "b", "c"]
    bandit = uh.Bandit(names, policy, seed=0)

    def work(thread):
        rng, own = np.random.default_rng(thread), np.zeros(3, int)
        for turn in range(ROUNDS):
            name = bandit.ask()
            bandit.tell(name, rng.normal())
            own[names.index(name)] += 1
            if turn % 100 == 0:
                assert repr(bandit)
                assert len(copy.copy(bandit)) > turn
        return own

    with ThreadPoolExecutor(THREADS) as pool:
        pulls = sum(pool.map(work, range(THREADS)))

    assert len(bandit) == THREADS * ROUNDS
    assert [bandit.pulls(name) for name in names] == pulls.tolist()
    for name, values in parts(bandit.state):
        if name == "samples.values":
            used = values[: int(bandit.state.samples.used[0])]
            assert (used[:, 1:] >= used[:, :-1]).all()
    replayed = copy.copy(bandit)
    replayed._journal._changing = True  # as an interrupt leaves it: all is learned anew
    assert repr(replayed) == repr(bandit)  # which also moves the cursors of the intervals alike
    assert_same(replayed, bandit)
