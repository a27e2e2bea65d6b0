"""Assumption 1: the constants are bounds on the stated sets, and the numerical ones the best."""

import math
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    Mixture,
    Normal,
    SkewedStudentT,
    StudentT,
    Uniform,
    from_scipy,
)
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import population
from upperhand.theory.assumption_1 import (
    LocalConstants,
    endpoint_density,
    gaussian_constants,
    local_constants,
    nominal_density,
    reward_sets,
    score_set,
)

from .instances import GAP, PAPER, PROPERTY

STANDARD = NormalDist()
ARMS_WITH_DENSITY = {
    "t3": StudentT(0.5, 2, 3),
    "cauchy": StudentT(0, 1, 1),
    "skewed t": SkewedStudentT(0, 0.16, 5, 0.6),
    "gamma": from_scipy(scipy.stats.gamma(5)),
    "two humps": Mixture([Normal(0, 1), Normal(5, 0.5)], [0.7, 0.3]),
}


@st.composite
def gaussian_instances(draw):
    """Return standard deviations, α, a window that holds it, and admissible radii."""
    sds = draw(st.lists(st.floats(0.05, 3), min_size=1, max_size=4))
    low, alpha, high = sorted(draw(st.tuples(*[st.floats(1e-3, 0.95)] * 3)))
    r_y = draw(st.floats(0.01, 2)) * min(sds)
    r_s = draw(st.floats(0.01, 0.99)) * min(sds) * STANDARD.inv_cdf(1 - high / 2)
    return sds, alpha, (low, high), r_y, r_s


def points_of_the_sets(arm, alpha, window, r_y, r_s):
    """Return a grid of I^rew and one of I^score, straight from their definitions."""
    c = population.correction(arm, alpha, np.linspace(*window, 101))[:, None]
    around = np.linspace(-1, 1, 101)
    low, high = population.q_low(arm, alpha), population.q_high(arm, alpha)
    rewards = np.stack([low - c + r_y * around, high + c + r_y * around])
    return rewards.ravel(), (c + r_s * around).ravel()


@PROPERTY
@given(gaussian_instances())
def test_gaussian_constants_are_bounds_and_numerical_ones_are_no_worse(instance):
    """Claim 5 of the catalogue, section 3.1."""
    sds, alpha, window, r_y, r_s = instance
    arms = [Normal(j, sd) for j, sd in enumerate(sds)]
    admissible = gaussian_constants(sds, window, r_y=r_y, r_s=r_s)
    best = local_constants(arms, alpha, window, r_y=r_y, r_s=r_s)
    for f_min, f_max, g_min, *radii in (admissible, best):
        assert radii == [r_y, r_s]
        for arm in arms:
            rewards, scores = points_of_the_sets(arm, alpha, window, r_y, r_s)
            densities = arm.pdf(rewards)
            assert f_min * (1 - 1e-9) <= densities.min()
            assert densities.max() <= f_max * (1 + 1e-9)
            assert g_min * (1 - 1e-9) <= population.score_pdf(arm, alpha, scores).min()
    assert best.f_min >= admissible.f_min * (1 - 1e-9)
    assert best.f_max <= admissible.f_max * (1 + 1e-9)
    assert best.g_min >= admissible.g_min * (1 - 1e-9)


@PROPERTY
@given(gaussian_instances())
def test_the_best_constants_of_gaussian_arms(instance):
    """A Gaussian density falls away from μ, so its extremes are at the ends of the sets, or at μ.

    f_min = φ(z_max + r_y/σ)/σ and g_min = 2 φ(z_max + r_s/σ)/σ at the outer ends, for the worst σ;
    f_max = φ(max{z_min − r_y/σ, 0})/σ at the inner ends.
    """
    sds, alpha, window, r_y, r_s = instance
    z_max, z_min = (STANDARD.inv_cdf(1 - level / 2) for level in window)
    best = local_constants([Normal(0, sd) for sd in sds], alpha, window, r_y=r_y, r_s=r_s)
    phi = STANDARD.pdf
    assert best.f_min == pytest.approx(min(phi(z_max + r_y / sd) / sd for sd in sds), rel=1e-9)
    assert best.g_min == pytest.approx(min(2 * phi(z_max + r_s / sd) / sd for sd in sds), rel=1e-9)
    highest = max(phi(max(z_min - r_y / sd, 0)) / sd for sd in sds)
    assert best.f_max == pytest.approx(highest, rel=1e-9)


