"""Are two bandits, or an experiment and its log, in the same state? To the bit."""

from upperhand.live.log import Kind
from upperhand.live.verify import difference, verify


def machine_of(bandit):
    """Return what a bandit or an experiment knows, made whole if a call was cut short."""
    with bandit._look() as machine:
        return machine


def assert_same(bandit, twin):
    """Compare all that two bandits know."""
    assert len(bandit) == len(twin)
    assert bandit.counts() == twin.counts()
    assert difference(machine_of(bandit), machine_of(twin)) is None


def assert_replay(exp, *, propensities=True):
    """An experiment is what its log says, event by event, and each choice comes out again."""
    found = verify(exp._log, exp.settings, machine_of(exp))
    assert found.first_difference is None, found
    events = exp._log.read()
    assert events.n.tolist() == list(range(1, len(events.n) + 1))
    asked = events.kind == Kind.ASKED
    trials = events.trial[asked].tolist()
    assert len(set(trials)) == len(trials)
    if propensities:
        assert ((events.value[asked] > 0) & (events.value[asked] <= 1)).all()
    return events
