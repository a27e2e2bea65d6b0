"""KL-UCB's ten-armed Bernoulli figure, and the two-armed one.

A. Garivier, O. Cappé, COLT 2011, figures 1 and 2: regret of policies on Bernoulli arms.

Assumed: the standard error of the published means is not given, so ours, scaled to their number of
runs, takes its place. The rule for ties, the precision of the index and how t is counted are not
stated either; `UNSTATED` is allowed for them, and the reading error of the figure. KL-UCB has c =
0, as the authors say.

Their UCB is X̄ + √(ln t / 2N), with half the bonus of UCB1: KL-UCB with a Gaussian model of sd ½ is
the same rule. UCB-V has ζ = 1.

Not in the library: MOSS, UCB-Tuned, DMED, DMED+, KL-UCB+, CP-UCB. Figure 3 (truncated exponential
rewards) is not reproduced. UCB-V at 5,000 rounds and more lies outside figure 1.
"""

import math

import upperhand as uh

from . import published
from .judging import Line
from .section import SEED, Comparison, Effort, Section, mean_and_error

TEN = (0.1, *[0.05] * 3, *[0.02] * 3, *[0.01] * 3)
TWO = (0.9, 0.8)
POLICIES = {
    "UCB": uh.KLUCB("gaussian", sd=0.5),  # X̄ + √(ln t / 2N): their UCB, with c = 0
    "UCB-V": uh.UCBV(1.0, zeta=1.0),
    "KL-UCB": uh.KLUCB(),
}
ROUNDS = (1000, 5000, 20_000)
RUNS, THEIR_RUNS = {"2": 1000, "1": 4000}, 50_000
UNSTATED = 0.5  # for the rule for ties and the precision of the index, which are not stated


def section(effort: Effort) -> Section:
    """Return both figures."""
    runs = {figure: effort.of(full, 4) for figure, full in RUNS.items()}
    horizon = effort.of(ROUNDS[-1], ROUNDS[0])
    figures = (
        _figure("2", "Ten arms, figure 2: mean regret", TEN, runs["2"], horizon, 1.0),
        _figure(
            "1", "Two arms, figure 1: mean draws of the worse arm", TWO, runs["1"], horizon, 10.0
        ),
    )
    return Section(
        title="KL-UCB: Bernoulli arms",
        comparisons=figures,
    )


def _figure(
    figure: str, title: str, means: tuple[float, ...], runs: int, horizon: int, scale: float
) -> Comparison:
    """Return one figure; `scale` makes draws of a regret where one gap is all there is."""
    arms = [uh.Bernoulli(mean) for mean in means]
    rounds = [n for n in ROUNDS if n <= horizon]
    found = uh.simulate(arms, POLICIES, horizon, runs, SEED, rounds=rounds, progress=False)
    gaps = uh.Mean().gaps(arms)
    lines = []
    for row in published.rows("kl_ucb"):
        if row["figure"] == figure and row["policy"] in POLICIES and int(row["n"]) in rounds:
            pulls = found.pulls[row["policy"]][:, rounds.index(int(row["n"]))]
            ours, error = mean_and_error(scale * (pulls @ gaps))
            line = Line(
                (row["policy"], f"{int(row['n']):,}"),
                float(row["value"]),
                ours,
                published_se=error * math.sqrt(runs / THEIR_RUNS),
                our_se=error,
                slack=float(row["reading"]) + UNSTATED,
            )
            lines.append(line)
    lines.sort(key=lambda line: line.what[0])
    return Comparison(title, ("policy", "n"), tuple(lines))
