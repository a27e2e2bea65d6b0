"""Interpolated quantiles are NumPy's, to the bit."""

import numpy as np
import pytest

from upperhand._kernels import sorted_samples
from upperhand._kernels.samples import interpolated_quantile

from ..tables import TABLES, draw

LEVELS = [1e-9, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1 - 0.07 / 2, 1 - 1e-9]


@pytest.mark.parametrize("kind", TABLES)
def test_they_are_numpys(kind):
    values = draw(kind, 1, 150)[0]
    samples = sorted_samples.empty(1, 0)
    for m, value in enumerate(values, start=1):
        if sorted_samples.full(samples, 0):
            samples = sorted_samples.grown(samples)
        sorted_samples.insert(samples, 0, float(value))
        for level in LEVELS:
            found = interpolated_quantile(samples, 0, 0, level)
            assert found == np.quantile(values[:m], level), (m, level)
