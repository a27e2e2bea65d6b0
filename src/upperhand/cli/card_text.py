"""The card of an instance for people: four short tables and what they say."""

from itertools import pairwise
from typing import Any

from ..text_table import text_table

COLUMNS = {  # readings of Theorem 1, as they head the columns
    "appendix": "Theorem 1 (appendix)",
    "best": "Theorem 1",
    "proof": "its proof *",
    "eta = 0": "with η = 0 *",
}
ROWS = {  # rows of that table
    "b": "b, at least",
    "lam": "λ, at most",
    "init": "initial pulls of an arm",
    "horizon": "horizon, at least",
    "regret_bound": "bound on regret at n",
}


def card_text(card: dict[str, Any]) -> str:
    """Return the whole card."""
    parts = [
        _arms(card),
        _targets(card),
        _path(card),
        _theorem(card),
        _logarithmic_constants(card),
        _bounds(card),
    ]
    return "\n" + "\n\n".join(part for part in parts if part)


def number(value: float | None) -> str:
    """Write a number with four digits, or all digits of a whole one; powers of ten as 3.54e15.

    >>> number(215630.08), number(3538116869263758), number(0.000148402), number(2)
    ('215,630', '3.538e15', '0.0001484', '2')
    """
    if value is None:
        return "—"
    if value and not 1e-4 <= abs(value) < 1e7:
        digits, power = f"{value:.3e}".split("e")
        return f"{digits}e{int(power)}"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def _arms(card: dict[str, Any]) -> str:
    keys = [key for key in ("mean", "tail") if key in card["best"]]
    heads = [head for key in keys for head in (card["objectives"][key], "gap")]
    rows = [
        [str(j + 1), arm["law"], *(cell for key in keys for cell in _values(arm, key))]
        for j, arm in enumerate(card["arms"])
    ]
    return text_table(["arm", "law", *heads], rows, left=2)


def _values(arm: dict[str, Any], key: str) -> list[str]:
    gap = arm["gaps"][key]
    return [number(arm["values"][key]), "best" if gap == 0 else number(gap)]


def _targets(card: dict[str, Any]) -> str:
    best, label, lost = card["best"], card["objectives"]["tail"], card["transfer"]
    if lost is None:
        return f"Best by {label}: arm {best['tail'] + 1}. Some arm has no mean."
    if best["mean"] == best["tail"]:
        return f"Mean and {label} agree on arm {best['mean'] + 1}."
    return (
        f"Best by mean: arm {best['mean'] + 1}. Best by {label}: arm {best['tail'] + 1}.\n"
        f"A policy that settles on arm {best['tail'] + 1} loses {number(lost['acp_arm_in_mean'])} "
        f"a round in mean;\none that settles on arm {best['mean'] + 1} loses "
        f"{number(lost['mean_arm_in_acp'])} a round in {label}."
    )


def _path(card: dict[str, Any]) -> str:
    path = card["path"]
    if "fails" in path:
        return str(path["fails"])
    title = f"Utility path, mean + κ sd, from κ = 0 (mean) to a = {path['a']:.4g} (ACP value)"
    if path["mismatch"] is None:
        return f"{title}:\none arm is best all along."
    worst, average = path["worst"], path["average"]
    rows = [
        ["worst on [0, a]", number(worst["D_A"]), number(worst["D_M"])],
        ["average over [0, a]", number(average["D_A"]), number(average["D_M"])],
    ]
    table = text_table(["lost per round", "settled on A (D_A)", "settled on M (D_M)"], rows)
    return f"{title}\n{_switches(path['envelope'])}\n\n{table}\n\n{_minimax(path)}"


def _switches(envelope: list[dict[str, Any]]) -> str:
    pairs = pairwise(envelope)
    steps = [
        f"from arm {before['arm'] + 1} to arm {after['arm'] + 1} at κ = {number(after['kappa'])}"
        for before, after in pairs
    ]
    return f"The best arm switches {', then '.join(steps)}."


