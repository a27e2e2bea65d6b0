"""ACI and AgACI on Friedman's regression with ARMA(1,1) noise: figure 5 of Zaffran et al.

The authors' data come back exactly from their seeds. Their forecaster, a forest of 1,000 trees
fitted anew at each of 100 steps of 500 runs, is too dear here: our calibrators run on the same data
with a linear forecaster.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

import upperhand as uh
from upperhand._kernels import sorted_samples
from upperhand._kernels.compiler import compile_closure

from . import published
from .judging import Line
from .section import Comparison, Effort, mean_and_error

PHIS, RUNS = (0.1, 0.8, 0.9, 0.95, 0.99), 500
STEPS, WINDOW, FIRST = 300, 200, 100  # of a run; fitted on; the first forecast
COUNTED = 200  # from here on
ALPHA = 0.1
METHODS: dict[str, uh.Calibrator] = {
    "ACI γ = 0": uh.ACI(ALPHA, gamma=0.0),
    "ACI γ = 0.01": uh.ACI(ALPHA, gamma=0.01),
    "ACI γ = 0.05": uh.ACI(ALPHA, gamma=0.05),
    "AgACI": uh.AgACI(ALPHA),
}
Array = NDArray[np.float64]


def series(phi: float, run: int) -> tuple[Array, Array]:
    """Return the authors' regressors (6, 300) and outcomes (300,) of a run."""
    stream = np.random.RandomState(run)  # the authors' generator
    x = stream.uniform(size=(6, STEPS))
    scale = np.sqrt(10 * (1 - phi**2) / (1 + 3 * phi**2))
    noise = lfilter([1.0, phi], [1.0, -phi], scale * stream.standard_normal(STEPS))
    mean = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    return x, mean + noise


def coverage(effort: Effort) -> Comparison:
    """Return the coverage of our calibrators with a linear forecaster: not judged."""
    runs = effort.of(RUNS, 2)
    phis = PHIS[-1:] if effort.quick else PHIS
    ours: dict[tuple[str, str], list[float]] = {}
    for phi in phis:
        for run in range(runs):
            x, y = series(phi, run)
            forecasts = linear_forecasts(x, y)
            for name, method in METHODS.items():
                share = covered(method, forecasts, y[FIRST:])[COUNTED - FIRST :].mean()
                ours.setdefault((f"{phi}", name), []).append(100 * float(share))
    lines = []
    for row in published.rows("aci_friedman"):
        key = (row["phi"], row["method"])
        if key in ours:
            found, error = mean_and_error(ours[key])
            said, their = float(row["coverage"]), float(row["se"])
            lines.append(Line(key, said, found, their, error, judged=False))
    return Comparison(
        "Coverage in percent, figure 5 (nominal 90)",
        ("φ = θ", "method"),
        tuple(lines),
    )


def linear_forecasts(x: Array, y: Array) -> Array:
    """Return least-squares forecasts of y[FIRST:], each fitted on the last WINDOW values before."""
    design = np.vstack([np.ones(STEPS), x]).T  # (300, 7)
    products = np.cumsum(design[:, :, None] * np.c_[design, y][:, None, :], axis=0)  # (300, 7, 8)
    begun = np.arange(FIRST, STEPS)
    sums = products[begun - 1]
    late = begun > WINDOW
    sums[late] -= products[begun[late] - WINDOW - 1]
    weights = np.linalg.solve(sums[:, :, :-1], sums[:, :, -1:])[:, :, 0]
    return np.asarray((weights * design[FIRST:]).sum(axis=1))


def covered(method: uh.Calibrator, forecasts: Array, y: Array) -> NDArray[np.bool_]:
    """Return which outcomes the calibrated forecasts cover, by a compiled loop."""
    functions = method.functions
    loop = compile_closure(make_stream, functions.interval, functions.update, user=type(method))
    state = functions.start(method.parameters, 1, 2 * len(y))
    inside = np.empty(len(y), np.bool_)
    loop(method.parameters, state, sorted_samples.empty(1), forecasts, y, inside)
    return inside


def make_stream(
    interval: Callable[..., tuple[float, float]], update: Callable[..., None]
) -> Callable[..., None]:
    """Return the loop over a stream of point forecasts and outcomes, ready to be compiled."""

    def stream(
        calibrator: Any,
        state: Any,  # modified
        past: Any,
        forecasts: Array,
        y: Array,
        inside: NDArray[np.bool_],  # modified
    ) -> None:
        for t in range(len(y)):
            low = forecasts[t]
            lower, upper = interval(calibrator, state, past, 0, low, low)
            inside[t] = lower <= y[t] and y[t] <= upper
            update(calibrator, state, past, 0, low, low, y[t])

    return stream
