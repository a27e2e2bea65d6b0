"""What choices are made from: memory that leaves no trace, and outcomes known in part."""

import numpy as np
import pytest

from upperhand import KLQUCB, QUCB, Bandit, Experiment, QuantileIMED, QuantileTS
from upperhand._kernels.states import copied, to_arrays
from upperhand.errors import ConflictError, ParameterError
from upperhand.live.choosing import pick, prepare
from upperhand.live.learner import Learner
from upperhand.live.log import open_storage
from upperhand.live.settings import Settings

from ..looping import for_each
from ..policies.examples import EXAMPLES
from ..reference.frugal import Frugal
from ..reference.live import Model
from .opened import Clock, machine, memory, opened

FRUGAL = "kl-qucb:plus=true,frugal=40"
CENSORED = [KLQUCB(0.8, plus=True), KLQUCB(0.8), QuantileIMED(0.8), QuantileTS(0.8), QUCB(0.8)]
named = pytest.mark.parametrize("policy", CENSORED, ids=lambda policy: repr(policy))


class TestMemory:
    """`Functions.memory` names what choosing writes: all of it, and nothing else."""

    def player_of(self, policy):
        player = Learner(Settings(("a", "b", "c", "d"), policy, 0), 4)
        rng = np.random.default_rng(0)
        for _ in range(60):
            player.learn(int(rng.integers(4)), round(float(rng.random()), 2), 0.0)
        return player

    def changed(self, player, t, pending=(0, 0, 0, 0)):
        before = to_arrays(copied(player.state))
        state = player.state._replace(pulls=player.state.pulls + np.array(pending))
        player.functions.choose(player.parameters, state, t, np.random.default_rng(t))
        after = to_arrays(player.state)
        names = {n for n in after if not np.array_equal(before[n], after[n], equal_nan=True)}
        return {name.partition(".")[0] for name in names}

    @for_each("policy", EXAMPLES.values())
    def test_nothing_outside_of_it_is_changed(self, policy):
        player, found = self.player_of(policy), set()
        found |= self.changed(player, 61)
        found |= self.changed(player, 70, (1, 2, 3, 3))
        found |= self.changed(player, 10**6, (9, 0, 0, 1))
        found |= self.changed(player, 62)
        assert found <= set(player.functions.memory)
        assert set(player.functions.memory) <= set(player.state._fields)

    @for_each("cls", sorted({type(p) for p in EXAMPLES.values()}, key=str))
    def test_what_it_names_is_written(self, cls):
        """Else it would hide a difference of states from verify."""
        found, rng = set(), np.random.default_rng(1)
        for policy in (each for each in EXAMPLES.values() if type(each) is cls):
            player = self.player_of(policy)
            for t in range(61, 400, 4):
                found |= self.changed(player, t, rng.integers(0, 20, 4))
                found |= self.changed(player, 1000 * t)
                for _ in range(10):
                    player.learn(int(rng.integers(4)), round(float(rng.normal()), 1), 0.0)
        assert found == set(cls.functions.memory)

    @for_each("policy", EXAMPLES.values())
    def test_choices_do_not_depend_on_it(self, policy):
        """What was asked before, in whatever order, leaves no trace in the next choice."""
        player = self.player_of(policy)
        fresh = copied(player.state)
        for t in (10**6, 61, 500):
            self.changed(player, t, (5, 0, 2, 9))
        for t in (61, 62, 90, 10**5):
            one, other = (
                player.functions.choose(player.parameters, state, t, np.random.default_rng(t))
                for state in (copied(fresh), player.state)
            )
            assert one == other


def player_of(policy, minimize=True, duration=None):
    settings = Settings(
        ("a", "b", "c"), policy, 0, quantile=0.8, minimize=minimize, duration=duration
    )
    return Learner(settings, 3)


def choices(player, rounds=5, ages=None):
    prepared = prepare(player, None, ages or {})
    return [pick(player, prepared, np.random.default_rng(i)) for i in range(rounds)]


def told(player, rng, size=40, most=9.0):
    for _ in range(size):
        arm = int(rng.integers(3))
        player.learn(arm, float(rng.integers(0, int(most))) + arm, 0.0)


