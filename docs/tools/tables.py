"""Recompute the tables of docs/comparison.md and docs/best-of-n.md, each between its two markers.

    python docs/tools/tables.py comparison    # a quarter of an hour on two cores
    python docs/tools/tables.py best-of-n     # two minutes
    python docs/tools/tables.py front         # the figure of README.md, a few seconds

The table NAME stands between <!-- NAME --> and <!-- end -->. All other text stays as it is.
"""

import doctest
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import upperhand as uh
from upperhand.calibrators import CALIBRATORS, as_calibrator
from upperhand.comparison.default_policies import COMPARED, EXTREMES, OURS, default_policies
from upperhand.comparison.instances import HARD, INSTANCES, extreme_instances
from upperhand.objectives import gaps_of
from upperhand.reports.comparison import matrix_table, ratio_table
from upperhand.reports.markdown import Table, with_tables
from upperhand.simulation.rewards import draw_table
from upperhand.simulation.statistics import estimate
from upperhand.text import short, with_error
from upperhand.theory.lower_bounds import quantile_pulls

DOCS = Path(__file__).parents[1]
FOR_QUANTILES = ("KL-QUCB+", "Quantile-IMED", "ACP-UCB1", "ACP-UCB1 auto")


def comparison() -> Iterator[tuple[str, Table]]:
    """Yield the tables of the page of comparisons."""
    paper, hard = uh.compare("paper"), uh.compare("hard")
    own = [policy for policy, row in paper.main("headline").items() if row.own]
    rivals = [policy for policy in own if policy != paper.reference]
    yield "settings", ratio_table(paper, rivals, list(paper.runs))
    yield "objectives", matrix_table(paper, "headline")
    yield "misleading", ratio_table(hard, rivals, [each.name for each in HARD[:7]])
    yield "early", ratio_table(hard, rivals, [each.name for each in HARD[7:]])
    tried = uh.compare("paper", calibrated)
    yield "calibrators", ratio_table(tried, tried.policies, list(tried.runs))
    yield "long-run", long_run()


def calibrated(instance: uh.Instance, horizon: int) -> dict[str, uh.ACPUCB1]:
    """Return ACP-UCB1 with its own calibrator, without any, and with each of the others."""
    alpha = instance.alpha
    others = [name for name, cls in CALIBRATORS.items() if cls is not uh.Rescored]
    made = {name: as_calibrator(name, alpha=alpha, horizon=horizon) for name in others}
    return {"ACP-UCB1": uh.ACPUCB1(alpha), "none (η = 0)": uh.ACPUCB1(alpha, eta=0)} | {
        name: uh.ACPUCB1(alpha, calibrator=each) for name, each in made.items()
    }


def long_run(n: int = 1_000_000) -> Table:
    """Return regrets and slopes of our policies on the headline in the long run."""
    ours = {
        label: p for label, p in default_policies(INSTANCES["headline"], n).items() if label in OURS
    }
    found = uh.compare("headline", ours, horizon=n, replications=30).main("headline")
    rows = []
    for name, r in found.items():
        regret, slope = with_error(r.regret, r.regret_se), with_error(r.slope, r.slope_se)
        rows.append((name, regret, slope, f"{r.slope_ratio:.2f}"))
    heads = ("policy", f"regret at n = {n:,}", "slope in ln n", "slope / bound's")
    return Table(heads, tuple(rows))


def best_of_n(n: int = 10_000) -> Iterator[tuple[str, Table]]:
    """Yield the tables of the page on the best of N."""
    heads = ("instance", "arms", "best arm", "from N on", "at that N", "at N = 8", "at N = 64")
    rows = []
    for each in extreme_instances():
        best, first = draws_needed(each.arms, n)
        pulls = pulls_at((first, 8, 64), each, best)
        rows.append((each.name, each.note, f"{best + 1}", f"{first}", *pulls))
    yield "instances", Table(heads, tuple(rows), left=2)
    found = {
        each.name: largest(each, n, 200, (8, 64), FOR_QUANTILES) for each in extreme_instances()
    }
    policies = list(found["extreme-1"])
    for place, name in enumerate(("largest", "shares")):
        cells = [[f[p][place] if p in f else "—" for f in found.values()] for p in policies]
        rows = [(policy, *row) for policy, row in zip(policies, cells, strict=True)]
        yield name, Table(("policy", *found), tuple(rows))
    again = largest(extreme_instances()[5], 5 * n, 100, (8, 64, 512), FOR_QUANTILES[:2])
    rows = [(policy, *row) for policy, row in again.items()]
    yield "crossing", Table(("policy", "largest reward", "pulls of the best arm"), tuple(rows))


