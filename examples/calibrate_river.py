"""Intervals around a model of river that learns online: forecast, observe, learn, calibrate.

DtACI needs no step to be chosen: it runs eight and trusts those that did well lately.
"""

import random

from river import linear_model, preprocessing

import upperhand as uh

random.seed(0)
model = preprocessing.StandardScaler() | linear_model.LinearRegression()
calibrator = uh.DtACI(alpha=0.1)

for t in range(2000):
    x = {"a": random.gauss(0, 1), "b": random.gauss(0, 1)}
    drift = 1 if t < 1000 else -1  # the relation is reversed halfway, and the model must relearn it
    y = drift * (3 * x["a"] - x["b"]) + random.gauss(0, 1)

    forecast = model.predict_one(x)
    interval = calibrator.predict(forecast)
    calibrator.update(y)
    model.learn_one(x, y)

print(f"river's forecasts in intervals that cover {calibrator.coverage:.0%} of 2,000 values")
print(f"mean width {calibrator.width:.2f}, the last {interval.upper - interval.lower:.2f}")
