"""The population endpoint: the distribution of the score and its quantiles, also with atoms."""

import math
from fractions import Fraction
from itertools import accumulate
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from upperhand.calibrators import base
from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    SkewedStudentT,
    StudentT,
    Uniform,
    from_scipy,
)
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import population
from upperhand.theory.population import (
    correction,
    interval,
    q_high,
    q_low,
    score,
    score_cdf,
    score_pdf,
    score_support,
)

from ..looping import for_each
from .instances import GAP, PAPER, PROPERTY

CONTINUOUS = {
    "normal": Normal(0.1, 0.05),
    "scipy normal": from_scipy(scipy.stats.norm(0.1, 0.05)),
    "t3": StudentT(0.5, 2, 3),
    "cauchy": StudentT(1, 2, 1),
    "t½": StudentT(0, 1, 0.5),
    "skewed t": SkewedStudentT(0, 0.16, 5, 0.6),
    "uniform": Uniform(-1, 2),
    "exponential": Exponential(2),
    "log-normal": LogNormal(0, 1),
    "two humps": Mixture([Normal(0, 1), Normal(5, 0.5)], [0.7, 0.3]),
    "gap": GAP,
    "gamma": from_scipy(scipy.stats.gamma(2, scale=3)),
}
ATOMS = {
    "sample": Empirical([0.3, 0.1, 0.1, 0.7, -0.2, 1.4, 0.3]),
    "one value": Empirical([0.3]),
    "bernoulli": Bernoulli(0.3),
    "sure": Bernoulli(1),
    "poisson": from_scipy(scipy.stats.poisson(3)),
    "normal and atoms": Mixture([Normal(0, 1), Bernoulli(0.4)], [0.5, 0.5]),
}
LEVELS = np.array([1e-4, 0.01, 0.049, 0.1, 0.23, 0.37, 0.5, 0.71, 0.9, 0.99])

continuous = for_each("arm", CONTINUOUS.values())
every = for_each("arm", (CONTINUOUS | ATOMS).values())
ALPHAS = (0.02, 0.3, 0.9)
sixteenths = st.integers(-64, 64).map(lambda k: k / 16)


def hansen_tails(lower, upper, scale, df, skew):
    """Return the mass outside an interval around the mode, from Hansen's formulas and SciPy's t."""
    c = math.gamma((df + 1) / 2) / (math.sqrt(math.pi * (df - 2)) * math.gamma(df / 2))
    a = 4 * skew * c * (df - 2) / (df - 1)
    b = math.sqrt(1 + 3 * skew**2 - a**2)
    unit = math.sqrt(df / (df - 2))
    left = scipy.stats.t.cdf(unit * (b * lower / scale + a) / (1 - skew), df)
    right = scipy.stats.t.sf(unit * (b * upper / scale + a) / (1 + skew), df)
    return (1 - skew) * left + (1 + skew) * right


def spread(arm):
    return arm.quantile(0.9) - arm.quantile(0.1)


class TestScore:
    @PROPERTY
    @given(y=sixteenths, ends=st.tuples(sixteenths, sixteenths).map(sorted), z=sixteenths)
    def test_at_most_z_means_within_the_widened_interval(self, y, ends, z):
        """Sixteenths of small numbers: exact in doubles."""
        low, high = ends
        assert (score(y, low, high) <= z) == (low - z <= y <= high + z)

    @PROPERTY
    @given(y=st.floats(-1e9, 1e9), low=st.floats(-1e9, 1e9), high=st.floats(-1e9, 1e9))
    def test_it_is_the_score_of_the_kernels(self, y, low, high):
        assert score(y, low, high) == base.score(y, low, high)

    def test_arrays(self):
        found = score([[0.0], [2.0]], [0.25, 0.5], [0.75, 1.0])
        assert found.tolist() == [[0.25, 0.5], [1.25, 1.0]]
        assert isinstance(score(0.0, 0.25, 0.75), float)

    def test_no_reward(self):
        with pytest.raises(ParameterError, match=r"y must be a number.* got nan as y\[1\]"):
            score([0.0, math.nan], 0, 1)
        with pytest.raises(ParameterError, match="high must be a finite number; got inf"):
            score(0.0, 0, math.inf)


