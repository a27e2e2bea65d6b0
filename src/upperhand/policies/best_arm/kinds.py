"""What policies share that look for the best arm, and how their answers are judged.

With fixed confidence, a policy stops when it is sure: its answer is an arm whose (τ+ε)-quantile is
at least the best arm's τ-quantile, but for a chance of δ. With a fixed budget it stops after so
many pulls, and answers as well as it can.
"""

from ...errors import ParameterError
from ...parameters import parameter
from ..kinds import LevelPolicy


class FixedConfidence(LevelPolicy):
    """A policy that stops when the best arm is found, up to ε in level and a chance δ of error."""

    delta: float = parameter(
        "The chance δ of a wrong answer that is allowed.", default=0.05, above=0, below=1
    )
    epsilon: float = parameter(
        "The tolerance ε, in level: an arm is good enough if its (τ+ε)-quantile is at least the "
        "best τ-quantile. With 0, arms that tie are never told apart.",
        default=0.0, least=0, below=1,
    )  # fmt: skip

    def check(self) -> None:
        """Refuse a tolerance that leaves no level."""
        if self.tau + self.epsilon >= 1:
            raise ParameterError(
                f"tau + epsilon must be below 1; got {self.tau:g} + {self.epsilon:g}. Choose a "
                "smaller epsilon."
            )


class FixedBudget(LevelPolicy):
    """A policy that stops after a given number of pulls and names the `top` best arms."""

    budget: int = parameter("How many pulls there are in all.", least=1)
    top: int = parameter("How many arms are looked for.", default=1, least=1)
