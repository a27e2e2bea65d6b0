"""What all experiments share: appendix, "Algorithms and implementation" and "Data generation"."""

from ..distributions import Normal
from ..policies import ACPUCB1, UCB1

PAPER = "Conformal-Style Quantile Analyses for Stochastic Bandits"
CITATION = "C. Du, M. Xu, arXiv:2605.07115"

HORIZON = 10_000
ALPHA = 0.1  # unless otherwise stated
ACP, MEAN_BASED = ACPUCB1.name, UCB1.name  # the two policies of every figure

# The Gaussian objective-mismatch instance: N(0.10, 0.05²), N(0.00, 0.15²), N(0.04, 0.08²).
GAUSSIAN_ARMS = (Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08))


def acp_ucb1(alpha: float) -> ACPUCB1:
    """Return the paper's ACP-UCB1 at a nominal level."""
    return ACPUCB1(alpha, b=1.0, eta=0.01, lam=1.0, level_min=1e-4, level_max=0.5, init=2)
