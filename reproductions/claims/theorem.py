"""Section 4.2 and appendix A.1.3: Theorem 1, played, and whether it covers the experiments."""

import math
import re
from collections.abc import Sequence

import numpy as np

from upperhand.distributions import Distribution, Normal, Uniform
from upperhand.errors import AssumptionError
from upperhand.objectives import UpperTail
from upperhand.paper.claims import Claim
from upperhand.paper.experiments import ACP, HORIZON
from upperhand.policies import ACPUCB1
from upperhand.simulation.runs import Runs
from upperhand.simulation.simulate import simulate
from upperhand.text import significant
from upperhand.theory import assumption_1, theorem_1
from upperhand.theory.assumption_1 import LocalConstants

from . import cases, evidence
from .cases import ALPHA, GAUSSIAN_ARMS
from .evidence import Array, Effort, holds_if, logarithmic, seed_of, share_of, stream

# Two uniform arms at a level that makes ρ wide, and a gap at which arms are pulled after the
# initial pulls too. The bound is below n, which needs some two million rounds.
LEVEL, LEVELS, R_Y, R_S, GAP, ROUNDS = 0.66, (0.65, 0.67), 0.324, 0.164, 0.4, 2_000_000
UNIFORM_ARMS = Uniform(0, 1), Uniform(GAP, 1 + GAP)


def section_4_2(effort: Effort) -> list[Claim]:
    """Judge Theorem 1."""
    play = played(share_of(effort, 1000), seed_of(effort, 6, 3))
    return [_exponents(effort), _initial_pulls(effort), *_bounds(*play)]


def _exponents(effort: Effort) -> Claim:
    rng = stream(effort, 6, 1)
    pairs = np.exp(rng.uniform(-9, 3, (effort.trials, 2)))  # f_min and g_min
    kept = sum(tails_kept(rng, f, g) for f, g in pairs)
    needed = max(theorem_1.b_of_the_proof(f, g) / theorem_1.b_0(f, g) for f, g in pairs)
    return Claim(
        "Appendix A.1.3",
        "b ≥ 64 / h_min makes the three tail probabilities of the proof at most 2 t⁻⁴, 2 t⁻⁴ and "
        "4 t⁻⁴.",
        "The lemmas' bounds at random f_min, g_min, t and s, with b = b_0. Can refuse only a b_0 "
        "below the part needed.",
        {
            "cases in which both are kept": f"{kept:,} of {len(pairs):,}",
            "largest part of b_0 that the proof needs": f"{needed:.3f}",
        },
        holds_if(kept == len(pairs)),
    )


def tails_kept(rng: np.random.Generator, f_min: float, g_min: float) -> bool:
    """Draw a round t and a count s; return whether the lemmas' tails at b_0 are small enough."""
    t, s = math.exp(rng.uniform(0.5, 14)), int(rng.integers(1, 10**6))
    error = theorem_1.b_0(f_min, g_min) * math.sqrt(math.log(t) / s) / 4
    wide = {"f_min": f_min, "r_y": 2 * error}
    reward = theorem_1.reward_quantile_tail(s, error, **wide)
    score = theorem_1.score_quantile_tail(s, error, g_min=g_min, r_s=2 * error, **wide)
    return bool(reward <= 2 * t**-4 and score <= 6 * t**-4)


def _initial_pulls(effort: Effort) -> Claim:
    rng = stream(effort, 6, 2)
    excess, reach = np.max([initial_pulls(rng) for _ in range(effort.trials)], axis=0)
    return Claim(
        "Appendix A.1.3",
        "The initial pulls s_0 are at most 4 b² ln n / Δ_j² + O(1) when r_y and r_s are at least "
        "Δ_j/4, and they are enough for the lemmas: every deviation b √(ln t / s)/4 asked of them "
        "is within ρ.",
        "Random b, n, Δ and radii, up to rounding; O(1) is 1, or s_0 = 2.",
        {
            "cases": f"{effort.trials:,}",
            "largest s_0 − 4 b² ln n / Δ²": f"{excess:.2f}",
            "largest deviation / ρ": f"{reach:.4f}",
        },
        holds_if(excess <= 1 + 1e-5 and reach <= 1 + 1e-9),
    )