def _minimax(path: dict[str, Any]) -> str:
    mismatch = path["mismatch"]
    left = f"2 δ_μ = {number(2 * mismatch['delta_mu'])}"
    right = f"a δ_σ = {number(path['a'] * mismatch['delta_sigma'])}"
    if mismatch["acp_is_minimax"]:
        return f"Minimax: yes, A has the smaller worst loss: {left} < {right} (equation 15)."
    return f"Minimax: no, M has the smaller worst loss: {left} is not below {right} (equation 15)."


def _theorem(card: dict[str, Any]) -> str:
    theorem = card["theorem"]
    if "fails" in theorem:
        return f"Theorem 1 does not apply. {theorem['fails']}"
    needs, settings = theorem["needs"], theorem["settings"]
    sources = [source for source in COLUMNS if source in needs]
    rows = [
        [title, number(settings.get(key)), *(number(needs[source][key]) for source in sources)]
        for key, title in ROWS.items()
    ]
    rows[-1][1] = "none"
    table = text_table(["", "as set", *(COLUMNS[source] for source in sources)], rows)
    return f"{_constants(theorem)}\n\n{table}\n\n{_verdict(theorem, card['horizon'])}"


def _constants(theorem: dict[str, Any]) -> str:
    low, high = theorem["window"]
    lines = [f"Assumption 1, for levels in [{low:g}, {high:g}]:"]
    for source, each in theorem["constants"].items():
        values = ", ".join(f"{name} = {number(value)}" for name, value in each.items())
        lines.append(f"  {values}" + (" (appendix)" if source == "appendix" else " (best)"))
    return "\n".join(lines)


def _verdict(theorem: dict[str, Any], n: int) -> str:
    broken = [each for each in theorem["conditions"] if not each["holds"]]
    lines = ["* sharper than stated: what the proof really needs, for the best constants"]
    if not broken and theorem["conditions"]:
        return "\n".join([*lines, "Theorem 1 covers these settings."])
    lines.append("Theorem 1 does not cover these settings:")
    lines += [
        f"  {each['statement']}: {number(each['has'])} against {number(each['needs'])}"
        for each in broken
    ]
    b, needs = theorem["settings"]["b"], theorem["needs"]["best"]
    lines += [
        f"The theorem's b is {number(needs['b'] / b)} times the one set, and it starts to speak at "
        f"{number(needs['horizon'] / n)} times this horizon."
        if b
        else "Without a bonus (b = 0) there is nothing that it could say.",
        f"No policy can lose more than {number(theorem['trivial_regret'])} in {n:,} rounds here.",
    ]
    return "\n".join(lines)


def _logarithmic_constants(card: dict[str, Any]) -> str:
    """Write the constants of ln n where one arm is best for both objectives."""
    constants = card["theorem"].get("logarithmic_constants")
    if not constants:
        return ""
    rows = [
        [str(each["arm"] + 1), *(number(each[key]) for key in list(each) if key != "arm")]
        for each in constants
    ]
    heads = ["arm", "γ ACP-UCB1", "γ UCB1-NORMAL", "r = gap ratio", "r needed"]
    table = text_table(heads, rows)
    return (
        f"Bounds on pulls, γ ln n, at the theorem's b; ACP-UCB1's is smaller where r is above the "
        f"one needed\n(section 4.3.3)\n\n{table}"
    )


def _bounds(card: dict[str, Any]) -> str:
    labels, n = card["objectives"], card["horizon"]
    rows = [
        [f"{labels[each['objective']]}, {each['laws']}", number(each["regret_per_log"]),
         number(each["regret"]), ", ".join(map(number, each["pulls"]))]
        for each in card["bounds"]["lower"]
    ]  # fmt: skip
    table = text_table(
        ["lower bounds, n → ∞", "regret / ln n", f"at n = {n:,}", "pulls of the arms"], rows
    )
    upper = [f"{name} {number(value)}" for name, value in card["bounds"]["upper"].items()]
    shown = (
        f"\nUpper bounds on mean regret at n (Auer et al.): {', '.join(upper)}." if upper else ""
    )
    return table + shown
