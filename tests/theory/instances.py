"""Instances: the paper's, random Gaussian ones, and a distribution with gaps."""

from statistics import NormalDist

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from upperhand.distributions import Mixture, Normal, Uniform

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)

PAPER = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]
GAP = Mixture([Uniform(0, 1), Uniform(2, 3), Uniform(4, 5)], [0.25, 0.5, 0.25])

G3 = [0.10, 0.00, 0.04], [0.05, 0.15, 0.08]
ROBUST = [0.08, 0.00, 0.03], [0.05, 0.16, 0.08]
SWEEP = [0.30, 0.25, 0.20, 0.15, 0.10, 0.05]

hundredths = st.integers(-100, 100).map(lambda k: k / 100)
sds_of = st.integers(0, 100).map(lambda k: k / 100)
ends = st.floats(0.1, 4)


def z(alpha):
    return NormalDist().inv_cdf(1 - alpha / 2)


@st.composite
def instances(draw):
    """Return means, standard deviations and a; hundredths make ties and parallel lines common."""
    count = draw(st.integers(1, 6))
    arms = st.lists(hundredths, min_size=count, max_size=count)
    return draw(arms), draw(st.lists(sds_of, min_size=count, max_size=count)), draw(ends)


@st.composite
def mismatches(draw):
    """Return a, δ_μ and δ_σ with 0 < δ_μ < a δ_σ."""
    a, delta_sigma = draw(ends), draw(st.floats(0.01, 5))
    return a, draw(st.floats(0.001, 0.999)) * a * delta_sigma, delta_sigma


def grid(means, sds, a, points=501):
    """Return κ and v_j(κ), arms along the last axis, by plain arithmetic."""
    kappa = np.linspace(0, a, points)
    return kappa, np.array([[m + k * s for m, s in zip(means, sds, strict=True)] for k in kappa])
