"""The report of `theory_card`: what the theory says of an instance, in tables."""

from typing import Any

from ..text import counted, short
from .markdown import Block, Heading, Paragraph, Report, Table

Card = dict[str, Any]
EMPTY = " (empty)"  # after a bound that every policy meets
COLUMNS = {  # readings of Theorem 1, as they head the columns
    "appendix": "Theorem 1 (appendix)",
    "best": "Theorem 1",
    "proof": "its proof *",
    "no_adaptation": "its proof, η = 0 *",
}
ROWS = {
    "b": "b, at least",
    "lam": "λ, at most",
    "init": "initial pulls of an arm, at n",
    "horizon": "horizon, at least",
    "regret": "its formula for regret at n",
}
OWN_B = (
    "Below the first row, each column is at the smallest b in that column; with η = 0, initial "
    "pulls are at the smallest horizon."
)
PROOF = "* ours: what the proof needs as written, with densities at the nominal quantiles only."


def theory_report(card: Card) -> Report:
    size = f"{len(card['arms'])} arms, α = {card['alpha']:g}, n = {card['horizon']:,}"
    blocks: list[Block] = [
        _arms(card),
        *_transfer(card),
        Heading("Utility path"),
        *_path(card),
        Heading("Theorem 1"),
        *_theorem(card),
        Heading("Bounds on regret"),
        *_bounds(card),
    ]
    tables = [block for block in blocks if isinstance(block, Table)]
    if any(cell.endswith(EMPTY) for table in tables for row in table.rows for cell in row):
        blocks += [Paragraph("(empty): above n times the largest gap, which no policy can lose.")]
    return Report(f"Theory of {size}", tuple(blocks))


def _arms(card: Card) -> Table:
    keys = [key for key in ("mean", "tail") if key in card["best"]]
    heads = [head for key in keys for head in (card["objectives"][key], "gap")]
    rows = []
    for arm in card["arms"]:
        cells = [cell for key in keys for cell in _value_and_gap(arm, key)]
        rows.append((arm["name"], arm["law"], *cells))
    return Table(("arm", "distribution", *heads), tuple(rows), left=2)


def _value_and_gap(arm: Card, key: str) -> tuple[str, str]:
    gap = arm["gaps"][key]
    return short(arm["values"][key]), "best" if gap == 0 else short(gap)


def _transfer(card: Card) -> list[Block]:
    """Return what a policy loses under one objective that ends with the best arm of the other."""
    best, lost = card["best"], card["transfer"]
    if lost is None or set(best["mean"]) & set(best["tail"]):
        return []
    heads = ("ends with arm", "lost a round, mean", f"lost a round, {card['objectives']['tail']}")
    rows = (
        (_names(card, best["tail"]), short(lost["acp_arm_in_mean"]), "0"),
        (_names(card, best["mean"]), "0", short(lost["mean_arm_in_acp"])),
    )
    return [Table(heads, rows)]


def _names(card: Card, arms: list[int]) -> str:
    return ", ".join(card["arms"][arm]["name"] for arm in arms)


def _path(card: Card) -> list[Block]:
    path = card["path"]
    if "fails" in path:
        return [Paragraph(path["fails"])]
    best = tuple((short(each["kappa"]), _names(card, [each["arm"]])) for each in path["envelope"])
    blocks: list[Block] = [
        Paragraph(f"Mean + κ sd, from κ = 0 (mean) to a = {path['a']:.4g} (ACP value)."),
        Table(("from κ", "best arm"), best, left=0),
    ]
    if mismatch := path["mismatch"]:
        losses = {"worst on [0, a]": path["worst"], "average over [0, a]": path["average"]}
        rows = tuple((name, short(d["D_A"]), short(d["D_M"])) for name, d in losses.items())
        sides = short(2 * mismatch["delta_mu"]), short(path["a"] * mismatch["delta_sigma"])
        minimax = "yes" if mismatch["acp_is_minimax"] else "no"
        blocks += [
            Table(("lost per round", "ends with A (D_A)", "ends with M (D_M)"), rows),
            Paragraph(f"A is minimax, 2 δ_μ < a δ_σ (15): {minimax}; {' against '.join(sides)}."),
        ]
    return blocks


