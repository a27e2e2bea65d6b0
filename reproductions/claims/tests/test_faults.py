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
from reproductions.claims import cases, definitions, lemmas, theorem, trade_off
from reproductions.claims.__main__ import THEORY
from reproductions.claims.evidence import Effort
from upperhand.objectives import UpperTail
from upperhand.paper.claims import claims_of
from upperhand.paper.experiments import ACP, EXPERIMENTS, MEAN_BASED, Size
from upperhand.theory import assumption_1, gaussian, population, theorem_1

pytestmark = pytest.mark.compiled  # they play much
EFFORT = Effort(seed=0, trials=300)
SIZES = {"metrics": Size(20), "levels": Size(30), "families": Size(20, 3000)}
RUNS = {name: cache(lambda name=name: EXPERIMENTS[name].run(SIZES[name])) for name in SIZES}


def altered(patch, module, name, change):
    """Replace a function by one whose answer is changed."""
    original = getattr(module, name)
    patch.setattr(module, name, lambda *args, **kwargs: change(original(*args, **kwargs)))


def formula(module, name, change):
    """Return a fault: a function that answers something else."""
    return lambda patch: altered(patch, module, name, change)


def number(module, name, value):
    """Return a fault: another constant."""
    return lambda patch: patch.setattr(module, name, value)


def runs_fault(experiment, change, instance="Gaussian"):
    """Return a fault: runs of an experiment that are not those of the policies."""

    def plant(patch):
        played = dict(RUNS[experiment]())
        played[instance] = change(played[instance])
        patch.setitem(RUNS, experiment, lambda: played)

    return plant


def swapped(runs):
    return replace(runs, pulls={ACP: runs.pulls[MEAN_BASED], MEAN_BASED: runs.pulls[ACP]})


def swapped_levels(runs):
    pulls = dict.fromkeys(runs.pulls, runs.pulls[MEAN_BASED])
    return replace(runs, pulls=pulls | {MEAN_BASED: runs.pulls["ACP-UCB1, α = 0.10"]})


def equal_arms(runs):
    return replace(runs, arms=(uh.Normal(0.1, 0.1),) * 3)


def one_favourite(runs):
    return replace(runs, arms=tuple(uh.Normal(m, 0.1) for m in (3, 2, 1)))


def other_arm(runs):
    return replace(runs, pulls={p: np.roll(n, 1, axis=2) for p, n in runs.pulls.items()})


def linear_policy(patch):
    """ACP-UCB1 with next to no exploration, on Figure 1's arms."""
    patch.setattr(cases, "EXPERIMENTS_POLICY", cases.EXPERIMENTS_POLICY.replace(b=0.01))
    patch.setattr(cases, "FAMILIES", {})


def admitted_settings(patch):
    """A b, an init and a horizon that the theorem admits, with constants on a narrow window."""
    patch.setattr(theorem, "acp_regret", lambda *_: np.ones(4))  # the horizon is not to be played
    patch.setattr(theorem, "HORIZON", 10**9)
    init = theorem_1.s_loc(10**9, 116.0, cases.figure_1_constants().r_y / 2)
    patch.setattr(cases, "EXPERIMENTS_POLICY", uh.ACPUCB1(0.1, b=116.0, lam=1.0, init=init))


