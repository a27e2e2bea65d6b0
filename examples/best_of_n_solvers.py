"""Which randomised solver to restart? The one whose lucky runs are the best, not its average run.

A budget of runs is spent on solvers that draw random numbers, and only the best run is kept. So a
solver is worth the best of a few runs, here of seven, by its median: `best_of_n.py` says why that
is a quantile, here the 0.906-quantile if large is good, and the 0.094-quantile if small is.
The same budget is spent twice: by that quantile, and by the mean, which is another policy only.
"""

import math
import warnings

import numpy as np
from scipy.optimize import differential_evolution, dual_annealing, minimize
from sklearn.datasets import make_circles
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import upperhand as uh

N = 7
EVALUATIONS = 400  # what a run of SciPy may use up
BOX = [(-5.12, 5.12)] * 6

warnings.simplefilter("ignore", ConvergenceWarning)  # short runs are meant to be cut short


def rastrigin(x):
    """Sum up a bowl and a wave: a local minimum near every point of whole numbers, and 0 at 0."""
    return sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in x.tolist())


def from_anywhere(method, rng):
    start = rng.uniform(*np.transpose(BOX))
    return minimize(rastrigin, start, method=method, options={"maxfev": EVALUATIONS}).fun


def scipy_solvers(rng):
    """Return runs that find a small value of Rastrigin's function in six dimensions."""
    return {
        "Powell": lambda: from_anywhere("Powell", rng),
        "Nelder-Mead": lambda: from_anywhere("Nelder-Mead", rng),
        "annealing": lambda: dual_annealing(rastrigin, BOX, maxfun=EVALUATIONS, rng=rng).fun,
        "evolution": lambda: (
            differential_evolution(rastrigin, BOX, maxiter=5, popsize=10, polish=False, rng=rng).fun
        ),
    }


def sklearn_models(rng):
    """Return runs that fit a model to two rings, and say how many points it gets right."""
    points, ring = make_circles(600, noise=0.1, factor=0.6, random_state=0)
    seen, kept_back, ring_seen, ring_kept_back = train_test_split(points, ring, random_state=0)
    models = {
        "three neurons": lambda s: MLPClassifier(
            (3,), solver="lbfgs", activation="tanh", max_iter=40, random_state=s
        ),
        "random trees": lambda s: ExtraTreesClassifier(5, max_depth=5, random_state=s),
        "one tree": lambda s: DecisionTreeClassifier(max_depth=4, random_state=s),
    }

    def run(make):
        model = make(int(rng.integers(2**31))).fit(seen, ring_seen)
        return model.score(kept_back, ring_kept_back)

    return {name: lambda make=make: run(make) for name, make in models.items()}


def spend(name, make, runs, direction, policy=None):
    """Spend the runs; return the experiment, and the best three of all results."""
    solvers = make(np.random.default_rng(0))
    exp = uh.Experiment(name, list(solvers), best_of=N, direction=direction, policy=policy, seed=0)
    results = []
    for _ in range(runs):
        trial = exp.ask()
        results.append(solvers[trial.arm]())
        exp.tell(trial, results[-1])
    return exp, sorted(results, reverse=direction == "maximize")[:3]


def compare(name, make, runs, direction):
    by_quantile, lucky = spend(name, make, runs, direction)
    by_mean, usual = spend(name, make, runs, direction, policy="thompson-sampling:model=gaussian")
    print(by_quantile)
    for what, exp, best in (("quantile", by_quantile, lucky), ("mean", by_mean, usual)):
        arm = max(exp.arms, key=exp.pulls)
        three = ", ".join(f"{value:.3f}" for value in best)
        print(f"By the {what}, {arm!r} got {exp.pulls(arm)} of {runs} runs. Best three: {three}")
    print()


with threadpool_limits(1):  # small problems are slower on many cores
    compare("a small value of Rastrigin's function (SciPy)", scipy_solvers, 160, "minimize")
    compare("many points right (scikit-learn)", sklearn_models, 120, "maximize")
