"""The section of the page of comparisons that holds river's UCB against our policies."""

from collections.abc import Sequence

from ..studies.line_up import OURS, REFERENCE
from ..studies.result import Comparison
from ..studies.river_rival import BURN_IN, SETTINGS, TRIED, RiverRuns, RiverSetting
from ..studies.river_standing import BEST, RiverStanding, river_standing
from ..studies.statistics import estimate, paired_difference, paired_ratio
from ..text import counted, short, three_digits, with_error
from .document import Block, Bullets, Heading, Paragraph, Table

P2 = (
    "P² keeps five markers instead of the rewards: after six rewards its estimate is their middle "
    "one, whatever the level is, and it moves on by one place at a time. So a p95 is taken for "
    "about a median at first, and an arm that is given up then may be the best."
)


def river_section(river: RiverRuns, comparisons: Sequence[Comparison]) -> list[Block]:
    """Return the section; each instance must be among those compared."""
    where = {each.name: c for c in comparisons for each in c.instances}
    found = [river_standing(river, where[name], name) for name in river.pulls]
    count = counted(len(found[0].regrets[REFERENCE]), "replication")
    return [
        Heading("Next to river"),
        Paragraph(
            "What one would take for a quantile without this library: river.bandit.UCB with "
            "river.stats.Quantile as its reward object. It plays the arm with the largest "
            "r + δ √(2 ln t / N), where r is the quantile by the P² algorithm. δ is in the unit of "
            "the rewards and has no default. At 1 it is what river's documentation calls UCB1; "
            "with a scaler, which it recommends, the unit is the standard deviation of all rewards "
            f"so far. {P2}"
        ),
        Paragraph(
            f"Here it meets the same rewards as the others, in the first {count}. Each arm is "
            f"pulled {BURN_IN} times first, its burn-in. The best and the worst in hindsight are "
            f"of {SETTINGS} settings: those two, and {_settings()}. Who can choose so well knows "
            f"the arms. Regret in units of {REFERENCE}'s in the same replications:"
        ),
        _table(found),
        Bullets(tuple((f"{each.instance},", _said(each)) for each in found)),
    ]


def _settings() -> str:
    """Write what else is tried."""
    by_burn_in: dict[int, list[str]] = {}
    for times, burn_in in TRIED:
        by_burn_in.setdefault(burn_in, []).append(f"{times:g}")
    said = [f"{', '.join(times)} (burn-in {burn_in})" for burn_in, times in by_burn_in.items()]
    return f"δ at {' or '.join(said)} times the largest standard deviation of the arms"


def _table(found: Sequence[RiverStanding]) -> Table:
    labels = [label for label in found[0].regrets if label != REFERENCE]
    return Table(
        ("policy", *(each.instance for each in found)),
        tuple((label, *(_ratio(each, label) for each in found)) for label in labels),
    )


def _ratio(standing: RiverStanding, label: str) -> str:
    ratio = paired_ratio(standing.regrets[label], standing.regrets[REFERENCE])
    return with_error(ratio.value, ratio.se)


def _said(standing: RiverStanding) -> str:
    """Say which setting is the best in hindsight, how it fares, and which of ours are better."""
    regrets = standing.regrets[BEST]
    mean = estimate(regrets)
    fates: dict[str, list[str]] = {"Less regret": [], "More regret": [], "Not surely apart": []}
    for label in OURS:
        if label in standing.regrets:
            apart = paired_difference(standing.regrets[label], regrets)
            less, more, neither = fates.values()
            (less if apart.high < 0 else more if apart.low > 0 else neither).append(label)
    said = [f"{fate}: {', '.join(labels)}." for fate, labels in fates.items() if labels]
    return (
        f"best in hindsight with {_setting(standing.best)}: regret "
        f"{with_error(mean.value, mean.se)}, {three_digits(float(regrets.max()))} in its worst "
        f"replication. {' '.join(said)}"
    )


def _setting(setting: RiverSetting) -> str:
    scaled = " and the scaler" if setting.scaled else ""
    return f"δ = {short(setting.delta)}, burn-in {setting.burn_in}{scaled}"
