"""What all experiments share: appendix, "Algorithms and implementation" and "Data generation"."""

from ..comparison.instances import ALPHA as ALPHA
from ..comparison.instances import GAUSSIAN_ARMS as GAUSSIAN_ARMS
from ..policies import ACPUCB1, UCB1

PAPER = "Conformal-Style Quantile Analyses for Stochastic Bandits"
CITATION = "C. Du, M. Xu, arXiv:2605.07115"

HORIZON = 10_000
ACP, MEAN_BASED = ACPUCB1.name, UCB1.name  # the two policies of every figure


def acp_ucb1(alpha: float) -> ACPUCB1:
    """Return the paper's ACP-UCB1 at a nominal level."""
    return ACPUCB1(alpha, b=1.0, eta=0.01, lam=1.0, level_min=1e-4, level_max=0.5, init=2)