class TestScores:
    def test_the_central_interval_holds_1_minus_alpha_and_atoms_add_to_it(self):
        """The central interval of Bernoulli(0.3) is the point 0, which has the mass 0.7."""
        for alpha in ALPHAS:
            for arm in CONTINUOUS.values():
                assert score_cdf(arm, alpha, 0.0) == pytest.approx(1 - alpha, abs=1e-12)
            for arm in ATOMS.values():
                assert score_cdf(arm, alpha, 0.0) >= 1 - alpha - 1e-12
        assert score_cdf(Bernoulli(0.3), 0.9, 0.0) == pytest.approx(0.7)
        assert score_cdf(Empirical([0.0]), 0.1, 0.0) == 1

    @every
    def test_it_is_the_mass_of_the_widened_interval(self, arm):
        """By 10 000 quantiles, one from the middle of each equal share of probability.

        The share of them in an interval errs by 1e-4 at most, where no end falls on an atom.
        """
        points = arm.quantile((np.arange(10_000) + 0.5) / 10_000)
        for alpha in (0.02, 0.1, 0.5, 0.9):
            low, high = q_low(arm, alpha), q_high(arm, alpha)
            z = spread(arm) * np.array([-0.6, -0.31, -0.07, 0.003, 0.11, 0.7, 2.1]) + 1e-4
            shares = [np.mean((low - x <= points) & (points <= high + x)) for x in z]
            assert score_cdf(arm, alpha, z) == pytest.approx(shares, abs=2.1e-4)

    @continuous
    def test_its_support(self, arm):
        for alpha in ALPHAS:
            lower, upper = score_support(arm, alpha)
            assert lower == (q_low(arm, alpha) - q_high(arm, alpha)) / 2
            assert score_cdf(arm, alpha, lower - 1e-9) == 0
            assert score_cdf(arm, alpha, lower) == pytest.approx(0, abs=1e-12)
            assert score_cdf(arm, alpha, np.minimum(upper, 1e300)) == pytest.approx(1, abs=1e-9)
            assert score_pdf(arm, alpha, lower - 1e-9) == 0

    def test_the_upper_end_of_the_support(self):
        """By hand: the farther of the two ends, seen from the central interval."""
        assert score_support(Uniform(0, 1), 0.1) == pytest.approx((-0.45, 0.05))
        assert score_support(Empirical([1, 2, 3, 9]), 0.5) == (-1.0, 6.0)
        assert score_support(Exponential(1), 0.1).upper == math.inf
        left = from_scipy(scipy.stats.beta(5, 1))  # mass near 1, so that 0 is the farther end
        assert score_support(left, 0.1).upper == pytest.approx(0.05**0.2)

    @continuous
    def test_its_density_is_its_derivative(self, arm):
        """Central differences at quantiles of the score: the error is of the order of h²."""
        h = 1e-5 * spread(arm)
        for alpha in ALPHAS:
            z = correction(arm, alpha, np.array([0.05, 0.13, 0.42, 0.58, 0.77, 0.9]))
            slopes = (score_cdf(arm, alpha, z + h) - score_cdf(arm, alpha, z - h)) / (2 * h)
            density = score_pdf(arm, alpha, z)
            assert density == pytest.approx(slopes, rel=1e-5, abs=1e-6 / spread(arm))
        assert score_pdf(arm, 0.1, [-math.inf, math.inf]).tolist() == [0, 0]

    def test_at_the_ends_of_the_line_and_no_density_with_atoms(self):
        for arm in (CONTINUOUS | ATOMS).values():
            assert score_cdf(arm, 0.1, math.inf) == 1
            assert score_cdf(arm, 0.1, [-math.inf, math.inf]).tolist() == [0, 1]
        for arm in ATOMS.values():
            with pytest.raises(ParameterError, match="have atoms and no density"):
                score_pdf(arm, 0.1, 0.0)

    def test_scalars_and_shapes(self):
        arm, rows = StudentT(0, 1, 3), [[0.0, 1.0], [2.0, -0.5]]
        for function in (score_cdf, score_pdf):
            assert isinstance(function(arm, 0.1, 0), float)
            assert function(arm, 0.1, np.zeros((2, 0, 3))).shape == (2, 0, 3)
            single = [[function(arm, 0.1, z) for z in row] for row in rows]
            assert function(arm, 0.1, rows).tolist() == single


