"""Is a bonus in the unit of the rewards fit for them? The spread that it is measured by."""

from typing import Any

from .._kernels.compile import kernel

TOO_SMALL, TOO_LARGE = 0.1, 100.0  # b in spreads: below, arms are dropped too soon; above, never


@kernel
def widest(low: Any, high: Any) -> float:
    """Return the largest width q̂ʰⁱᵍʰ − q̂ˡᵒʷ of any arm; 0 before there are rewards."""
    spread = 0.0
    for arm in range(len(low)):
        spread = max(spread, float(high[arm]) - float(low[arm]))
    return spread


def scale_advice(b: float, spread: float, remedy: str) -> str | None:
    """Return a warning if b is far from the spread, None if it is not or nothing is known yet."""
    if spread == 0.0 or b == 0.0 or TOO_SMALL <= b / spread <= TOO_LARGE:
        return None
    if b < spread:
        verdict = "small: a good arm may be dropped after a few bad rewards"
    else:
        verdict = "large: the arms will be played almost evenly for a long time"
    return (
        f"b = {b:g} is in the unit of the rewards, whose widest central interval is "
        f"{spread:.3g} wide. That is very {verdict}. {remedy}"
    )