def test_the_papers_arms():
    """Catalogue, section 2, item 12: f_min = 2.97e-4 and g_min = 5.94e-4 at r = Δ_max / 4.

    More digits from `statistics.NormalDist`: z_max = Φ⁻¹(0.99995), σ from 0.05 to 0.15, and Δ_max
    the gap of the third arm. The window [0.0999, 0.1001] gives b_0 = 185, and 115 at best.
    """
    z = STANDARD.inv_cdf(0.95)
    r = (0.15 * z - 0.04 - 0.08 * z) / 4
    found = gaussian_constants([0.05, 0.15, 0.08], (1e-4, 0.5), r_y=r, r_s=r)
    density = STANDARD.pdf(STANDARD.inv_cdf(1 - 0.5e-4) + r / 0.05)
    assert found == pytest.approx(
        LocalConstants(density / 0.15, STANDARD.pdf(0) / 0.05, 2 * density / 0.15, r, r)
    )
    assert found[:3] == pytest.approx((2.968e-4, 7.979, 5.936e-4), rel=5e-4)
    narrow = (0.0999, 0.1001)
    shrunk = gaussian_constants([0.05, 0.15, 0.08], narrow, r_y=r, r_s=r)
    assert 64 / shrunk.f_min == pytest.approx(185, abs=1)
    density = STANDARD.pdf(STANDARD.inv_cdf(1 - 0.0999 / 2) + r / 0.15)
    best = local_constants(PAPER, 0.1, narrow, r_y=r, r_s=r)
    assert best.f_min == pytest.approx(density / 0.15)


@pytest.mark.parametrize("arm", ARMS_WITH_DENSITY.values(), ids=ARMS_WITH_DENSITY)
def test_the_best_constants_of_any_arm(arm):
    """Bounds on a fine grid, and attained on it to 1e-4; at an interior extreme the grid errs."""
    alpha, window = 0.4, (0.3, 0.5)
    width = arm.quantile(0.75) - arm.quantile(0.25)
    r_y, r_s = 0.2 * width, 0.1 * width
    found = local_constants([arm], alpha, window, r_y=r_y, r_s=r_s)
    rewards, scores = points_of_the_sets(arm, alpha, window, r_y, r_s)
    densities, of_scores = arm.pdf(rewards), population.score_pdf(arm, alpha, scores)
    for bound, extreme in (
        (found.f_min, densities.min()),
        (found.f_max, densities.max()),
        (found.g_min, of_scores.min()),
    ):
        assert bound == pytest.approx(extreme, rel=1e-4)
    assert found.f_min <= densities.min() * (1 + 1e-9)
    assert found.f_max >= densities.max() * (1 - 1e-9)
    assert found.g_min <= of_scores.min() * (1 + 1e-9)


def test_extremes_inside_the_sets():
    """Humps at 0 and 5, α = 0.6: the upper set holds the valley, to be found by golden section."""
    arm, alpha, window = ARMS_WITH_DENSITY["two humps"], 0.6, (0.5, 0.7)
    found = local_constants([arm], alpha, window, r_y=1.5, r_s=0.1)
    low, high = reward_sets(arm, alpha, window, 1.5)
    parts = [
        scipy.optimize.minimize_scalar(
            lambda x, s=sign: s * arm.pdf(x), bounds=part, method="bounded", options={"xatol": 1e-9}
        ).fun
        for sign in (1, -1)
        for part in (low, high)
    ]
    ends = arm.pdf([*low, *high])
    assert found.f_min == pytest.approx(min(ends.min(), parts[0], parts[1]), rel=1e-6)
    assert found.f_max == pytest.approx(max(ends.max(), -parts[2], -parts[3]), rel=1e-6)
    assert found.f_max > ends.max() * 1.01


def test_uniform_arms_have_the_constants_of_claim_15():
    """Catalogue, section 3.2: f = 1 and g = 2 on Uniform(0, 1), α = 0.5, window [0.49, 0.51]."""
    found = local_constants([Uniform(0, 1)], 0.5, (0.49, 0.51), r_y=0.2449, r_s=0.2449)
    assert found == (1, 1, 2, 0.2449, 0.2449)


def test_the_sets():
    """By hand, for N(0, 1) and α = 0.1: the ends are ∓z_β ± r_y, the scores z_β − z_α ± r_s."""
    window = (0.05, 0.2)
    z = [STANDARD.inv_cdf(1 - level / 2) for level in (0.05, 0.2, 0.1)]
    low, high = reward_sets(Normal(0, 1), 0.1, window, 0.25)
    assert low == pytest.approx((-z[0] - 0.25, -z[1] + 0.25))
    assert high == pytest.approx((z[1] - 0.25, z[0] + 0.25))
    scores = score_set(Normal(0, 1), 0.1, window, 0.125)
    assert scores == pytest.approx((z[1] - z[2] - 0.125, z[0] - z[2] + 0.125))