class TestCorrection:
    @every
    def test_exactly_0_at_the_nominal_level(self, arm):
        """G(0) ≥ 1 − α and G(z) < 1 − α for every z < 0, whatever the distribution."""
        for alpha in [1e-6, 0.05, 0.14, 1 / 3, 0.7, 1 - 1e-6]:
            assert correction(arm, alpha, alpha) == 0
            among = correction(arm, alpha, [0.01, alpha, 0.2, alpha, 0.99])
            assert among[[1, 3]].tolist() == [0, 0]

    @continuous
    def test_it_is_the_lower_inverse_of_the_scores_cdf(self, arm):
        """Within 1e-10 of the spread, and of the tail where c is large."""
        for alpha in ALPHAS:
            c = correction(arm, alpha, LEVELS)
            small = 1e-10 * (spread(arm) + np.abs(c))
            assert np.all(score_cdf(arm, alpha, c + small) >= 1 - LEVELS - 1e-15)
            assert np.all(score_cdf(arm, alpha, c - small) < 1 - LEVELS)

    @every
    def test_it_falls_in_beta(self, arm):
        for alpha in ALPHAS:
            c = correction(arm, alpha, np.linspace(0.001, 0.999, 333))
            assert np.all(np.diff(c) <= 1e-12 * (spread(arm) + np.abs(c[1:])))
            assert c.min() >= score_support(arm, alpha).lower - 1e-12
            signs = np.sign(correction(arm, alpha, [alpha / 2, (1 + alpha) / 2]))
            assert signs[0] >= 0 >= signs[1]

    def test_gaussian_arms(self):
        """Equation 23, with the quantiles of `statistics`, which owe nothing to SciPy."""
        z = NormalDist().inv_cdf
        for arm in PAPER:
            for alpha in (0.05, 0.1, 0.3):
                for beta in (1e-4, 0.01, 0.1, 0.2, 0.5, 0.9):
                    c = arm.scale * (z(1 - beta / 2) - z(1 - alpha / 2))
                    assert correction(arm, alpha, beta) == pytest.approx(c, abs=1e-15, rel=1e-11)

    @PROPERTY
    @given(
        loc=st.floats(-10, 10),
        scale=st.floats(0.01, 10),
        alpha=st.floats(0.001, 0.999),
        beta=st.floats(0.001, 0.999),
    )
    def test_the_closed_form_is_what_the_solver_finds(self, loc, scale, alpha, beta):
        solved = correction(from_scipy(scipy.stats.norm(loc, scale)), alpha, beta)
        tolerance = 1e-12 * (scale + abs(loc))
        assert solved == pytest.approx(correction(Normal(loc, scale), alpha, beta), abs=tolerance)

    @pytest.mark.parametrize("alpha", [0.1, 0.4])
    def test_exponential_arms(self, alpha):
        """By hand, with w = eᶻ: (1 − α/2) w − (α/2)/w = 1 − β while qˡᵒʷ − z ≥ 0, and then
        (α/2)/w = β, as the lower bound has left the support."""
        half = alpha / 2
        for beta in (1e-6, 0.01, 0.04, 0.06, 0.2, 0.5, 0.9):
            far = math.log(half / beta)
            root = math.sqrt((1 - beta) ** 2 + 4 * half * (1 - half))
            near = math.log((1 - beta + root) / (2 * (1 - half)))
            c = far if far > -math.log(1 - half) else near
            assert correction(Exponential(1), alpha, beta) == pytest.approx(c, rel=1e-9, abs=1e-12)

    def test_cauchy_and_uniform_arms(self):
        """Symmetric, so c(β) = F⁻¹(1 − β/2) − F⁻¹(1 − α/2), and F⁻¹(1 − p) = 1 / tan(π p)."""
        beta = np.array([1e-9, 1e-4, 0.02, 0.5, 0.99])
        c = 2 * (1 / np.tan(math.pi * beta / 2) - 1 / math.tan(math.pi * 0.05))
        assert correction(StudentT(7, 2, 1), 0.1, beta) == pytest.approx(c, rel=1e-6)
        c = correction(Uniform(0, 2), 0.1, LEVELS)
        assert c == pytest.approx(0.1 - LEVELS, abs=1e-12)

    def test_extreme_levels(self):
        """1 − 1e-17 is 1 in doubles: the answer is the end of the support, or near it."""
        least, most = 1e-12, 1 - 1e-12
        for name, arm in CONTINUOUS.items():
            c = correction(arm, 0.1, [least, most])
            support = score_support(arm, 0.1)
            assert np.isfinite(c).all()
            if name != "t½":
                assert support.lower <= c[1] <= c[0] <= support.upper
                assert score_cdf(arm, 0.1, c[0] + 1e-9 * abs(c[0])) >= 1 - least - 2e-15
                assert score_cdf(arm, 0.1, c[1]) <= 1e-11
        for arm in (Normal(0, 1), StudentT(0, 1, 3), Exponential(1)):
            assert correction(arm, 0.1, 1e-17) >= correction(arm, 0.1, 1e-15)

    @pytest.mark.parametrize("beta", [1e-8, 1e-13, 1e-40])
    def test_small_levels_keep_their_digits(self, beta):
        """By closed forms of the upper tail; the lower end has left the support, or left nothing.

        Exponential: e^{−q−c}; gamma of shape 2: (1 + x) e^{−x}; Student's t₂: its symmetric tail is
        (1 − x/√(2 + x²))/2 = 1/((2 + x²) (1 + x/√(2 + x²))), and half of β is left on either side.
        """
        assert correction(Exponential(1), 0.1, beta) == pytest.approx(
            math.log(0.05 / beta), rel=1e-12
        )
        x = float(population.upper_endpoint(from_scipy(scipy.stats.gamma(2)), 0.1, beta))
        assert math.log1p(x) - x == pytest.approx(math.log(beta), rel=1e-12)
        x = float(population.upper_endpoint(StudentT(0, 1, 2), 0.1, beta))
        assert 1 / ((2 + x * x) * (1 + x / math.sqrt(2 + x * x))) == pytest.approx(beta / 2)
        lower, upper = interval(SkewedStudentT(0, 0.16, 5, 0.6), 0.1, beta)
        assert hansen_tails(lower, upper, 0.16, 5, 0.6) == pytest.approx(beta, rel=1e-9)

    @pytest.mark.parametrize("alpha", [1e-15, 1e-16, 1e-300])
    @pytest.mark.filterwarnings("error")
    def test_nominal_levels_at_the_end_of_doubles(self, alpha):
        """Numbers, or a reason: where 1 − α/2 is 1, an unbounded arm has no upper quantile."""
        for arm in (Exponential(1), StudentT(0, 1, 3), StudentT(0, 1, 0.02), LogNormal(0, 1)):
            if math.isinf(q_high(arm, alpha)):
                with pytest.raises(AssumptionError, match="Take a larger alpha"):
                    correction(arm, alpha, [0.01, alpha])
            else:
                found = correction(arm, alpha, [0.01, alpha])
                assert found[0] <= found[1] == 0
        assert correction(Uniform(0, 1), alpha, alpha) == 0

    def test_the_heaviest_tail(self):
        """t with half a degree of freedom: F⁻¹(1 − β/2) grows like β⁻²."""
        c = correction(StudentT(0, 1, 0.5), 0.1, np.array([1e-4, 1e-5, 1e-6]))
        assert c[1:] / c[:-1] == pytest.approx([100, 100], rel=1e-2)

    @pytest.mark.parametrize(
        ("weights", "beta"), [((0.25, 0.5, 0.25), 0.5), ((0.3, 0.4, 0.3), 0.6)], ids=str
    )
    def test_a_level_at_which_the_scores_cdf_is_flat(self, weights, beta):
        """By hand: qˡᵒʷ = α / 2w and qʰⁱᵍʰ = 5 − qˡᵒʷ, for the weight w of either wing.

        G(z) = 1 − β from where [qˡᵒʷ − z, qʰⁱᵍʰ + z] holds [2, 3] to where it reaches [0, 1].
        """
        arm = Mixture([Uniform(0, 1), Uniform(2, 3), Uniform(4, 5)], weights)
        for alpha in (0.05, 0.1, 0.15, 0.2, 0.25):
            low = alpha / 2 / weights[0]
            assert correction(arm, alpha, beta) == pytest.approx(low - 2, abs=1e-9)
            assert correction(arm, alpha, beta - 1e-6) == pytest.approx(low - 1, abs=1e-4)

    def test_shift_and_scale(self):
        z, u_star = np.linspace(-1, 3, 9), population.u_star
        for make in (
            Normal,
            lambda loc, scale: StudentT(loc, scale, 3),
            lambda loc, scale: SkewedStudentT(loc, scale, 5, 0.6),
            lambda loc, scale: Uniform(loc, loc + scale),
            lambda loc, scale: from_scipy(scipy.stats.gamma(2, loc=loc, scale=scale)),
        ):
            plain, moved = make(0, 1), make(-3, 40)
            expected = 40 * correction(plain, 0.1, LEVELS)
            assert correction(moved, 0.1, LEVELS) == pytest.approx(expected, rel=1e-9, abs=1e-9)
            shares = score_cdf(plain, 0.1, z)
            assert score_cdf(moved, 0.1, 40 * z) == pytest.approx(shares, abs=1e-12)
            assert 40 * score_pdf(moved, 0.1, 40 * z) == pytest.approx(score_pdf(plain, 0.1, z))
            assert u_star(moved, 0.1) == pytest.approx(40 * u_star(plain, 0.1) - 3)

    def test_scalars_and_shapes(self):
        for arm in (Normal(0, 1), StudentT(0, 1, 3), Bernoulli(0.3)):
            assert isinstance(correction(arm, 0.1, 0.2), float)
            assert isinstance(correction(arm, 0.1, np.array(0.2)), float)
            assert correction(arm, 0.1, np.full((2, 0, 3), 0.2)).shape == (2, 0, 3)
            levels = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
            table = correction(arm, 0.1, levels)
            single = [[correction(arm, 0.1, level) for level in row] for row in levels]
            assert table.tolist() == single

    def test_levels_out_of_range(self):
        said = "alpha must be a finite number > 0 and < 1"
        for bad in (0, 1, -0.1, 2, math.nan, math.inf, "0.1", None, True):
            with pytest.raises(ParameterError, match=said):
                correction(Normal(0, 1), bad, 0.1)
            with pytest.raises(ParameterError, match="beta must be"):
                correction(Normal(0, 1), 0.1, bad)
            for function in (q_low, q_high, population.u_star, score_support):
                with pytest.raises(ParameterError, match=said):
                    function(StudentT(0, 1, 3), bad)


