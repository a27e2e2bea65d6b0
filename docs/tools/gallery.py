"""Recompute the figures and tables of docs/gallery/.

    python docs/tools/gallery.py             # on the data that come with the library: minutes
    python docs/tools/gallery.py FOLDER      # all pages, FOLDER having the clones for the others

Each clone has the name of its repository: llmperf-leaderboard, NetLatency-Data and
al-for-sat-solver-benchmarking-data. Without Optuna, its row is left out. Tables stand between
<!-- NAME --> and <!-- end -->.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import upperhand as uh
from upperhand.datasets import Dataset
from upperhand.figures.style import drawing
from upperhand.reports.markdown import Table, with_tables

PAGES = Path(__file__).parents[1] / "gallery"
FRUGAL = "kl-qucb:plus=true,frugal=40,trust=3"
OTHERS = {
    "KL-QUCB": "kl-qucb",
    "Quantile-IMED": "quantile-imed",
    "Quantile-TS": "quantile-ts",
    "ACP-UCB1, auto": "acp-ucb1:scale=auto",
}
BASELINES = {
    "mean of last 10": "mean-of-last",
    "ε-greedy, quantile": "epsilon-greedy",
    "explore n/5, commit": "explore-then-commit",
    "round robin": "round-robin",
}
BEST_OF_N = {"MaxMedian": "maxmedian"}


class Setting(NamedTuple):
    """What is replayed: tables or arms, how, and how often each."""

    tables: Sequence[Any]
    options: dict[str, Any]
    replications: int


class GreedyMean:
    """ε-greedy on means: the best one, and any arm with probability 0.1."""

    def start(self, n_arms: int, rng: np.random.Generator) -> None:
        """Begin."""
        self.rng, self.pulls, self.means = rng, [0] * n_arms, [0.0] * n_arms

    def select(self) -> int:
        """Return an arm."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        if self.rng.random() < 0.1:
            return int(self.rng.random() * len(self.pulls))
        return self.means.index(max(self.means))

    def update(self, arm: int, reward: float) -> None:
        """Learn a reward."""
        self.pulls[arm] += 1
        self.means[arm] += (reward - self.means[arm]) / self.pulls[arm]


class ScaledUCB1:
    """UCB1 as its paper wants it: rewards in [0, 1], by the range of outcomes that nobody knows."""

    def __init__(self, low: float, high: float, minimize: bool) -> None:
        self.low, self.high, self.minimize = low, high, minimize

    def start(self, n_arms: int) -> None:
        """Begin."""
        self.policy = uh.UCB1()
        self.state = self.policy.functions.start(self.policy.parameters, n_arms, 0)

    def select(self, t: int) -> int:
        """Return an arm."""
        return self.policy.functions.choose(self.policy.parameters, self.state, t, None)

    def update(self, arm: int, reward: float) -> None:
        """Learn a reward; costs arrive negated."""
        outcome = -reward if self.minimize else reward
        share = min(max((outcome - self.low) / (self.high - self.low), 0.0), 1.0)
        share = 1.0 - share if self.minimize else share
        self.policy.functions.update(self.policy.parameters, self.state, arm, share)


