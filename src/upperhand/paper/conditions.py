"""How the experiments were run: how far from the paper's sizes, and how to do it again."""

from dataclasses import dataclass
from importlib.metadata import version

from ..provenance import versions
from .registry import EXPERIMENTS
from .settings import HORIZON

STATED_MINUTES, STATED_CORES = 7, 24  # appendix: AMD Ryzen Threadripper 7960X


@dataclass(frozen=True)
class Conditions:
    """What was run, how large, and how long it took."""

    replications: dict[str, int]  # by the names of the experiments that were run
    horizon: int
    seed: int
    cores: int
    seconds: float  # simulating, drawing and judging, without starting Python

    @property
    def departures(self) -> list[str]:
        """In what the sizes differ from the paper's."""
        horizon = [f"{self.horizon:,} rounds instead of {HORIZON:,}"]
        return (horizon if self.horizon != HORIZON else []) + [
            f"{count} replications instead of {EXPERIMENTS[name].replications} ({name})"
            for name, count in self.replications.items()
            if count != EXPERIMENTS[name].replications
        ]

    @property
    def is_the_papers(self) -> bool:
        """Whether everything was run at the paper's size."""
        return not self.departures and self.replications.keys() == EXPERIMENTS.keys()

    @property
    def command(self) -> str:
        """The command that gives the same figures and numbers again."""
        words = ["upperhand paper"]
        if self.replications.keys() != EXPERIMENTS.keys():
            words += [f"--only {name}" for name in self.replications]
        if any(n != EXPERIMENTS[name].replications for name, n in self.replications.items()):
            words.append(f"--replications {next(iter(self.replications.values()))}")
        if self.horizon != HORIZON:
            words.append(f"--horizon {self.horizon}")
        return " ".join([*words, f"--seed {self.seed}"])

    @property
    def wall_time(self) -> str:
        """How long it took, next to the paper's own time if it is the paper that was run."""
        here = f"{self.seconds:.1f} s on {self.cores} cores, without starting Python"
        if not self.is_the_papers:
            return here
        return f"the paper: about {STATED_MINUTES} minutes on {STATED_CORES} cores; here: {here}"

    @property
    def provenance(self) -> dict[str, str]:
        """Everything that the numbers depend on, and what they cost."""
        sizes = ", ".join(f"{name} {count}" for name, count in self.replications.items())
        return {
            "seed": str(self.seed),
            "horizon": f"{self.horizon:,}",
            "replications": sizes,
            "wall time": self.wall_time,
            **versions(),
            "matplotlib": version("matplotlib"),
        }
