"""A real experiment next to the naive model of it: every step is made by both and compared."""

import math

import pytest

from upperhand.errors import ConflictError, ParameterError, UnknownNameError
from upperhand.live.snapshot import to_bytes
from upperhand.live.trial import ASKS, Trial, TrialId, parse_id
from upperhand.live.verify import difference, verify

from ..reference.live import Model
from .opened import machine

OUTCOMES = {
    "told": lambda value: {"value": value},
    "failed": lambda _: {"failed": True},
    "at least": lambda value: {"at_least": value},
}


class Pair:
    """Any number of openings of one experiment, and one model.

    The level is not a round one: 1 − 0.8 is a hair below 0.2 as a double, and ln 5 = kl(1, 0.2).
    """

    def __init__(self, clock, opener, *, processes=1, arms=("a", "b", "c"), **settings):
        self.clock, self.opener = clock, opener
        given = {"quantile": "0.83", "direction": "minimize", "lease": 20.0, "seed": 5} | settings
        quantile, direction = given.pop("quantile"), given.pop("direction")
        shown = {k: v for k, v in given.items() if k in ("window", "half_life")}
        for name, span in shown.items():
            if isinstance(span, str):
                unit = "rounds" if span.endswith("rounds") else "seconds"
                given |= {name: float(span.split(unit[0])[0]), "unit": unit}
        self.model = Model(arms, quantile, minimize=direction == "minimize", **given)
        given.pop("unit", None)
        made = given | shown | {"quantile": float(quantile), "direction": direction}
        made["policy"] = "kl-qucb:plus=true"  # the model's
        self.open = [opener(arms=arms, **made)]
        self.open += [opener() for _ in range(processes - 1)]
        self.model.add("created", clock.now)
        self.trials, self.numbers, self.gone = [], set(), {}

    # Each step, by both

    def ask(self, process=0, **how):
        among = how.get("among")
        candidates = [arm for arm in self.model.active if among is None or arm in among]
        if not candidates or any(arm not in self.model.arms for arm in among or ()):
            with pytest.raises((ParameterError, UnknownNameError)):
                self.open[process].ask(**how)
            return None
        trial = self.open[process].ask(**how)
        identity = parse_id(trial.id)
        assert identity.number not in self.numbers
        self.numbers.add(identity.number)
        number = ASKS + len(self.model.these("asked")) + 1
        expected = self.model.choice(self.clock.now, **how, number=number)
        found = (trial.arm, trial.propensity, trial.how)
        assert found == expected, (found, expected)
        assert trial.at == self.clock.now
        assert trial.deadline == self.clock.now + self.model.lease
        self.model.add(
            "asked", self.clock.now, trial=trial.id, arm=trial.arm, by=how.get("by"),
            key=how.get("key"), how=trial.how,
        )  # fmt: skip
        self.trials.append(trial)
        return trial

    def tell(self, trial, kind, value, process=0):
        """Tell an outcome; which answer, the model says."""
        told = (kind, 0.0 if kind == "failed" else value + 0.0)
        before = self.model.outcome(trial.id)
        if before is not None and told not in (before["told"], self.model.truth(before)):
            with pytest.raises(ConflictError, match="was told before"):
                self.open[process].tell(trial, **OUTCOMES[kind](value))
            return None
        asks = [ask for ask in self.model.these("asked") if ask["trial"] == trial.id]
        if before is not None:
            expected = "again"
        elif not asks:
            expected = "lost"
        else:
            fate = self.model.fate(asks[0], self.clock.now)[0]
            expected = "told" if fate == "pending" else "late"
        assert self.open[process].tell(trial, **OUTCOMES[kind](value)) == expected
        if expected != "again":
            by = trial.by or None
            self.model.add(
                "outcome", self.clock.now, trial=trial.id, arm=trial.arm, by=by, told=told
            )
        return expected

    def record(self, arm, kind, value, by=None, process=0):
        """Tell what an arm did without an ask."""
        assert self.open[process].tell(arm=arm, by=by, **OUTCOMES[kind](value)) == "told"
        told = (kind, 0.0 if kind == "failed" else value + 0.0)
        self.model.add("outcome", self.clock.now, trial=None, arm=arm, by=by, told=told)

    def release(self, trial, process=0):
        self.open[process].release(trial)
        asks = [ask for ask in self.model.these("asked") if ask["trial"] == trial.id]
        # What has expired meanwhile without an event is pending still, as far as the log goes.
        if asks and self.model.fate(asks[0], self.model.now)[0] == "pending":
            if self.model.over(asks[0], self.clock.now):
                self.model.add("nothing", self.clock.now)
            else:
                self.model.add("released", self.clock.now, trial=trial.id)

    def correct(self, trial, kind, value, process=0):
        if self.model.outcome(trial.id) is None:
            with pytest.raises(UnknownNameError, match="nothing to correct"):
                self.open[process].correct(trial, **OUTCOMES[kind](value))
            return
        self.open[process].correct(trial, **OUTCOMES[kind](value))
        told = (kind, 0.0 if kind == "failed" else value + 0.0)
        self.model.add("corrected", self.clock.now, trial=trial.id, told=told)

    def add_arm(self, name, process=0):
        self.open[process].add_arm(name)
        if name not in self.model.arms:
            self.model.add("added", self.clock.now, name=name)
        elif name in self.model.retired:
            self.model.add("back", self.clock.now, name=name)

    def retire(self, name, process=0):
        self.open[process].retire(name)
        if name not in self.model.retired:
            self.model.add("retired", self.clock.now, name=name)

    def pin(self, name, process=0):
        self.open[process].pin(name)
        self.model.add("pinned", self.clock.now, name=name)

    def share(self, shares, least, process=0):
        self.open[process].shares(shares, least=least)
        self.model.add("shares", self.clock.now, shares=shares, least=least)

    def note(self, process=0):
        self.open[process].note("a look")
        self.model.add("note", self.clock.now)

    def restart(self, process=0):
        """Close and open again."""
        epoch = self.open[process]._engine._epoch
        if epoch is not None:
            self.gone[epoch] = machine(self.open[process]).epochs[epoch]
        self.open[process].close()
        self.open[process] = self.opener()

    def lost(self, arm):
        """Return a trial of a closed opening whose ask a power cut has lost."""
        epoch, last = max(self.gone.items())
        self.gone[epoch] = last + 1
        identity = TrialId(epoch, last + 1, self.model.arms.index(arm))
        return Trial(str(identity), arm, None, 1.0, "lost", self.clock.now)

    def snapshot(self, process=0):
        experiment = self.open[process]
        found = machine(experiment)
        experiment._log.save_snapshot(found.n, to_bytes(found))

    # What both must agree on

    def compare(self):
        for experiment in self.open:
            self.compare_one(experiment)
        first, *others = map(machine, self.open)
        for other in others:
            assert difference(first, other) is None

    def compare_one(self, experiment):
        model = self.model
        assert dict(experiment.counts()) == model.counts()
        assert list(experiment.arms) == model.active
        assert list(experiment.segments) == model.segments
        assert len(experiment) == model.counts()["outcomes"]
        found = machine(experiment)
        for by in (None, *model.segments):
            player = found.learners[found.labels.index(by or "")]
            asks = model.pending(model.now, by)
            for place, (arm, report) in enumerate(
                zip(model.arms, experiment.report(by=by), strict=True)
            ):
                known, cuts = model.known(arm, by, model.now)
                kept = [math.copysign(math.inf, x) if abs(x) > 1e299 else x
                        for x in player.known(place).tolist()]  # fmt: skip
                assert (kept, sorted(player.cuts[place])) == (known, sorted(cuts))
                assert report.pulls == model.pulled(arm, by)
                assert report.pending == sum(ask["arm"] == arm for ask in asks)
                assert (report.failed, report.at_least) == (known.count(model.worst), len(cuts))
                assert report.retired == (arm in model.retired)
                estimate = math.nan if report.quantile is None else report.quantile
                assert repr(estimate) == repr(model.estimate(arm, by))

    def verify(self):
        """Every choice and the state are the replay of the log."""
        for experiment in self.open:
            found = verify(experiment._log, experiment.settings, machine(experiment))
            assert found.first_difference is None

    def close(self):
        for experiment in self.open:
            experiment.close()
