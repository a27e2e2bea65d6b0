"""Opening an experiment: a new one, the same one again, and what is refused."""

from datetime import timedelta

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ConflictError, EventsLostError, ParameterError, UnknownNameError
from upperhand.live import Experiment
from upperhand.live.log import open_storage
from upperhand.live.log.event import Event, Kind
from upperhand.live.settings import DEFAULT
from upperhand.live.verify import difference
from upperhand.policies.ucb1 import UCB1

from ..looping import for_each
from .opened import Wrapped, again, assert_equal, machine, memory, opened, state

MADE = {"arms": ["a", "b"], "quantile": 0.9, "direction": "minimize"}


@pytest.fixture
def place():
    return open_storage(None)


class TestNew:
    @pytest.mark.parametrize("missing", ["arms", "quantile", "direction"])
    def test_what_must_be_given(self, place, missing):
        with pytest.raises(ParameterError, match=f"no experiment 'checkout' .* give {missing}"):
            opened(place, **MADE | {missing: None})
        assert place.names() == []

    @for_each(
        "bad",
        [
            {"arms": []}, {"arms": "ab"}, {"arms": ["a", "a"]}, {"arms": [1, 1.0]},
            {"arms": {"a", "b"}}, {"arms": [""]}, {"arms": ["x" * 201]}, {"arms": ["a\n"]},
            {"arms": [str(i) for i in range(10_001)]}, {"arms": [["a"]]}, {"arms": [np.inf]},
            {"quantile": 0}, {"quantile": 1.0}, {"quantile": "0.5"}, {"quantile": np.nan},
            {"quantile": True}, {"direction": "min"}, {"direction": 1}, {"lease": 0},
            {"lease": -1}, {"lease": np.inf}, {"lease": "1h"}, {"seed": -1}, {"seed": 1.5},
            {"seed": True}, {"duration": "minutes"}, {"window": 0}, {"window": "5 weeks"},
            {"window": 3, "half_life": 3}, {"half_life": timedelta(0)}, {"draws": -1},
            {"draws": 1.5}, {"policy": 5}, {"policy": uh.Bandit}, {"policy": "ucb1:x=1"},
            {"policy": uh.KLQUCB(0.5)}, {"policy": "ucb-v", "window": 5}, {"best_of": 8},
            {"quantile": None, "best_of": 0}, {"quantile": None, "best_of": 1.5},
        ],
    )  # fmt: skip
    def test_what_is_refused_before_anything_is_written(self, place, bad):
        with pytest.raises((ParameterError, UnknownNameError)):
            opened(place, **MADE | bad)
        assert place.names() == []

    @pytest.mark.parametrize(
        ("direction", "level"), [("maximize", 0.5 ** (1 / 8)), ("minimize", 1 - 0.5 ** (1 / 8))]
    )
    def test_the_best_of_some_trials_is_a_quantile(self, place, direction, level):
        given = {"arms": ["a", "b"], "best_of": 8, "direction": direction}
        exp = opened(place, **given)

        assert exp.settings.quantile == pytest.approx(level, rel=1e-15)
        assert exp.settings.policy == uh.KLQUCB(exp.settings.quantile, **DEFAULT)
        by_hand = {"quantile": level}  # of costs, its last digit differs
        for same in (given, {}, {"best_of": 8}, {"quantile": exp.settings.quantile}, by_hand):
            assert opened(place, **same).settings == exp.settings
        told = r"quantile is 0\.\d+ \(\w+ of 8\), and 0\.\d+ \(\w+ of 9\) was given"
        with pytest.raises(ConflictError, match=told):
            opened(place, best_of=9)

    def test_levels_far_out_are_still_told_apart(self, place):
        given = {"arms": ["a"], "direction": "minimize"}
        opened(place, **given, best_of=100_000)
        with pytest.raises(ConflictError, match="lowest of 100,000"):
            opened(place, best_of=100_001)

    @pytest.mark.parametrize("bad", [0, 1.5, "8", 10**13], ids=str)
    def test_n_has_the_name_that_it_was_given_by(self, place, bad):
        with pytest.raises(ParameterError, match=r"^best_of must be a whole number"):
            opened(place, arms=["a"], direction="minimize", best_of=bad)

    def test_best_of_needs_a_direction(self, place):
        with pytest.raises(ParameterError, match=r"no experiment .checkout. .* give direction"):
            opened(place, arms=["a"], best_of=8)

    def test_an_unknown_policy(self, place):
        with pytest.raises(UnknownNameError, match="kl-qucb"):
            opened(place, **MADE | {"policy": "kl-qcb"})
        assert place.names() == []

    @pytest.mark.parametrize("name", ["", "x" * 201, "a\n", None, 5])
    def test_names(self, place, name):
        with pytest.raises(ParameterError, match="name of an experiment"):
            opened(place, name, **MADE)

    def test_the_longest_names_and_any_letters(self, place):
        arms = ["x" * 200, "ä ⚡ <b>", "=1+1"]
        exp = opened(place, "ü" * 200, arms, quantile=0.5, direction="maximize")
        assert exp.arms == tuple(arms)
        assert again(exp).arms == tuple(arms)

    @pytest.mark.parametrize(
        ("policy", "name"),
        [
            (None, "KL-QUCB"), ("acp-ucb1:scale=auto", "ACP-UCB1"), ("ucb1", "UCB1"),
            (uh.KLQUCB(0.9), "KL-QUCB"), (uh.ACPUCB1(alpha=0.2), "ACP-UCB1"),
            ("quantile-ts", "Quantile-TS"),
        ],
    )  # fmt: skip
    def test_policies(self, place, policy, name):
        exp = opened(place, **MADE, policy=policy)
        assert exp.settings.policy.name == name
        exp.tell(exp.ask(), 1.0)
        assert_equal(machine(again(exp)), machine(exp))
        assert again(exp, policy=policy).settings == exp.settings

    def test_a_search_is_refused(self, place):
        with pytest.raises(ParameterError, match="stops when it is found"):
            opened(place, **MADE, policy=uh.QLUCB(0.9, delta=0.1))