class TestEndpoint:
    def test_the_value_of_an_arm(self):
        for arm in (CONTINUOUS | ATOMS).values():
            for alpha in ALPHAS:
                low, high = q_low(arm, alpha), q_high(arm, alpha)
                assert population.u_star(arm, alpha) == high == arm.quantile(1 - alpha / 2)
                assert low == arm.quantile(alpha / 2)
                assert population.upper_endpoint(arm, alpha, alpha) == high
                assert interval(arm, alpha, alpha) == (low, high)

    @continuous
    def test_the_interval_holds_1_minus_beta(self, arm):
        for alpha in ALPHAS:
            lower, upper = interval(arm, alpha, LEVELS)
            assert arm.cdf(upper) - arm.cdf(lower) == pytest.approx(1 - LEVELS, abs=1e-11)
            assert upper.tolist() == population.upper_endpoint(arm, alpha, LEVELS).tolist()
            c = correction(arm, alpha, LEVELS)
            assert upper - q_high(arm, alpha) == pytest.approx(c, abs=1e-12 * abs(c).max())
            assert q_low(arm, alpha) - lower == pytest.approx(c, abs=1e-12 * abs(c).max())

    def test_random_arms(self):
        rng = np.random.default_rng(3)
        makers = (
            lambda a, b: Normal(a, b),
            lambda a, b: StudentT(a, b, 0.5 + 5 * b),
            lambda a, b: SkewedStudentT(a, b, 2.1 + 9 * b, math.tanh(a)),
            lambda a, b: LogNormal(a, b),
            lambda a, b: Mixture([Normal(a, b), Uniform(3 * a - 1, 3 * a)], [0.3, 0.7]),
        )
        for i, (a, b) in enumerate(rng.uniform((-2, 0.05), (2, 1), (400, 2))):
            arm, alpha, beta = makers[i % 4 + (i % 20 == 19)](a, b), *rng.uniform(0.01, 0.99, 2)
            c = correction(arm, alpha, beta)
            small = 1e-9 * (1 + abs(c))
            assert score_cdf(arm, alpha, c - small) < 1 - beta <= score_cdf(arm, alpha, c + small)


