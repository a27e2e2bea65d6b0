"""The result of a replay: what each policy realised, relative to the best arm."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownNameError
from ..results import Result, frame
from .statistics import standard_error

Values = NDArray[np.float64]
Measure = Literal["ratio", "difference"]
BAD = 0.95  # a bad run: as bad as this share of the replications are at most


class Played(NamedTuple):
    """How one policy did, a value for each replication."""

    realised: Values  # its quantile relative to the best arm's in the same rounds: large is bad
    excess: Values  # mean gap of the arms it chose, by their quantiles in all rows
    failures: Values  # share of rounds without an outcome
    best_arm: Values  # share of rounds with the best arm
    rows: Values  # rounds that counted


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Result):
    """Policies on real outcomes: what each realised, relative to the best arm."""

    summary_by: ClassVar[str] = "reports.summaries:replay_summary"
    plot_by: ClassVar[str] = "figures.results:plot_replay"

    arms: dict[str, float]  # their quantiles in all rows
    quantile: float
    minimize: bool
    order: str  # "log" for a log
    measure: Measure
    horizon: int  # of a log: the rows that count if arms do not matter
    replications: int
    seed: int
    played: dict[str, Played]

    def __getitem__(self, policy: str) -> Played:
        """Return the values of one policy, one for each replication."""
        if policy not in self.played:
            raise UnknownNameError.among("policy", policy, self.played)
        return self.played[policy]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each policy, as `to_frame` has it."""
        rows = []
        for name, each in self.played.items():
            ratio = self.measure == "ratio"
            values = np.log(each.realised) if ratio else each.realised
            mean, error = float(values.mean()), float(standard_error(values))
            row = {"policy": name, "realised": math.exp(mean) if ratio else mean}
            row["realised_se"] = math.exp(mean) * error if ratio else error
            row["bad_run"] = float(np.quantile(each.realised, BAD, method="inverted_cdf"))
            row["excess"] = float(each.excess.mean())
            row["excess_se"] = float(standard_error(each.excess))
            row["failures"] = float(each.failures.mean())
            row["best_arm_share"] = float(each.best_arm.mean())
            rows.append(row | ({"rows": float(each.rows.mean())} if self.order == "log" else {}))
        return rows

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each policy.

        Columns: policy, realised (geometric mean of ratios, or mean of differences) and its
        standard error, bad_run (their 95th percentile over replications), excess (mean gap of the
        chosen arms, by their quantiles in all rows) and its standard error, failures,
        best_arm_share; for a log also rows, how many counted on average.
        """
        return frame(self.records())
