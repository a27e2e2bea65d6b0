"""Decaying steps: coverage in the long run.

A. Angelopoulos, R. F. Barber, S. Bates, ICML 2024.

The published coverage is read from results/elec2.pdf and results/imagenet-shuffled.pdf, vector
figures, as whole numbers of covered steps: github.com/aangelopoulos/online-conformal-decaying,
commit d4d78942121cca37b980dbcd63b0927d4c7aba18. The data of elec2 and ImageNet are not in this
repository, so these numbers are not reproduced.

No number on simulated data is published. What theory says takes its place: coverage 1 − α up to (B
+ max η) / (η_T T), Theorem 1, which is the slack (B = 1 for uniform scores; for normal ones, which
have no B, the largest score of the run).
"""

import numpy as np
from numpy.typing import NDArray

import upperhand as uh

from .judging import Line
from .section import SEED, Comparison, Effort, Section, mean_and_error

STEPS, RUNS, ALPHA = 45_000, 5, 0.1
SCORES = ("uniform on [0, 1]", "absolute normal")
METHODS = {
    "decaying, η = t^(−0.6)": uh.DecayingSteps(ALPHA),
    "fixed, η = 0.05": uh.DecayingSteps(ALPHA, eta=0.05, epsilon=-0.5),
}
REAL = (  # data, method, covered, of; read off the vector figures elec2.pdf and imagenet.pdf
    ("elec2", "decaying, η = t^(−0.6)", 20_389, 22_656),
    ("elec2", "fixed, η = 0.05", 20_392, 22_656),
    ("ImageNet", "decaying, η = t^(−0.6)", 40_513, 45_000),
    ("ImageNet", "fixed, η = 0.05", 40_483, 45_000),
)


def section(effort: Effort) -> Section:
    """Return what was published on real data, and ours on simulated scores."""
    runs, steps = effort.of(RUNS, 2), effort.of(STEPS, 500)
    return Section(
        title="Decaying steps: coverage in the long run",
        comparisons=(_real(), _simulated(runs, steps)),
    )


def _real() -> Comparison:
    lines = tuple(Line((data, method), hits / of, None) for data, method, hits, of in REAL)
    return Comparison("Coverage on real data", ("data", "method"), lines)


def _simulated(runs: int, steps: int) -> Comparison:
    lines = []
    for law in SCORES:
        for name, method in METHODS.items():
            found = [_coverage(method, law, run, steps) for run in range(runs)]
            ours, error = mean_and_error([covered for covered, _ in found])
            bound = max(bound for _, bound in found)
            said = Line((law, name), 1 - ALPHA, ours, our_se=error, slack=bound, theory=True)
            lines.append(said)
    return Comparison(
        "Coverage on simulated scores: theory, not a published number",
        ("scores", "method"),
        tuple(lines),
    )


def _coverage(method: uh.DecayingSteps, law: str, run: int, steps: int) -> tuple[float, float]:
    """Return the coverage of one run, and how far from 1 − α the theorem lets it be."""
    rng = np.random.default_rng([SEED, SCORES.index(law), run])
    uniform = law == SCORES[0]
    scores: NDArray[np.float64] = rng.random(steps) if uniform else abs(rng.normal(size=steps))
    calibrator = method.replace()  # with a stream of its own
    for score in scores.tolist():
        calibrator.update(score, forecast=0.0)
    first, last = (method.eta * t ** (-0.5 - method.epsilon) for t in (1, steps))
    width = 1.0 if uniform else float(scores.max())
    return calibrator.coverage, (width + first) / (last * steps)