# --- atoms ---------------------------------------------------------------------------------------


class TestAtoms:
    """Against a reference that scores every atom with exact fractions and adds up the masses."""

    @staticmethod
    def quantile(atoms, level):
        """Return the least value whose mass, with all below it, reaches the level."""
        ordered = sorted(atoms)
        sums = accumulate(mass for _, mass in ordered)
        return next(y for (y, _), total in zip(ordered, sums, strict=True) if total >= level)

    def correction(self, atoms, alpha, beta):
        low, high = self.quantile(atoms, alpha / 2), self.quantile(atoms, 1 - alpha / 2)
        scores = [(max(low - y, y - high), mass) for y, mass in atoms]
        return self.quantile(scores, 1 - beta)

    def check(self, arm, atoms, alpha, betas):
        found = correction(arm, float(alpha), [float(beta) for beta in betas])
        exact = [float(self.correction(atoms, alpha, beta)) for beta in betas]
        assert found == pytest.approx(exact, abs=1e-12), (arm, alpha, betas)

    @pytest.mark.parametrize("decimal", [False, True])
    def test_samples(self, decimal):
        """Dyadic sizes and levels never round; decimal ones mean, at 0.2 of 20 values, just 4."""
        rng, (unit, parts) = np.random.default_rng(0), (10, 100) if decimal else (8, 64)
        for _ in range(100):
            m = int(rng.integers(1, 40) if decimal else 2 ** rng.integers(0, 6))
            values = [Fraction(int(x), unit) for x in rng.integers(-40, 40, m)]
            levels = [Fraction(int(k), parts) for k in rng.integers(1, parts, 9)]
            atoms = [(x, Fraction(1, m)) for x in values]
            self.check(Empirical([float(x) for x in values]), atoms, levels[0], levels)

    def test_bernoulli_and_binomial_arms(self):
        """Of B(10, ½) the masses are dyadic, and SciPy's are right to the last bits."""
        levels = [Fraction(k, 100) for k in range(1, 100)]
        for percent in (1, 10, 30, 50, 57, 90, 95, 99):
            p = Fraction(percent, 100)
            for alpha in levels[::7]:
                self.check(Bernoulli(percent / 100), [(0, 1 - p), (1, p)], alpha, levels)
        arm = from_scipy(scipy.stats.binom(10, 0.5))
        atoms = [(k, Fraction(math.comb(10, k), 1024)) for k in range(11)]
        levels = [Fraction(2 * k + 1, 128) for k in range(63)]
        for alpha in levels[::9]:
            self.check(arm, atoms, alpha, levels)

    def test_the_cdf_of_its_scores(self):
        """Steps at the atoms' own scores, however the doubles are rounded."""
        values = [Fraction(k, 10) for k in (-7, -2, 1, 1, 3, 4, 6, 9, 12, 31)]
        arm = Empirical([float(x) for x in values])
        for alpha in (0.2, 0.5, 0.6):
            low, high = Fraction(q_low(arm, alpha)), Fraction(q_high(arm, alpha))
            exact = sorted(max(low - y, y - high) for y in map(Fraction, arm.data))
            for z in exact:
                share = sum(other <= z + Fraction(1, 10**12) for other in exact) / 10
                assert score_cdf(arm, alpha, float(z)) == pytest.approx(share, abs=1e-15)
                fewer = sum(other <= z - Fraction(1, 10**6) for other in exact) / 10
                assert score_cdf(arm, alpha, float(z) - 1e-6) == pytest.approx(fewer, abs=1e-15)