class OptunaTPE:
    """Optuna's default sampler, with the arm as its one categorical parameter."""

    def start(self, n_arms: int, rng: np.random.Generator) -> None:
        """Begin."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(seed=int(rng.integers(2**32)))
        self.arms = list(range(n_arms))
        self.study = optuna.create_study(direction="maximize", sampler=sampler)

    def select(self) -> int:
        """Return an arm."""
        self.trial = self.study.ask()
        return int(self.trial.suggest_categorical("arm", self.arms))

    def update(self, reward: float) -> None:
        """Learn a reward."""
        self.study.tell(self.trial, reward)


def policies(setting: Setting, table: Any) -> dict[str, Any]:
    """Return the policies of a setting; for means those of users, and those of the papers."""
    minimize = setting.options["direction"] == "minimize"
    given = np.concatenate([np.ravel(each) for each in columns(table)])
    outcomes = np.where(np.isinf(given), setting.options.get("failure", 0.0), given)
    ends = float(outcomes.min()), float(np.quantile(outcomes, 0.999))
    means = {
        "ε-greedy, mean": GreedyMean(),
        "UCB1, raw": "ucb1",
        "UCB1, scaled": ScaledUCB1(*ends, minimize),
        "Thompson, mean": "thompson-sampling:model=gaussian",
    }
    rounds = setting.options.get("horizon", len(next(iter(columns(table)))))
    ours = {"KL-QUCB+": "kl-qucb:plus=true", "KL-QUCB+ frugal": FRUGAL}
    ours["KL-QUCB+ frugal, n known"] = f"{FRUGAL},horizon={rounds}"
    return {**ours, **OTHERS, **BASELINES, **means}


def columns(table: Any) -> list[Any]:
    """Return the outcomes of each arm."""
    return list(table.values()) if isinstance(table, Mapping) else list(np.transpose(table))


def replays(setting: Setting, extra: Mapping[str, Any] | None = None) -> list[uh.Replay]:
    """Return the replay of each table."""
    with warnings.catch_warnings():  # a failure may cost less than the longest delay: it is said
        warnings.simplefilter("ignore", uh.errors.FitWarning)
        return [
            uh.replay(
                table, {**policies(setting, table), **(extra or {})}, **setting.options,
                replications=setting.replications, seed=place, progress=False,
            )
            for place, table in enumerate(setting.tables)
        ]  # fmt: skip


def figures(found: Sequence[uh.Replay], name: str) -> tuple[float, float]:
    """Return the realised ratio of a policy and its Monte Carlo error, over all tables.

    A difference is one of log10, so that the ratio is one of losses.
    """
    each = [replay[name].realised for replay in found]
    ratio = found[0].measure == "ratio"
    logs = [np.log(values) if ratio else values * math.log(10) for values in each]
    mean = math.exp(np.mean([values.mean() for values in logs]))
    error = math.sqrt(sum(values.var(ddof=1) / len(values) for values in logs)) / len(logs)
    return mean, mean * error


def flights(dest: str) -> Setting:
    """Return the carriers to a destination; a cancelled flight costs six hours."""
    aim = {"quantile": 0.95, "direction": "minimize"}
    arms = uh.datasets.load_flights().arms(dest=dest)
    return Setting([arms], {**aim, "horizon": 2000, "failure": 360.0}, 200)


def tuning() -> Setting:
    """Return the families of networks, for the best of 8."""
    data = uh.datasets.load_network_tuning()
    aim = {"quantile": data.quantile, "direction": "maximize"}
    return Setting([data.arms()], {**aim, "horizon": 300, "measure": "difference"}, 300)


def requests(data: Dataset, model: str, outcome: str, horizon: int) -> Setting:
    """Return the providers of a model; a refused request costs two minutes."""
    aim = {"quantile": 0.95, "direction": "minimize"}
    arms = data.arms(model=model, outcome=outcome)
    runs = 200 if horizon > 1000 else 400
    return Setting([arms], {**aim, "horizon": horizon, "failure": 120.0}, runs)


def servers(data: Dataset) -> Setting:
    """Return 24 random clients with 5 random servers each, in order of time."""
    rng = np.random.default_rng(0)
    clients = rng.choice(99, 24, replace=False).tolist()
    others = [[node for node in range(99) if node != client] for client in clients]
    drawn = [rng.choice(each, 5, replace=False).tolist() for each in others]
    tables = [data.table(client=c, servers=s) for c, s in zip(clients, drawn, strict=True)]
    return Setting(tables, {"quantile": 0.99, "direction": "minimize", "order": "time"}, 25)


SOLVERS = (
    "CaDiCaL_DVDL_V1", "CadicalReorder", "hCaD_V1-psids", "kissat-els-v2", "kissat_inc",
    "Kissat_MAB_UCB", "MapleLCMDistChrBt-DL-v3",
)  # fmt: skip


def solvers(data: Dataset) -> Setting:
    """Return seven solvers; a run that was cut off costs twice the time limit."""
    aim = {"quantile": 0.6, "direction": "minimize", "order": "shuffle", "horizon": 1500}
    return Setting([data.table(solvers=SOLVERS)], {**aim, "failure": 10_000.0}, 200)


def save(figure: Any, name: str) -> None:
    """Write a figure."""
    figure.savefig(PAGES.parent / "images" / f"gallery-{name}.png", dpi=110, bbox_inches="tight")


def drawn(found: uh.Replay, title: str, name: str) -> None:
    """Draw the replay of one table, ours and baselines apart from policies for the mean."""
    axes = found.plot()
    axes.set_title(title, loc="left")
    names = list(found.played)
    for first in ("mean of last 10", "ε-greedy, mean"):
        axes.axhline(names.index(first) - 0.5, color="#888888", linewidth=0.6)
    if found.measure == "difference":  # of log10
        ratios = (1, 1.1, 1.2, 1.4, 1.6, 1.8, 2)
        axes.set_xticks(np.log10(ratios), [str(ratio) for ratio in ratios])
        axes.set_xlabel("Loss at the p91.7 (best of 8): ratio to the best arm's, larger is worse")
    save(axes.figure, name)


def clients(found: Sequence[uh.Replay], name: str) -> None:
    """Draw each client's ratio as a dot, and the mean over clients with its 95 % interval."""
    from matplotlib import pyplot

    names = list(found[0].played)
    _, axes = pyplot.subplots(figsize=(6.0, 0.28 * len(names) + 0.9), layout="constrained")
    for row, policy in enumerate(names):
        logs = np.array([np.log(each[policy].realised).mean() for each in found])
        half = 2.07 * logs.std(ddof=1) / math.sqrt(len(logs))
        axes.plot(np.exp(logs), np.full(len(logs), row), "o", color="#9ec5e3", markersize=3)
        ends = np.exp(logs.mean() + np.array([-half, half]))
        axes.plot(ends, [row, row], color="#0072b2", linewidth=2.4)
        axes.plot(math.exp(logs.mean()), row, "o", color="#0072b2", markersize=6)
    axes.axvline(1.0, color="#6f6f6f", linewidth=0.9)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set(xscale="log", xlim=(0.55, 7), xticks=(0.6, 1, 2, 4), xticklabels=(0.6, 1, 2, 4))
    axes.minorticks_off()
    axes.set_xlabel("Realised p99: ratio to the best server's, larger is worse")
    axes.set_title(f"{len(found)} clients, 5 servers each: a dot is a client", loc="left")
    save(axes.figure, name)


