"""Every claim has a planted fault that changes its verdict.

A fault is a wrong formula, policy, number or run. `FAULTS` has one for each claim of the ledger, by
the first words of its statement; a claim without one, or a fault without a claim, fails the walk.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import upperhand as uh
from reproductions.claims import (
    assumption,
    benchmark,
    cases,
    constants,
    coverage,
    lemmas,
    method,
    population,
    proposition,
    score_quantiles,
    theorem,
    trade_off,
)
from reproductions.claims.evidence import Effort
from upperhand.objectives import UpperTail
from upperhand.paper import families, levels, metrics
from upperhand.paper.experiment import Size
from upperhand.paper.settings import ACP, MEAN_BASED
from upperhand.theory import assumption_1, concentration, gaussian, theorem_1
from upperhand.theory import population as law

from .opposites import altered

EFFORT = Effort(seed=0, trials=300)
RUNS = {
    metrics: cache(lambda: metrics.run(Size(replications=20))),
    levels: cache(lambda: levels.run()),  # the margin at α = 0.30 is thin: the paper's own size
    families: cache(lambda: families.run(Size(replications=20, horizon=3000))),
}
CHAPTERS = (
    *(population, method, assumption, lemmas, theorem, coverage, proposition, trade_off),
    *(constants, metrics, levels, families),
)


def formula(module, name, change):
    """Return a fault: a function that answers something else."""
    return lambda patch: altered(patch, module, name, change)


def number(module, name, value):
    """Return a fault: another constant."""
    return lambda patch: patch.setattr(module, name, value)


def runs_fault(module, change):
    """Return a fault: runs of an experiment that are not those of the policies."""
    return lambda patch: patch.setitem(RUNS, module, lambda made=RUNS[module]: change(made()))


def swapped(runs):
    return replace(runs, pulls={ACP: runs.pulls[MEAN_BASED], MEAN_BASED: runs.pulls[ACP]})


def swapped_levels(runs):
    pulls = dict.fromkeys(runs.pulls, runs.pulls[MEAN_BASED])
    return replace(runs, pulls=pulls | {MEAN_BASED: runs.pulls["ACP-UCB1, α = 0.10"]})


def in_one_family(change):
    return lambda runs: runs | {"Student-t": change(runs["Student-t"])}


def equal_arms(runs):
    return replace(runs, arms=(uh.Normal(0.1, 0.1),) * 3)


def one_favourite(runs):
    return replace(runs, arms=tuple(uh.Normal(m, 0.1) for m in (3, 2, 1)))


def other_arm(runs):
    return replace(runs, pulls={p: np.roll(n, 1, axis=2) for p, n in runs.pulls.items()})


def half_errors(scores):
    return scores._replace(low_error=scores.low_error / 2, high_error=scores.high_error / 2)


def linear_policy(patch):
    """ACP-UCB1 with next to no exploration, on Figure 1's arms."""
    patch.setattr(cases, "EXPERIMENTS_POLICY", cases.EXPERIMENTS_POLICY.replace(b=0.01))
    patch.setattr(coverage, "FAMILIES", {})


def admitted_settings(patch):
    """A b, an init and a horizon that the theorem admits, with constants on a narrow window."""
    for played in ("_own_settings", "_per_cent"):  # the horizon is not one to be played
        patch.setattr(coverage, played, lambda _: coverage._robustness_arms())
    patch.setattr(coverage, "HORIZON", 10**9)
    init = theorem_1.s_loc(10**9, 116.0, cases.figure_1_constants().r_y / 2)
    patch.setattr(cases, "EXPERIMENTS_POLICY", uh.ACPUCB1(0.1, b=116.0, lam=1.0, init=init))


