"""Every calibrator with one setting or more, its reference, and what each of them claims."""

from collections.abc import Callable
from typing import Any

from upperhand.calibrators import (
    ACI,
    CQR,
    SPS,
    AgACI,
    Calibrator,
    ClippedACI,
    DecayingSteps,
    DtACI,
    NexCP,
    Rescored,
    SplitConformal,
)

from ..reference import aggregated
from ..reference import calibrators as reference

EXAMPLES: dict[str, tuple[Calibrator, Callable[[], Any] | None]] = {
    "Split": (SplitConformal(), reference.Split),
    "Split half": (SplitConformal(0.5), lambda: reference.Split("0.5")),
    "CQR": (CQR(0.2), lambda: reference.Split("0.2")),
    "CQR asymmetric": (CQR(0.3, symmetric=False), lambda: reference.Asymmetric("0.3")),
    "ACI": (ACI(), reference.ACI),
    "ACI fast": (ACI(0.3, gamma=0.4), lambda: reference.ACI("0.3", 0.4)),
    "ACI fixed": (ACI(0.2, gamma=0.0), lambda: reference.ACI("0.2", 0.0)),
    # Means of ends are rounded: AgACI's reference is near, as tested by test_aggregated.
    "AgACI": (AgACI(0.2), None),
    "AgACI doubling": (AgACI(0.3, experts="doubling"), None),
    "DtACI": (DtACI(0.1317), lambda: aggregated.DtACI("0.1317")),
    "DtACI quick": (DtACI(0.3341, memory=5), lambda: aggregated.DtACI("0.3341", 5)),
    "Decaying steps": (DecayingSteps(), reference.DecayingSteps),
    "Decaying steps constant": (
        DecayingSteps(0.25, eta=0.05, epsilon=-0.5),
        lambda: reference.DecayingSteps("0.25", 0.05, -0.5),
    ),
    "NexCP": (NexCP(), reference.NexCP),
    "NexCP quick": (NexCP(0.4, decay=0.8), lambda: reference.NexCP("0.4", "0.8")),
    "NexCP split": (NexCP(0.2, decay=1.0), lambda: reference.NexCP("0.2", "1")),
    "SPS": (SPS(0.6, horizon=20), lambda: reference.SPS("0.6", 20)),
    "Rescored": (Rescored(0.2, eta=0.05), lambda: reference.Rescored("0.2", 0.05)),
    "Clipped ACI": (ClippedACI(0.2, eta=0.05), lambda: reference.ClippedACI("0.2", 0.05)),
}


# Those whose references are equal and not near.
EXACT = [name for name, (_, slow) in EXAMPLES.items() if slow]


def starting(*names: str) -> frozenset[str]:
    """Return the examples whose names start with one of these."""
    return frozenset(example for example in EXAMPLES if example.startswith(names))


# The whole line until the scores are as many as the guarantee needs.
HONEST = starting("Split", "CQR", "NexCP", "SPS")

# A step that is in the unit of the scores: other units, other intervals.
IN_UNITS = starting("Decaying steps")

# Ends that are means, so rounded: after a shift, otherwise.
ROUNDED = starting("AgACI")

# What they remember stays of one size.
FIXED_SIZE = starting("Decaying steps", "Rescored")