def draws_needed(arms: Sequence[uh.Distribution], rounds: int) -> tuple[int, int]:
    """Return the arm that is best for the maximum of so many rounds, and the N that shows it.

    From that N on it is the best one under the best of N also, up to the number of rounds, and no
    arm that is worse in the end ties with it.
    """
    levels = np.exp2(-1.0 / np.arange(1, rounds + 1))
    values = np.array([arm.quantile(levels) for arm in arms])
    best = np.equal(gaps_of(values.T, [arm.magnitude for arm in arms]), 0.0)  # (rounds, K)
    wrong = np.flatnonzero((best & ~best[-1]).any(axis=1))
    return int(best[-1].argmax()), int(wrong[-1]) + 2 if len(wrong) else 1


def pulls_at(draws: Sequence[int], instance: uh.Instance, best: int, n: int = 10_000) -> list[str]:
    """Return the pulls that the other arms take at each N; a dash where another arm is best."""
    cells = []
    for value in map(uh.BestOf, draws):
        pulls = math.log(n) * float(quantile_pulls(instance.arms, value.tau).sum())
        cell = f"{pulls:,.0f}" if pulls < 1e6 else short(pulls)
        cells.append(cell if value.best(instance.arms) == best else "—")
    return cells


def largest(
    instance: uh.Instance, n: int, replications: int, draws: Sequence[int], names: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return the largest reward of each policy over the best arm's, and its pulls of that arm.

    Runs have pull counts alone: an arm that was pulled s times gave its first s rewards.
    """
    policies: dict[str, uh.Policy] = {}
    for each in draws:
        told = default_policies(
            instance, n, uh.BestOf(each), {name: COMPARED[name] for name in names}
        )
        policies |= {f"{name} {each}": policy for name, policy in told.items()}
    policies |= default_policies(instance, n, entries=EXTREMES)
    runs = uh.simulate(instance.arms, policies, n, replications, 0, rounds=[n])
    best, arms = draws_needed(instance.arms, 10_000)[0], np.arange(len(instance.arms))
    pulls = {name: counts[:, -1] for name, counts in runs.pulls.items()}
    pulls["arms in turn"] = np.tile(n // len(arms) + (arms < n % len(arms)), (replications, 1))
    found, alone = {name: np.empty(replications) for name in pulls}, np.empty(replications)
    for r in range(replications):
        tops = np.maximum.accumulate(draw_table(instance.arms, n, 0, r), axis=1)
        alone[r] = tops[best, -1]
        for name, counts in pulls.items():
            found[name][r] = max(tops[arm, s - 1] for arm, s in enumerate(counts[r]) if s)
    shares = {name: f"{100 * (counts[:, best] / n).mean():.1f} %" for name, counts in pulls.items()}
    logs = {name: estimate(np.log(rewards / alone)) for name, rewards in found.items()}
    return {
        name: (with_error(math.exp(log.value), math.exp(log.value) * log.se), shares[name])
        for name, log in logs.items()
    }


def front() -> None:
    """Draw the README's figure from the README's own example."""
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(readme)
    known: dict[str, Any] = {"uh": uh}
    for example in examples[[each.source[:6] for each in examples].index("arms =") :]:
        exec(example.source, known)  # noqa: S102
    known["runs"].plot().figure.savefig(DOCS / "images" / "front.png", dpi=110)


if __name__ == "__main__":
    if sys.argv[1] == "front":
        sys.exit(front())
    path = DOCS / f"{sys.argv[1]}.md"
    made = dict({"comparison": comparison, "best-of-n": best_of_n}[sys.argv[1]]())
    path.write_text(with_tables(path.read_text(encoding="utf-8"), made), encoding="utf-8")
