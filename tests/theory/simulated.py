"""Instances on which policies are played against what is proved of them, and how the two compare.

An upper bound is refused if the mean of the runs is above it by more than `ERRORS` standard errors.
If the bound were attained, chance would do that with probability 3e-7, as the normal distribution
has it; runs in which an arm is lost skew the pulls to the right, and make it rarer.
"""

from typing import NamedTuple

import numpy as np

import upperhand as uh
from upperhand.errors import AssumptionError
from upperhand.simulation.rewards import draw_table
from upperhand.theory import quantile_policies

from ..policies.late import play_late

ERRORS = 5
LEVELS = (0.3, 0.5, 0.8, 0.9, 0.95, 0.99)

# The second arm is best in both. Far apart, all rewards of the first are below those of the other.
FAR_APART = (uh.Normal(0, 1), uh.Normal(10, 1))
# Here the best arm begins with rewards below the other's, as a rule, and may be given up too soon.
UNLUCKY = (uh.Empirical([0.0]), uh.Empirical([-1.0] * 8 + [1.0] * 2))

# And here it looks so poor, in most runs, that its shape speaks against it: wrongly.
DECEPTIVE = (uh.Normal(0, 1), uh.Mixture([uh.Normal(-20, 0.001), uh.Normal(30, 1)], [0.7, 0.3]))

# And here it fails one time in five.
FAILING = (uh.Empirical([0.0]), uh.Empirical([-10.0] + [1.0] * 4))


class Instance(NamedTuple):
    arms: tuple
    tau: float


def policies(tau):
    """Return the four policies of Theorems Q1 to Q3."""
    ours = uh.KLQUCB(tau), uh.QuantileIMED(tau), uh.QuantileTS(tau)
    return {policy.name: policy for policy in ours} | {"KL-QUCB+": uh.KLQUCB(tau, plus=True)}


def hedged(tau, trust=1.0):
    """Return the policies of Theorem Q5."""
    plain = uh.KLQUCB(tau, trust=trust)
    imed = uh.QuantileIMED(tau, trust=trust)
    return {"H-KL-QUCB": plain, "H-KL-QUCB+": plain.replace(plus=True), "H-Quantile-IMED": imed}


def frugal(tau, n):
    """Return policies of Theorem F."""
    plain = uh.KLQUCB(tau, plus=True, frugal=5)
    return {
        "frugal": plain,
        "both": plain.replace(trust=1.0),
        "with a horizon": plain.replace(horizon=n),
        "KL-QUCB with a horizon": uh.KLQUCB(tau, horizon=n // 2),
    }


def interpreted_pulls(policy, arms, n, runs):
    """Return (runs, K) pulls, without the compiler: a planted fault is not worth compiling."""
    tables = [draw_table(arms, n, 1, run) for run in range(runs)]
    return np.array(
        [uh.play(policy, t, seed=r, compiled=False).state.pulls for r, t in enumerate(tables)]
    )


def late_pulls(policy, arms, late, runs):
    """Return (runs, K) pulls, the reward of round t reported late[t − 1] rounds after it."""
    played = [
        play_late(policy, draw_table(arms, len(late), 1, run), late, seed=run)[0]
        for run in range(runs)
    ]
    return np.array([np.bincount(chosen, minlength=len(arms)) for chosen in played])


def excess(pulls, bounds):
    """Return by how many standard errors each arm's mean is above its bound; −∞ without one.

    Where all runs are alike it is ∞ or −∞.
    """
    distance = pulls.mean(axis=0) - bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            np.isfinite(bounds), distance / (pulls.std(axis=0, ddof=1) / len(pulls) ** 0.5), -np.inf
        )


def random_arm(rng, kind):
    if kind == "normal":
        return uh.Normal(rng.normal(), rng.uniform(0.2, 2))
    if kind == "uniform":
        return uh.Uniform(*np.cumsum([rng.normal(), rng.uniform(0.2, 3)]))
    if kind == "exponential":
        return uh.Exponential(rng.uniform(0.3, 3))
    weights = rng.multinomial(40, rng.dirichlet(np.ones(5)))
    return uh.Empirical(np.repeat(np.arange(5.0), weights))


def random_instance(rng, kind):
    """Return two or three arms of a kind and a level, such that A(j) holds for each bad arm."""
    while True:
        arms = tuple(random_arm(rng, kind) for _ in range(rng.integers(2, 4)))
        tau = float(rng.choice(LEVELS))
        try:
            bounds = quantile_policies.pulls(uh.KLQUCB(tau), arms, 10)
        except AssumptionError:
            continue
        if np.isfinite(bounds).any():
            return Instance(arms, tau)
