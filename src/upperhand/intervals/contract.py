"""What a calibrator is: parameters, and plain functions over arrays, as a policy's.

A calibrator corrects a forecast of what comes next so that it covers as often as it says. The
forecast is an interval [low, high], a point being one of no width, and the correction comes from
how the forecasts of the past did. A calibrator's file reads like its paper's section: the class
with the parameters, the `State` that it remembers, then its functions:

    start(calibrator, rows, room)                             the state of so many streams
    interval(calibrator, state, past, row, low, high)         the corrected forecast
    update(calibrator, state, past, row, low, high, y)        learn how the forecast did, in place
    full(calibrator, state, row)                              for states with sorted samples

A row is a stream: the one of a forecaster, or an arm of a bandit. What they get as `calibrator` is
``calibrator.parameters``, a named tuple that compiles. `past` holds the outcomes so far, sorted, y
not yet among them; only a method that `rescores` them may look. `interval` may be asked for any
forecast and as often as one likes: it changes no later answer. `update` comes after `interval` of
the same forecast, and may use what that found. The whole line is (−∞, ∞), the empty interval
(∞, −∞); `ClippedACI` alone, as published, gives ends that cross instead. The last line registers
them: ``ACI.functions = CalibratorFunctions(…)``.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from .._kernels.compile import owners_kernel, tell_apart
from .._kernels.ordered import never_full
from .._kernels.samples import Samples
from ..parameters import Declared, parameter
from ..parameters.text import typed_name
from .stream import Interval, Prediction, Stream


@dataclass(frozen=True)
class CalibratorFunctions:
    """The functions of one calibrator."""

    start: Callable[[Any, int, int], Any]
    interval: Callable[..., tuple[float, float]]
    update: Callable[..., None]
    full: Callable[[Any, Any, int], bool] = never_full

    def __post_init__(self) -> None:
        tell_apart(self.start)


class Calibrator(Declared):
    """The base of every calibrator: its name, its functions, its parameters, one stream.

    A calibrator inherits from this, without a decorator, and declares its parameters by
    `parameter`. As an object it also works on a stream of its own: `interval` for a forecast, then
    `update` with what came. A copy goes on from the same past, on its own; one made by `replace`
    starts afresh. One thread uses a calibrator at a time.
    """

    functions: ClassVar[CalibratorFunctions]
    rescores: ClassVar[bool] = False  # whether it looks at past outcomes, and not at scores alone

    alpha: float = parameter(
        "Miscoverage α: the share of values that the intervals may miss.",
        default=0.1, above=0, below=1, kw_only=False,
    )  # fmt: skip

    @property
    def spec(self) -> str:
        """The calibrator as `parse_calibrator` reads it."""
        settings = "/".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{typed_name(type(self))}:{settings}"

    def interval(self, prediction: Prediction) -> Interval:
        """Return the interval for the value to come, given a forecast of it.

        The forecast is a number, or a pair of numbers, the lower and the upper end. The whole line,
        (−∞, ∞), says that too little is known; (∞, −∞) is the empty interval.
        """
        return self.stream.interval(prediction)

    def update(self, prediction: Prediction, y: float) -> None:
        """Learn that y came, for which the forecast was `prediction`."""
        self.stream.update(prediction, y)

    @property
    def coverage(self) -> float:
        """The share of values that their intervals covered, NaN before the first."""
        return self.stream.coverage

    @property
    def width(self) -> float:
        """The mean width of the finite intervals so far, the empty one's being 0; NaN if none."""
        return self.stream.width

    def __len__(self) -> int:
        return len(self.stream)

    def __bool__(self) -> bool:
        return True  # also before the first value

    @cached_property
    def stream(self) -> Stream:
        """What this very object has seen, by its `interval` and `update`."""
        return Stream(self.parameters, self.functions, rescores=self.rescores)

    def __reduce__(self) -> tuple[Any, ...]:
        return *super().__reduce__(), {"stream": self.stream}

    def __copy__(self) -> Self:
        return deepcopy(self)  # what one of them sees is no business of the other's


@owners_kernel
def interval(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    """Return the corrected forecast of a row, by whatever calibrator it is."""
    ends: tuple[float, float] = calibrator.owner.functions.interval(
        calibrator, state, past, row, low, high
    )
    return ends


@owners_kernel
def update(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Let a calibrator learn how the forecast [low, high] of a row did: y came."""
    calibrator.owner.functions.update(calibrator, state, past, row, low, high, y)


@owners_kernel
def full(calibrator: Any, state: Any, row: int) -> bool:
    """Tell whether the row's next score could fail to find room."""
    return bool(calibrator.owner.functions.full(calibrator, state, row))
