"""Objectives as they are written on the command line."""

import pytest

from upperhand.errors import ParameterError, UnknownNameError
from upperhand.objectives import (
    OBJECTIVES,
    BestOf,
    CVaR,
    LowerTail,
    Mean,
    MeanVariance,
    Quantile,
    UpperTail,
    Utility,
    objective_forms,
    parse_objective,
)


@pytest.mark.parametrize(
    ("text", "objective"),
    [
        ("upper-tail:0.1", UpperTail(0.1)),
        ("lower-tail:0.1", LowerTail(0.1)),
        ("quantile:0.95", Quantile(0.95)),
        ("best-of:8", BestOf(8)),
        ("Best of:1e3", BestOf(1000)),
        ("mean", Mean()),
        ("utility:-2", Utility(-2)),
        ("cvar:1", CVaR(1)),
        ("mean-variance:1e-1", MeanVariance(0.1)),
        (" CVaR : 0.1 ", CVaR(0.1)),
        ("Mean Variance:1", MeanVariance(1)),
    ],
)
def test_what_is_written(text, objective):
    assert parse_objective(text) == objective


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cvar", "cvar takes one number: cvar:ALPHA; got 'cvar'"),
        ("cvar:", "cvar takes one number: cvar:ALPHA; got 'cvar:'"),
        ("quantile:p95", "quantile takes one number: quantile:TAU; got 'quantile:p95'"),
        ("utility:1,2", "utility takes one number: utility:KAPPA; got"),
        ("mean:0.1", "mean takes no number; got 'mean:0.1'. Write mean."),
        ("cvar:2", "alpha must be a finite number > 0 and ≤ 1; got 2"),
        ("best-of:8.5", "n must be a whole number, 1 or more; got 8.5"),
        ("best-of", "best-of takes one number: best-of:N; got 'best-of'"),
        ("upper-tail:nan", "alpha must be a finite number > 0 and < 1; got nan"),
    ],
)
def test_mistakes_are_explained(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_objective(text)


@pytest.mark.parametrize("text", ["cvr:0.1", "", ":0.1", "p95"])
def test_names_that_there_are_not(text):
    with pytest.raises(UnknownNameError, match=r"Unknown objective .* Known: upper-tail, lower-t"):
        parse_objective(text)


def test_a_near_miss_gets_a_hint():
    with pytest.raises(UnknownNameError, match="Did you mean 'quantile'"):
        parse_objective("quantil:0.9")


def test_the_forms_are_those_that_are_read():
    forms = objective_forms()
    assert list(forms) == [
        "upper-tail:ALPHA",
        "lower-tail:ALPHA",
        "quantile:TAU",
        "best-of:N",
        "mean",
        "utility:KAPPA",
        "cvar:ALPHA",
        "mean-variance:RHO",
    ]
    for form, (name, cls) in zip(forms, OBJECTIVES.items(), strict=True):
        assert form.partition(":")[0] == name
        number = 8 if cls is BestOf else 0.5
        assert type(parse_objective(name if form == name else f"{name}:{number}")) is cls
    assert all(0 < len(text) < 100 for text in forms.values())
