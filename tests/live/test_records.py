"""Records: each event with all that belongs to it, from settings and events alone."""

import json
from itertools import pairwise

import numpy as np
import pytest

from upperhand import __version__
from upperhand.live import Experiment
from upperhand.live.log import Columns, Event, Kind
from upperhand.live.opening import stored
from upperhand.live.records import records
from upperhand.live.replay import corrections
from upperhand.live.settings import Settings
from upperhand.live.trial import TrialId
from upperhand.policies import KLQUCB

SETTINGS = Settings(("a", "b"), KLQUCB(0.9), 7, quantile=0.9, minimize=True, lease=60.0)


def number(ask, epoch=1):
    return TrialId(epoch, ask, 0).number


EVENTS = [
    Event(Kind.CREATED, at=1.0, extra={"format": 1, "settings": SETTINGS.to_json()}),
    Event(Kind.OPENED, 0, 0, -1, 1.0, 2.0, {"upperhand": "0.9", "numpy": "2.0"}),
    Event(Kind.ASKED, number(1), 0, 0, 1.0, 3.0),
    Event(Kind.TOLD, number(1), 0, 0, 12.5, 4.5),
    Event(Kind.ADDED, 0, 0, 2, 0.0, 5.0, {"name": "c"}),
    Event(Kind.RETIRED, 0, 0, 0, 1.0, 6.0),
    Event(Kind.SEGMENT, 0, 1, -1, 0.0, 7.0, {"label": "eu"}),
    Event(Kind.ASKED, number(2), 1, 2, 0.25, 8.0, {"how": "monte-carlo", "hits": 7, "draws": 32}),
    Event(Kind.ASKED, number(3), 0, 1, 1.0, 9.0, {"among": [1], "key": "ab12"}),
    Event(Kind.FAILED, number(2), 1, 2, 0.0, 68.5),
    Event(Kind.AT_LEAST, number(3), 0, 1, 30.0, 69.0),  # to the second: not late yet
    Event(Kind.TOLD, number(9), 0, 1, 3.0, 70.0),
    Event(Kind.TOLD, 0, 0, 1, 4.0, 71.0),
    Event(Kind.CORRECTED, number(1), 0, 0, 0.0, 72.0, {"kind": 5, "was": [4, 12.5]}),
    Event(Kind.SHARES, 0, 0, -1, 0.02, 73.0, {"shares": {"1": 0.1}}),
    Event(Kind.RETIRED, 0, 0, 0, 0.0, 74.0),
    Event(Kind.PINNED, 0, 0, -1, 0.0, 75.0),
    Event(Kind.OPENED, 0, 0, -1, 2.0, 76.0, {"upperhand": "1.0"}),
    Event(Kind.ASKED, number(1, 2), 0, 1, 0.0, 77.0, {"how": "not computed"}),
    Event(Kind.RELEASED, number(1, 2), 0, 1, 0.0, 78.0),
    Event(Kind.TOLD, number(1, 2), 0, 1, 6.0, 79.0),
]
COLUMNS = Columns.of(EVENTS, 0)


def made(**options):
    return list(records(SETTINGS, [COLUMNS], corrections(COLUMNS), **options))


def test_an_ask_says_all_that_an_off_policy_analysis_needs():
    first, drawn = made()[2], made()[7]
    assert first == {
        "n": 3, "time": "1970-01-01T00:00:03.000000+00:00", "seconds": 3.0, "event": "asked",
        "trial": "1.1.0", "arm": "a", "candidates": ["a", "b"], "probability": 1.0,
        "how": "deterministic",
        "policy": {"name": "KL-QUCB", "settings": SETTINGS.policy.settings},
        "version": "0.9", "stream": {"seed": "7", "trial": number(1)},
    }  # fmt: skip
    assert (drawn["trial"], drawn["segment"], drawn["arm"]) == ("1.2.2.1", "eu", "c")
    assert drawn["candidates"] == ["b", "c"]  # a was retired, c was added
    assert (drawn["probability"], drawn["how"]) == (0.25, "monte-carlo")
    assert (drawn["hits"], drawn["draws"]) == (7, 32)