@PROPERTY
@given(gaussian_instances(), st.floats(1e-9, 1))
def test_a_radius_of_scores_beyond_sigma_z(instance, more):
    sds, alpha, window, r_y, _ = instance
    least = min(sds)
    limit = least * STANDARD.inv_cdf(1 - window[1] / 2)
    assume(limit > 1e-3)
    with pytest.raises(AssumptionError, match="r_s must be below σ_min z_min = "):
        gaussian_constants(sds, window, r_y=r_y, r_s=limit * (1 + more))
    arms = [Normal(0, sd) for sd in sds]
    which = sds.index(least)
    with pytest.raises(AssumptionError, match=rf"Assumption 1 \(b\) fails for arm [0-{which}]"):
        local_constants(arms, alpha, window, r_y=r_y, r_s=limit * (1 + more))


def test_which_condition_fails_and_for_which_arm():
    small = {"r_y": 0.01, "r_s": 0.01}
    fine = [Normal(0, 1), Exponential(0.1)]
    with pytest.raises(AssumptionError) as caught:
        local_constants([*fine, Bernoulli(0.3)], 0.5, (0.4, 0.6), **small)
    assert str(caught.value) == "Assumption 1 needs densities; arm 2, Bernoulli(p=0.3), has atoms."
    with pytest.raises(AssumptionError, match=r"needs densities; arm 0, Empirical\("):
        local_constants([Empirical([1, 2])], 0.1, (0.05, 0.2), **small)
    with pytest.raises(AssumptionError, match=r"\(a\) fails for arm 1, Uniform\(.*density is 0 at"):
        local_constants([Normal(0, 1), Uniform(0, 1)], 0.1, (0.05, 0.2), r_y=0.1, r_s=0.01)
    with pytest.raises(AssumptionError, match=r"\(b\) fails for arm 1, Exp.*It needs r_s below"):
        local_constants(fine, 0.5, (0.4, 0.6), r_y=0.01, r_s=0.2)
    with pytest.raises(AssumptionError, match=r"\(b\) fails for arm 0, .*density is 0 at"):
        local_constants([GAP], 0.6, (0.55, 0.65), r_y=0.01, r_s=0.3)
    assert local_constants(fine, 0.5, (0.4, 0.6), **small).f_min > 0


def test_the_radius_that_a_message_offers_is_the_limit():
    with pytest.raises(AssumptionError, match=r"It needs r_s below (\S+),") as caught:
        local_constants([StudentT(0, 1, 3)], 0.1, (0.05, 0.2), r_y=0.01, r_s=3)
    limit = float(str(caught.value).split("r_s below ")[1].split(",")[0])
    assert local_constants([StudentT(0, 1, 3)], 0.1, (0.05, 0.2), r_y=0.01, r_s=limit * 0.9999)
    with pytest.raises(AssumptionError, match=r"\(b\) fails"):
        local_constants([StudentT(0, 1, 3)], 0.1, (0.05, 0.2), r_y=0.01, r_s=limit * 1.0001)


def test_an_unbounded_density():
    """The arcsine-like β(½, 1) has the density 1/(2√x): unbounded at 0, absent below."""
    arm = from_scipy(scipy.stats.beta(0.5, 1))
    with pytest.raises(AssumptionError, match=r"\(a\) fails for arm 0, ScipyDistribution"):
        local_constants([arm], 0.5, (0.4, 0.6), r_y=0.1, r_s=0.01)
    inside = local_constants([arm], 0.5, (0.4, 0.6), r_y=0.001, r_s=0.001)
    low, high = reward_sets(arm, 0.5, (0.4, 0.6), 0.001)
    assert inside.f_max == pytest.approx(1 / (2 * math.sqrt(low.lower)))
    assert inside.f_min == pytest.approx(1 / (2 * math.sqrt(high.upper)))


def test_a_density_that_is_unbounded_inside_the_set():
    """A double gamma density of shape ½ has |x|^(−½) at 0, which the grid may miss."""
    arm = from_scipy(scipy.stats.dgamma(0.5, loc=0.0123))
    with pytest.raises(AssumptionError, match=r"\(a\) fails for arm 0, .*unbounded at 0.0123"):
        local_constants([arm], 0.5, (0.45, 0.55), r_y=0.6, r_s=0.01)


