"""The interface of a policy, and what policies of one kind share.

A policy's file reads like its paper's section: the class with the parameters, the `State` that it
keeps, then its functions. All but `start`, `grow` and `recommend` are kernels (scalars and array
elements only, no allocation), which run compiled in simulation and interpreted in live use:

    start(policy, arms, capacity)            the state before the first round
    index(policy, state, arm, t)             the formula: how good the arm looks at round t
    update(policy, state, arm, reward)       learn, in place
    select(index, policy, state, t, rng)     the arm of round t (1-based); by default `argmax`.
                                             It may take a `shortlist` too, to pass to `argmax`
    full(policy, state, arm), grow(state)    for states that grow: is it full, and the larger state
    interval(policy, state, arm)             for policies that have one: the prediction interval
    forget(policy, state, arm, reward)       for policies that can: remove a reward again
    refresh(policy, state, arm)              for policies on a sorted sample: recompute all that is
                                             cached of the arm and follows from its sample
    same_index(policy, state, one, other)    for those with an `index_trend`: have two arms the same
                                             index in every round, until one of them is pulled
    stop(policy, state, t)                   for policies that look for the best arm: whether it is
                                             found after t rounds
    recommend(policy, state)                 for the same: the arms found, or the best guess so far

The functions get ``policy.parameters`` as `policy`: a named tuple of the same names, which
compiles. The last line registers them: ``Mine.functions = Functions(start, index, update)``.
Every state has `pulls`, the (K,) integer count of rewards seen. Kernels read array elements through
int() and float(): free when compiled, and NumPy's own scalars are slow when interpreted.

In live use several outcomes may be pending. `index` and `select` then get a state whose `pulls` are
W, the rewards seen and the pending ones; `update`, `forget`, `refresh` and `interval` always get
the true state. Where a count explores (a bonus, a budget, initial pulls, ties at +∞), W counts.
Where it is the size of a sample (ranks, shares, means, variances, posteriors), the number N of
rewards seen does: ``state.samples.size``, or a `seen` of the state's own. An arm with N = 0 has the
index +∞. Rounds and W may decrease, and arms may be asked for in any order: what `index` and
`select` write is a cache that is valid for every caller and changes no later choice.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from .._kernels import samples
from .._kernels.argmax import argmax, never_same_index
from .._kernels.compiler import give_unique_name, kernel
from .._kernels.samples import never_full, rank, value_at
from .._kernels.special import bernoulli_kl
from .._kernels.states import grow, reads_elements
from ..calibrators.base import full as calibration_full
from ..errors import ParameterError
from ..objectives import LowerTail, Objective, Quantile, UpperTail, level_of_negated
from ..parameters import Declared, derived, parameter

LEFT, RIGHT = 2, 3  # the cursors of a central interval; 0 and 1 are the policy's own
MOST_TRUST = 20.0  # exp(20) is 5 · 10⁸: beyond, the guarantee says nothing of any horizon
LEAST_SKETCH, MOST_SKETCH = 64, 1_000_000  # a smaller sketch says nothing of a tail
WIDEST = 0.1  # the largest share that a central interval leaves out on either side


@dataclass(frozen=True)
class Functions:
    """The functions of one policy."""

    start: Callable[[Any, int, int], Any]
    index: Callable[[Any, Any, int, int], float]
    update: Callable[[Any, Any, int, float], None]
    select: Callable[..., int] = argmax
    full: Callable[[Any, Any, int], bool] = never_full
    grow: Callable[[Any], Any] = grow
    interval: Callable[[Any, Any, int], tuple[float, float]] | None = None
    forget: Callable[[Any, Any, int, float], None] | None = None
    refresh: Callable[[Any, Any, int], None] | None = None
    stop: Callable[[Any, Any, int], bool] | None = None
    recommend: Callable[[Any, Any], list[int]] | None = None
    same_index: Callable[[Any, Any, int, int], bool] = never_same_index
    memory: tuple[str, ...] = ()  # fields of the state that `index` and `select` write

    def __post_init__(self) -> None:
        give_unique_name(self.start)

    def choose(self, policy: Any, state: Any, t: int, rng: Any) -> int:
        """Return the arm of round t, without the compiler."""
        return int(self.select(self.index, policy, state, t, rng))


class Policy(Declared):
    """The base of every policy: its name, its functions, its parameters.

    A policy inherits from this, without a decorator, and declares its parameters by `parameter`.
    """

    functions: ClassVar[Functions]
    learns_costs: ClassVar[bool] = False  # True: costs as they are; False: their negatives
    interpreted: ClassVar[bool] = False  # True: the functions cannot be compiled
    # Labels in the default comparison, each with the settings that no objective gives.
    compared: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    # The place there: our own, for quantiles, for other objectives; those for the largest reward
    # take part only if they are named.
    group: ClassVar[Literal["own", "quantile", "other", "largest"]] = "other"

    random_ties: bool = parameter(
        "Break ties at random instead of by the lowest arm.", default=False
    )

    @property
    def objective(self) -> Objective | None:
        """The objective of the policy as it is set; None if the library has no such objective."""
        return None

    @property
    def draws(self) -> bool:
        """Whether choices need random numbers; without them `select` gets no generator live."""
        return self.random_ties

    @property
    def index_trend(self) -> Literal["rises", "falls"] | None:
        """How an arm's index changes with the round until the arm's next pull.

        "rises" or "falls" if it depends on the round alone, whatever other arms pay, and never goes
        the other way; a constant index is either. None if this fails or is unknown. A policy with a
        trend, whose `select` passes its `shortlist` on, chooses among many arms without computing
        each index (`_kernels/argmax.py`).
        """
        return None

    @property
    def parts(self) -> tuple[type, ...]:
        """The classes, besides the policy's, whose functions are compiled with it."""
        return ()

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the indices decide."""
        return 1

    @property
    def forgets(self) -> bool:
        """Whether the policy, as it is set, can remove a reward that it learned."""
        return self.functions.forget is not None

    def mirrored(self) -> Self:
        """Return the policy that treats negated rewards as this one treats rewards."""
        return self

    def parameters_for(self, minimize: bool) -> Any:
        """Return the parameters for the functions; for costs those of the mirrored policy."""
        return self.mirrored().parameters if minimize else self.parameters

    def advice(self, state: Any) -> str | None:  # noqa: ARG002
        """Return a warning if the policy does not fit the rewards seen; None by default."""
        return None


# The functions of policies that keep the rewards of each arm, sorted, and cache nothing.
ON_SAMPLES: Mapping[str, Any] = {
    "full": samples.samples_full,
    "forget": samples.forget_reward,
    "refresh": samples.nothing_cached,
}


@contextmanager
def named_in_errors(policy: Policy) -> Iterator[None]:
    """Add the name of a user's own policy to an error, such as one of the compiler."""
    try:
        yield
    except Exception as error:
        note = f"This happened in the policy {policy.name}."
        own = policy.interpreted or not reads_elements(type(policy))
        if own and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise


