"""The population endpoint: the law of the score against its definition, and its quantiles."""

import math
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
from upperhand.theory.population import correction, q_high, q_low, score, score_cdf, score_pdf

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

continuous = pytest.mark.parametrize("arm", CONTINUOUS.values(), ids=CONTINUOUS)
atoms = pytest.mark.parametrize("arm", ATOMS.values(), ids=ATOMS)
every = pytest.mark.parametrize("arm", (CONTINUOUS | ATOMS).values(), ids=CONTINUOUS | ATOMS)
alphas = pytest.mark.parametrize("alpha", [0.02, 0.3, 0.9])
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
    @given(
        y=sixteenths,
        first=st.tuples(sixteenths, sixteenths),
        second=st.tuples(sixteenths, sixteenths),
    )
    def test_it_moves_no_more_than_the_ends_do(self, y, first, second):
        moved = max(abs(first[0] - second[0]), abs(first[1] - second[1]))
        assert abs(score(y, *first) - score(y, *second)) <= moved

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


class TestScoreLaw:
    @continuous
    @alphas
    def test_the_central_interval_holds_1_minus_alpha(self, arm, alpha):
        assert score_cdf(arm, alpha, 0.0) == pytest.approx(1 - alpha, abs=1e-12)

    @atoms
    @alphas
    def test_atoms_only_add_to_it(self, arm, alpha):
        assert score_cdf(arm, alpha, 0.0) >= 1 - alpha - 1e-12

    def test_an_atom_at_0_counts(self):
        """The central interval is the point 0, which has the mass 0.7."""
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
    @alphas
    def test_its_support(self, arm, alpha):
        lower, upper = population.score_support(arm, alpha)
        assert lower == (q_low(arm, alpha) - q_high(arm, alpha)) / 2
        assert score_cdf(arm, alpha, lower - 1e-9) == 0
        assert score_cdf(arm, alpha, lower) == pytest.approx(0, abs=1e-12)
        assert score_cdf(arm, alpha, np.minimum(upper, 1e300)) == pytest.approx(1, abs=1e-9)
        assert score_pdf(arm, alpha, lower - 1e-9) == 0

    def test_the_upper_end_of_the_support(self):
        """By hand: the farther of the two ends of the law, seen from the central interval."""
        assert population.score_support(Uniform(0, 1), 0.1) == pytest.approx((-0.45, 0.05))
        assert population.score_support(Empirical([1, 2, 3, 9]), 0.5) == (-1.0, 6.0)
        assert population.score_support(Exponential(1), 0.1).upper == math.inf
        left = from_scipy(scipy.stats.beta(5, 1))  # mass near 1, so that 0 is the farther end
        assert population.score_support(left, 0.1).upper == pytest.approx(0.05**0.2)

    @continuous
    @alphas
    def test_its_density_is_its_derivative(self, arm, alpha):
        """Central differences at quantiles of the score: the error is of the order of h²."""
        z = correction(arm, alpha, np.array([0.05, 0.13, 0.42, 0.58, 0.77, 0.9]))
        h = 1e-5 * spread(arm)
        slopes = (score_cdf(arm, alpha, z + h) - score_cdf(arm, alpha, z - h)) / (2 * h)
        assert score_pdf(arm, alpha, z) == pytest.approx(slopes, rel=1e-5, abs=1e-6 / spread(arm))

    @atoms
    def test_no_density_with_atoms(self, arm):
        with pytest.raises(ParameterError, match="with atoms has no density"):
            score_pdf(arm, 0.1, 0.0)

    @every
    def test_at_the_ends_of_the_line(self, arm):
        assert score_cdf(arm, 0.1, math.inf) == 1
        assert score_cdf(arm, 0.1, -math.inf) == 0
        assert score_cdf(arm, 0.1, [-math.inf, math.inf]).tolist() == [0, 1]

    @continuous
    def test_the_density_at_the_ends_of_the_line(self, arm):
        assert score_pdf(arm, 0.1, [-math.inf, math.inf]).tolist() == [0, 0]

    @pytest.mark.parametrize("function", [score_cdf, score_pdf])
    def test_scalars_and_shapes(self, function):
        arm = StudentT(0, 1, 3)
        assert isinstance(function(arm, 0.1, 0), float)
        assert function(arm, 0.1, np.zeros((2, 0, 3))).shape == (2, 0, 3)
        table = function(arm, 0.1, [[0.0, 1.0], [2.0, -0.5]])
        assert table.tolist() == [
            [function(arm, 0.1, z) for z in row] for row in ([0.0, 1.0], [2.0, -0.5])
        ]