def test_candidates_that_were_given_and_a_probability_that_was_not_computed():
    given, unknown = made()[8], made()[18]
    assert (given["candidates"], given["key"]) == (["b"], "ab12")
    assert (unknown["probability"], unknown["how"]) == (None, "not computed")
    assert unknown["candidates"] == ["a", "b", "c"]  # a was taken back
    assert unknown["version"] == "1.0"


def test_outcomes_and_when_they_came():
    outcomes = {r["n"]: r for r in made() if "status" in r}
    told = {n: (r["outcome"], r.get("value"), r["status"]) for n, r in outcomes.items()}
    assert told == {
        4: ("told", 12.5, "in time"),
        10: ("failed", None, "late"),
        11: ("at least", 30.0, "in time"),
        12: ("told", 3.0, "lost"),
        13: ("told", 4.0, "no ask"),
        21: ("told", 6.0, "late"),  # given back, though the lease was not over
    }
    assert "trial" not in outcomes[13]
    assert outcomes[4]["corrected"] == {"outcome": "failed"}
    assert "corrected" not in outcomes[11]


def test_what_people_did():
    said = {r["n"]: r for r in made()}
    assert (said[5]["event"], said[5]["arm"]) == ("added", "c")
    assert said[6]["event"] == "retired"
    assert (said[16]["event"], said[16]["arm"]) == ("taken back", "a")
    assert said[17]["event"] == "unpinned"
    assert said[15]["shares"] == {"b": 0.1}
    assert said[15]["least"] == 0.02
    assert said[14]["was"] == {"outcome": "told", "value": 12.5}
    assert said[14]["outcome"] == "failed"


def test_chunks_and_a_later_beginning_give_the_same():
    whole = made()
    arrays = [getattr(COLUMNS, name) for name in Columns._fields[:-1]]
    ends = [0, 1, 9, 10, len(EVENTS)]
    chunks = [
        Columns._make((*(array[i:j] for array in arrays), COLUMNS.extra)) for i, j in pairwise(ends)
    ]
    assert list(records(SETTINGS, iter(chunks), corrections(COLUMNS))) == whole
    assert made(since=12) == whole[12:]
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole


@pytest.mark.parametrize("policy", ["kl-qucb", "quantile-ts"])
def test_a_real_log_counts_as_the_machine_does(policy):
    """Statuses by records are those that the machine counts, and so are the probabilities."""
    rng = np.random.default_rng(0)
    settings = {"quantile": 0.9, "direction": "minimize", "policy": policy, "seed": 1, "draws": 8}
    exp = Experiment("x", ["a", "b", "c"], **settings)
    trials = []
    for round_ in range(60):
        trials.append(exp.ask(by="eu" if round_ % 3 else None))
        if round_ % 4:
            trial = trials.pop(int(rng.integers(len(trials))))
            if round_ % 5 == 0:
                exp.release(trial)
            exp.tell(trial, float(rng.random()))
    log = exp.storage.log("x")
    found = list(records(stored(log), [log.read()]))
    counts = exp.counts()
    assert sum(r["event"] == "asked" for r in found) == counts["asked"]
    assert sum(r.get("status") == "late" for r in found) == counts["late"] > 0
    asked = {r["trial"]: r for r in found if r["event"] == "asked"}
    for trial in trials:
        assert asked[trial.id]["arm"] == trial.arm
        assert asked[trial.id]["probability"] == trial.propensity
        assert asked[trial.id]["how"] == trial.how
        assert asked[trial.id]["version"] == __version__
        assert asked[trial.id].get("segment", "") == trial.by


def test_a_clock_beyond_all_dates_can_be_read(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1e12)
    exp = Experiment("a", ["x", "y"], quantile=0.9, direction="minimize")
    exp.ask().tell(1.0)
    assert {record["time"][:4] for record in exp.events()} == {"9999"}
    assert len(exp.to_frame()) == 1