def initial_pulls(rng: np.random.Generator) -> tuple[float, float]:
    """Draw a case; return s_0 beyond 4 b² ln n / Δ² (unless it is 2), and the reach over ρ."""
    b, gap = np.exp(rng.uniform(0, 4)), np.exp(rng.uniform(-4, 1))
    n = int(np.exp(rng.uniform(1, 20)))
    r_y, r_s = gap / 4 * np.where(rng.random(2) < 0.3, 1, 1 + rng.exponential(size=2))
    radius = theorem_1.rho(r_y, r_s)
    s_0 = theorem_1.s_loc(n, b, radius)
    excess = 0.0 if s_0 == 2 else s_0 - float(theorem_1.leading_pulls(n, b, gap))
    return excess, b * math.sqrt(math.log(n) / s_0) / 4 / radius


def played(replications: int, seed: int) -> tuple[ACPUCB1, LocalConstants, Runs]:
    """Play the policy with the smallest b, the largest λ and the s_0 of the theorem."""
    local = assumption_1.local_constants(UNIFORM_ARMS, LEVEL, LEVELS, r_y=R_Y, r_s=R_S)
    given = {"f_min": local.f_min, "g_min": local.g_min, "r_y": local.r_y, "r_s": local.r_s}
    levels = {"alpha": LEVEL, "level_min": LEVELS[0], "level_max": LEVELS[1]}
    policy = theorem_1.admissible_policy(ROUNDS, **given, **levels)
    runs = simulate(UNIFORM_ARMS, policy, ROUNDS, replications, seed, rounds=1, progress=False)
    return policy, local, runs


def _conditions(policy: ACPUCB1, gaps: Array, local: LocalConstants, horizon: int) -> list[bool]:
    """Return whether each side condition of the theorem is met."""
    asked = theorem_1.side_conditions(
        gaps, local, b=policy.b, lam=policy.lam, init=policy.init, horizon=horizon
    )
    return [condition.holds for condition in asked]


def _bounds(policy: ACPUCB1, local: LocalConstants, runs: Runs) -> list[Claim]:
    """Judge pulls and regret of the runs against their bounds."""
    gaps = UpperTail(LEVEL).gaps(UNIFORM_ARMS)
    admitted = all(_conditions(policy, gaps, local, ROUNDS))
    pulls = runs.pulls[ACP][:, -1, int(np.argmax(gaps))].astype(np.float64)
    regret = runs.regret(UpperTail(LEVEL))[ACP].final
    return [
        bounded_runs(
            "Under the conditions of Theorem 1, E[T_j(n)] ≤ 4 b² ln n / Δ_j² + B_j.",
            "Two uniform arms, n = 2,000,000, all side conditions met: no run exceeds the bound, "
            "with a note if some do but not their mean. Can refuse only a bound below the part "
            "used, which is mostly initial pulls.",
            pulls,
            float(theorem_1.pull_bound(ROUNDS, policy.b, gaps.max())),
            admitted=admitted,
        ),
        bounded_runs(
            "Consequently, R_n^ACP ≤ Σ_{j≠A} 4 b² ln n / Δ_j + O(1).",
            "The same runs, judged in the same way, with Δ_j B_j for O(1).",
            regret,
            float(theorem_1.regret_bound(ROUNDS, policy.b, gaps)),
            admitted=admitted,
        ),
    ]


def bounded_runs(
    statement: str, check: str, values: Array, bound: float, *, admitted: bool
) -> Claim:
    """Return a claim that holds if no admitted run exceeds the bound."""
    mean = float(values.mean())
    numbers = {"bound": f"{bound:,.0f}", "mean": f"{mean:,.0f}", "used": f"{mean / bound:.2f}"}
    verdict = holds_if(admitted and values.max() <= bound, note_if=mean <= bound)
    return Claim("Theorem 1", statement, check, numbers, verdict)


PER_CENT = 100  # the same rewards in another unit
NARROW = 0.0999, 0.1001  # a window of levels that leaves next to nothing to adapt