def by_rounds(setting: Setting, rounds: Sequence[int], names: Sequence[str]) -> dict[str, Any]:
    """Return each policy's ratio and error for each number of rounds."""
    found: dict[str, Any] = {name: [] for name in names}
    for n in rounds:
        options = {**setting.options, "horizon": n}
        every = policies(setting, setting.tables[0])
        replay = uh.replay(
            setting.tables[0], {name: every[name] for name in names}, **options,
            replications=setting.replications, seed=n, progress=False,
        )  # fmt: skip
        for name in names:
            found[name].append(figures([replay], name))
    return found


def rounds_needed(arms: int, tau: float, nats: float) -> float:
    """Return the n from which on K ln n / nats ≤ (1 − τ) n."""
    n = 2.0
    while arms * math.log(n) / nats > (1 - tau) * n:
        n *= 1.01
    return n


def how_many_rounds() -> None:
    """Draw the realised ratio against the rounds, with the rule's line."""
    from matplotlib import pyplot

    names = ["KL-QUCB+", "KL-QUCB+ frugal", *BASELINES]
    tau = uh.datasets.load_network_tuning().quantile
    panels = (
        ("Carriers to Baltimore: p95, 3 arms", flights("BWI"), 3, 0.95, math.log(20)),
        ("Tuning: best of 8, 8 arms", tuning(), 8, tau, -math.log(tau)),
    )
    figure, both = pyplot.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uh.errors.FitWarning)
        for axes, (title, setting, arms, level, nats) in zip(both, panels, strict=True):
            rounds = [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800]
            for name, curve in by_rounds(setting, rounds, names).items():
                values, errors = np.array(curve).T
                ours = name not in BASELINES
                (line,) = axes.plot(rounds, values, label=name, linestyle="-" if ours else "--")
                axes.fill_between(
                    rounds, values - 1.96 * errors, values + 1.96 * errors, alpha=0.15,
                    color=line.get_color(), linewidth=0,
                )  # fmt: skip
            axes.axvline(rounds_needed(arms, level, nats), color="#000000", linewidth=0.9)
            axes.axhline(1.0, color="#6f6f6f", linewidth=0.6)
            axes.set(xscale="log", xlabel="Rounds", xticks=rounds[::2])
            axes.set_title(title, loc="left")
            axes.set_xticklabels([f"{n:,}" for n in rounds[::2]])
            axes.minorticks_off()
    both[0].set_ylabel("Realised ratio to the best arm")
    both[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    save(figure, "rounds")


def table(found: Mapping[str, Sequence[uh.Replay]]) -> Table:
    """Return the realised ratios: a row for each policy, a column for each setting."""
    names = dict.fromkeys(name for each in found.values() for name in each[0].played)
    rows = [(name, *(cell(each, name) for each in found.values())) for name in names]
    return Table(("policy", *found), tuple(rows))


def cell(found: Sequence[uh.Replay], name: str) -> str:
    """Return a ratio with its error."""
    if name not in found[0].played:
        return "—"
    ratio, error = figures(found, name)
    return f"{ratio:.3f}±{error:.3f}" if ratio < 10 else f"{ratio:.1f}±{error:.1f}"


def shipped() -> Iterator[tuple[str, Table]]:
    """Draw the pages on data that come with the library, and yield the table of all of them."""
    found = {dest: replays(flights(dest)) for dest in ("BWI", "CHS", "PDX")}
    found["best of 8"] = replays(tuning(), BEST_OF_N)
    if find_spec("optuna"):  # in the first 60 replications, as it takes a minute
        few = tuning()._replace(replications=60)
        found["best of 8"][0].played["Optuna TPE"] = replays(few, {"TPE": OptunaTPE()})[0]["TPE"]
    with drawing():
        drawn(found["BWI"][0], "Carriers to Baltimore: 3 arms, 2,000 flights", "carriers")
        drawn(found["best of 8"][0], "Families of networks: 8 arms, 300 trials", "best-of-8")
        how_many_rounds()
    yield "shipped", table(found)


def from_clones(folder: Path) -> Iterator[tuple[str, Table]]:
    """Draw the pages on data of other repositories, and yield the table of all of them."""
    answers = uh.datasets.load_llm_requests(folder / "llmperf-leaderboard")
    times = uh.datasets.load_network_rtt(folder / "NetLatency-Data")
    runs = uh.datasets.load_sat_seconds(folder / "al-for-sat-solver-benchmarking-data")
    found = {
        "70b, 2,000 requests": replays(requests(answers, "70b", "end_to_end_s", 2000)),
        "70b, 200 requests": replays(requests(answers, "70b", "end_to_end_s", 200)),
        "7b, first token": replays(requests(answers, "7b", "ttft_s", 2000)),
        "servers, p99": replays(servers(times)),
        "SAT solvers, p60": replays(solvers(runs)),
    }
    title = "Providers of Llama-2 70b: 8 arms, 200 requests"
    with drawing():
        drawn(found["70b, 200 requests"][0], title, "providers")
        clients(found["servers, p99"], "servers")
        drawn(found["SAT solvers, p60"][0], "SAT solvers: 7 arms, 1,500 instances", "solvers")
    yield "clones", table(found)
    yield "identify", stopping(runs.arms(failure=10_000.0, solvers=SOLVERS))


def stopping(arms: Mapping[str, Any]) -> Table:
    """Return whether `identify` stops on the solvers, with and without a tolerance."""
    rows = []
    for epsilon in (0.0, 0.02, 0.05):
        policy = uh.QuantileEvidence(0.6, epsilon=epsilon, delta=0.05)
        found = uh.identify(
            arms, policy, direction="minimize", cap=20_000, replications=20, seed=0, progress=False
        )
        each = found[policy.name]
        rows.append((f"{epsilon:g}", f"{each.median:,.0f}", f"{each.undecided:.0%}"))
    return Table(("tolerance ε", "median samples", "undecided after 20,000"), tuple(rows))


def main(made: Callable[[], Iterator[tuple[str, Table]]]) -> None:
    """Write tables into the page of the gallery that has their place."""
    for name, each in made():
        for page in PAGES.glob("*.md"):
            text = page.read_text(encoding="utf-8")
            if f"<!-- {name} -->" in text:
                page.write_text(with_tables(text, {name: each}), encoding="utf-8")


if __name__ == "__main__":
    main(shipped)
    if len(sys.argv) > 1:
        main(lambda: from_clones(Path(sys.argv[1])))