def test_an_outlier_does_not_carry_a_correction_over_an_atom():
    """By exact brute force: G(0) is 5/7 here, slightly below 1 − 2/7 in doubles; and so on."""
    assert correction(Empirical([-3e11, -4, -3, -2, 0, 2, 4]), 0.3, 2 / 7) == 0
    spread = [Empirical([place]) for place in (1e10, -9, -4, 0)]
    assert correction(Mixture(spread, [0.35, 0.15, 0.3, 0.2]), 0.7, 0.5) == 0
    spread = [Empirical([place]) for place in (-1e10, 0, 2, 4, -1, -6)]
    assert correction(Mixture(spread, [0.15, 0.15, 0.1, 0.1, 0.3, 0.2]), 0.5, 0.7) == -1
    # Both values of this arm have the score 0, and the slack around atoms must not show.
    assert correction(Bernoulli(0.3), 0.1, 0.9) == 0
    # P(Y = 0) is 0.97, so that 0.99 needs the atom 1 as well.
    assert interval(Bernoulli(0.03), 0.1, 0.01) == (-1, 1)


def covered(arm, atoms, alpha, beta):
    """Return the exact mass of C(β), whose two doubles are fractions like any others."""
    lower, upper = map(Fraction, interval(arm, float(alpha), float(beta)))
    return sum(mass for y, mass in atoms if lower <= y <= upper)