class TestCensored:
    @named
    @pytest.mark.parametrize("minimize", [True, False])
    def test_a_cut_below_all_values_changes_no_sample(self, policy, minimize):
        """It says nothing of the values; only the pull counts."""
        one, other = player_of(policy, minimize), player_of(policy, minimize)
        told(one, np.random.default_rng(0))
        told(other, np.random.default_rng(0))
        one.learn_at_least(1, -1.0, 0.0)
        other.asked(1)
        assert choices(one) == choices(other)

    @named
    @pytest.mark.parametrize("minimize", [True, False])
    def test_what_was_cut_before_the_first_value_says_nothing(self, policy, minimize):
        """Of an arm with one value at 40, cut at 13 once: its quantile is 40, and no failure."""
        one, other = player_of(policy, minimize), player_of(policy, minimize)
        for player in (one, other):
            for arm in range(3):
                player.learn(arm, 40.0 + arm, 0.0)
        one.learn_at_least(1, 13.0, 0.0)
        other.asked(1)
        assert prepare(one, [1]).least is None
        assert choices(one) == choices(other)

    @named
    def test_one_time_out_above_all_values_is_a_failure(self, policy):
        """For costs: the same choices, whatever share of the trials it is."""
        rng, seen = np.random.default_rng(1), set()
        for share in (0.05, 0.2, 0.6, 0.9):
            one, other = player_of(policy), player_of(policy)
            for i in range(150):
                arm, value = int(rng.integers(3)), float(rng.integers(0, 9))
                if rng.random() < share:
                    one.learn_at_least(arm, 30.0, 0.0)
                    other.learn(arm, other.settings.failed, 0.0)
                else:
                    one.learn(arm, value, 0.0)
                    other.learn(arm, value, 0.0)
                if i % 5:
                    continue
                first, second = prepare(one, None), prepare(other, None)
                assert first.least == second.least
                assert choices(one, 3) == choices(other, 3)
                seen.add(first.least is None)
        assert seen == {True, False}

    @named
    def test_without_cuts_the_policy_sees_its_own_state(self, policy):
        player = player_of(policy)
        told(player, np.random.default_rng(2))
        prepared = prepare(player, None, {})
        assert prepared.state is player.lean
        assert prepared.least is None

    def test_dropped_or_worst_would_choose_otherwise(self):
        """Three time-outs at 3 of an arm that is fast otherwise, others known up to 9."""
        kaplan, dropped, worst = (player_of(KLQUCB(0.8, plus=True)) for _ in range(3))
        for player in (kaplan, dropped, worst):
            for value in range(10):
                player.learn(0, float(value), 0.0)
                player.learn(1, value * 0.7 if value < 9 else 8.0, 0.0)
                player.learn(2, 7.0, 0.0)
        for _ in range(3):
            kaplan.learn_at_least(1, 3.0, 0.0)
            worst.learn(1, worst.settings.failed, 0.0)
        estimates = [p.estimated(p.known(1), p.cuts[1])[-3] for p in (kaplan, dropped, worst)]
        assert estimates[1] < estimates[0] <= estimates[2]


class TestRunning:
    def test_ages_change_choices_as_the_model_says(self, monkeypatch):
        """Requests that run on make an arm look slower, before anything is told of them."""
        clock = Clock().set(monkeypatch)
        found = {}
        for duration in ("s", None):
            exp = opened(
                open_storage(None), f"by {duration}", ["a", "b"], quantile=0.83,
                direction="minimize", duration=duration, lease=1000.0,
                policy="kl-qucb:plus=true",
            )  # fmt: skip
            model = Model(["a", "b"], "0.83", minimize=True, lease=1000.0, duration=duration)
            for arm, value in [("a", 1.0), ("b", 2.0)] * 12:
                exp.tell(arm=arm, value=value)
                model.add("outcome", clock.now, trial=None, arm=arm, by=None, told=("told", value))
            arms = []
            for _ in range(25):
                trial = exp.ask()
                expected = model.choice(clock.now)[0]
                assert trial.arm == expected
                model.add("asked", clock.now, trial=trial.id, arm=trial.arm, by=None, key=None,
                          how=trial.how)  # fmt: skip
                arms.append(trial.arm)
                clock.now += 0.3
            found[duration] = arms
        assert found["s"] != found[None]

    @pytest.mark.parametrize(("unit", "age"), [("s", 2.0), ("ms", 2e3), ("us", 2e6)])
    def test_ages_are_in_the_unit_of_the_metric(self, monkeypatch, unit, age):
        clock = Clock().set(monkeypatch)
        exp = memory(duration=unit)
        trial = exp.ask()
        clock.now += 2.0
        assert machine(exp).ages(0, clock.now) == {exp.arms.index(trial.arm): [age]}


