"""How the experiments were run: how far from the paper's sizes, and how to do it again."""

from dataclasses import dataclass
from importlib.metadata import version

from ..files import versions
from ..text import counted
from .claim import Verdict
from .registry import EXPERIMENTS
from .settings import HORIZON

STATED_MINUTES, STATED_CORES = 7, 24  # appendix: AMD Ryzen Threadripper 7960X


@dataclass(frozen=True)
class Conditions:
    """What was run, and how large."""

    replications: dict[str, int]  # by the names of the experiments that were run
    horizon: int
    seed: int

    @property
    def departures(self) -> list[str]:
        """In what the sizes differ from the paper's."""
        horizon = [f"{counted(self.horizon, 'round')} instead of {HORIZON:,}"]
        return (horizon if self.horizon != HORIZON else []) + [
            f"{counted(count, 'replication')} instead of {EXPERIMENTS[name].replications} ({name})"
            for name, count in self.replications.items()
            if count != EXPERIMENTS[name].replications
        ]

    @property
    def concern(self) -> str:
        """What the departures concern."""
        return f"What follows is about this run only.{self.undecided}"

    @property
    def undecided(self) -> str:
        """What a run below the paper's size cannot say; nothing if it is not below."""
        sizes = self.replications.items()
        if not any(EXPERIMENTS[name].is_below(count, self.horizon) for name, count in sizes):
            return ""
        return f" It is smaller than the paper's: what fails in it is “{Verdict.UNDECIDED}”."

    @property
    def notice(self) -> str:
        """The departures and what they concern; nothing if there are none."""
        if not self.departures:
            return ""
        return f"Not the paper's size: {'; '.join(self.departures)}. {self.concern}"

    @property
    def is_the_papers(self) -> bool:
        """Whether everything was run at the paper's size."""
        return not self.departures and self.replications.keys() == EXPERIMENTS.keys()

    @property
    def options(self) -> list[str]:
        """What to say after `upperhand paper`."""
        words = []
        if self.replications.keys() != EXPERIMENTS.keys():
            words += [f"--only {name}" for name in self.replications]
        if any(n != EXPERIMENTS[name].replications for name, n in self.replications.items()):
            words.append(f"--replications {next(iter(self.replications.values()))}")
        if self.horizon != HORIZON:
            words.append(f"--horizon {self.horizon}")
        return [*words, f"--seed {self.seed}"]

    @property
    def command(self) -> str:
        """The command that gives the same figures and numbers again."""
        return " ".join(["upperhand paper", *self.options])

    @property
    def provenance(self) -> dict[str, str]:
        """The sizes and the seed."""
        sizes = ", ".join(f"{name} {count}" for name, count in self.replications.items())
        return {"seed": str(self.seed), "horizon": f"{self.horizon:,}", "replications": sizes}


@dataclass(frozen=True)
class Timed(Conditions):
    """The conditions of figures, which also tell what they were made with and how long it took."""

    cores: int
    seconds: float  # simulating, drawing and judging, without starting Python

    @property
    def wall_time(self) -> str:
        """How long it took, next to the paper's own time if it is the paper that was run."""
        here = f"{self.seconds:.1f} s on {self.cores} cores, without starting Python"
        if not self.is_the_papers:
            return here
        return f"the paper: about {STATED_MINUTES} minutes on {STATED_CORES} cores; here: {here}"

    @property
    def provenance(self) -> dict[str, str]:
        """Everything that figures and numbers depend on, and what they cost."""
        drawn = {"matplotlib": version("matplotlib"), "wall time": self.wall_time}
        return super().provenance | versions() | drawn