def refuse_search(policy: Policy | type[Policy], where: str) -> None:
    """Refuse a policy that looks for the best arm and stops, where policies minimise regret."""
    if policy.functions.stop is not None:
        raise ParameterError(
            f"{policy.name} looks for the best arm, and stops when it is found; {where} plays on "
            "for a small regret. Run it by identify, or give another policy, such as KL-QUCB."
        )


def check_horizon(policy: Policy, arms: int, horizon: int, name: str = "horizon") -> None:
    """Refuse a horizon that ends before the policy has made its initial pulls.

    `name` is what the user calls it.
    """
    least = arms * policy.initial_pulls
    if horizon < least:
        raise ParameterError(
            f"{policy.name} pulls each of {arms} arms {policy.initial_pulls} times to begin with, "
            f"so the {name} must be {least} or more; got {horizon}."
        )


class Modelled:
    """A mixin for policies on means with a model of the rewards, in [0, 1] unless Gaussian."""

    name: ClassVar[str]
    model: str
    sd: float | None

    @derived
    def known_sd(self) -> float:
        """The standard deviation of the rewards; 0 if it is not known."""
        return self.sd or 0.0

    def check(self) -> None:
        """Refuse a standard deviation for a model that has none."""
        if self.model != "gaussian" and self.sd is not None:
            raise ParameterError(
                f'sd belongs to model="gaussian"; got sd={self.sd!r} with model="{self.model}". '
                "Leave it out, or choose the other model."
            )

    def mirrored(self) -> Self:
        """Return the policy itself if Gaussian; refuse a model of rewards in [0, 1]."""
        if self.model == "gaussian":
            return self
        raise ParameterError(
            f'{self.name} with model="{self.model}" needs rewards in [0, 1], and negated costs are '
            'not. Choose model="gaussian", or make rewards of them, 1 − cost, and maximise.'
        )

    def unit_advice(self, state: Any, instead: str) -> str | None:
        """Return a warning if some arm's mean is outside [0, 1], where the rewards must lie."""
        outside = [float(mean) for mean in state.mean if not 0.0 <= mean <= 1.0]
        if self.model == "gaussian" or not outside:
            return None
        return (
            f"rewards must lie in [0, 1], and the mean of an arm is {outside[0]:.3g}: what is "
            "outside is clipped, and arms cannot be distinguished. Rescale the rewards, or use "
            f"{instead}."
        )