class TestResting:
    def full_of_failures(self, shares, **settings):
        exp = memory(quantile=0.8, **settings)
        for arm, bad in zip("abc", shares, strict=True):
            for i in range(20):
                if i < bad:
                    exp.tell(arm=arm, failed=True)
                else:
                    exp.tell(arm=arm, value=float(i))
        return exp

    @pytest.mark.parametrize("direction", ["minimize", "maximize"])
    def test_who_fails_least(self, direction):
        exp = self.full_of_failures((19, 17, 18), direction=direction)
        for _ in range(3):
            trial = exp.ask()
            assert (trial.arm, trial.how) == ("b", "failures")
            exp.release(trial)
        assert exp.counts()["resting"] == 3
        assert "3 choices rested on who fails least: no candidate's p80 was known" in repr(exp)
        assert exp.quantile("b") == (np.inf if direction == "minimize" else -np.inf)

    def test_one_quantile_known_is_enough(self):
        exp = self.full_of_failures((19, 17, 3))
        assert exp.ask().how == "deterministic"
        assert exp.ask(among=["a", "b"]).how == "failures"
        assert exp.counts()["resting"] == 1

    def test_an_arm_without_outcomes_comes_first(self):
        exp = self.full_of_failures((19, 17, 18))
        exp.add_arm("d")
        trial = exp.ask()
        assert (trial.arm, trial.how) == ("d", "deterministic")

    def test_time_outs_count_as_failures_here(self):
        exp = memory(quantile=0.8)
        for arm, bad in (("a", 9), ("b", 5), ("c", 7)):
            for i in range(10):
                exp.tell(arm=arm, **({"at_least": 100.0} if i < bad else {"value": 1.0}))
        trial = exp.ask()
        assert (trial.arm, trial.how) == ("b", "failures")


class TestRounds:
    """The expected number of asks of each segment, whatever is imported or released."""

    def test_asks_count(self, tmp_path):
        """Each choice is the reference's, and again after the log was opened anew."""
        rng, reference = np.random.default_rng(1), Frugal(3, "0.1", m=40, horizon=110)
        exp, file, waiting = None, tmp_path / "log.db", []
        for ask in range(1, 151):
            if exp is None or ask % 40 == 0:
                if exp is not None:
                    exp._replay.save(machine(exp), exp._log, least=0)
                    exp.close()
                exp = Experiment("x", ["a", "b", "c"], quantile=0.9, direction="minimize",
                                 policy=FRUGAL, rounds=110, storage=file)  # fmt: skip
            if ask % 3 == 0:  # an import, and another segment
                exp.tell(arm="b", value=2.0)
                exp.tell(exp.ask(by="other"), 1.0)
                reference.ask(1)
                reference.tell(1, -2.0)
            trial, t = exp.ask(), 1 + sum(past.asked for past in reference.seen)
            arm = "abc".index(trial.arm)
            assert arm in reference.best(t, ask)
            if ask % 5 == 0:
                exp.release(trial)
                continue
            reference.ask(arm)
            waiting.append((trial, arm))
            if len(waiting) > 3:
                trial, arm = waiting.pop(0)
                cost = float(rng.exponential([1.0, 1.2, 3.0][arm]))
                exp.tell(trial, cost)
                reference.tell(arm, -cost)

    def test_a_bandit_counts_its_asks_too(self):
        rng, reference = np.random.default_rng(2), Frugal(3, "0.9", m=40, horizon=110)
        bandit = Bandit(list("abc"), FRUGAL, quantile=0.9, rounds=110)
        for ask in range(1, 151):
            if ask > 50 and ask % 3 == 0:
                bandit.tell("b", 0.5)
                reference.ask(1)
                reference.tell(1, 0.5)
            t = 1 + sum(past.asked for past in reference.seen)
            arm = "abc".index(bandit.ask())
            assert arm in reference.best(t, ask)
            reference.ask(arm)
            reward = float(rng.normal([1.0, 0.8, 0.0][arm]))
            bandit.tell("abc"[arm], reward)
            reference.tell(arm, reward)

    def test_what_is_refused(self):
        made = {"arms": ["a", "b"], "quantile": 0.9, "direction": "minimize"}
        for said, given in {
            "rounds must be a whole number, 1 or more; got 0": {"rounds": 0},
            "rounds=9 says when .* Leave out one": {"rounds": 9, "window": 50},
            "rounds=8 says when": {"policy": KLQUCB(0.9, horizon=8), "half_life": "1h"},
            "rounds=9 is for a policy with a .* QUCB has none": {"rounds": 9, "policy": "qucb"},
            "rounds=9 is given, and KL-QUCB has horizon=8": {
                "rounds": 9, "policy": KLQUCB(0.9, horizon=8)},
        }.items():  # fmt: skip
            with pytest.raises(ParameterError, match=said):
                Experiment("x", **made, **given)
        exp = Experiment("x", **made, rounds=9, storage=(storage := open_storage(None)))
        assert (exp.settings.policy.horizon, exp.settings.rounds) == (9, 9)
        Experiment("x", storage=storage, rounds=9)
        with pytest.raises(ConflictError, match="rounds is 9, and 10 was given"):
            Experiment("x", storage=storage, rounds=10)
        assert Bandit(3, "threshold-ascent", rounds=50).policy.horizon == 50
