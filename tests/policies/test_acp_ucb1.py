"""ACP-UCB1: the identities that pin it down, its level's path, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from upperhand.calibrators import ClippedACI, Rescored
from upperhand.calibrators.rescored import next_level, radius
from upperhand.errors import ParameterError, UnknownNameError
from upperhand.policies import ACPUCB1
from upperhand.policies.acp_ucb1 import index, start
from upperhand.policies.base import ends as interval
from upperhand.simulation.player import play

from ..tables import TABLES, draw
from .late import Worker


def states(policy, rewards, arms=1):
    """Return the state after each reward of arm 0, interpreted."""
    worker = Worker(policy, arms)
    for reward in rewards:
        worker.learn(0, reward)
        yield worker.state


@pytest.mark.parametrize("alpha", [0.01, 0.059, 0.14, 0.18, 0.45])
def test_without_adaptation_there_is_no_correction(alpha):
    state = play(ACPUCB1(alpha, eta=0), draw("heavy", 2, 2_000)).state
    assert state.calibration.correction.tolist() == [0.0, 0.0]
    assert state.upper.tolist() == state.high.tolist()


class TestLevel:
    """The projected update of section 3.2."""

    def test_it_starts_at_alpha(self):
        policy = ACPUCB1(0.2)
        assert start(policy, 3, 0).calibration.level.tolist() == [0.2] * 3
        assert [s.calibration.level[0] for s in states(policy, [1.0])] == [0.2]

    @pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
    def test_the_second_reward_is_a_sure_miss(self, alpha):
        *_, state = states(ACPUCB1(alpha, eta=0.01), [0.3, 0.4])
        assert state.calibration.level[0] == alpha + 0.01 * (alpha - 1.0)

    def test_the_second_reward_is_a_sure_miss_projected(self):
        *_, state = states(ACPUCB1(0.1, eta=5.0), [0.3, 0.4])
        assert state.calibration.level[0] == 1e-4
        *_, state = states(ACPUCB1(0.1, eta=5.0, lam=0.1), [0.3, 0.4])
        assert state.calibration.level[0] == 0.1 - 0.1 * math.sqrt(math.log(2) / 2)

    def test_a_reward_on_the_edge_is_no_miss(self):
        *_, state = states(ACPUCB1(0.1, eta=0.01), [0.3, 0.3])
        assert state.calibration.level[0] == 0.1 + 0.01 * 0.1

    @pytest.mark.parametrize("lam", [0.0, 0.1, 1.0, 5.0])
    def test_it_stays_near_alpha_and_inside_its_bounds(self, lam):
        policy = ACPUCB1(0.14, eta=0.1, lam=lam, level_min=0.03, level_max=0.4)
        for kind in TABLES:
            for s, state in enumerate(states(policy, draw(kind, 1, 200)[0]), start=1):
                radius = lam * math.sqrt(math.log(s) / s)
                assert abs(state.calibration.level[0] - 0.14) <= radius + 1e-16
                assert 0.03 <= state.calibration.level[0] <= 0.4

    def test_it_reaches_both_bounds(self):
        policy = ACPUCB1(0.1, eta=0.2, lam=9.0, level_min=0.02, level_max=0.4)
        rewards = draw("ties", 1, 900)[0]
        levels = [float(state.calibration.level[0]) for state in states(policy, rewards)]
        assert min(levels) == 0.02
        assert next_level(policy, 0.395, 50, radius(policy, 50), False) == 0.4

    def test_a_miss_is_a_reward_outside_the_closed_interval(self):
        """Whole numbers make S_on > ĉ and Y ∉ [L, U] the same in floats as on paper."""
        policy = ACPUCB1(0.2, eta=0.05)
        rewards = np.random.default_rng(0).integers(-20, 20, 600)
        level, lower, upper, misses = 0.2, math.nan, math.nan, 0
        for s, (y, state) in enumerate(zip(rewards, states(policy, rewards), strict=True), start=1):
            if s > 1:
                missed = not lower <= y <= upper
                level = next_level(policy, level, s, radius(policy, s), missed)
                misses += missed
            assert state.calibration.level[0] == level
            lower, upper = interval(policy, state, 0)
        assert 60 < misses < 240

    @pytest.mark.parametrize(("missed", "sign"), [(True, -1), (False, 1)])
    def test_the_step_decays(self, missed, sign):
        policy = ACPUCB1(0.1, eta=0.01, eta_decay=0.6, lam=9.0)
        step = 0.01 * 100**-0.6 * (0.9 if missed else 0.1)
        assert next_level(policy, 0.1, 100, radius(policy, 100), missed) == pytest.approx(
            0.1 + sign * step, rel=1e-14
        )

    @pytest.mark.compiled
    def test_the_decay_is_the_same_compiled_and_interpreted(self):
        """NumPy's power differs from the C library's in one case of twenty, by the last bit."""
        for decay in (0.5, 0.6, 1.0):
            policy, table = ACPUCB1(eta=0.1, eta_decay=decay), draw("gaussian", 2, 2500)
            states = [play(policy, table, compiled=c).state for c in (True, False)]
            levels = [state.calibration.level.tolist() for state in states]
            assert levels[0] == levels[1]


class TestRounds:
    def test_the_index_is_endpoint_plus_bonus(self):
        for tail in ("upper", "lower"):
            policy = ACPUCB1(b=2.0, tail=tail)
            *_, state = states(policy, [0.1, 0.7, 0.4], arms=2)
            endpoint = state.upper[0] if tail == "upper" else state.lower[0]
            assert index(policy, state, 0, 9) == endpoint + 2.0 * math.sqrt(math.log(9) / 3)
            assert index(policy, state, 1, 9) == math.inf

    def test_before_the_first_reward_the_interval_is_the_whole_line(self):
        assert interval(ACPUCB1(), start(ACPUCB1(), 2, 0), 1) == (-math.inf, math.inf)

    def test_the_interval_is_of_plain_floats(self):
        *_, state = states(ACPUCB1(), [0.1, 0.7])
        assert interval(ACPUCB1(), state, 0) == (0.1, 0.7)
        assert [type(end) for end in interval(ACPUCB1(), state, 0)] == [float, float]

    def test_the_tails_choose_differently(self):
        """A calm arm has the better lower endpoint, a wild one the better upper endpoint."""
        table = np.random.default_rng(0).normal([[0.0], [0.0]], [[0.1], [1.0]], (2, 3000))
        for tail, better in (("upper", 1), ("lower", 0)):
            assert play(ACPUCB1(b=0.5, tail=tail), table).state.pulls[better] > 2500

    def test_without_a_bonus_it_is_greedy(self):
        table = np.array([[0.0] * 60, [1.0] * 60])
        assert play(ACPUCB1(b=0), table).arms[4:].tolist() == [1] * 56


class TestConstructor:
    @pytest.mark.parametrize(
        "levels",
        [
            {"alpha": 0.6},
            {"alpha": 1e-4},
            {"alpha": 0.1, "level_min": 0.1},
            {"alpha": 0.1, "level_max": 0.09},
            {"alpha": 0.3, "level_min": 0.4, "level_max": 0.2},
        ],
        ids=str,
    )
    def test_alpha_outside_its_levels(self, levels):
        with pytest.raises(ParameterError, match=r"alpha must lie in \(level_min, level_max\]"):
            ACPUCB1(**levels)

    def test_alpha_may_be_the_highest_level(self):
        assert ACPUCB1(0.5).alpha == 0.5
        assert ACPUCB1(0.6, level_max=0.6).level_max == 0.6

    def test_all_but_alpha_is_by_keyword_only(self):
        with pytest.raises(TypeError, match=r"takes b by name: write ACPUCB1\(alpha, b=b\)"):
            ACPUCB1(0.1, 1.0)

    def test_numbers_become_plain_floats(self):
        policy = ACPUCB1(np.float32(0.25), b=2, lam=Fraction(1, 2), init=np.int64(3))
        assert (policy.alpha, policy.b, policy.lam, policy.init) == (0.25, 2.0, 0.5, 3)
        assert [type(v) for v in (policy.alpha, policy.b, policy.lam)] == [float] * 3
        assert type(policy.init) is int

    def test_defaults_are_the_papers_experiments(self):
        assert ACPUCB1().settings == {
            "alpha": 0.1,
            "b": 1.0,
            "eta": 0.01,
            "eta_decay": 0.0,
            "lam": 1.0,
            "level_min": 1e-4,
            "level_max": 0.5,
            "init": 2,
            "tail": "upper",
            "scale": "unit",
            "calibrator": None,
            "sketch": None,
            "random_ties": False,
        }


class TestCalibrator:
    def test_the_papers_own_is_the_default(self):
        named, table = ACPUCB1(0.2, calibrator="rescored"), draw("gaussian", 3, 400)
        assert named.calibrator == Rescored(0.2) == ACPUCB1(0.2).method
        assert play(named, table).arms.tolist() == play(ACPUCB1(0.2), table).arms.tolist()

    @pytest.mark.parametrize("text", ["clipped-aci:eta=0.05", "Clipped ACI:eta=0.05/alpha=0.2"])
    def test_by_name(self, text):
        assert ACPUCB1(0.2, calibrator=text).calibrator == ClippedACI(0.2, eta=0.05)

    def test_settings_that_contradict_it_are_refused(self):
        with pytest.raises(ParameterError, match=r"one alpha; got 0\.2 and 0\.1\. Set both"):
            ACPUCB1(0.2, calibrator=ClippedACI())
        with pytest.raises(ParameterError, match="eta belongs to the paper's calibrator"):
            ACPUCB1(eta=0.1, calibrator=ClippedACI())
        with pytest.raises(ParameterError, match="calibrator must be a Calibrator; got 3"):
            ACPUCB1(calibrator=3)
        with pytest.raises(UnknownNameError, match="Unknown calibrator 'recored'"):
            ACPUCB1(calibrator="recored")

    def test_another_one_chooses_otherwise(self):
        table = draw("gaussian", 3, 300)
        other = play(ACPUCB1(calibrator="clipped-aci"), table)
        assert other.arms.tolist() != play(ACPUCB1(), table).arms.tolist()


def test_a_level_says_alpha_and_tail():
    assert ACPUCB1(tau=0.95) == ACPUCB1(0.1)
    assert ACPUCB1(tau=0.05, b=2) == ACPUCB1(0.1, tail="lower", b=2)
    assert ACPUCB1(tau=0.6).level_max == 0.8  # widened, so that it holds α
    with pytest.raises(ParameterError, match=r"the median is none\. Play for it by KLQUCB"):
        ACPUCB1(tau=0.5)
    for more in ({"alpha": 0.1}, {"tail": "upper"}):
        with pytest.raises(ParameterError, match=r"tau=0\.9 says alpha and tail already"):
            ACPUCB1(tau=0.9, **more)
