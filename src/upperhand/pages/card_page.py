"""The card of an instance for people: short tables, and what they say."""

from itertools import pairwise
from typing import Any

from ..text import counted, short
from .document import Block, Bullets, Document, Heading, Paragraph, Table
from .theorem_blocks import EMPTY, logarithmic_constants, theorem_blocks

Card = dict[str, Any]


def card_page(card: Card) -> Document:
    """Return the whole card."""
    size = f"{len(card['arms'])} arms, α = {card['alpha']:g}, n = {card['horizon']:,}"
    return Document(
        f"Theory of {size}",
        (
            _arms(card),
            Paragraph(_targets(card)),
            Heading("Utility path"),
            *_path(card),
            Heading("Theorem 1"),
            *theorem_blocks(card),
            *logarithmic_constants(card),
            Heading("Bounds on regret"),
            *_bounds(card),
        ),
    )


def _arms(card: Card) -> Table:
    keys = [key for key in ("mean", "tail") if key in card["best"]]
    heads = [head for key in keys for head in (card["objectives"][key], "gap")]
    rows = [
        (str(j + 1), arm["law"], *(cell for key in keys for cell in _values(arm, key)))
        for j, arm in enumerate(card["arms"])
    ]
    return Table(("arm", "law", *heads), tuple(rows), left=2)


def _values(arm: Card, key: str) -> list[str]:
    gap = arm["gaps"][key]
    return [short(arm["values"][key]), "best" if gap == 0 else short(gap)]


def _targets(card: Card) -> str:
    best, label, lost = card["best"], card["objectives"]["tail"], card["transfer"]
    tail = _named(best["tail"])
    if lost is None:
        return f"Best by {label}: {tail}. Some arm has no mean."
    if both := sorted(set(best["mean"]) & set(best["tail"])):
        return f"Mean and {label} agree on {_named(both)}."
    mean = _named(best["mean"])
    return (
        f"Best by mean: {mean}. Best by {label}: {tail}. "
        f"A policy that ends up with {tail} loses {short(lost['acp_arm_in_mean'])} a round in "
        f"mean; one that ends up with {mean} loses {short(lost['mean_arm_in_acp'])} a round in "
        f"{label}."
    )


def _named(arms: list[int]) -> str:
    names = ", ".join(str(arm + 1) for arm in arms)
    return f"arm {names}" if len(arms) == 1 else f"arms {names}"


def _path(card: Card) -> list[Block]:
    path = card["path"]
    if "fails" in path:
        return [Paragraph(path["fails"])]
    title = f"Mean + κ sd, from κ = 0 (mean) to a = {path['a']:.4g} (ACP value)"
    if path["mismatch"] is None:
        return [Paragraph(f"{title}: one arm is best all along.")]
    losses = {"worst on [0, a]": path["worst"], "average over [0, a]": path["average"]}
    return [
        Paragraph(f"{title}. {_switches(path['envelope'])}"),
        Table(
            ("lost per round", "ends with A (D_A)", "ends with M (D_M)"),
            tuple((name, short(d["D_A"]), short(d["D_M"])) for name, d in losses.items()),
        ),
        Paragraph(_minimax(path)),
    ]


def _switches(envelope: list[Card]) -> str:
    steps = [
        f"from arm {before['arm'] + 1} to arm {after['arm'] + 1} at κ = {short(after['kappa'])}"
        for before, after in pairwise(envelope)
    ]
    return f"The best arm switches {', then '.join(steps)}."


def _minimax(path: Card) -> str:
    mismatch = path["mismatch"]
    left = f"2 δ_μ = {short(2 * mismatch['delta_mu'])}"
    right = f"a δ_σ = {short(path['a'] * mismatch['delta_sigma'])}"
    if mismatch["acp_is_minimax"]:
        return f"Minimax: yes, A has the smaller worst loss: {left} < {right} (equation 15)."
    return f"Minimax: no, M has the smaller worst loss: {left} is not below {right} (equation 15)."


def _bounds(card: Card) -> list[Block]:
    labels, n = card["objectives"], card["horizon"]
    rows = [
        (
            f"{labels[each['objective']]}, {each['laws']}",
            _or_infinite(each["regret_per_log"]),
            _or_infinite(each["regret"]) + (EMPTY if each["empty"] else ""),
            ", ".join(map(_or_infinite, each["pulls"])),
        )
        for each in card["bounds"]["lower"]
    ]
    heads = ("lower bounds, n → ∞", "regret / ln n", f"at n = {n:,}", "pulls of the arms")
    upper = [
        (f"{name}:", short(value) + (EMPTY if name in card["bounds"]["empty"] else ""))
        for name, value in card["bounds"]["upper"].items()
    ]
    said = f"Upper bounds on mean regret in {counted(n, 'round')} (Auer et al.):"
    shown: list[Block] = [Paragraph(said), Bullets(tuple(upper))]
    lower = Table(heads, tuple(rows))
    return [lower, *_proved(card), *(shown if upper else []), *_note(card)]


def _proved(card: Card) -> list[Block]:
    """Return what is proved of our policies, or why nothing is."""
    label, n = card["objectives"]["tail"], card["horizon"]
    if "fails" in card["proved"]:
        return [Paragraph(f"Of our policies nothing is proved here. {card['proved']['fails']}")]
    rows = [
        (
            f"{each['policy']} ({each['theorem']})",
            short(each["regret"]) + (EMPTY if each["empty"] else ""),
            ", ".join(map(short, each["pulls"])),
        )
        for each in card["proved"]["policies"]
    ]
    return [Table((f"upper bounds, {label}", f"at n = {n:,}", "pulls of the arms"), tuple(rows))]


def _note(card: Card) -> list[Block]:
    """Say what an empty bound is, if there is one on the card."""
    bounds, needs = card["bounds"], card["theorem"].get("needs", {})
    marked = [
        *(each["empty"] for each in bounds["lower"]),
        *(each["empty"] for each in card["proved"].get("policies", [])),
        *(each["empty"] for each in needs.values()),
    ]
    if not bounds["empty"] and not any(marked):
        return []
    note = "above n times the largest gap, the most that any policy can lose."
    return [Paragraph(f"{EMPTY.strip()}: {note}")]


def _or_infinite(value: float | None) -> str:
    return "∞" if value is None else short(value)