GAUSSIAN_ONLY = {"Gaussian": families.FAMILIES["Gaussian"]}
ALIKE = cases.Gaussians(cases.FIGURE_1.means, np.full(3, math.sqrt(1 / 8)))
FAULTS = {
    "The score s(y; ℓ, u)": (population, formula(law, "score", lambda s: s + 1 / 16)),
    "Scores start at": (population, formula(law, "score_cdf", lambda g: g + 0.2)),
    "Inside its support": (population, formula(law, "score_pdf", lambda g: g * 1.001)),
    "At the nominal level": (population, formula(law, "score_cdf", lambda g: g - 1e-9)),
    "The score quantile": (population, formula(law, "upper_endpoint", lambda v: v + 1e-6)),
    "With a unique best arm": (population, formula(UpperTail, "gaps", lambda d: d * 1.01)),
    "Plug-in scores": (method, formula(concentration, "score_shift", lambda e: e * 0.99)),
    "[L, U] is an interval": (
        method,
        formula(method, "walk", lambda path: replace(path, width=path.width - path.width.max())),
    ),
    "The miss indicator": (
        method,
        formula(method, "walk", lambda path: replace(path, outside=path.width > 1)),
    ),
    "The localized projection": (
        method,
        formula(method, "walk", lambda path: replace(path, level=path.level + 0.001)),
    ),
    "For Gaussian rewards c(β)": (assumption, formula(law, "score_pdf", lambda g: g + 1e-6)),
    "For Gaussian rewards with": (
        assumption,
        formula(assumption_1, "gaussian_constants", lambda c: c._replace(f_min=1.0001 * c.f_min)),
    ),
    "The paper's Gaussian arms": (assumption, number(assumption, "WINDOW", (1e-4, 0.7))),
    "If G has density": (lemmas, formula(concentration, "quantile_error", lambda d: d / 2)),
    "An empirical quantile": (
        lemmas,
        formula(concentration, "reward_quantile_tail", lambda bound: bound**8),
    ),
    "Recomputing the scores": (lemmas, formula(score_quantiles, "scored_twice", half_errors)),
    "The correction errs": (
        lemmas,
        formula(score_quantiles, "distance_bound", lambda bound: bound / 2),
    ),
    "In particular": (
        lemmas,
        formula(score_quantiles, "adapted", lambda found: (found[0] + 0.002, found[1])),
    ),
    "A level β of the window": (
        lemmas,
        formula(concentration, "correction_error", lambda bound: bound * 0.999),
    ),
    "b ≥ 64 / h_min": (theorem, formula(theorem_1, "b_0", lambda b: b * 0.35)),
    "The initial pulls": (theorem, formula(theorem_1, "s_loc", lambda s: s + 3)),
    "Under the conditions": (theorem, formula(theorem_1, "pull_bound", lambda n: n / 10)),
    "Consequently": (theorem, formula(theorem_1, "regret_bound", lambda r: r / 10)),
    "The experiments' settings": (coverage, admitted_settings),
    "With the experiments' settings": (coverage, linear_policy),
    "With the experiments' b = 1": (coverage, number(coverage, "PER_CENT", 1)),
    "Assumption 1, with": (coverage, number(coverage, "FAMILIES", GAUSSIAN_ONLY)),
    "The mean-based benchmark": (proposition, number(benchmark, "FIGURE_1", ALIKE)),
    "For Gaussian rewards u*": (
        proposition,
        formula(gaussian, "utilities", lambda v: v + 1e-9),
    ),
    "Under every utility": (
        proposition,
        formula(gaussian, "utility_regret", lambda r: r * 1.0001),
    ),
    "Uniformly over κ": (
        proposition,
        formula(gaussian, "leading_term", lambda term: 0.999 * term),
    ),
    "If A ≠ M": (trade_off, formula(gaussian, "kappa_0", lambda kappa: 4 * kappa)),
    "Where no third arm": (trade_off, formula(gaussian, "acp_shortfall", lambda d: d + 1e-9)),
    "On Figure 1's arms with": (
        trade_off,
        formula(gaussian, "leading_term", lambda term: 0.99 * term),
    ),
    "On [0, a], sup": (trade_off, formula(gaussian, "worst_acp_shortfall", lambda d: d + 1e-9)),
    "ACP-UCB1 has the smaller worst-case": (trade_off, number(trade_off, "STATED_FACTOR", 1.03)),
    "Figure 1's arms, at": (trade_off, formula(gaussian, "is_acp_minimax", np.logical_not)),
    "Figure 3's Gaussian": (trade_off, formula(gaussian, "is_acp_minimax", np.logical_not)),
    "Averaged over": (
        trade_off,
        formula(gaussian, "average_mean_shortfall", lambda d: d * 1.001),
    ),
    "If mean and tail share": (constants, formula(constants, "played", other_arm)),
    "The ACP gap is": (constants, formula(gaussian, "acp_gap", lambda gap: gap + 1e-9)),
    "“Correspondingly”": (
        constants,
        number(gaussian, "gamma_ucb", lambda _, gaps: 256 / gaps**2 + 8),
    ),
    "γ_j^ACP < γ_j^UCB": (constants, formula(gaussian, "gap_ratio", lambda r: 1.1 * r)),
    "ACP-UCB1 has the smaller leading": (constants, formula(theorem_1, "b_0", lambda _: 1.0)),
    "At α = 0.1 the ACP values": (metrics, formula(UpperTail, "values", lambda v: v + 0.001)),
    "The first arm is": (metrics, runs_fault(metrics, one_favourite)),
    "ACP-UCB1 has smaller ACP": (metrics, runs_fault(metrics, swapped)),
    "Mean-based UCB1 has": (metrics, runs_fault(metrics, swapped)),
    "A policy optimised": (metrics, runs_fault(metrics, swapped)),
    "As α decreases": (levels, runs_fault(levels, equal_arms)),
    "ACP-UCB1 continues": (levels, runs_fault(levels, swapped_levels)),
    "Mean-based UCB1 continues": (levels, runs_fault(levels, swapped_levels)),
    "The ACP-regret of": (levels, runs_fault(levels, equal_arms)),
    "The upper-tail ranking": (families, runs_fault(families, in_one_family(one_favourite))),
    "Across all three": (families, runs_fault(families, in_one_family(swapped))),
    "A mean-based policy": (families, runs_fault(families, in_one_family(swapped))),
    "Experiments beyond": (families, runs_fault(families, in_one_family(one_favourite))),
}


