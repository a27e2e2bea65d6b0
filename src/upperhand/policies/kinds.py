"""What policies share that chase a quantile, or an end of the central interval."""

import math
from collections.abc import Callable
from typing import Any, Literal, Self

from .._kernels import samples
from .._kernels.compile import kernel
from .._kernels.divergence import bernoulli_kl
from .._kernels.ranks import rank
from .._kernels.samples import value_at
from ..intervals.contract import full as calibration_full
from ..objectives import LowerTail, Quantile, UpperTail
from ..parameters import derived, parameter
from .contract import Policy

LEFT, RIGHT = 2, 3  # the cursors of a central interval; 0 and 1 are the policy's own
MOST_TRUST = 20.0  # exp(20) is 5 · 10⁸: beyond, the guarantee says nothing of any horizon
LEAST_SKETCH, MOST_SKETCH = 64, 1_000_000  # a sketch of fewer says nothing of a tail
WIDEST = 0.1  # the share on either side that it leaves out, at most: for the median too


class SketchablePolicy(Policy):
    """A policy on the order of an arm's rewards, which may keep few of them."""

    sketch: int | None = parameter(
        "Keep fewer than so many values of each arm, and ranks within bounds, for arms that pay "
        "without end; None keeps all, which is exact.",
        default=None, least=LEAST_SKETCH, most=MOST_SKETCH,
    )  # fmt: skip

    @derived
    def most_kept(self) -> int:
        """The same; 0 keeps all."""
        return self.sketch or 0

    @property
    def forgets(self) -> bool:
        """Whether a reward can be taken back: a sketch gives none back."""
        return super().forgets and self.sketch is None


class LevelPolicy(Policy):
    """A policy that values an arm by its quantile at one level."""

    tau: float = parameter(
        "Level τ of the quantile that an arm is worth: 0.95 for the p95.",
        default=0.95, above=0, below=1, kw_only=False,
    )  # fmt: skip

    @property
    def objective(self) -> Quantile:
        """What the policy plays for."""
        return Quantile(self.tau)

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their τ-quantile is the 1 − τ one, negated."""
        return self.replace(tau=1 - self.tau)


class HedgingPolicy(LevelPolicy, SketchablePolicy):
    """A policy on the order of the rewards that may trust their shape, up to a limit."""

    trust: float = parameter(
        "How much evidence, in nats, the Gaussian shape of an arm's rewards may add to that of "
        "their order; 0 for order alone. Its price is a constant exp(trust): Theorem Q5.",
        default=0.0, least=0, most=MOST_TRUST,
    )  # fmt: skip

    @derived
    def z(self) -> float:
        """The standard normal τ-quantile."""
        from statistics import NormalDist

        return NormalDist().inv_cdf(self.tau)

    @derived
    def nats(self) -> float:
        """The evidence ln(1/τ) of one reward at or below u against a τ-quantile above u."""
        return bernoulli_kl(1.0, self.tau)


class Endpoint:
    """What policies share that value an arm by an end of its central interval.

    The ends are `lower` and `upper` of their state. Costs are learned as they are, so that the ends
    are quantiles of the costs by the convention of all quantiles here, and count negatively.
    """

    alpha: float
    init: int
    tail: Literal["upper", "lower"]
    parameters: Any
    replace: Callable[..., Self]

    @derived
    def lower_tail(self) -> bool:
        """Whether the lower endpoint counts."""
        return self.tail == "lower"

    @derived
    def sign(self) -> float:
        """1: the highest end is best; −1 where arms pay costs, in `playing`."""
        return 1.0

    def playing(self, minimize: bool) -> tuple[Any, bool]:
        """Return what the functions get; costs are not negated."""
        parameters = self.parameters
        return (parameters._replace(sign=-1.0) if minimize else parameters), False

    @property
    def objective(self) -> UpperTail | LowerTail:
        """What the policy plays for."""
        return (LowerTail if self.tail == "lower" else UpperTail)(self.alpha)

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their upper endpoint is the lower one, negated."""
        return self.replace(tail="upper" if self.tail == "lower" else "lower")

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the indices decide."""
        return self.init


@kernel
def ends(policy: Any, state: Any, arm: int) -> tuple[float, float]:
    """Return the arm's central interval: a prediction interval for what it pays next."""
    return float(state.lower[arm]), float(state.upper[arm])


@kernel
def calibrated_full(policy: Any, state: Any, arm: int) -> bool:
    """Tell whether the arm's next reward, or its score, could fail to find room."""
    return samples.full(state.samples, arm) or calibration_full(
        policy.calibration, state.calibration, arm
    )


@kernel
def valued_end(policy: Any, state: Any, arm: int) -> float:
    """Return the end of the arm's interval that it is worth."""
    return float(state.lower[arm] if policy.lower_tail else state.upper[arm])


@kernel
def alike_ends(policy: Any, state: Any, one: int, other: int) -> bool:
    """Tell whether two arms are worth the same, and have as many pulls."""
    same = valued_end(policy, state, one) == valued_end(policy, state, other)
    return bool(same and state.pulls[one] == state.pulls[other])


@kernel
def central(policy: Any, state: Any, arm: int) -> tuple[float, float]:
    """Return the arm's central interval between order statistics; the line while there are few.

    With α/2 = min(τ, 1−τ, 0.1), its ends are x_(N+1−k) and x_(k), k = ⌈(1−α/2)(N+1)⌉. For rewards
    that may come in any order, the next one lies within with probability at least 1−α.
    """
    seen = int(state.samples.size[arm])
    place = rank(1.0 - min(policy.tau, 1.0 - policy.tau, WIDEST), seen + 1)
    if place > seen:
        return -math.inf, math.inf
    lower = value_at(state.samples, arm, LEFT, seen + 1 - place)
    return lower, value_at(state.samples, arm, RIGHT, place)
