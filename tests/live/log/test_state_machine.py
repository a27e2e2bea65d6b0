"""R9: any sequence of steps, on every store, against the naive model; no divergence."""

from functools import partial
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from upperhand.live import Experiment, replay

from ..opened import Clock, opened
from ..pair import Pair

SITUATIONS = [
    {},
    {"direction": "maximize", "quantile": "0.37"},
    {"duration": "s"},
    {"window": 3},
    {"window": "7 rounds"},
    {"half_life": "15s", "direction": "maximize"},
]
processes = st.sampled_from([0, 1])
places = st.integers(0, 10**6)
kinds = st.sampled_from(["told", "told", "told", "failed", "at least"])
values = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, 5.0, -7.0, 1e-310, 1e150, -1e150])
segments = st.sampled_from([None, None, "eu", "us"])
keys = st.sampled_from([None, None, None, "ann", "bob"])
names = st.sampled_from(["a", "b", "c", "d", "e"])
subsets = st.none() | st.lists(names, max_size=3)
some = precondition(lambda self: self.pair.trials)


class Steps(RuleBasedStateMachine):
    """Two openings of one experiment and the model; `opener` and `clock` are set by the test."""

    opener, clock, numbers = None, None, count()

    @initialize(which=st.sampled_from(SITUATIONS))
    def begin(self, which):
        opener = partial(self.opener, f"experiment {next(self.numbers)}")
        self.pair = Pair(self.clock, opener, processes=2, **which)

    def trial(self, place):
        return self.pair.trials[-1 - place % len(self.pair.trials)]

    def known(self, name):
        return name if name in self.pair.model.arms else "a"

    @rule(process=processes, by=segments, key=keys)
    def ask(self, process, by, key):
        self.pair.ask(process, by=by, key=key)

    @rule(process=processes, among=subsets, by=segments)
    def ask_among(self, process, among, by):
        self.pair.ask(process, among=among, by=by)

    @some
    @rule(process=processes, place=st.integers(0, 3), kind=kinds, value=values)
    def tell(self, process, place, kind, value):
        self.pair.tell(self.trial(place), kind, value, process)

    @some
    @rule(process=processes, place=places, kind=kinds, value=values)
    def tell_any(self, process, place, kind, value):
        """Most are told, expired or given back: a retry with another value, or a late tell."""
        self.pair.tell(self.trial(place), kind, value, process)

    @some
    @rule(process=processes, place=places)
    def retry(self, process, place):
        trial = self.trial(place)
        before = self.pair.model.outcome(trial.id)
        if before is not None:
            assert self.pair.tell(trial, *before["told"], process) == "again"

    @rule(process=processes, name=names, kind=kinds, value=values, by=segments)
    def record(self, process, name, kind, value, by):
        self.pair.record(self.known(name), kind, value, by, process)

    @rule(seconds=st.sampled_from([0.25, 3.0, 11.0, 21.0]))
    def wait(self, seconds):
        self.clock.now += seconds

    @some
    @rule(process=processes, place=places)
    def release(self, process, place):
        self.pair.release(self.trial(place), process)

    @rule(process=processes, name=names)
    def add_arm(self, process, name):
        self.pair.add_arm(name, process)

    @rule(process=processes, name=names)
    def retire(self, process, name):
        self.pair.retire(self.known(name), process)

    @rule(process=processes, name=st.none() | names)
    def pin(self, process, name):
        self.pair.pin(None if name is None else self.known(name), process)

    @rule(process=processes, name=names, share=st.sampled_from([0.0, 0.2]),
          least=st.sampled_from([0.0, 0.0, 0.1]))  # fmt: skip
    def shares(self, process, name, share, least):
        self.pair.share({self.known(name): share} if share else {}, least, process)

    @some
    @rule(process=processes, place=places, kind=kinds, value=values)
    def correct(self, process, place, kind, value):
        self.pair.correct(self.trial(place), kind, value, process)

    @rule(process=processes)
    def note(self, process):
        self.pair.note(process)

    @rule(process=processes)
    def restart(self, process):
        self.pair.restart(process)

    @rule(process=processes)
    def snapshot(self, process):
        self.pair.snapshot(process)

    @precondition(lambda self: self.pair.gone)
    @rule(process=processes, name=names, kind=kinds, value=values)
    def tell_of_a_lost_ask(self, process, name, kind, value):
        trial = self.pair.lost(self.known(name))
        assert self.pair.tell(trial, kind, value, process) == "lost"
        self.pair.trials.append(trial)

    @rule()
    def verify(self):
        self.pair.verify()

    @invariant()
    def counts(self):
        for experiment in self.pair.open:
            assert dict(experiment.counts()) == self.pair.model.counts()

    def teardown(self):
        if hasattr(self, "pair"):
            self.pair.compare()
            self.pair.verify()
            self.pair.restart(0)
            self.pair.compare()
            self.pair.close()


def run(place, monkeypatch, examples, steps):
    def opener(name, **made):
        if place.kind == "memory":
            return opened(place.open(), name, **made)
        return Experiment(name, storage=place.url, **made)

    monkeypatch.setattr(replay, "MANY", 3)  # so that openings and corrections learn in bulk

    class Here(Steps):
        pass

    Here.opener, Here.clock, Here.numbers = staticmethod(opener), Clock().set(monkeypatch), count()
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True,
            suppress_health_check=list(HealthCheck), report_multiple_bugs=False, phases=PHASES,
        ),
    )  # fmt: skip


PHASES = [Phase.generate]  # add Phase.shrink to look into a failure: it takes minutes
BUDGETS = {"memory": 50, "sqlite": 16, "postgres": 8}


def test_no_divergence(place, monkeypatch):
    run(place, monkeypatch, BUDGETS[place.kind], 30)


@pytest.mark.slow
def test_no_divergence_in_many_long_runs(place, monkeypatch):
    run(place, monkeypatch, 12 * BUDGETS[place.kind], 60)