def judged(chapter):
    """Return the claims of a chapter, at a small size."""
    if chapter in RUNS:
        return chapter.claims(RUNS[chapter]())
    return chapter.claims(EFFORT)


@pytest.fixture(scope="module")
def healthy():
    return {chapter: judged(chapter) for chapter in CHAPTERS}


def the_claim(claims, start):
    (found,) = [claim for claim in claims if claim.statement.startswith(start)]
    return found


def test_every_claim_has_one_planted_fault_and_every_fault_a_claim(healthy):
    for chapter, claims in healthy.items():
        starts = tuple(start for start, (own, _) in FAULTS.items() if own is chapter)
        for claim in claims:
            assert sum(map(claim.statement.startswith, starts)) == 1, claim.statement
    assert len(FAULTS) == sum(map(len, healthy.values()))


@pytest.mark.parametrize("start", FAULTS)
def test_a_planted_fault_changes_the_verdict(monkeypatch, healthy, start):
    chapter, plant = FAULTS[start]
    plant(monkeypatch)
    faulty, sound = judged(chapter), healthy[chapter]
    assert the_claim(faulty, start).verdict is not the_claim(sound, start).verdict


@pytest.mark.parametrize("relative", [-4e-16, 4e-16])
def test_last_digits_of_another_machine_do_not_show(monkeypatch, healthy, relative):
    """The theory's functions, two units in the last place off: the same numbers in print."""
    for module, name in (
        (law, "score_cdf"),
        (law, "score_pdf"),
        (law, "correction"),
        (law, "upper_endpoint"),
        (gaussian, "utilities"),
        (gaussian, "acp_shortfall"),
        (gaussian, "worst_acp_shortfall"),
        (gaussian, "average_mean_shortfall"),
        (gaussian, "acp_gap"),
        (concentration, "score_shift"),
        (gaussian, "utility_regret"),
    ):
        altered(monkeypatch, module, name, lambda value: value * (1 + relative))
    for chapter in (population, method, assumption, lemmas, proposition, trade_off, constants):
        assert judged(chapter) == healthy[chapter]