class TestCorrection:
    @every
    def test_exactly_0_at_the_nominal_level(self, arm):
        """G(0) ≥ 1 − α and G(z) < 1 − α for every z < 0, whatever the law."""
        for alpha in [1e-6, 0.05, 0.14, 1 / 3, 0.7, 1 - 1e-6]:
            assert correction(arm, alpha, alpha) == 0
            among = correction(arm, alpha, [0.01, alpha, 0.2, alpha, 0.99])
            assert among[[1, 3]].tolist() == [0, 0]

    @continuous
    @alphas
    def test_it_is_the_lower_inverse_of_the_score_law(self, arm, alpha):
        """Within 1e-10 of the spread of the law, and of the tail where c is large."""
        c = correction(arm, alpha, LEVELS)
        small = 1e-10 * (spread(arm) + np.abs(c))
        assert np.all(score_cdf(arm, alpha, c + small) >= 1 - LEVELS - 1e-15)
        assert np.all(score_cdf(arm, alpha, c - small) < 1 - LEVELS)

    @every
    @alphas
    def test_it_falls_in_beta(self, arm, alpha):
        c = correction(arm, alpha, np.linspace(0.001, 0.999, 333))
        assert np.all(np.diff(c) <= 1e-12 * (spread(arm) + np.abs(c[1:])))
        assert c.min() >= population.score_support(arm, alpha).lower - 1e-12
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
    @pytest.mark.parametrize("beta", [1e-6, 0.01, 0.04, 0.06, 0.2, 0.5, 0.9])
    def test_exponential_arms(self, alpha, beta):
        """By hand, with w = eᶻ: (1 − α/2) w − (α/2)/w = 1 − β while qˡᵒʷ − z ≥ 0, and then
        (α/2)/w = β, as the lower bound has left the support."""
        half = alpha / 2
        far = math.log(half / beta)
        root = math.sqrt((1 - beta) ** 2 + 4 * half * (1 - half))
        near = math.log((1 - beta + root) / (2 * (1 - half)))
        c = far if far > -math.log(1 - half) else near
        assert correction(Exponential(1), alpha, beta) == pytest.approx(c, rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize("beta", [1e-9, 1e-4, 0.02, 0.5, 0.99])
    def test_cauchy_arms(self, beta):
        """Symmetric, so c(β) = F⁻¹(1 − β/2) − F⁻¹(1 − α/2), and F⁻¹(1 − p) = 1 / tan(π p)."""
        c = 2 * (1 / math.tan(math.pi * beta / 2) - 1 / math.tan(math.pi * 0.05))
        assert correction(StudentT(7, 2, 1), 0.1, beta) == pytest.approx(c, rel=1e-6)

    def test_uniform_arms(self):
        c = correction(Uniform(0, 2), 0.1, LEVELS)
        assert c == pytest.approx(0.1 - LEVELS, abs=1e-12)

    @pytest.mark.parametrize(
        "arm", [law for name, law in CONTINUOUS.items() if name not in ("t½",)], ids=repr
    )
    def test_extreme_levels(self, arm):
        least, most = 1e-12, 1 - 1e-12
        c = correction(arm, 0.1, [least, most])
        support = population.score_support(arm, 0.1)
        assert np.isfinite(c).all()
        assert support.lower <= c[1] <= c[0] <= support.upper
        assert score_cdf(arm, 0.1, c[0] + 1e-9 * abs(c[0])) >= 1 - least - 2e-15
        assert score_cdf(arm, 0.1, c[1]) <= 1e-11

    @pytest.mark.parametrize("arm", [Normal(0, 1), StudentT(0, 1, 3), Exponential(1)], ids=repr)
    def test_a_level_below_the_last_bit(self, arm):
        """1 − 1e-17 is 1 in doubles: what is asked for is the end of the support, or near it."""
        assert correction(arm, 0.1, 1e-17) >= correction(arm, 0.1, 1e-15)

    @pytest.mark.parametrize("beta", [1e-8, 1e-10, 1e-13, 1e-16, 1e-40])
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
        lower, upper = population.interval(SkewedStudentT(0, 0.16, 5, 0.6), 0.1, beta)
        assert hansen_tails(lower, upper, 0.16, 5, 0.6) == pytest.approx(beta, rel=1e-9)

    @pytest.mark.parametrize("alpha", [1e-15, 1e-16, 1e-300])
    @pytest.mark.filterwarnings("error")
    def test_nominal_levels_at_the_end_of_doubles(self, alpha):
        """Numbers, or a reason: where 1 − α/2 is 1, an unbounded law has no upper quantile."""
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
        assert np.isfinite(correction(StudentT(0, 1, 0.5), 0.1, [1e-12, 1 - 1e-12])).all()

    @pytest.mark.parametrize(
        ("weights", "beta"), [((0.25, 0.5, 0.25), 0.5), ((0.3, 0.4, 0.3), 0.6)], ids=str
    )
    @pytest.mark.parametrize("alpha", [0.05, 0.1, 0.15, 0.2, 0.25])
    def test_a_level_at_which_the_score_law_is_flat(self, weights, beta, alpha):
        """By hand: qˡᵒʷ = α / 2w and qʰⁱᵍʰ = 5 − qˡᵒʷ, for the weight w of either wing.

        G(z) = 1 − β from where [qˡᵒʷ − z, qʰⁱᵍʰ + z] holds [2, 3] to where it reaches [0, 1].
        """
        arm = Mixture([Uniform(0, 1), Uniform(2, 3), Uniform(4, 5)], weights)
        low = alpha / 2 / weights[0]
        assert correction(arm, alpha, beta) == pytest.approx(low - 2, abs=1e-9)
        assert correction(arm, alpha, beta - 1e-6) == pytest.approx(low - 1, abs=1e-4)

    @pytest.mark.parametrize("family", ["normal", "t", "skewed", "uniform", "gamma"])
    def test_shift_and_scale(self, family):
        laws = {
            "normal": Normal,
            "t": lambda loc, scale: StudentT(loc, scale, 3),
            "skewed": lambda loc, scale: SkewedStudentT(loc, scale, 5, 0.6),
            "uniform": lambda loc, scale: Uniform(loc, loc + scale),
            "gamma": lambda loc, scale: from_scipy(scipy.stats.gamma(2, loc=loc, scale=scale)),
        }
        plain, moved = laws[family](0, 1), laws[family](-3, 40)
        assert correction(moved, 0.1, LEVELS) == pytest.approx(
            40 * correction(plain, 0.1, LEVELS), rel=1e-9, abs=1e-9
        )
        z = np.linspace(-1, 3, 9)
        assert score_cdf(moved, 0.1, 40 * z) == pytest.approx(score_cdf(plain, 0.1, z), abs=1e-12)
        assert 40 * score_pdf(moved, 0.1, 40 * z) == pytest.approx(score_pdf(plain, 0.1, z))
        assert population.u_star(moved, 0.1) == pytest.approx(
            40 * population.u_star(plain, 0.1) - 3
        )

    def test_scalars_and_shapes(self):
        for arm in (Normal(0, 1), StudentT(0, 1, 3), Bernoulli(0.3)):
            assert isinstance(correction(arm, 0.1, 0.2), float)
            assert isinstance(correction(arm, 0.1, np.array(0.2)), float)
            assert correction(arm, 0.1, np.full((2, 0, 3), 0.2)).shape == (2, 0, 3)
            levels = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
            table = correction(arm, 0.1, levels)
            single = [[correction(arm, 0.1, level) for level in row] for row in levels]
            assert table.tolist() == single

    @pytest.mark.parametrize("bad", [0, 1, -0.1, 2, math.nan, math.inf, "0.1", None, True])
    def test_levels_out_of_range(self, bad):
        with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and < 1"):
            correction(Normal(0, 1), bad, 0.1)
        with pytest.raises(ParameterError, match="beta must be"):
            correction(Normal(0, 1), 0.1, bad)
        for function in (q_low, q_high, population.u_star, population.score_support):
            with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and < 1"):
                function(StudentT(0, 1, 3), bad)


class TestEndpoint:
    def test_the_papers_arms(self):
        """The ACP values of the Gaussian instance: catalogue, section 3.1, claim 4."""
        values = [population.u_star(arm, 0.1) for arm in PAPER]
        assert values == pytest.approx([0.18224, 0.24673, 0.17159], abs=5e-6)

    @every
    @alphas
    def test_the_value_of_an_arm(self, arm, alpha):
        assert population.u_star(arm, alpha) == q_high(arm, alpha) == arm.quantile(1 - alpha / 2)
        assert q_low(arm, alpha) == arm.quantile(alpha / 2)
        assert population.upper_endpoint(arm, alpha, alpha) == population.u_star(arm, alpha)
        assert population.interval(arm, alpha, alpha) == (q_low(arm, alpha), q_high(arm, alpha))

    @continuous
    @alphas
    def test_the_interval_holds_1_minus_beta(self, arm, alpha):
        lower, upper = population.interval(arm, alpha, LEVELS)
        assert arm.cdf(upper) - arm.cdf(lower) == pytest.approx(1 - LEVELS, abs=1e-11)
        assert upper.tolist() == population.upper_endpoint(arm, alpha, LEVELS).tolist()
        c = correction(arm, alpha, LEVELS)
        assert upper - q_high(arm, alpha) == pytest.approx(c, abs=1e-12 * abs(c).max())
        assert q_low(arm, alpha) - lower == pytest.approx(c, abs=1e-12 * abs(c).max())

    def test_gaussian_ends(self):
        """Equation 24: μ ∓ σ z_β, whatever the nominal level."""
        z = NormalDist().inv_cdf(0.9)
        for alpha in (0.05, 0.1, 0.5):
            ends = population.interval(Normal(0.04, 0.08), alpha, 0.2)
            assert ends == pytest.approx((0.04 - 0.08 * z, 0.04 + 0.08 * z), abs=1e-14)

    def test_a_thousand_random_arms(self):
        rng = np.random.default_rng(3)
        makers = (
            lambda a, b: Normal(a, b),
            lambda a, b: StudentT(a, b, 0.5 + 5 * b),
            lambda a, b: SkewedStudentT(a, b, 2.1 + 9 * b, math.tanh(a)),
            lambda a, b: LogNormal(a, b),
            lambda a, b: Mixture([Normal(a, b), Uniform(3 * a - 1, 3 * a)], [0.3, 0.7]),
        )
        for i, (a, b) in enumerate(rng.uniform((-2, 0.05), (2, 1), (1000, 2))):
            arm, alpha, beta = makers[i % 4 + (i % 20 == 19)](a, b), *rng.uniform(0.01, 0.99, 2)
            c = correction(arm, alpha, beta)
            small = 1e-9 * (1 + abs(c))
            assert score_cdf(arm, alpha, c - small) < 1 - beta <= score_cdf(arm, alpha, c + small)