def test_a_narrow_peak_is_not_taken_for_an_unbounded_one():
    peak = Mixture([Normal(0, 1), Normal(1.5123, 1e-4)], [0.99, 0.01])
    found = local_constants([peak], 0.1, (0.05, 0.2), r_y=0.1, r_s=0.1)
    assert found.f_max == pytest.approx(peak.pdf(1.5123), rel=1e-6)


def test_gaussian_constants_that_underflow():
    with pytest.raises(AssumptionError, match=r"0 in floating point: densities at 202"):
        gaussian_constants([0.05], (0.05, 0.2), r_y=10, r_s=0.01)


def test_a_window_may_be_a_point():
    found = local_constants(PAPER, 0.1, (0.1, 0.1), r_y=0.01, r_s=0.01)
    z = STANDARD.inv_cdf(0.95)
    assert found.g_min == pytest.approx(2 * STANDARD.pdf(z + 0.01 / 0.15) / 0.15)


def test_what_is_refused():
    fine = {"r_y": 0.01, "r_s": 0.01}
    for name in fine:
        for bad in (0, -1, math.nan, math.inf, "1", None):
            with pytest.raises(ParameterError, match=f"{name} must be a finite number > 0"):
                local_constants(PAPER, 0.1, (0.05, 0.2), **fine | {name: bad})
            with pytest.raises(ParameterError, match=f"{name} must be a finite number > 0"):
                gaussian_constants([1.0], (0.05, 0.2), **fine | {name: bad})
    for bad in ([0.1, 0], [-1], [math.nan], ["1"], None):
        with pytest.raises(ParameterError, match="sds must be"):
            gaussian_constants(bad, (0.05, 0.2), **fine)
    with pytest.raises(ParameterError, match="one arm or more; got none"):
        local_constants([], 0.1, (0.05, 0.2), **fine)
    with pytest.raises(ParameterError, match="one arm or more; got none"):
        gaussian_constants([], (0.05, 0.2), **fine)
    for window in ((0.2, 0.3), (0.01, 0.05), (0.3, 0.2), (0, 0.2), (0.05, 1)):
        with pytest.raises(ParameterError, match=r"(alpha|level) must be a finite number"):
            local_constants(PAPER, 0.1, window, **fine)
    for window in ((0.1, 0.2, 0.3), 0.1, (), "ab"):
        with pytest.raises(ParameterError, match="window"):
            score_set(Normal(0, 1), 0.1, window, 0.1)


class TestWhatTheProofTakes:
    """Lemma 2 is used at the two nominal quantiles, and with η = 0 at the upper one alone."""

    ARMS = (StudentT(0.08, 0.05, 3), SkewedStudentT(0, 0.16, 5, 0.6))

    def test_by_hand(self):
        """Unimodal densities are least at the far ends: q ∓ r."""
        ends = [
            (arm.pdf(arm.quantile(0.05) - 0.01), arm.pdf(arm.quantile(0.95) + 0.01))
            for arm in self.ARMS
        ]
        assert nominal_density(self.ARMS, 0.1, r_y=0.01) == pytest.approx(np.min(ends))
        assert endpoint_density(self.ARMS, 0.1, r_y=0.01) == pytest.approx(np.min(ends, axis=0)[1])

    def test_it_is_the_window_of_one_level(self):
        point = local_constants(self.ARMS, 0.1, (0.1, 0.1), r_y=0.01, r_s=0.01)
        wide = local_constants(self.ARMS, 0.1, (0.01, 0.2), r_y=0.01, r_s=0.01)
        assert nominal_density(self.ARMS, 0.1, r_y=0.01) == point.f_min > wide.f_min

    def test_one_end_may_have_a_density_where_the_other_has_not(self):
        arms = [Exponential(1)]
        assert endpoint_density(arms, 0.1, r_y=0.1) == pytest.approx(0.05 * math.exp(-0.1))
        with pytest.raises(AssumptionError, match=r"\(a\) fails for arm 0, Exponential"):
            nominal_density(arms, 0.1, r_y=0.1)

    def test_refused(self):
        for function in (nominal_density, endpoint_density):
            with pytest.raises(AssumptionError, match="needs densities; arm 1, Bernoulli"):
                function([Normal(0, 1), Bernoulli(0.3)], 0.1, r_y=0.1)
            with pytest.raises(ParameterError, match="one arm or more; got none"):
                function([], 0.1, r_y=0.1)
            with pytest.raises(ParameterError, match="r_y must be a finite number > 0"):
                function([Normal(0, 1)], 0.1, r_y=-1)
