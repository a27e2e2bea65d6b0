"""How the experiments were run: how far from the paper's sizes, and how to do it again."""

from dataclasses import dataclass
from importlib.metadata import version

from ..provenance import versions
from .experiment import Claim, Verdict
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
    def provenance(self) -> dict[str, str]:
        """Everything that the numbers depend on, and what they cost."""
        sizes = ", ".join(f"{name} {count}" for name, count in self.replications.items())
        return {
            "seed": str(self.seed),
            "horizon": f"{self.horizon:,}",
            "replications": sizes,
            "wall time": f"{self.seconds:.1f} s on {self.cores} cores, without starting Python",
            **versions(),
            "matplotlib": version("matplotlib"),
        }

    def runtime_claim(self) -> Claim | None:
        """Judge the paper's running time, if it is the paper that was run."""
        if not self.is_the_papers:
            return None
        return Claim(
            "The full reproducibility script completes in approximately 7 minutes.",
            "Holds if our wall time is within a factor of two of that; with a note if it is "
            "shorter, as this is other code on another machine.",
            {
                "here": f"{self.seconds:.1f} s on {self.cores} cores",
                "the paper": f"about {60 * STATED_MINUTES} s on {STATED_CORES} cores",
            },
            runtime_verdict(self.seconds / 60),
        )


def runtime_verdict(minutes: float) -> Verdict:
    """Judge a wall time against the paper's."""
    if minutes > 2 * STATED_MINUTES:
        return Verdict.FAILS
    return Verdict.HOLDS if minutes >= STATED_MINUTES / 2 else Verdict.NOTE