GAUSSIAN_ONLY = {"Gaussian": cases.FAMILIES["Gaussian"]}
ALIKE = cases.Gaussians(cases.FIGURE_1.means, np.full(3, math.sqrt(1 / 8)))
WIDE = lemmas.ADAPTIVE.replace(level_min=0.2, level_max=0.8, eta=0.1)
FAULTS = {
    "The score s(y; ℓ, u)": formula(population, "score", lambda s: s + 1 / 16),
    "Scores start at": formula(population, "score_cdf", lambda g: g + 0.2),
    "Inside its support": formula(population, "score_pdf", lambda g: g * 1.001),
    "At the nominal level": formula(population, "score_cdf", lambda g: g - 1e-9),
    "The score quantile": formula(population, "upper_endpoint", lambda v: v + 1e-6),
    "With a unique best arm": formula(UpperTail, "gaps", lambda d: d * 1.01),
    "Plug-in scores": formula(theorem_1, "score_shift", lambda e: e * 0.99),
    "[L, U] is an interval": (
        formula(definitions, "walk", lambda p: p._replace(width=p.width - p.width.max()))
    ),
    "The miss indicator": (
        formula(definitions, "walk", lambda path: path._replace(outside=path.width > 1))
    ),
    "The localized projection": (
        formula(definitions, "walk", lambda path: path._replace(level=path.level + 0.001))
    ),
    "For Gaussian rewards c(β)": formula(population, "score_pdf", lambda g: g + 1e-6),
    "For Gaussian rewards with": (
        formula(assumption_1, "gaussian_constants", lambda c: c._replace(f_min=1.0001 * c.f_min))
    ),
    "The paper's Gaussian arms": number(definitions, "WINDOW", (1e-4, 0.7)),
    "If G has density": formula(theorem_1, "quantile_error", lambda d: d / 2),
    "An empirical quantile": (formula(theorem_1, "reward_quantile_tail", lambda bound: bound**8)),
    "Recomputing the scores": formula(lemmas, "scored_twice", lambda f: (*f[:2], f[2] / 2)),
    "The correction errs": (formula(theorem_1, "score_quantile_tail", lambda bound: bound / 20)),
    "In particular": (number(lemmas, "ADAPTIVE", WIDE)),
    "A level β of the window": (
        formula(theorem_1, "correction_error", lambda bound: bound * 0.999)
    ),
    "b ≥ 64 / h_min": formula(theorem_1, "b_0", lambda b: b * 0.35),
    "The initial pulls": formula(theorem_1, "s_loc", lambda s: s + 3),
    "Under the conditions": formula(theorem_1, "pull_bound", lambda n: n / 10),
    "Consequently": formula(theorem_1, "regret_bound", lambda r: r / 10),
    "The experiments' settings": admitted_settings,
    "With the experiments' settings": linear_policy,
    "With the experiments' b = 1": number(theorem, "PER_CENT", 1),
    "Assumption 1, with": number(cases, "FAMILIES", GAUSSIAN_ONLY),
    "The mean-based benchmark": number(trade_off, "FIGURE_1", ALIKE),
    "For Gaussian rewards u*": (formula(gaussian, "utilities", lambda v: v + 1e-9)),
    "Under every utility": (formula(gaussian, "utility_regret", lambda r: r * 1.0001)),
    "Uniformly over κ": (formula(gaussian, "leading_term", lambda term: 0.999 * term)),
    "If A ≠ M": formula(gaussian, "kappa_0", lambda kappa: 4 * kappa),
    "Where no third arm": formula(gaussian, "acp_shortfall", lambda d: d + 1e-9),
    "On Figure 1's arms with": (formula(gaussian, "leading_term", lambda term: 0.99 * term)),
    "On [0, a], sup": formula(gaussian, "worst_acp_shortfall", lambda d: d + 1e-9),
    "ACP-UCB1 has the smaller worst-case": formula(gaussian, "is_acp_minimax", np.logical_not),
    "Figure 1's arms, at": formula(gaussian, "is_acp_minimax", np.logical_not),
    "Figure 3's Gaussian": formula(gaussian, "is_acp_minimax", np.logical_not),
    "Averaged over": (formula(gaussian, "average_mean_shortfall", lambda d: d * 1.001)),
    "If mean and tail share": formula(trade_off, "played", other_arm),
    "The ACP gap is": formula(gaussian, "acp_gap", lambda gap: gap + 1e-9),
    "“Correspondingly”": (number(gaussian, "gamma_ucb", lambda _, gaps: 256 / gaps**2 + 8)),
    "γ_j^ACP < γ_j^UCB": formula(gaussian, "gap_ratio", lambda r: 1.1 * r),
    "ACP-UCB1 has the smaller leading": formula(theorem_1, "b_0", lambda _: 1.0),
    "At α = 0.1 the ACP values": formula(UpperTail, "values", lambda v: v + 0.001),
    "The first arm is": runs_fault("metrics", one_favourite),
    "ACP-UCB1 has smaller ACP": runs_fault("metrics", swapped),
    "Mean-based UCB1 has": runs_fault("metrics", swapped),
    "A policy optimised": runs_fault("metrics", swapped),
    "As α decreases": runs_fault("levels", equal_arms),
    "ACP-UCB1 continues": runs_fault("levels", swapped_levels),
    "Mean-based UCB1 continues": runs_fault("levels", swapped_levels),
    "The ACP-regret of": runs_fault("levels", equal_arms),
    "The upper-tail ranking": runs_fault("families", one_favourite, "Student-t"),
    "Across all three": runs_fault("families", swapped, "Student-t"),
    "A mean-based policy": runs_fault("families", swapped, "Student-t"),
    "Experiments beyond": runs_fault("families", one_favourite, "Student-t"),
}


def judged(chapter):
    """Return the claims of a chapter or an experiment, at a small size."""
    if chapter in THEORY:
        return THEORY[chapter](EFFORT)
    experiment = EXPERIMENTS[chapter]
    return claims_of(experiment, RUNS[chapter](), Size(60))  # so that all verdicts are decided


@pytest.fixture(scope="module")
def healthy():
    return {chapter: judged(chapter) for chapter in (*THEORY, *EXPERIMENTS)}


def the_claim(claims, start):
    (found,) = [claim for claim in claims if claim.statement.startswith(start)]
    return found


def test_every_claim_has_one_planted_fault_and_every_fault_a_claim(healthy):
    claims = [claim for own in healthy.values() for claim in own]
    for claim in claims:
        assert sum(map(claim.statement.startswith, FAULTS)) == 1, claim.statement
    assert len(FAULTS) == len(claims) == 57


@pytest.mark.parametrize("start", FAULTS)
def test_a_planted_fault_changes_the_verdict(monkeypatch, healthy, start):
    (chapter,) = [
        title
        for title, claims in healthy.items()
        if any(claim.statement.startswith(start) for claim in claims)
    ]
    FAULTS[start](monkeypatch)
    faulty, sound = judged(chapter), healthy[chapter]
    assert the_claim(faulty, start).verdict is not the_claim(sound, start).verdict


@pytest.mark.parametrize("relative", [-4e-16, 4e-16])
def test_last_digits_of_another_machine_do_not_show(monkeypatch, healthy, relative):
    """The theory's functions, two units in the last place off: the same numbers in print."""
    for module, name in (
        (population, "score_cdf"),
        (population, "score_pdf"),
        (population, "correction"),
        (population, "upper_endpoint"),
        (gaussian, "utilities"),
        (gaussian, "acp_shortfall"),
        (gaussian, "worst_acp_shortfall"),
        (gaussian, "average_mean_shortfall"),
        (gaussian, "acp_gap"),
        (theorem_1, "score_shift"),
        (gaussian, "utility_regret"),
    ):
        altered(monkeypatch, module, name, lambda value: value * (1 + relative))
    for chapter in THEORY:
        if not chapter.startswith(("Section 4.2", "Theorem 1")):  # nothing of theirs is altered
            assert judged(chapter) == healthy[chapter]
