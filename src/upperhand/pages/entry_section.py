"""The price of entry (Theorem Q6) next to the runs: what can be lost by giving an arm up early."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..studies.result import Comparison
from ..text import three_digits
from ..theory.lower_bounds import gaussian_quantile_regret
from ..theory.price_of_entry import least_pulls, loss_after
from .document import Block, Paragraph, Table

PLAYED = "far-apart"  # where a glance would do
SHARES = (0.3, 0.1, 0.05)  # of n D
SMALLEST = 1e-4  # a share that is written as a number


def price_of_entry(comparison: Comparison, policies: Sequence[str]) -> list[Block]:
    """Return what safety costs on far-apart, and how safe each policy is there; empty if absent."""
    if PLAYED not in comparison.runs:
        return []
    return [
        Paragraph(
            "Why not wait less? Say that a policy pulls an arm m times at most, if its rewards are "
            f"poor, as on {PLAYED}. Then there is another arm, the best by any D, whose first m "
            "rewards look just as poor with a chance of nearly τ^m, and the policy loses about "
            "τ^m n D on it (Theorem Q6). So it costs regret on far-apart arms to be safe on others:"
        ),
        _costs(comparison),
        Paragraph(_if_gaussian(comparison)),
        Paragraph(
            f"What each can lose so at least, by the pulls of the arm that it pulled least on "
            f"{PLAYED}: the most of them in a replication. It may lose more for other reasons."
        ),
        _losses(comparison, policies),
    ]


def _costs(comparison: Comparison) -> Table:
    """Return the least number of pulls for a share of n D, and the regret that it is."""
    gaps, tau = _gaps(comparison)
    unit = _unit(comparison)
    rows = []
    for share in SHARES:
        pulls = least_pulls(share, comparison.horizon, tau)
        regret = pulls * float(gaps.sum())
        ratio = three_digits(regret / unit)
        rows.append((f"{100 * share:g} %", f"{pulls}", three_digits(regret), ratio))
    units = f"in units of {comparison.reference}'s"
    head = ("can lose at most, of n D", "pulls of each arm at least", f"regret on {PLAYED}", units)
    return Table(head, tuple(rows))


def _if_gaussian(comparison: Comparison) -> str:
    """Say what is left of the price if the arms are known to be Gaussian."""
    arms, (_, tau) = comparison.runs[PLAYED].arms, _gaps(comparison)
    slope = gaussian_quantile_regret(arms, tau)
    regret, unit = slope * math.log(comparison.horizon), _unit(comparison)
    return (
        "If the arms are known to be Gaussian, of unknown means and standard deviations, the lower "
        f"bound for n → ∞ is {three_digits(slope)} ln n, {three_digits(regret)} at this n: "
        f"{three_digits(regret / unit)} times {comparison.reference}'s, whose b = 1 tells it the "
        "scale."
    )


def _losses(comparison: Comparison, policies: Sequence[str]) -> Table:
    """Return the share of n D that each policy can lose, if it never pulls more than was seen."""
    gaps, tau = _gaps(comparison)
    runs = comparison.runs[PLAYED]
    rows = []
    for label in policies:
        final = runs.pulls[label][:, -1, gaps > 0]  # (R, arms that are not the best)
        most = int(final[:, np.argmin(final.mean(axis=0))].max())
        share = float(loss_after(most, runs.horizon, tau, 1.0)) / runs.horizon
        rows.append((label, f"{most:,}", _percent(share)))
    return Table(("policy", "pulls at most", "can lose at least, of n D"), tuple(rows))


def _unit(comparison: Comparison) -> float:
    return comparison.main(PLAYED)[comparison.reference].regret


def _gaps(comparison: Comparison) -> tuple[NDArray[np.float64], float]:
    instance = next(each for each in comparison.instances if each.name == PLAYED)
    return comparison.objectives[PLAYED][0].gaps(instance.arms), 1 - instance.alpha / 2


def _percent(share: float) -> str:
    return f"{three_digits(100 * share)} %" if share >= SMALLEST else f"< {100 * SMALLEST:g} %"
