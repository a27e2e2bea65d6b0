"""How the ledger was made: how far from the paper's sizes, and how to do it again."""

from dataclasses import dataclass

from upperhand.paper.conditions import Conditions
from upperhand.text import counted

from .evidence import TRIALS


@dataclass(frozen=True)
class Judged(Conditions):
    """The conditions of the ledger: no time, version or machine, as it is the same on all."""

    trials: int  # of each Monte-Carlo check

    @property
    def departures(self) -> list[str]:
        """In what the sizes differ from those of the full ledger."""
        trials = [f"{counted(self.trials, 'trial')} instead of {TRIALS:,}"]
        return super().departures + (trials if self.trials != TRIALS else [])

    @property
    def concern(self) -> str:
        """What the departures concern: rounds and replications section 5, trials the theory."""
        said = []
        if super().departures:
            said.append(
                "Rounds and replications concern the chapters of section 5 only, which are about "
                f"this run.{self.undecided}"
            )
        if self.trials != TRIALS:
            said.append("Trials are those of the checks by simulation in the other chapters.")
        if self.trials < TRIALS:
            said.append("These checks have little power at this size: “holds” may say little.")
        return " ".join(said)

    @property
    def options(self) -> list[str]:
        """What to say after the command's name."""
        trials = [f"--trials {self.trials}"] if self.trials != TRIALS else []
        return [*super().options, *trials]

    @property
    def command(self) -> str:
        """The command that gives the same numbers again."""
        return " ".join(["python -m reproductions.claims", *self.options])

    @property
    def provenance(self) -> dict[str, str]:
        """The sizes and the seed: all that the page depends on."""
        return super().provenance | {"trials": f"{self.trials:,}"}