class SketchablePolicy(Policy):
    """A policy on the order of an arm's rewards, which may keep a sketch of them."""

    sketch: int | None = parameter(
        "Keep fewer than so many values of each arm, and ranks within bounds, for arms that pay "
        "without end; None keeps all, which is exact.",
        default=None, least=LEAST_SKETCH, most=MOST_SKETCH,
    )  # fmt: skip

    @derived
    def most_kept(self) -> int:
        """The value of `sketch`; 0 keeps all rewards."""
        return self.sketch or 0

    @property
    def forgets(self) -> bool:
        """Whether a reward can be removed: from a sketch it cannot."""
        return super().forgets and self.sketch is None


class LevelPolicy(Policy):
    """A policy that values an arm by its quantile at one level."""

    tau: float = parameter(
        "Level τ of the quantile that an arm is worth: 0.95 for the p95.",
        default=0.95, above=0, below=1, kw_only=False,
    )  # fmt: skip

    @property
    def objective(self) -> Quantile:
        """The τ-quantile."""
        return Quantile(self.tau)

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their τ-quantile is the 1 − τ one, negated."""
        return self.replace(tau=level_of_negated(self.tau))


class HedgingPolicy(LevelPolicy, SketchablePolicy):
    """A policy on the order of the rewards that may trust a Gaussian shape, up to a limit."""

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
    """A mixin for policies that value an arm by an end of its central interval.

    The ends are `lower` and `upper` of their state. Costs are learned as they are, not negated, so
    that the ends are quantiles of the costs by the convention of all quantiles here; `sign` makes
    low costs good.
    """

    learns_costs: ClassVar[bool] = True
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
        """1: the highest end is best; `parameters_for` sets −1 for costs."""
        return 1.0

    def parameters_for(self, minimize: bool) -> Any:
        """Return the parameters for the functions; for costs the lowest end is best."""
        return self.parameters._replace(sign=-1.0) if minimize else self.parameters

    @property
    def objective(self) -> UpperTail | LowerTail:
        """The endpoint at α."""
        return (LowerTail if self.tail == "lower" else UpperTail)(self.alpha)

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their upper endpoint is the lower one, negated."""
        return self.replace(tail="upper" if self.tail == "lower" else "lower")

    @property
    def initial_pulls(self) -> int:
        return self.init


@kernel
def ends(policy: Any, state: Any, arm: int) -> tuple[float, float]:
    """Return the arm's central interval: a prediction interval for what it pays next."""
    return float(state.lower[arm]), float(state.upper[arm])


@kernel
def calibrated_full(policy: Any, state: Any, arm: int) -> bool:
    """Tell whether the arm's next reward, or its score, may exceed the capacity."""
    return samples.full(state.samples, arm) or calibration_full(
        policy.calibration, state.calibration, arm
    )


@kernel
def valued_end(policy: Any, state: Any, arm: int) -> float:
    """Return the end of the arm's interval that counts."""
    return float(state.lower[arm] if policy.lower_tail else state.upper[arm])


@kernel
def same_ends(policy: Any, state: Any, one: int, other: int) -> bool:
    """Tell whether two arms have equal ends that count, and as many pulls."""
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
