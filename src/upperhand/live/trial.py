"""A trial: one ask, with the id by which its outcome is told."""

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from ..errors import ParameterError, UnknownNameError

ASKS = 2**40  # more than an opening can have
EPOCHS = 2**23  # openings that asked; with the asks they make 63 bits


class TrialId(NamedTuple):
    """What a trial's id says: enough to credit its outcome even if a power cut lost the ask.

    The epoch is a number that each opening of the experiment takes for itself, on the disk before
    its first ask is answered. So no two asks have the same id, whatever was lost.
    """

    epoch: int
    ask: int
    arm: int
    segment: int = 0

    @property
    def number(self) -> int:
        """Epoch and ask as one number: what the log calls the trial, and its stream's key."""
        return self.epoch * ASKS + self.ask

    def __str__(self) -> str:
        segment = f".{self.segment}" if self.segment else ""
        return f"{self.epoch}.{self.ask}.{self.arm}{segment}"


ID = re.compile(r"(\d{1,7})\.(\d{1,12})\.(\d{1,5})(?:\.(\d{1,9}))?")


def parse_id(text: object) -> TrialId:
    """Return the id that a text is, or refuse it."""
    found = ID.fullmatch(str(text))
    if found is None or not isinstance(text, str):
        raise UnknownNameError(
            f"No trial has the id {text!r:.80}: ids look like 3.17.0, and ask() gives them. To "
            'tell what an arm did without an ask, write tell(arm="…", value=…).'
        )
    return TrialId(*(int(part or 0) for part in found.groups()))


@dataclass(frozen=True)
class Trial:
    """What `ask` returns: use this arm, or its `config`, then `tell` the outcome."""

    id: str
    arm: Any
    deadline: float | None  # seconds since 1970: told later, it counts and is flagged as late
    propensity: float  # the probability with which this arm was chosen
    how: (
        str  # … exact, deterministic, monte-carlo, pinned, sticky; or default, if the store is away
    )
    at: float  # when it was asked, seconds since 1970
    by: str = ""  # the segment
    experiment: str = field(default="", compare=False, repr=False)
    settled: bool = field(default=False, compare=False, repr=False)  # told, or given back

    _asked_of: ClassVar[Any] = None  # the Experiment; a copy or pickle of the trial has none
    identity: ClassVar[TrialId | None] = None  # what the id says, of a trial that was asked here

    def of(self, experiment: Any) -> "Trial":
        """Note of which experiment it is, so that no other one takes its outcome; return it."""
        vars(self).update(experiment=experiment.name, _asked_of=experiment)
        return self

    def tell(
        self,
        value: float | None = None,
        *,
        failed: bool = False,
        at_least: float | None = None,
        timeout: float | None = None,
    ) -> str:
        """Record the outcome of this trial, as `Experiment.tell` does."""
        known = {"failed": failed, "at_least": at_least, "timeout": timeout}
        answer: str = self._experiment().tell(self, value, **known)
        return answer

    @property
    def config(self) -> Any:
        """The arm's configuration, if the experiment was opened with arms={name: configuration}."""
        return self._experiment()._configuration(self.arm)

    def _experiment(self) -> Any:
        if self._asked_of is None:
            raise ParameterError("A copied trial has no experiment. Write exp.tell(trial, value).")
        return self._asked_of

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_asked_of", "identity")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def settle(self) -> None:
        """Note that it was told or given back here, so that a context does not tell it again."""
        object.__setattr__(self, "settled", True)


def number_parts(number: int) -> tuple[int, int]:
    """Return epoch and ask of a trial's number."""
    return divmod(number, ASKS)
