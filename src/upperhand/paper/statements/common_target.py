"""Section 4.3.3 played: where mean and tail share the best arm, both regrets of both policies."""

import numpy as np

from ...objectives import Mean, UpperTail
from ...simulation.runs import Runs
from ..claim import Claim, Effort, worst
from ..settings import ALPHA
from .evidence import Array, Instance, growth, growth_check, growth_verdict, seed_of, share_of
from .proposition import LARGER, LARGER_B, LONG, listed, played

CHAPTER = 11
COMMON = Instance(LARGER.means, LARGER.sds[[1, 0, 2]])  # the best mean now has the widest law too
METRICS = {"ACP regret": UpperTail(ALPHA), "mean regret": Mean()}


def both_logarithmic(effort: Effort) -> Claim:
    """Judge both regrets of both policies on arms with a common best one."""
    replications, seed = share_of(effort, 100, least=2), seed_of(effort, CHAPTER, 1)
    return _judged(played(COMMON, LARGER_B, LONG, replications, seed))


def _judged(runs: Runs) -> Claim:
    regrets = regret_curves(runs)
    grown = {name: growth(runs.rounds, regret) for name, regret in regrets.items()}
    arms = ", ".join(f"N({mu:g}, {sd:g}²)" for mu, sd in zip(*COMMON, strict=True))
    return Claim(
        "If mean and tail share the best arm, both policies are logarithmic under both metrics.",
        f"Arms {arms}, and b = {LARGER_B:g}, less than Theorem 1 asks for but enough for "
        "it to settle soon; UCB1-NORMAL is the theory's mean-based policy, UCB1 the figures': each "
        "regret. "
        f"{growth_check(runs.rounds)}",
        {name: f"{listed(each)}; growth {grown[name]:.2f}" for name, each in regrets.items()},
        worst(growth_verdict(each, growth(runs.rounds, runs.rounds)) for each in grown.values()),
        "section 4.3.3",
    )


def regret_curves(runs: Runs) -> dict[str, Array]:
    """Return the mean of each policy's regret under each metric, at the recorded rounds."""
    return {
        f"{policy}, {metric}": np.asarray(runs.regret(objective)[policy].mean)
        for policy in runs.policies
        for metric, objective in METRICS.items()
    }
