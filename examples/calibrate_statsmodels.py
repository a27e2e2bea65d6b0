"""Intervals around a forecast of statsmodels, and which method calibrates it best.

An autoregression is fitted once and forecasts each next value. The noise grows in the second half.
All methods are compared on the same forecasts; `upperhand calibrate FILE.csv` does the same.
"""

import numpy as np
from statsmodels.tsa.ar_model import AutoReg

import upperhand as uh

rng = np.random.default_rng(0)
y = np.zeros(900)
for t in range(1, 900):
    y[t] = 0.8 * y[t - 1] + rng.normal() * (1 if t < 600 else 2.5)

fitted = AutoReg(y[:300], lags=1).fit()
forecast = fitted.params[0] + fitted.params[1] * y[299:-1]  # of y[300], y[301], … in turn

study = uh.calibrate(y[300:], forecast=forecast, alpha=0.1)
print(study)

scores = study.scores
steadiest = max(scores, key=lambda name: scores[name].local_lowest)
lowest = scores[steadiest].local_lowest
print(f"\nSteadiest: {steadiest}, at least {lowest:.0%} of any {study.window} values in a row")