def own_experiments(effort: Effort) -> list[Claim]:
    """Judge what the experiments have to do with the theorem."""
    count, seed = share_of(effort, 600, minimum=2), seed_of(effort, 7, 1)
    instances = {f"Figure 3, {family}": arms for family, arms in cases.FAMILIES.items()}
    instances = {"Figure 1": GAUSSIAN_ARMS} | instances
    per_cent = tuple(Normal(PER_CENT * a.loc, PER_CENT * a.scale) for a in GAUSSIAN_ARMS)
    found = {family: covered(arms) for family, arms in cases.FAMILIES.items()}
    return [
        _settings(),
        logarithmic(
            "Section 5",
            "With the experiments' settings, b = 1, ACP-UCB1's ACP regret on the experiments' arms "
            "grows like a logarithm.",
            "ACP regret. (Theorem 1 is silent here: it asks for a larger b.)",
            {name: acp_regret(arms, count, seed) for name, arms in instances.items()},
            ours=True,
        ),
        logarithmic(
            "Section 5.1",
            "With the experiments' b = 1, ACP-UCB1's regret on Figure 1's arms is logarithmic also "
            "if rewards are stated in per cent.",
            "ACP regret; Figure 1 above is the control. (b is in the unit of the rewards.)",
            {"in per cent": acp_regret(per_cent, share_of(effort, 300, minimum=4), seed)},
            ours=True,
        ),
        Claim(
            "Section 5.3",
            "Assumption 1, with the radii that Theorem 1 needs, holds for the arms of Figure 3 on "
            "the experiments' window of levels.",
            "Whether its constants exist for radii Δ_j/4, the smallest that the theorem admits.",
            found,
            holds_if(all(said.startswith("f_min") for said in found.values())),
            ours=True,
        ),
    ]


def _settings() -> Claim:
    gaps, policy = UpperTail(ALPHA).gaps(GAUSSIAN_ARMS), cases.EXPERIMENTS_POLICY
    stated = cases.figure_1_constants()
    best = [
        assumption_1.local_constants(GAUSSIAN_ARMS, ALPHA, window, r_y=stated.r_y, r_s=stated.r_s)
        for window in (cases.WINDOW, NARROW)
    ]
    constants = stated, *best
    met = [_conditions(policy, gaps, local, HORIZON) for local in constants]
    b_0 = [theorem_1.b_0(local.f_min, local.g_min) for local in constants]
    return Claim(
        "Section 5",
        "The experiments' settings, b = 1, λ = 1, two initial pulls and n = 10,000, meet the "
        "conditions of Theorem 1.",
        "Figure 1 with r_y = r_s = Δ/4: with the appendix's constants, with the best ones, and "
        "with the best on a narrow window. With a note if all are met in the last two only.",
        {
            "conditions met": "; ".join(f"{sum(each)} of {len(each)}" for each in met),
            "b at least": "; ".join(map(significant, b_0)),
        },
        holds_if(all(met[0]), note_if=any(map(all, met))),
        ours=True,
    )


def acp_regret(arms: tuple[Distribution, ...], count: int, seed: int) -> Array:
    """Return the mean ACP regret of the experiments' ACP-UCB1 at the recorded rounds."""
    runs = evidence.long_runs(arms, (cases.EXPERIMENTS_POLICY,), count, seed)
    return np.asarray(runs.regret(UpperTail(ALPHA))[ACP].mean)


def covered(arms: Sequence[Distribution]) -> str:
    """Return the constants of Assumption 1 with radii Δ/4, or which condition fails."""
    radius = theorem_1.least_radius(UpperTail(ALPHA).gaps(arms))
    try:
        found = assumption_1.local_constants(arms, ALPHA, cases.WINDOW, r_y=radius, r_s=radius)
    except AssumptionError as error:
        said = str(error).partition(":")[0]  # the paper counts arms from 1
        return re.sub(r"(?<=arm )\d+", lambda found: str(int(found[0]) + 1), said)
    return f"f_min = {significant(found.f_min)}, g_min = {significant(found.g_min)}"