class TestArms:
    def test_numbers_are_stored_with_their_type(self, place):
        exp = opened(place, **MADE | {"arms": [1, 0.5, "1", np.float64(2.0)]})
        exp.tell(0.5, 3.0)
        found = opened(place)
        assert [type(arm) for arm in found.arms] == [int, float, str, float]
        assert found.pulls(0.5) == found.pulls("0.5") == 1  # a shell has only the text
        assert (found.pulls("1"), found.tell(1, 2.0), found.pulls("1")) == (0, "told", 0)
        found.add_arm(3)
        assert opened(place).arms == (1, 0.5, "1", 2.0, 3)

    def test_configurations_stay_with_the_program(self, place):
        configurations = {"slow": {"lr": 0.1}, "fast": {"lr": 1.0}}
        exp = opened(place, **MADE | {"arms": configurations})
        assert exp.ask().config is configurations["slow"]
        with pytest.raises(ParameterError, match=r"of arm 'slow' is not known.*arms=\{'slow'"):
            opened(place).ask(among=["slow"]).config  # noqa: B018
        exp.add_arm("new")
        more = {"new": 7, "fast": 8, "slow": 9}
        assert opened(place, arms=more).ask(among=["new"]).config == 7
        with pytest.raises(ConflictError, match=r"arms is \('slow', 'fast'\), and \('fast',\)"):
            opened(place, arms={"fast": 8})


