"""A log that was changed is found out, and where."""

import pytest

from upperhand.live.log.event import Columns, Kind
from upperhand.live.replay import Replay
from upperhand.live.verify import verify

from .opened import events, machine
from .test_replay import live


class TestTampering:
    def tampered(self, exp, n, **change):
        """Return a log in which one event was changed."""
        changed = [e if i != n else e._replace(**change) for i, e in enumerate(events(exp), 1)]

        class Log:
            def read(self):
                return Columns.of(changed, 0)

        return Log()

    def asks(self, exp):
        return [n for n, event in enumerate(events(exp), 1) if event.kind == Kind.ASKED]

    @pytest.mark.parametrize("which", [5, 30, -1])
    def test_another_arm_in_an_ask_is_found_at_that_event(self, monkeypatch, which):
        exp = live(monkeypatch, "KL-QUCB")
        n = self.asks(exp)[which]
        arm = (events(exp)[n - 1].arm + 1) % 3
        found = verify(self.tampered(exp, n, arm=arm), exp.settings, machine(exp))
        assert found.first_difference.startswith(f"event {n} asked for")
        assert not found.choices_equal

    def test_another_probability_too(self, monkeypatch):
        exp = live(monkeypatch, "Quantile-TS")
        n = self.asks(exp)[20]
        found = verify(self.tampered(exp, n, value=0.123), exp.settings, machine(exp))
        assert found.first_difference.startswith(f"event {n} asked for")
        assert "probability 0.123" in found.first_difference

    def test_another_value_is_found(self, monkeypatch):
        exp = live(monkeypatch, "KL-QUCB")
        told = [n for n, event in enumerate(events(exp), 1) if event.kind == Kind.TOLD]
        for n in (told[0], told[10], told[-1]):
            found = verify(self.tampered(exp, n, value=-9.0), exp.settings, machine(exp))
            assert not (found.choices_equal and found.state_equal)
            assert found.first_difference is not None

    def test_an_early_value_shows_in_the_choices_alone(self, monkeypatch):
        """Also without anything to compare with but the log itself."""
        exp = live(monkeypatch, "KL-QUCB")
        first = next(n for n, event in enumerate(events(exp), 1) if event.kind == Kind.TOLD)
        log = self.tampered(exp, first, value=9.0)
        found = verify(log, exp.settings, Replay(exp.settings).from_events(log.read()))
        assert found.first_difference.startswith("event ")