def _theorem(card: Card) -> list[Block]:
    theorem, still = card["theorem"], card["no_adaptation"]
    needs = theorem.get("needs", {}) | ({} if "fails" in still else {"no_adaptation": still})
    blocks: list[Block] = []
    if "fails" in theorem:
        blocks.append(Paragraph(f"Theorem 1 does not apply. {theorem['fails']}"))
    else:
        blocks += _constants(theorem)
    if needs:
        columns = [theorem.get("settings", {}), *needs.values()]
        rows = [(title, *(_need(each, key) for each in columns)) for key, title in ROWS.items()]
        blocks += [Table(("", "as set", *(COLUMNS[source] for source in needs)), tuple(rows))]
        blocks += [Paragraph(OWN_B), Paragraph(PROOF)]
    if "fails" in still and still["fails"] not in theorem.get("fails", ""):
        blocks.append(Paragraph(f"Its proof with η = 0 does not apply. {still['fails']}"))
    return blocks if "fails" in theorem else [*blocks, *_coverage(card)]


def _need(needs: Card, key: str) -> str:
    """Return a number of the table; a bound that is above what any policy can lose is empty."""
    return short(needs.get(key)) + (EMPTY if key == "regret" and needs.get("empty") else "")


def _constants(theorem: Card) -> list[Block]:
    low, high = theorem["window"]
    radii = ("r_y", "r_s", "rho")
    listed = ", ".join(f"{name} = {short(theorem['constants']['best'][name])}" for name in radii)
    names = [name for name in theorem["constants"]["best"] if name not in radii]
    rows = [
        (source, *(short(values[name]) for name in names))
        for source, values in theorem["constants"].items()
    ]
    return [
        Paragraph(f"Assumption 1, for levels in [{low:g}, {high:g}], {listed}:"),
        Table(("constants", *names), tuple(rows)),
    ]


def _coverage(card: Card) -> list[Block]:
    """Return whether the theorem covers the settings, and the conditions that fail."""
    theorem = card["theorem"]
    broken = [each for each in theorem["conditions"] if not each["holds"]]
    covered = theorem["conditions"] and not broken  # without a bonus there are no conditions
    why = f"; it is not about {', '.join(other)}" if (other := theorem.get("not_about")) else ""
    rows = [(each["statement"], short(each["has"]), short(each["needs"])) for each in broken]
    tail, length = card["objectives"]["tail"], counted(card["horizon"], "round")
    verdict = f"Theorem 1 covers these settings: {'yes' if covered else 'no'}{why}."
    blocks: list[Block] = [Paragraph(verdict)]
    if broken:
        blocks.append(Table(("condition that fails", "as set", "needed"), tuple(rows)))
    most = f"The most that any policy can lose in {tail} in {length}:"
    blocks.append(Paragraph(f"{most} {short(theorem['trivial_regret'])}."))
    if constants := theorem["logarithmic_constants"]:
        heads = ("arm", "γ ACP-UCB1", "γ UCB1-NORMAL", "r = gap ratio", "r needed")
        listed = map(dict.values, constants)
        cells = [(_names(card, [arm]), *map(short, rest)) for arm, *rest in listed]
        said = "Pulls are at most γ ln n, at the theorem's b (section 4.3.3):"
        blocks += [Paragraph(said), Table(heads, tuple(cells))]
    return blocks


def _bounds(card: Card) -> list[Block]:
    labels, n, bounds, proved = card["objectives"], card["horizon"], card["bounds"], card["proved"]
    lower = [
        (
            f"{labels[each['objective']]}, {each['laws']}",
            _or_infinite(each["regret_per_log"]),
            _or_infinite(each["regret"]) + (EMPTY if each["empty"] else ""),
            ", ".join(map(_or_infinite, each["pulls"])),
        )
        for each in bounds["lower"]
    ]
    heads = ("lower bounds, n → ∞", "regret / ln n", f"at n = {n:,}", "pulls of the arms")
    blocks: list[Block] = [Table(heads, tuple(lower))]
    if "fails" in proved:
        blocks.append(Paragraph(f"No upper bound for {labels['tail']}. {proved['fails']}"))
    else:
        upper = [
            (
                f"{each['policy']} ({each['theorem']})",
                short(each["regret"]) + (EMPTY if each["empty"] else ""),
                ", ".join(map(short, each["pulls"])),
            )
            for each in proved["policies"]
        ]
        blocks.append(Table((f"upper bounds, {labels['tail']}", *heads[2:]), tuple(upper)))
    if bounds["upper"]:
        mean = [
            (name, short(value) + (EMPTY if name in bounds["empty"] else ""))
            for name, value in bounds["upper"].items()
        ]
        blocks.append(Table(("upper bounds, mean (Auer et al.)", heads[2]), tuple(mean)))
    return blocks


def _or_infinite(value: float | None) -> str:
    return "∞" if value is None else short(value)