class TestAgain:
    GIVEN = MADE | {
        "policy": uh.KLQUCB(0.9), "seed": 7, "lease": 60, "duration": "ms", "window": "10m",
        "draws": 4,
    }  # fmt: skip

    def test_it_continues(self, place):
        with opened(place, **self.GIVEN) as exp:
            trials = exp.ask_many(5)
            exp.tell(trials[0], 3.0)
        exp = opened(place)
        assert exp.settings == opened(place, **self.GIVEN).settings
        assert exp.counts()["pending"] == 4
        assert exp.tell(trials[1], 2.0) == "told"

    def test_the_same_is_accepted_one_by_one(self, place):
        opened(place, **self.GIVEN)
        for name, value in self.GIVEN.items():
            opened(place, **{name: value})

    @pytest.mark.parametrize(
        ("name", "value", "word"),
        [
            ("arms", ["b", "a"], "arms"), ("arms", ["a", "b", "c"], "arms"),
            ("quantile", 0.95, "quantile is 0.9, and 0.95"), ("direction", "maximize", "minimize"),
            ("policy", uh.KLQUCB(0.9, plus=True), "policy"), ("policy", "ucb1", "policy"),
            ("seed", 8, "seed"), ("lease", 61, "lease is 60.0, and 61.0"),
            ("duration", "s", "duration"), ("window", "11m", "forgetting"),
            ("window", 600, "forgetting"), ("half_life", "10m", "forgetting"),
            ("draws", 5, "draws"),
        ],
    )  # fmt: skip
    def test_other_settings_are_refused(self, place, name, value, word):
        exp = opened(place, **self.GIVEN)
        before = state(exp)
        with pytest.raises(ConflictError, match="made with other settings") as caught:
            opened(place, **{name: value})
        assert word in str(caught.value)
        assert "Arms are added by add_arm" in str(caught.value)
        assert "upperhand export, then upperhand import" in str(caught.value)
        assert state(exp) == before

    def test_the_first_arms_are_still_right_after_others_were_added(self, place):
        exp = opened(place, **MADE)
        exp.add_arm("c")
        assert opened(place, **MADE).arms == ("a", "b", "c")

    def test_what_something_else_wrote_is_refused(self, place):
        hello = [Event(Kind.NOTE, extra={"text": "hello"})]
        place.log("checkout").transact(lambda log: log.append(hello), durable=True)
        with pytest.raises(
            ParameterError, match="newer version of upperhand, or by something else"
        ):
            opened(place)

    def test_one_storage_holds_many(self, place):
        one, other = opened(place, "one", **MADE), opened(place, "other", **MADE)
        one.tell(one.ask(), 1.0)
        assert (len(one), len(other)) == (1, 0)
        assert place.names() == ["one", "other"]


class Mine(UCB1):
    """A policy of one's own."""

    name = "Mine"


Mine.functions = UCB1.functions


class TestOwnPolicy:
    def test_it_must_be_given_again(self, place):
        exp = opened(place, **MADE, policy=Mine())
        for value in (3.0, 1.0, 2.0):
            exp.tell(exp.ask(), value)
        with pytest.raises(ParameterError, match="plays Mine, which is no policy of the library"):
            opened(place)
        with pytest.raises(ParameterError, match="plays Mine"):
            opened(place, policy="ucb1")
        found = opened(place, policy=Mine())
        assert difference(machine(found), machine(exp)) is None

    def test_set_otherwise_it_is_refused(self, place):
        opened(place, **MADE, policy=Mine())
        with pytest.raises((ConflictError, ParameterError), match="Mine"):
            opened(place, policy=Mine(random_ties=True))


def test_an_experiment_that_was_left_is_closed(tmp_path):
    exp = Experiment("x", **MADE, storage=tmp_path / "x.db")
    exp.close()
    with pytest.raises(uh.errors.StoreError, match="closed"):
        exp.ask()


def test_events_that_a_server_lost():
    """A breakdown loses asks that were not durable: ids are not given twice, and tells count."""
    exp = memory()
    exp.tell(exp.ask(), 1.0)
    length = exp._log.last()
    lost = exp.ask_many(3)
    exp._log._length = length  # the server is back without them
    exp._log._cut()

    def lose():
        log.before = lambda: None
        raise EventsLostError("lost")

    log = Wrapped(exp, before=lose)
    trials = exp.ask_many(3)
    assert not {t.id for t in trials} & {t.id for t in lost}
    assert [exp.tell(trial, 2.0) for trial in lost] == ["lost"] * 3
    assert [exp.tell(trial, 2.0) for trial in trials] == ["told"] * 3
    assert_equal(machine(again(exp)), machine(exp))
