"""Theorem 1 on the card: its constants, its needs, and the settings next to them."""

from typing import Any

from ..text import counted, short
from .document import Block, Bullets, Paragraph, Table

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
EMPTY = " (empty)"  # after a bound that every policy meets
OWN_B = "Below the first row, each column of a theorem or proof is at the least b in that column."
PROOF = "* ours: what the proof needs as written, with densities at the nominal quantiles only"


def theorem_blocks(card: dict[str, Any]) -> list[Block]:
    """Return what Theorem 1 asks for next to the settings, and how far apart the two are."""
    theorem = card["theorem"]
    if "fails" in theorem:
        reasons = [f"Theorem 1 does not apply. {theorem['fails']}", _no_adaptation(card)]
        return [Paragraph(reason) for reason in reasons if reason]
    needs, settings = theorem["needs"], theorem["settings"]
    sources = [source for source in COLUMNS if source in needs]
    rows = [
        (title, short(settings.get(key)), *(_need(needs[source], key) for source in sources))
        for key, title in ROWS.items()
    ]
    return [
        *_constants(theorem),
        Table(("", "as set", *(COLUMNS[source] for source in sources)), tuple(rows)),
        Paragraph(OWN_B),
        Paragraph(PROOF),
        Paragraph(_no_adaptation(card)),
        *_coverage(theorem),
        Paragraph(
            f"No policy can lose more than {short(theorem['trivial_regret'])} in "
            f"{card['objectives']['tail']} in {counted(card['horizon'], 'round')} here."
        ),
    ]


def _need(needs: dict[str, Any], key: str) -> str:
    """Write a number of the table; a bound that is above what any policy can lose is empty."""
    return short(needs[key]) + (EMPTY if key == "regret" and needs["empty"] else "")


def _constants(theorem: dict[str, Any]) -> list[Block]:
    low, high = theorem["window"]
    radii = {name: theorem["constants"]["best"][name] for name in ("r_y", "r_s", "rho")}
    own = {
        source: {name: value for name, value in each.items() if name not in radii}
        for source, each in theorem["constants"].items()
    }
    return [
        Paragraph(f"Assumption 1, for levels in [{low:g}, {high:g}], {_listed(radii)}:"),
        Bullets(tuple((f"{source}:", _listed(values)) for source, values in own.items())),
    ]


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {short(value)}" for name, value in values.items())


def _no_adaptation(card: dict[str, Any]) -> str:
    """Write what the proof needs if η = 0, or why it fails, if not for the theorem's own reason."""
    part = card["no_adaptation"]
    if "fails" not in part:
        return (
            f"With η = 0 the proof needs (ours) b of at least {short(part['b'])} and a horizon of "
            f"at least {short(part['horizon'])}, with {short(part['init'])} initial pulls an arm."
        )
    if part["fails"] in card["theorem"].get("fails", ""):
        return ""
    return f"Nor does its proof with η = 0 (ours). {part['fails']}"


def _coverage(theorem: dict[str, Any]) -> list[Block]:
    """Say whether the theorem covers the settings, and how far they are from it."""
    broken = [each for each in theorem["conditions"] if not each["holds"]]
    if not broken and theorem["conditions"]:
        return [Paragraph("Theorem 1 covers these settings.")]
    b, needs = theorem["settings"]["b"], theorem["needs"]["best"]
    distance = (
        f"The theorem's b is {short(needs['b'] / b)} times the one set; it starts at a horizon of "
        f"{short(needs['horizon'])}."
        if b
        else "Without a bonus (b = 0) there is nothing that it could say."
    )
    conditions = tuple(
        (f"{each['statement']}:", f"{short(each['has'])} against {short(each['needs'])}")
        for each in broken
    )
    at_set = f" At the b that is set, {short(b)}, it fails:"
    return [
        Paragraph("Theorem 1 does not cover these settings." + (at_set if broken else "")),
        *([Bullets(conditions)] if broken else []),
        Paragraph(distance),
    ]


def logarithmic_constants(card: dict[str, Any]) -> list[Block]:
    """Return the constants of ln n where one arm is best for both objectives."""
    constants = card["theorem"].get("logarithmic_constants")
    if not constants:
        return []
    rows = [
        (str(each["arm"] + 1), *(short(each[key]) for key in list(each) if key != "arm"))
        for each in constants
    ]
    heads = ("arm", "γ ACP-UCB1", "γ UCB1-NORMAL", "r = gap ratio", "r needed")
    said = (
        "Bounds on pulls, γ ln n, at the theorem's b; ACP-UCB1's is smaller where r is above the "
        "one needed (section 4.3.3):"
    )
    return [Paragraph(said), Table(heads, tuple(rows))]
