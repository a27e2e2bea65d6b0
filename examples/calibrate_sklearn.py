"""Intervals around any forecast of scikit-learn, right in the long run even if the data change.

Two quantile regressions forecast an interval, fitted once. Halfway, the noise triples: what the
model says is then far too narrow. ACI widens it by how the forecasts did so far.
"""

import numpy as np
from sklearn.linear_model import QuantileRegressor

import upperhand as uh

rng = np.random.default_rng(0)
x = rng.uniform(-2, 2, (1500, 1))
noise = np.where(np.arange(1500) < 1000, 1.0, 3.0)
y = 2 * x[:, 0] + noise * rng.normal(size=1500)

train, stream = slice(0, 500), slice(500, 1500)
low, high = (
    QuantileRegressor(quantile=q, alpha=0).fit(x[train], y[train]).predict(x[stream])
    for q in (0.05, 0.95)
)

calibrator = uh.ACI(alpha=0.1, gamma=0.02)
for lower, upper, value in zip(low, high, y[stream], strict=True):
    interval = calibrator.predict((lower, upper))
    calibrator.update(value)

said = np.mean((low <= y[stream]) & (y[stream] <= high))
print(f"scikit-learn's intervals cover {said:.0%}, calibrated ones {calibrator.coverage:.0%}")
