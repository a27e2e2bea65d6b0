"""Experiments for tests: in a storage that stays open, on a clock that the test moves."""

from types import SimpleNamespace

import numpy as np

from upperhand.live import Experiment
from upperhand.live.log import open_storage
from upperhand.live.verify import contents, difference, verify


class Kept:
    """A storage that stays open when an experiment is left."""

    def __init__(self, storage):
        self.names, self.log = storage.names, storage.log

    def close(self):
        pass


def opened(storage, name="checkout", arms=None, **settings):
    """Open an experiment in a storage; closing it leaves the storage open."""
    return Experiment(name, arms, storage=Kept(storage), **settings)


class Wrapped:
    """A log between an experiment and its own: what a test wants happens before and after."""

    def __init__(self, experiment, *, before=lambda: None, after=lambda: None):
        self._log, self.before, self.after = experiment._log, before, after
        experiment._engine.log = self

    def __getattr__(self, name):
        return getattr(self._log, name)

    def transact(self, work, **how):
        self.before()
        answer = self._log.transact(work, **how)
        self.after()
        return answer


class Clock:
    """Stands for the module `time` where events get their times."""

    def __init__(self, now=1000.0):
        self.now = now

    def time(self):
        return self.now

    def set(self, monkeypatch):
        """Let experiments live by this clock; return it."""
        for module in ("engine", "opening"):
            monkeypatch.setattr(f"upperhand.live.{module}.time", SimpleNamespace(time=self.time))
        return self


def memory(arms=("a", "b", "c"), **settings):
    """Return a new experiment in memory."""
    made = {"quantile": 0.9, "direction": "minimize", "seed": 1} | settings
    return opened(open_storage(None), arms=arms, **made)


def again(experiment, **settings):
    """Return a second experiment on the same log, as another process would open it."""
    return opened(experiment.storage, experiment.name, **settings)


def machine(experiment):
    with experiment._look() as found:
        return found


def state(experiment):
    """Return all that an experiment knows, as plain values that can be compared later."""
    plain = {}
    for name, value in contents(machine(experiment)).items():
        plain[name] = value.tolist() if isinstance(value, np.ndarray) else repr(value)
    return plain


def events(experiment):
    columns = experiment._log.read()
    return [columns.event(i) for i in range(len(columns.n))]


def assert_equal(one, other):
    """Compare two machines to the bit."""
    assert difference(one, other) is None


def replayed(experiment):
    """Assert that an experiment is the replay of its log."""
    found = machine(experiment)
    assert verify(experiment._log, experiment.settings, found).first_difference is None
    assert_equal(machine(again(experiment)), found)


def truth(experiment):
    """Return what is known, apart from how it came to be known."""
    apart = ("n", "at", "epochs", "counts")
    return {name: value for name, value in state(experiment).items() if name not in apart}
