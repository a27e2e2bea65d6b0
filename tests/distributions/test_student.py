"""Hansen's skewed t against `arch`, against pinned values, and against quadrature."""

import math

import numpy as np
import pytest
from arch.univariate import SkewStudent
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special

from upperhand.distributions import SkewedStudentT, StudentT

SHAPES = [(5, -0.2), (5, 0.6), (5, 0.3), (2.1, 0.9), (3, 0), (12, -0.75), (200, 0.99)]
shapes = pytest.mark.parametrize(("df", "skew"), SHAPES)

ARMS = [
    SkewedStudentT(0.08, 0.05, 5, -0.2),
    SkewedStudentT(0, 0.16, 5, 0.6),
    SkewedStudentT(0.03, 0.08, 5, 0.3),
]

# The three arms of the paper, computed once by an independent implementation of Hansen's formulas:
# a, b, c, then the 5%, 50%, 85%, 90%, 95% and 97.5% quantiles.
PINNED = [
    [-0.294042, 1.016631, 0.490070, -0.004220, 0.084327, 0.1241, 0.1341, 0.150567, 0.1673],
    [0.882126, 1.140988, 0.490070, -0.180224, -0.033258, 0.1415, 0.1962, 0.291415, 0.3920],
    [0.441063, 1.037045, 0.490070, -0.076689, 0.020038, 0.1019, 0.1265, 0.168590, 0.2127],
]


@pytest.mark.parametrize(("arm", "pinned"), list(zip(ARMS, PINNED, strict=True)))
def test_the_arms_of_the_paper(arm, pinned):
    quantiles = arm.quantile([0.05, 0.5, 0.85, 0.9, 0.95, 0.975])
    found = [*arm.constants[:3], *quantiles]
    digits = [6] * 5 + [4] * 2 + [6] + [4]
    assert [round(float(x), d) for x, d in zip(found, digits, strict=True)] == pinned


def test_the_best_mean_and_the_best_tail_are_different_arms():
    means = [arm.mean for arm in ARMS]
    tails = [arm.quantile(0.95) for arm in ARMS]
    assert means == [0.08, 0, 0.03]
    assert (np.argmax(means), np.argmax(tails)) == (0, 1)


@shapes
def test_agreement_with_arch(df, skew):
    arm, arch = SkewedStudentT(0, 1, df, skew), SkewStudent()
    p = np.concatenate([10.0 ** -np.arange(12, 2, -1), np.linspace(0.01, 0.99, 99)])
    x = arch.ppf(p, [df, skew])
    np.testing.assert_allclose(arm.quantile(p), x, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(arm.cdf(x), arch.cdf(x, [df, skew]), rtol=1e-11)
    logs = arch.loglikelihood([df, skew], x, np.ones_like(x), individual=True)
    np.testing.assert_allclose(np.log(arm.pdf(x)), logs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("df", "skew"), [(4, 0.6), (5, -0.2), (8, 0.9), (30, 0)])
def test_mean_and_sd_by_quadrature(df, skew):
    arm = SkewedStudentT(0, 1, df, skew)
    mode = -arm.constants.a / arm.constants.b

    def moment(k):
        tails = ((-math.inf, mode), (mode, math.inf))
        return sum(
            integrate.quad(lambda x: x**k * arm.pdf(x), a, b, epsabs=1e-12)[0] for a, b in tails
        )

    assert moment(0) == pytest.approx(1, abs=1e-9)
    assert moment(1) == pytest.approx(0, abs=1e-9)
    assert moment(2) == pytest.approx(1, abs=1e-7)


@shapes
def test_the_mode_splits_the_mass(df, skew):
    arm = SkewedStudentT(2, 3, df, skew)
    mode = 2 - 3 * arm.constants.a / arm.constants.b
    assert arm.cdf(mode) == pytest.approx((1 - skew) / 2, abs=1e-14)
    assert arm.quantile((1 - skew) / 2) == pytest.approx(mode, abs=1e-13)
    assert arm.pdf(mode) > max(arm.pdf(mode - 0.01), arm.pdf(mode + 0.01))


def test_without_skew_it_is_student_t_of_variance_one():
    arm, plain = SkewedStudentT(1, 2, 5, 0), StudentT(1, 2 * math.sqrt(3 / 5), 5)
    x = np.linspace(-40, 40, 81)
    np.testing.assert_allclose(arm.cdf(x), plain.cdf(x), rtol=1e-13)
    np.testing.assert_allclose(arm.pdf(x), plain.pdf(x), rtol=1e-13)
    p = np.linspace(0.001, 0.999, 99)
    np.testing.assert_allclose(arm.quantile(p), plain.quantile(p), rtol=1e-13)


@given(
    df=st.floats(2.05, 100),
    skew=st.floats(-0.99, 0.99),
    p=st.floats(1e-200, 0.5),
)
def test_its_reflection_has_the_opposite_skew(df, skew, p):
    arm, mirror = SkewedStudentT(0, 1, df, skew), SkewedStudentT(0, 1, df, -skew)
    q = 1 - p
    assert mirror.quantile(q) == pytest.approx(-arm.quantile(1 - q), rel=1e-12, abs=1e-13)


@given(df=st.floats(2.05, 100), skew=st.floats(-0.99, 0.99), p=st.floats(1e-100, 1 - 1e-6))
def test_the_cdf_undoes_the_quantile(df, skew, p):
    arm = SkewedStudentT(0, 1, df, skew)
    assert arm.cdf(arm.quantile(p)) == pytest.approx(p, rel=1e-10)


def test_far_tails_keep_their_digits():
    arm = SkewedStudentT(0, 1, 5, 0.6)
    a, b, _, unit = arm.constants
    p = np.array([1e-200, 1e-50, 1e-17])
    left = (0.4 * unit * special.stdtrit(5, p / 0.4) - a) / b
    np.testing.assert_allclose(arm.quantile(p), left, rtol=1e-14)
    tiny = 2.0**-50  # 1 − tiny is a double
    right = (-1.6 * unit * special.stdtrit(5, tiny / 1.6) - a) / b
    assert arm.quantile(1 - tiny) == pytest.approx(right, rel=1e-14)


def test_sample_moments():
    # Standard errors at 10⁵ draws: 0.0032 for the mean, √((17.54 − 1)/4·10⁻⁵) = 0.0064 for the sd,
    # 17.54 being the kurtosis at ν = 5, λ = 0.6. Five of each; the seed is fixed.
    draws = SkewedStudentT(0, 1, 5, 0.6).sample(100_000, np.random.default_rng(5))
    assert abs(draws.mean()) < 0.016
    assert abs(draws.std() - 1) < 0.032
