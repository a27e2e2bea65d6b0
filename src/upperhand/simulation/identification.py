"""The result of a search for the best arm: how many samples it took, and how often it was wrong."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..files import versions
from ..policies.best_arm import FixedBudget, FixedConfidence
from ..text import counted, short, text_table
from .intervals import mean_interval, share_interval
from .judging import tied_arms

HEADS = ("policy", "samples", "median", "p90", "error", "undecided")


class Answers(NamedTuple):
    """How the runs of one policy ended, one for each replication."""

    samples: NDArray[np.int64]  # (R,) pulls in all; the cap for a run that is undecided
    decided: NDArray[np.bool_]  # (R,) whether the policy stopped by itself
    recommended: NDArray[np.int64]  # (R, m) the arms found; if undecided, the best guess
    pulls: NDArray[np.int64]  # (R, K) of each arm
    wrong: NDArray[np.bool_]  # (R,) the policy stopped, and its answer is wrong
    wrong_guess: NDArray[np.bool_]  # (R,) it is undecided, and its guess would be wrong


class Summary(NamedTuple):
    """What is said of one policy. Intervals are 95 % ones; NaN where there is one replication."""

    mean: float  # samples; undecided runs count with the cap
    low: float
    high: float
    median: float
    p90: float
    error: float  # share of the replications in which the policy stopped with a wrong answer
    error_low: float  # Clopper and Pearson's exact interval
    error_high: float
    undecided: float  # share of the replications that ended at the cap


@dataclass(frozen=True, eq=False)
class Identification:
    """Policies × replications, all on the same rewards: their answers, and what became of them."""

    arms: tuple[Distribution, ...]
    policies: dict[str, FixedConfidence | FixedBudget]
    cap: int
    replications: int
    seed: int
    answers: dict[str, Answers]
    minimize: bool = False  # whether the arms pay costs
    versions: dict[str, str] = field(default_factory=versions)

    def summary(self, name: str) -> Summary:
        """Return what is said of the policy of that name."""
        found = self.answers[name]
        samples = found.samples.astype(np.float64)
        low, high = mean_interval(samples, 0.0, self.cap)
        median, p90 = np.quantile(samples, [0.5, 0.9], method="inverted_cdf")
        wrong = int(found.wrong.sum())
        return Summary(
            float(samples.mean()), float(low), float(high), float(median), float(p90),
            wrong / self.replications, *share_interval(wrong, self.replications),
            1.0 - float(found.decided.mean()),
        )  # fmt: skip

    @property
    def notes(self) -> list[str]:
        """What the reader of the numbers must know: ties without an end, runs cut off."""
        exact = {n: p for n, p in self.policies.items() if isinstance(p, FixedConfidence)}
        ties = {n: tied_arms(self.arms, p, self.minimize) for n, p in exact.items()}
        shown = {tuple(tied): self.policies[n].tau for n, tied in ties.items() if tied}
        notes = [
            f"Arms {', '.join(str(arm + 1) for arm in tied)} tie exactly at level {tau:g} and "
            "epsilon is 0: no policy can stop. Choose an epsilon above 0."
            for tied, tau in shown.items()
        ]
        if not all(each.decided.all() for each in self.answers.values()):
            notes.append(
                f"Undecided runs were ended by the cap of {counted(self.cap, 'pull')}: they count "
                "with the cap in samples, and not as errors."
            )
        return notes

    def __repr__(self) -> str:
        size = f"{counted(self.replications, 'replication')}, seed {self.seed}"
        head = f"Identification of the best of {len(self.arms)} arms: {size}"
        return "\n".join([head, text_table(*self.table()), *self.notes])

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return heads and rows as text, one row a policy; who is undecided only if anyone is."""
        count = len(HEADS) if any(s.undecided for s in map(self.summary, self.policies)) else -1
        rows = [_cells(name, self.summary(name))[:count] for name in self.policies]
        return HEADS[:count], rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything but single replications as JSON-able values."""
        return {
            "arms": [{"law": repr(arm), "spec": arm.spec()} for arm in self.arms],
            "minimize": self.minimize,
            "cap": self.cap,
            "replications": self.replications,
            "seed": self.seed,
            "policies": [self._policy(name) for name in self.policies],
            "notes": self.notes,
            "versions": self.versions,
        }

    def _policy(self, name: str) -> dict[str, Any]:
        numbers = self.summary(name)._asdict()
        found, count = self.answers[name], len(self.arms)
        answered = np.bincount(found.recommended.ravel(), minlength=count) / self.replications
        return {
            "name": name,
            "settings": self.policies[name].settings,
            **{key: value if math.isfinite(value) else None for key, value in numbers.items()},
            "pulls": found.pulls.mean(axis=0).tolist(),
            "recommended": answered.tolist(),
            "wrong_guesses": float(found.wrong_guess.mean()),
        }


def _cells(name: str, summary: Summary) -> tuple[str, ...]:
    """Return a row of the table under `HEADS`, with 95 % intervals in brackets."""
    capped = summary.undecided > 0  # then the mean is known to be at least so large, no more
    known = summary.low < summary.high and not capped  # nor has a budget an interval, or one run
    samples = f" ({short(summary.low)}–{short(summary.high)})" if known else ""
    errors = f" ({share(summary.error_low)[:-2]}–{share(summary.error_high)})"
    return (
        name,
        ("≥ " if capped else "") + short(summary.mean) + samples,
        short(summary.median),
        short(summary.p90),
        share(summary.error) + errors,
        share(summary.undecided),
    )


def share(value: float) -> str:
    """Write a share in percent, with digits as far as they say something.

    >>> share(0.0), share(0.012), share(1.0)
    ('0 %', '1.2 %', '100 %')
    """
    return f"{100 * value:.{2 if value < 0.995 else 3}g} %"
