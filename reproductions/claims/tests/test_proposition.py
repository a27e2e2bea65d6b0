"""Sections 4.3 and 4.3.1: runs against Proposition 1, and against terms that are not its own."""

from dataclasses import replace

import numpy as np
import pytest

import upperhand as uh
from reproductions.claims import proposition
from reproductions.claims.cases import FIGURE_1
from upperhand.paper.claim import Verdict
from upperhand.paper.settings import ACP, MEAN_BASED
from upperhand.theory import gaussian

from .opposites import SMALL, altered, verdicts, wrong_quantiles

HOLDS, NOTE, _, FAILS = Verdict


@pytest.fixture(scope="module")
def larger():
    return proposition.played(proposition.LARGER, proposition.LARGER_B, SMALL, 2)


def test_section_4_3_1():
    claims = proposition.claims(SMALL)

    assert verdicts(claims) == [FAILS, HOLDS, HOLDS, HOLDS]
    assert claims[0].where == "section 4.3"  # the benchmark, which has tests of its own
    assert claims[2].numbers["runs"] == "12"
    assert 0 < float(claims[2].numbers["largest ratio to the bound"]) <= 0.5
    assert list(claims[3].numbers) == [ACP, MEAN_BASED, "UCB1-NORMAL"]


def test_the_bound_counts_too(monkeypatch):
    altered(monkeypatch, gaussian, "transfer_error", lambda bound: bound / 10)
    assert proposition.claims(SMALL)[2].verdict is FAILS


def test_a_wrong_quantile_does_not_cancel(monkeypatch):
    wrong_quantiles(monkeypatch, 1.1)
    assert proposition._path().verdict is FAILS


def test_our_values_count_too(monkeypatch):
    altered(monkeypatch, uh.UpperTail, "values", lambda values: values + 1e-9)
    assert proposition._path().verdict is FAILS


def test_differences_are_those_of_the_regrets(larger):
    left = proposition.differences(proposition.LARGER, larger, ACP)
    mean, acp = larger.regret(uh.Mean())[ACP], larger.regret(uh.UpperTail(0.1))[ACP]

    assert left.shape == (2, 4, 2)
    assert np.allclose(left[..., 0].mean(axis=0), mean.mean - larger.rounds)  # δ_μ = 1
    assert np.allclose(left[:, -1, 1], acp.final)  # D_A(a) = 0


def test_residuals_take_the_worse_end(larger):
    left = proposition.differences(proposition.LARGER, larger, MEAN_BASED).mean(axis=0)
    found = proposition.residuals(proposition.LARGER, larger, MEAN_BASED)
    assert np.array_equal(found, np.maximum(np.abs(left[:, 0]), np.abs(left[:, 1])))


def test_a_policy_that_settles_on_another_arm_fails(larger):
    swapped = replace(
        larger,
        pulls=larger.pulls | {ACP: larger.pulls[MEAN_BASED], MEAN_BASED: larger.pulls[ACP]},
    )
    assert proposition._leading_terms(larger).verdict is HOLDS
    assert proposition._leading_terms(swapped).verdict is FAILS
    assert proposition._inequality([(proposition.LARGER, swapped)]).verdict is HOLDS  # any policy


def test_figure_1_is_played_with_the_experiments_settings():
    runs = proposition.figure_1(SMALL)
    assert runs.arms == FIGURE_1.arms
    assert runs.policies[ACP] == uh.ACPUCB1(0.1)
    assert runs.rounds.tolist() == [1000, 10_000, 100_000, 1_000_000]