@pytest.mark.parametrize("tries", [200, pytest.param(5_000, marks=pytest.mark.slow)])
def test_intervals_of_samples_cover(tries):
    """P(C(β)) ≥ 1 − β, exactly, for the decimal β that is written; tied values and far ones too."""
    rng = np.random.default_rng(9)
    for _ in range(tries):
        m, unit = int(rng.integers(1, 60)), 10.0 ** rng.integers(-3, 4)
        places = int(rng.integers(0, 3))
        values = np.round(rng.normal(rng.choice([0, 100]), 3, m), places) * unit
        alpha, beta = (Fraction(int(k), 1000) for k in rng.integers(1, 1000, 2))
        atoms = [(Fraction(y), Fraction(1, m)) for y in values]
        assert covered(Empirical(values), atoms, alpha, beta) >= 1 - beta, (values, alpha, beta)


def test_intervals_of_mixtures_of_atoms_cover():
    rng = np.random.default_rng(10)
    for _ in range(40):
        places = [Fraction(int(k), 8) for k in rng.choice(np.arange(-40, 40), 5, replace=False)]
        weights = [Fraction(int(k), 64) for k in rng.multinomial(59, [0.2] * 5) + 1]
        arm = Mixture([Empirical([float(y)]) for y in places], [float(w) for w in weights])
        alpha, beta = (Fraction(int(k), 128) for k in rng.integers(1, 128, 2))
        assert covered(arm, list(zip(places, weights, strict=True)), alpha, beta) >= 1 - beta


def test_an_atom_in_the_middle_of_the_interval_counts():
    """The score of the middle atom is z_min; 0.3 − 0.1 and 0.5 − 0.3 are not the same double."""
    arm = Empirical([0.1, 0.3, 0.5])
    for z in (0.1 - 0.3, 0.3 - 0.5, (0.1 - 0.5) / 2):
        assert score_cdf(arm, 0.1, z) == pytest.approx(1 / 3)
    lower, upper = interval(arm, 0.1, 0.7)
    assert lower <= 0.3 <= upper


def test_scores_start_at_the_mass_nearest_the_middle():
    """By hand: no mass in the middle, so that nothing has the score z_min."""
    assert score_support(Bernoulli(0.5), 0.1) == (0, 0)
    assert score_support(Empirical([0, 1, 5, 6]), 0.1) == (-1, 0)
    assert score_support(Empirical([0, 2, 5, 6]), 0.1) == (-2, 0)
    humps = Mixture([Uniform(0, 1), Uniform(4, 5)], [0.5, 0.5])  # qˡᵒʷ = 0.1, and the gap at 1
    assert score_support(humps, 0.1) == pytest.approx((-0.9, 0.1))
    assert score_support(Mixture([Normal(-9, 1), Normal(9, 1)], [0.5, 0.5]), 0.1).lower < -10
