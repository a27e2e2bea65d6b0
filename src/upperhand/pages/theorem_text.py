"""Theorem 1 on the card, for people: its constants, its needs, and the settings next to them."""

from textwrap import fill
from typing import Any

from ..text import short, text_table

COLUMNS = {  # readings of Theorem 1, as they head the columns
    "appendix": "Theorem 1 (appendix)",
    "best": "Theorem 1",
    "proof": "its proof *",
}
ROWS = {  # rows of that table
    "b": "b, at least",
    "lam": "λ, at most",
    "init": "initial pulls of an arm, at n",
    "horizon": "horizon, at least",
    "regret": "its formula for regret at n",
}
WIDTH = 100  # of running text


def theorem_text(card: dict[str, Any]) -> str:
    """Return what Theorem 1 asks for next to the settings, and how far apart the two are."""
    theorem = card["theorem"]
    if "fails" in theorem:
        reasons = [
            fill(f"Theorem 1 does not apply. {theorem['fails']}", WIDTH),
            _no_adaptation(card),
        ]
        return "\n".join(filter(None, reasons))
    needs, settings = theorem["needs"], theorem["settings"]
    sources = [source for source in COLUMNS if source in needs]
    rows = [
        [title, short(settings.get(key)), *(_need(needs[source], key) for source in sources)]
        for key, title in ROWS.items()
    ]
    table = text_table(["", "as set", *(COLUMNS[source] for source in sources)], rows)
    remarks = [
        "* ours: what the proof needs as written, with densities at the nominal quantiles only",
        _no_adaptation(card),
        *_coverage(theorem),
        f"No policy can lose more than {short(theorem['trivial_regret'])} in "
        f"{card['objectives']['tail']} in {card['horizon']:,} rounds here.",
    ]
    return f"{_constants(theorem)}\n\n{table}\n\n" + "\n".join(remarks)


def _need(needs: dict[str, Any], key: str) -> str:
    """Write a number of the table; a bound that is above what any policy can lose is empty."""
    return short(needs[key]) + (" (empty)" if key == "regret" and needs["empty"] else "")


def _constants(theorem: dict[str, Any]) -> str:
    low, high = theorem["window"]
    radii = {name: short(theorem["constants"]["best"][name]) for name in ("r_y", "r_s", "rho")}
    shared = ", ".join(f"{name} = {value}" for name, value in radii.items())
    lines = [f"Assumption 1, for levels in [{low:g}, {high:g}], {shared}:"]
    for source, each in theorem["constants"].items():
        values = [f"{name} = {short(value)}" for name, value in each.items() if name not in radii]
        lines.append(f"  {source}: {', '.join(values)}")
    return "\n".join(lines)


def _no_adaptation(card: dict[str, Any]) -> str:
    """Write what the proof needs if η = 0, or why it fails, if not for the theorem's own reason."""
    part = card["no_adaptation"]
    if "fails" not in part:
        return (
            f"With η = 0 the proof needs (ours) b of at least {short(part['b'])} and a horizon of "
            f"at least\n{short(part['horizon'])}, with {short(part['init'])} initial pulls an arm."
        )
    if part["fails"] in card["theorem"].get("fails", ""):
        return ""
    return fill(f"Nor does its proof with η = 0 (ours). {part['fails']}", WIDTH)


def _coverage(theorem: dict[str, Any]) -> list[str]:
    """Say whether the theorem covers the settings, and how far they are from it."""
    broken = [each for each in theorem["conditions"] if not each["holds"]]
    if not broken and theorem["conditions"]:
        return ["Theorem 1 covers these settings."]
    b, needs = theorem["settings"]["b"], theorem["needs"]["best"]
    distance = (
        f"The theorem's b is {short(needs['b'] / b)} times the one set; it starts at a horizon of "
        f"{short(needs['horizon'])}."
        if b
        else "Without a bonus (b = 0) there is nothing that it could say."
    )
    return [
        f"Theorem 1 does not cover these settings{':' if broken else '.'}",
        *(
            f"  {each['statement']}: {short(each['has'])} against {short(each['needs'])}"
            for each in broken
        ),
        distance,
    ]


def constants_text(card: dict[str, Any]) -> str:
    """Write the constants of ln n where one arm is best for both objectives."""
    constants = card["theorem"].get("logarithmic_constants")
    if not constants:
        return ""
    rows = [
        [str(each["arm"] + 1), *(short(each[key]) for key in list(each) if key != "arm")]
        for each in constants
    ]
    heads = ["arm", "γ ACP-UCB1", "γ UCB1-NORMAL", "r = gap ratio", "r needed"]
    table = text_table(heads, rows)
    return (
        f"Bounds on pulls, γ ln n, at the theorem's b; ACP-UCB1's is smaller where r is above the "
        f"one needed\n(section 4.3.3)\n\n{table}"
    )
