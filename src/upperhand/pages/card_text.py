"""The card of an instance for people: short tables, and what they say."""

from itertools import pairwise
from textwrap import fill
from typing import Any

from ..text import short, text_table
from .theorem_text import WIDTH, constants_text, theorem_text


def card_text(card: dict[str, Any]) -> str:
    """Return the whole card."""
    parts = [
        _arms(card),
        _targets(card),
        _path(card),
        theorem_text(card),
        constants_text(card),
        _bounds(card),
    ]
    text = "\n" + "\n\n".join(part for part in parts if part)
    note = "\n(empty): above n times the largest gap, the most that any policy can lose."
    return text + note if "(empty)" in text else text


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
    return [short(arm["values"][key]), "best" if gap == 0 else short(gap)]


def _targets(card: dict[str, Any]) -> str:
    best, label, lost = card["best"], card["objectives"]["tail"], card["transfer"]
    tail = _named(best["tail"])
    if lost is None:
        return f"Best by {label}: {tail}. Some arm has no mean."
    if both := sorted(set(best["mean"]) & set(best["tail"])):
        return f"Mean and {label} agree on {_named(both)}."
    mean = _named(best["mean"])
    return (
        f"Best by mean: {mean}. Best by {label}: {tail}.\n"
        f"A policy that settles on {tail} loses {short(lost['acp_arm_in_mean'])} a round in mean;\n"
        f"one that settles on {mean} loses {short(lost['mean_arm_in_acp'])} a round in {label}."
    )


def _named(arms: list[int]) -> str:
    names = [str(arm + 1) for arm in arms]
    return f"arm {names[0]}" if len(names) == 1 else f"arms {', '.join(names)}"


def _path(card: dict[str, Any]) -> str:
    path = card["path"]
    if "fails" in path:
        return f"Utility path: {path['fails']}"
    title = f"Utility path, mean + κ sd, from κ = 0 (mean) to a = {path['a']:.4g} (ACP value)"
    if path["mismatch"] is None:
        return f"{title}:\none arm is best all along."
    worst, average = path["worst"], path["average"]
    rows = [
        ["worst on [0, a]", short(worst["D_A"]), short(worst["D_M"])],
        ["average over [0, a]", short(average["D_A"]), short(average["D_M"])],
    ]
    table = text_table(["lost per round", "settled on A (D_A)", "settled on M (D_M)"], rows)
    return f"{title}\n{_switches(path['envelope'])}\n\n{table}\n\n{_minimax(path)}"


def _switches(envelope: list[dict[str, Any]]) -> str:
    pairs = pairwise(envelope)
    steps = [
        f"from arm {before['arm'] + 1} to arm {after['arm'] + 1} at κ = {short(after['kappa'])}"
        for before, after in pairs
    ]
    return fill(f"The best arm switches {', then '.join(steps)}.", WIDTH)


def _minimax(path: dict[str, Any]) -> str:
    mismatch = path["mismatch"]
    left = f"2 δ_μ = {short(2 * mismatch['delta_mu'])}"
    right = f"a δ_σ = {short(path['a'] * mismatch['delta_sigma'])}"
    if mismatch["acp_is_minimax"]:
        return f"Minimax: yes, A has the smaller worst loss: {left} < {right} (equation 15)."
    return f"Minimax: no, M has the smaller worst loss: {left} is not below {right} (equation 15)."


def _bounds(card: dict[str, Any]) -> str:
    labels, n = card["objectives"], card["horizon"]
    rows = [
        [
            f"{labels[each['objective']]}, {each['laws']}",
            _or_infinite(each["regret_per_log"]),
            _or_infinite(each["regret"]) + (" (empty)" if each["empty"] else ""),
            ", ".join(map(_or_infinite, each["pulls"])),
        ]
        for each in card["bounds"]["lower"]
    ]
    table = text_table(
        ["lower bounds, n → ∞", "regret / ln n", f"at n = {n:,}", "pulls of the arms"], rows
    )
    bounds = card["bounds"]
    upper = [
        f"{name} {short(value)}{' (empty)' if name in bounds['empty'] else ''}"
        for name, value in bounds["upper"].items()
    ]
    shown = (
        f"\nUpper bounds on mean regret at n (Auer et al.): {', '.join(upper)}." if upper else ""
    )
    return table + shown


def _or_infinite(value: float | None) -> str:
    return "∞" if value is None else short(value)
