"""What each paper proves of its calibrator, by simulation or on sequences made to break it.

Statistical tests allow four standard errors (a false alarm in 30,000).
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand.calibrators import ACI, CQR, SPS, ClippedACI, DecayingSteps, NexCP, SplitConformal

from ..reference import calibrators as reference
from .streams import one_by_one, run

PROPERTY = settings(deadline=None, derandomize=True, max_examples=200)
WHOLE = (-math.inf, math.inf)


def last_of_many(calibrator, ys, forecast=(0.0, 0.0)):
    """Return the last interval of each row, and its outcome; ys is (rows, outcomes)."""
    rows, n = ys.shape
    steps = [(*forecast, y) for y in ys.T.ravel().tolist()]
    found = run(calibrator, steps, list(range(rows)) * n, room=rows * 200, compiled=True)
    return found[-rows:], ys[:, -1]


def coverage(ends, ys):
    return np.mean((ends[:, 0] <= ys) & (ys <= ends[:, 1]))


@pytest.mark.compiled
class TestSplit:
    @pytest.mark.parametrize(
        ("alpha", "m", "rank"), [(0.25, 10, 9), (0.1, 9, 9), (0.1, 8, 9), (0.4, 5, 4)]
    )
    def test_coverage_is_the_rank_of_all_m_plus_1(self, alpha, m, rank):
        """In [1 − α, 1 − α + 1/(m+1)]. Rank ⌈(1−α)m⌉ (m = 10) or clipped to m (m = 8) fails."""
        ys = np.random.default_rng(m).exponential(size=(5000, m + 1))
        covered = coverage(*last_of_many(SplitConformal(alpha), ys))
        exact = rank / (m + 1)
        assert 1 - alpha <= exact <= 1 - alpha + 1 / (m + 1)
        assert covered == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 5000))

    def test_the_clipped_rank_covers_too_little(self):
        """What the test above is for: m = 3 and α = 0.1 cover in three of four cases, not 0.9."""
        ys = np.random.default_rng(0).normal(size=(4000, 4))
        assert coverage(*last_of_many(ClippedACI(0.1), ys)) < 0.8
        assert coverage(*last_of_many(SplitConformal(0.1), ys)) == 1.0


@pytest.mark.compiled
class TestCQR:
    def test_the_asymmetric_ends_hold_each_on_its_own(self):
        """Each of rank 18 of 20 at α = 0.2: skewed outcomes, and a forecast that is far off."""
        ys = np.random.default_rng(3).exponential(size=(5000, 20))
        ends, last = last_of_many(CQR(0.2, symmetric=False), ys, (1.0, 1.5))
        slack = 4 * math.sqrt(0.09 / 5000)
        assert np.mean(last >= ends[:, 0]) == pytest.approx(0.9, abs=slack)
        assert np.mean(last <= ends[:, 1]) == pytest.approx(0.9, abs=slack)
        assert coverage(ends, last) >= 0.8 - slack

    def test_the_symmetric_one_covers_together_and_not_each(self):
        ys = np.random.default_rng(4).exponential(size=(5000, 20))
        ends, last = last_of_many(CQR(0.2), ys, (0.0, 0.5))
        assert coverage(ends, last) == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 5000))
        assert np.mean(last > ends[:, 1]) > 0.15


def play_against(calibrator, wishes):
    """Give outcomes inside or outside as wished, where that can be; return the misses."""
    misses = []
    for t, outside in enumerate(wishes):
        lower, upper = calibrator.interval(0.0, 0.0)
        if lower > upper:
            y = float(t % 7)
        elif math.isinf(upper):
            y = 0.1 * (t % 7)
        else:
            y = upper + 1.0 + t % 2 if outside else (lower + upper) / 2
        misses.append(not lower <= y <= upper)
        calibrator.update(0.0, 0.0, y)
    return np.array(misses)


class Ends:
    """A calibrator under the two-ended calls of the references."""

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def interval(self, low, high):
        return self.calibrator.predict((low, high))

    def update(self, low, high, y):
        self.calibrator.update(y, forecast=(low, high))


def aci_excess(misses, alpha, gamma):
    """Return the largest of |mean err − α| over its bound, over all T."""
    t = np.arange(1, len(misses) + 1)
    bound = (max(alpha, 1 - alpha) + gamma) / (gamma * t)
    return (np.abs(np.cumsum(misses) / t - alpha) / bound).max()


class ToTheUnitInterval(reference.ACI):
    """ACI with the level clipped to [0, 1], as in some public code."""

    def update(self, low, high, y):
        super().update(low, high, y)
        self.level = min(max(self.level, 0.0), 1.0)


class TestACI:
    @PROPERTY
    @given(
        wishes=st.lists(st.booleans(), min_size=1, max_size=150),
        alpha=st.sampled_from([0.01, 0.1, 0.5, 0.9]) | st.floats(0.001, 0.999),
        gamma=st.sampled_from([0.005, 0.05, 0.5, 1.0, 3.0]) | st.floats(0.001, 5.0),
    )
    def test_the_bound_holds_on_every_sequence(self, wishes, alpha, gamma):
        calibrator = ACI(alpha, gamma=gamma)
        misses = play_against(Ends(calibrator), wishes)
        assert aci_excess(misses, alpha, gamma) <= 1 + 1e-9
        assert -gamma - 1e-9 <= calibrator.stream.state.level[0] <= 1 + gamma + 1e-9

    @pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
    def test_and_is_nearly_reached(self, alpha):
        """Where nothing is ever missed, till the level is 1: a bound cut by a tenth fails."""
        misses = play_against(Ends(ACI(alpha, gamma=0.01)), [False] * 950)
        misses_too = play_against(Ends(ACI(alpha, gamma=0.01)), [True] * 950)
        reached = aci_excess(misses, alpha, 0.01), aci_excess(misses_too, alpha, 0.01)
        assert 0.9 < max(reached) <= 1.0

    def test_without_the_branches_or_with_clipping_it_fails(self):
        """Clipped to [0, 1], every second outcome can be missed; above 0, every one."""
        wishes = [True] * 400
        assert aci_excess(play_against(Ends(ACI(0.1, gamma=0.1)), wishes), 0.1, 0.1) <= 1
        clipped = play_against(ToTheUnitInterval("0.1", 0.1), wishes)
        assert aci_excess(clipped, 0.1, 0.1) > 3
        never_whole = play_against(Ends(ClippedACI(0.1, eta=0.1)), wishes)
        assert aci_excess(never_whole, 0.1, 0.1) > 30

    def test_a_drift_that_split_conformal_does_not_follow(self):
        """The scale of the scores trebles: split conformal covers too little, ACI its 90 %."""
        scale = np.repeat([1.0, 3.0], 2000)
        ys = np.random.default_rng(5).normal(size=4000) * scale
        found = {}
        for calibrator in (SplitConformal(0.1), ACI(0.1, gamma=0.02)):
            ends = run(calibrator, [(0.0, 0.0, y) for y in ys.tolist()])
            found[calibrator.name] = coverage(ends[2000:], ys[2000:])
        assert found["Split conformal"] < 0.82
        assert found["ACI"] == pytest.approx(0.9, abs=0.92 / (0.02 * 2000))


def steps_excess(misses, etas, span):
    """Return the largest of |coverage − (1 − α)| over its bound, over all T; α is 0.1."""
    t = np.arange(1, len(misses) + 1)
    bound = (span + etas.max()) / (etas * t)
    return (np.abs(np.cumsum(misses) / t - 0.1) / bound).max()


class TestDecayingSteps:
    @PROPERTY
    @given(
        scores=st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=1, max_size=150),
        epsilon=st.sampled_from([-0.5, 0.0, 0.1, 0.4]),
        eta=st.floats(0.01, 3.0),
    )
    def test_the_bound_holds_on_every_sequence(self, scores, epsilon, eta):
        calibrator = DecayingSteps(0.1, eta=eta, epsilon=epsilon)
        ends = one_by_one(calibrator, [(0.0, 0.0, score) for score in scores])
        misses = [y > upper for (_, upper), y in zip(ends, scores, strict=True)]
        etas = eta * np.arange(1, len(scores) + 1) ** (-0.5 - epsilon)
        assert steps_excess(misses, etas, 1.0) <= 1 + 1e-9

    def test_and_is_nearly_reached(self):
        """From 0 it climbs to scores of 1 by a constant step: a bound cut by a tenth fails."""
        scores = [0.0] + [1.0] * 500
        ends = one_by_one(
            DecayingSteps(0.1, eta=0.01, epsilon=-0.5), [(0.0, 0.0, s) for s in scores]
        )
        misses = [y > upper for (_, upper), y in zip(ends, scores, strict=True)]
        assert 0.9 < steps_excess(misses, np.full(501, 0.01), 1.0) <= 1.0

    @pytest.mark.compiled
    def test_it_converges_and_a_constant_step_does_not(self):
        """The 0.9 quantile of |U(−1, 1)| is 0.9; the threshold of the last 5,000 of 20,000."""
        ys = np.random.default_rng(6).uniform(-1, 1, 20_000)
        steps = [(0.0, 0.0, y) for y in ys.tolist()]
        spread = {}
        for epsilon, eta in ((0.1, 1.0), (-0.5, 0.1)):
            calibrator = DecayingSteps(0.1, eta=eta, epsilon=epsilon)
            late = run(calibrator, steps, compiled=True)[-5000:, 1]
            spread[epsilon] = np.abs(late - 0.9).max()
        assert spread[0.1] < 0.04
        assert spread[-0.5] > 0.15


class TestNexCP:
    @pytest.mark.compiled
    def test_exchangeable_scores_lose_nothing(self):
        """At most 1 − α and the largest weight, 0.1. Without the atom at +∞ it covers 0.856."""
        ys = np.random.default_rng(7).normal(size=(8000, 60))
        covered = coverage(*last_of_many(NexCP(0.12, decay=0.9), ys))
        slack = 4 * math.sqrt(0.12 * 0.88 / 8000)
        assert 0.88 - slack <= covered <= 0.98 + slack

    @pytest.mark.compiled
    @pytest.mark.parametrize("since", [5, 15, 30])
    def test_after_a_jump_the_loss_is_at_most_the_weight_of_what_was_before(self, since):
        """All scores before the jump are smaller: the total variation distances are 1."""
        rng = np.random.default_rng(since)
        ys = np.hstack([rng.uniform(0, 1, (4000, 30)), rng.uniform(1, 2, (4000, since))])
        n, decay = ys.shape[1] - 1, 0.9
        weights = decay ** np.arange(n, 0, -1)
        lost = weights[:30].sum() / (1 + weights.sum())
        covered = coverage(*last_of_many(NexCP(0.15, decay=decay), ys))
        assert covered >= 0.85 - lost - 4 * math.sqrt(0.25 / 4000)
        split = coverage(*last_of_many(SplitConformal(0.15), ys))
        assert covered > split + 0.05

    def test_no_decay_is_split_conformal(self):
        steps = [(0.0, 0.0, y) for y in np.random.default_rng(8).normal(size=1200).round(2)]
        for alpha in (0.05, 0.1, 0.3, 1 / 3, 0.9):
            ours, split = run(NexCP(alpha, decay=1.0), steps), run(SplitConformal(alpha), steps)
            assert np.array_equal(ours, split)

    def test_too_fast_a_decay_is_the_whole_line_for_ever(self):
        steps = [(0.0, 0.0, float(t % 11)) for t in range(500)]
        assert set(one_by_one(NexCP(0.1, decay=0.89), steps)) == {WHOLE}


class TestSPS:
    def too_narrow(self, radius_over):
        """Return how many of 4,000 rows ever fall below the median of |U(−1, 1)|, in T = 100."""
        calibrator = SPS(0.5, horizon=100)
        calibrator.__dict__["parameters"] = calibrator.parameters._replace(
            radius=calibrator.parameters.radius / radius_over
        )
        ys = np.random.default_rng(9).uniform(-1, 1, (4000, 100))
        return int((last_of_many(calibrator, ys)[0][:, 1] < 0.5).sum())

    @pytest.mark.compiled
    def test_it_holds_the_best_fixed_interval_at_all_times(self):
        """At most 1/T of the rows may fail, 40; half the radius fails in more than 200.

        Thresholds never rise, so the last tells of all. Of 4,000 rows 66 in error by chance have a
        probability of 1e-4 at a rate of 1/100. The inequality is far from sharp at one quantile.
        """
        assert self.too_narrow(1.0) <= 65
        assert self.too_narrow(2.0) > 200

    @pytest.mark.compiled
    def test_it_narrows_to_the_best_fixed_interval(self):
        steps = [(0.0, 0.0, y) for y in np.random.default_rng(10).uniform(-1, 1, 20_000).tolist()]
        ends = run(SPS(0.5, horizon=20_000), steps, compiled=True)
        upper = ends[:, 1]
        assert np.all(np.diff(upper[np.isfinite(upper)]) <= 0)
        assert 0.5 <= upper[-1] < 0.55

    def test_an_outcome_that_is_not_covered_is_not_looked_at(self):
        ours, blind = SPS(0.6, horizon=20), SPS(0.6, horizon=20)
        missed = 0
        for y in np.random.default_rng(11).normal(size=300).tolist():
            ends = ours.predict(0.0)
            assert blind.predict(0.0) == ends
            outside = not ends.lower <= y <= ends.upper
            missed += outside
            ours.update(y, forecast=0.0)
            blind.update(1e9 if outside else y, forecast=0.0)
        assert missed > 50
