"""UCB-CP's simulation, and UCB1 on small gaps.

S. Cuonzo, N. Deliu, arXiv:2512.09850: coverage of UCB-CP's intervals, and UCB1's regret.

There are three arms, the best ahead by μ, and the first rounds are not counted. Coverage of arm 1
is the share of its rounds whose reward lies in the interval made before it was seen.

The table of the article itself was not found. A public summary quotes the coverage of arm 1 as
80.47 % (Gaussian) and 81.29 % (Student t with 3 degrees of freedom), without saying for which rule;
they are shown for every rule, second hand, and not judged. The nominal coverage is 80 %.

Assumed: the rules of the authors' present code, which are ours. In the code of the article's date,
L, UL and comb had −|L| in the place of L. The two agree as long as L is negative, which it nearly
always is here. U is the same in both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import upperhand as uh
from upperhand._kernels.compiler import compile_closure
from upperhand.simulation.rewards import draw_table, policy_stream

from . import published
from .judging import Line
from .section import SEED, Comparison, Effort, Section, mean_and_error

HORIZON, RUNS, UCB1_RUNS = 2000, 1000, 500
LEFT_OUT = 7  # the first rounds, which the authors leave out
MU, SD, DF = 0.005, 0.01, 3
RULES: tuple[str, ...] = ("U", "comb", "L", "UL")
FAMILIES: dict[str, Callable[[float], uh.Distribution]] = {
    "Gaussian": lambda mu: uh.Normal(mu, SD),
    "Student t": lambda mu: uh.StudentT(mu, SD, DF),
}
SECOND_HAND = {"Gaussian": 80.47, "Student t": 81.29}
NOMINAL = 80.0


def section(effort: Effort) -> Section:
    """Return coverage and UCB1's figure."""
    runs, ucb1_runs = effort.of(RUNS, 2), effort.of(UCB1_RUNS, 20)
    return Section(
        title="UCB-CP: small gaps",
        comparisons=(_coverage(runs), _ucb1(ucb1_runs)),
    )


def _coverage(runs: int) -> Comparison:
    lines = []
    for family, law in FAMILIES.items():
        arms = [law(MU), law(0.0), law(0.0)]
        for rule in RULES:
            policy = uh.UCBCP(rule, alpha=0.2, eta=0.005)  # type: ignore[arg-type]
            shares = [100 * coverage(policy, arms, replication) for replication in range(runs)]
            ours, error = mean_and_error(shares)
            said = SECOND_HAND[family]
            lines.append(Line((family, rule), said, ours, our_se=error, judged=False))
    return Comparison(
        "Coverage of arm 1, in percent (nominal 80)",
        ("arms", "rule"),
        tuple(lines),
    )


def coverage(policy: uh.UCBCP, arms: list[uh.Distribution], replication: int) -> float:
    """Return the share of arm 1's rewards that its intervals covered, in one replication."""
    table = draw_table(arms, HORIZON, SEED, replication)
    functions, parameters = policy.functions, policy.parameters
    state = functions.start(parameters, len(arms), HORIZON)
    rng = policy_stream(SEED, replication)
    parts = (functions.index, functions.select, functions.update, functions.full)
    loop = compile_closure(make_covering_loop, *parts, user=type(policy), parts=policy.parts)
    arm_of, covered = np.empty(HORIZON, np.int64), np.empty(HORIZON, np.bool_)
    played = 0
    while played < HORIZON:
        played = loop(parameters, state, table, rng, played, arm_of, covered)
        if played < HORIZON:
            state = functions.grow(state)
    return float(covered[LEFT_OUT:][arm_of[LEFT_OUT:] == 0].mean())


def make_covering_loop(
    index: Callable[..., float],
    select: Callable[..., int],
    update: Callable[..., None],
    full: Callable[..., bool],
) -> Callable[..., int]:
    """Return a loop like the library's own, which also notes if each reward was covered.

    The policy keeps the interval that the newest reward was judged by: what the state says after a
    round is what counts.
    """

    def loop(
        policy: Any,
        state: Any,  # modified
        table: NDArray[np.float64],  # (K, n)
        rng: np.random.Generator,
        played: int,
        arms: NDArray[np.int64],  # (n,) modified
        covered: NDArray[np.bool_],  # (n,) modified
    ) -> int:
        for t in range(played + 1, len(arms) + 1):
            arm = select(index, policy, state, t, rng)
            reward = float(table[arm, state.pulls[arm]])
            update(policy, state, arm, reward)
            arms[t - 1] = arm
            covered[t - 1] = state.lower[arm] <= reward and reward <= state.upper[arm]
            if full(policy, state, arm):
                return t
        return len(arms)

    return loop


def _ucb1(runs: int) -> Comparison:
    lines = []
    for mu in ("0.01", "0.05", "0.1"):
        arms = [uh.Normal(float(mu), 0.1), uh.Normal(0, 0.1), uh.Normal(0, 0.1)]
        found = uh.simulate(
            arms, uh.UCB1(), HORIZON, runs, SEED, rounds=[LEFT_OUT, HORIZON], progress=False
        )
        pulls = np.diff(found.pulls["UCB1"], axis=1)[:, 0]  # (R, K) in the rounds that count
        samples = {
            "pseudo-regret": float(mu) * pulls[:, 1:].sum(axis=1),
            "share of the best arm": pulls[:, 0] / (HORIZON - LEFT_OUT),
        }
        for row in published.rows("ucb_cp_ucb1"):
            if row["mu"] == mu:
                ours, error = mean_and_error(samples[row["what"]])
                said, their = float(row["mean"]), float(row["se"])
                lines.append(Line((f"μ = {mu}", row["what"]), said, ours, their, error))
    return Comparison("UCB1, figure in the introduction", ("gap", "number"), tuple(lines))
