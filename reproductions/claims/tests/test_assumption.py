"""Section 4.1, and the same with constants that do not hold."""

import math

import numpy as np
import pytest

from reproductions.claims import assumption
from reproductions.claims.assumption import Slack, random_case, slack, slack_verdict
from upperhand.distributions import families
from upperhand.paper.claim import Verdict
from upperhand.theory import assumption_1, population

from .opposites import SMALL, altered, verdicts, wrong_quantiles

HOLDS, NOTE, _, FAILS = Verdict


def test_section_4_1_holds():
    claims = assumption.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 3
    assert claims[2].numbers["Figure 1, α = 0.10"] == "gap 0.0751 < 0.1349"
    assert claims[2].numbers["Figure 3, α = 0.10"] == "gap 0.1016 < 0.1349"
    assert len(claims[2].numbers) == 7


@pytest.mark.parametrize(
    ("module", "name", "place"),
    [(population, "score_cdf", 0), (population, "score_pdf", 0)],
)
def test_gaussian_forms_fed_with_the_opposite(monkeypatch, module, name, place):
    altered(monkeypatch, module, name, lambda value: value + 1e-6)
    assert assumption.claims(SMALL)[place].verdict is FAILS


def test_a_wrong_quantile_does_not_cancel(monkeypatch):
    with monkeypatch.context() as patch:
        wrong_quantiles(patch, 1.1)
        assert assumption._gaussian_scores(SMALL).verdict is FAILS
    wrong_quantiles(monkeypatch, 0.9)  # larger constants than are admissible
    assert assumption._admissible_constants(SMALL._replace(trials=400)).verdict is FAILS


def test_a_wrong_density_does_not_cancel(monkeypatch):
    altered(monkeypatch, families, "normal_pdf", lambda density: density * math.exp(0.1))
    altered(monkeypatch, assumption_1, "normal_log_pdf", lambda log: log + 0.1)
    assert assumption._gaussian_scores(SMALL).verdict is FAILS
    assert assumption._admissible_constants(SMALL._replace(trials=400)).verdict is FAILS


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c._replace(f_min=1.5 * c.f_min),
        lambda c: c._replace(f_max=0.9 * c.f_max),
        lambda c: c._replace(g_min=1.5 * c.g_min),
    ],
)
def test_constants_that_are_too_good_are_noticed(monkeypatch, change):
    altered(monkeypatch, assumption_1, "gaussian_constants", change)
    effort = SMALL._replace(trials=400)
    assert assumption._admissible_constants(effort).verdict is FAILS


def test_slack():
    assert slack_verdict(Slack(1.0, 1.0, 1.0)) is HOLDS
    for one in range(3):
        ratios = [1.2, 1.2, 1.2]
        ratios[one] = 0.999
        assert slack_verdict(Slack(*ratios)) is FAILS


def test_random_cases_are_admitted_and_their_best_constants_are_better():
    rng = np.random.default_rng(5)
    for _ in range(20):
        case = random_case(rng)
        best = assumption_1.local_constants(
            case.arms, case.alpha, case.window, r_y=case.r_y, r_s=case.r_s
        )
        sds = [arm.sd for arm in case.arms]
        stated = assumption_1.gaussian_constants(sds, case.window, r_y=case.r_y, r_s=case.r_s)
        found = slack(case)
        assert found.f_min >= best.f_min / stated.f_min * (1 - 1e-9) >= 1 - 2e-9
        assert found.g_min >= best.g_min / stated.g_min * (1 - 1e-9) >= 1 - 2e-9


def test_gaps_that_are_too_wide_are_noticed(monkeypatch):
    monkeypatch.setattr(assumption, "WINDOW", (1e-4, 0.7))
    claim = assumption.claims(SMALL)[2]

    assert claim.verdict is FAILS
    assert claim.numbers["Figure 1, α = 0.05"] == "gap 0.0972 ≥ 0.0771"
    assert claim.numbers["Figure 1, α = 0.10"] == "gap 0.0751 < 0.0771"
