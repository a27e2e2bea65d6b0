"""Calibrators on a series: the numbers by other means, and what is refused."""

import json
import math
from contextlib import contextmanager

import numpy as np
import pytest

import upperhand as uh
from upperhand.calibrators import CALIBRATORS
from upperhand.comparison import calibrate
from upperhand.comparison.calibrate import intervals

from ..calibrators.examples import EXACT, EXAMPLES
from ..looping import for_each
from ..reference import quantile

N = 240


@pytest.fixture(scope="module")
def series():
    """Return values and their forecasts, of which every fourth hundred is worse."""
    rng = np.random.default_rng(5)
    forecast = rng.normal(size=N).cumsum()
    return forecast + rng.normal(size=N) * np.where(np.arange(N) // 80 % 2, 4, 1), forecast


@pytest.fixture(scope="module")
def study(series):
    return uh.calibrate(*series, window=40)


def test_intervals_are_those_of_the_calibrator_on_its_own(series):
    study = uh.calibrate(*series, methods=[uh.ACI(), uh.DtACI(memory=20)], window=40)
    assert list(study.intervals) == ["ACI", "DtACI memory=20"]
    for name, calibrator in (("ACI", uh.ACI()), ("DtACI memory=20", uh.DtACI(memory=20))):
        for i, (y, forecast) in enumerate(zip(*series, strict=True)):
            ends = study.intervals[name].lower[i], study.intervals[name].upper[i]
            assert ends == calibrator.predict(float(forecast))
            calibrator.update(float(y))
        score = study.scores[name]
        assert score.coverage == calibrator.coverage
        assert score.width == pytest.approx(calibrator.width, rel=1e-14)
        assert score.infinite == calibrator.stream.infinite > 0


@for_each("name", EXACT)
def test_intervals_are_those_of_the_reference(name, series):
    calibrator, make = EXAMPLES[name]
    y, forecast = series[0][:120], series[1][:120]
    reference, found = make(), intervals(calibrator, forecast - 1, forecast + 0.5, y)
    for i, center in enumerate(forecast.tolist()):
        low, high = center - 1, center + 0.5
        assert tuple(found[:, i]) == reference.interval(low, high)
        reference.update(low, high, float(y[i]))


@pytest.mark.compiled
def test_long_series_run_compiled_with_the_same_intervals(series, monkeypatch):
    interpreted = uh.calibrate(series[0])
    monkeypatch.setattr(calibrate, "COMPILE", N - 1)
    assert_same(uh.calibrate(series[0]), interpreted)


@pytest.mark.slow
@pytest.mark.compiled
def test_the_same_of_25_000_values(monkeypatch):
    y = np.random.default_rng(0).normal(size=25_000).cumsum()
    words = {"y": y[1:], "forecast": y[:-1], "methods": ["aci", "agaci", "dtaci", "nexcp"]}
    monkeypatch.setattr(calibrate, "COMPILE", len(y))
    interpreted = uh.calibrate(**words)
    monkeypatch.setattr(calibrate, "COMPILE", 0)
    assert_same(uh.calibrate(**words), interpreted)


def assert_same(study, other):
    assert study.intervals.keys() == other.intervals.keys()
    assert np.array_equal(study.forecast_low, other.forecast_low)
    assert np.array_equal(study.forecast_high, other.forecast_high)
    for name, (_, lower, upper) in study.intervals.items():
        assert np.array_equal(lower, other.intervals[name].lower), name
        assert np.array_equal(upper, other.intervals[name].upper), name


def test_a_bar_moves_to_its_end(series, monkeypatch):
    moved = []

    @contextmanager
    def bar(what, total, show):
        yield moved.append
        assert (sum(moved), show) == (total, True)

    monkeypatch.setattr(calibrate, "progress_bar", bar)
    monkeypatch.setattr(calibrate, "STEP", 100)
    uh.calibrate(*series, methods=["aci", "decaying-steps"], progress=True)
    assert len(moved) > 4


def test_scores_by_other_means(study):
    for name, score in study.scores.items():
        lower, upper = study.intervals[name].lower, study.intervals[name].upper
        hits = [low <= y <= high for low, y, high in zip(lower, study.y, upper, strict=True)]
        local = [sum(hits[i : i + 40]) / 40 for i in range(N - 39)]
        assert study.local_coverage(name).tolist() == local
        assert (score.local_lowest, score.local_highest) == (min(local), max(local))
        plain = np.isfinite(lower) & np.isfinite(upper)
        below, above = (study.y - lower)[plain], (study.y - upper)[plain]
        assert score.pinball_lower == pytest.approx(np.maximum(0.05 * below, -0.95 * below).mean())
        assert score.pinball_upper == pytest.approx(np.maximum(0.95 * above, -0.05 * above).mean())
        assert score.coverage_low < score.coverage < score.coverage_high
        assert (score.infinite, score.empty) == ((upper == np.inf).sum(), (upper == -np.inf).sum())
        widths = study.local_width(name)
        for i in (0, 5, N - 40):
            part = np.maximum(upper - lower, 0)[i : i + 40]  # an empty one has no width
            assert widths[i] == pytest.approx(part[np.isfinite(part)].mean())


def test_everyone_who_needs_no_setting_takes_part(study, series):
    assert set(study.intervals) == set(CALIBRATORS) - {"CQR", "SPS", "Rescored"}
    assert "Rescored" in uh.calibrate(series[0][:40]).intervals
    alone = uh.calibrate(*series, methods=["cqr", "split-conformal"]).intervals
    assert np.array_equal(alone["CQR"].lower, alone["Split conformal"].lower)  # so CQR stays out


def test_who_is_left_out_by_default_is_said(study, series):
    same = "CQR (here the same as split conformal), SPS (needs a horizon)"
    rescored = "Rescored (holds old values against new forecasts)"
    assert study.notes == (f"Left out: {same}, {rescored}. Name them to have them.",)
    assert uh.calibrate(series[0]).notes == (f"Left out: {same}. Name them to have them.",)
    assert uh.calibrate(*series, methods="aci").notes == ()


def test_decaying_steps_far_from_the_typical_score_get_a_note():
    """With η = 1 the threshold hardly leaves the first score, here 13 where 165 would cover."""
    y = 1000 + 100 * np.random.default_rng(0).normal(size=500)
    forecast = np.full(500, 1000.0)
    study = uh.calibrate(y, forecast, methods=["aci", "decaying-steps"])
    assert np.median(abs(y - 1000)) == pytest.approx(70, abs=0.5)
    assert study.notes == (
        "Decaying steps: eta = 1 is 1.4 % of the typical score, 70. Set decaying-steps:eta=70.",
    )
    assert study.scores["Decaying steps"].coverage < 0.5
    mended = uh.calibrate(y, forecast, methods="decaying-steps:eta=70")
    assert mended.notes == ()
    assert mended.scores["Decaying steps eta=70"].coverage > 0.85


@pytest.mark.parametrize(("eta", "noted"), [(4, True), (6, False), (1900, False), (2100, True)])
def test_a_step_is_far_at_twenty_times_or_a_twentieth(eta, noted):
    y = np.array([100.0, -100.0] * 20)
    study = uh.calibrate(y, np.zeros(40), methods=uh.DecayingSteps(eta=eta))
    assert bool(study.notes) == noted
    assert uh.calibrate(0 * y, np.zeros(40), methods="decaying-steps").notes == ()  # no unit


def test_settings_are_parted_by_commas_or_slashes(series):
    for text in ("rescored:eta=0.1,lam=1", "rescored:eta=0.1/lam=1", "rescored: eta=0.1, lam=1"):
        study = uh.calibrate(series[0], methods=text)
        assert [each.calibrator for each in study.intervals.values()] == [
            uh.Rescored(0.1, eta=0.1, lam=1)
        ]


def test_without_a_forecast_it_is_the_quantiles_of_the_values_before(series):
    y = series[0][:60]
    study = uh.calibrate(y, methods="rescored:eta=0", alpha=0.14)
    assert study.y.tolist() == y[1:].tolist()
    for i in range(59):
        before = y[: i + 1].tolist()
        ends = quantile(before, "0.07"), quantile(before, "0.93")
        assert (study.forecast_low[i], study.forecast_high[i]) == ends
        run = study.intervals["Rescored eta=0"]
        assert (run.lower[i], run.upper[i]) == ends  # ACP-UCB1's correction at level α is 0


def test_infinite_and_empty_intervals_are_counted_apart():
    y = np.array([1.0, -1.0] * 30)
    y[50:] *= 2.0 ** np.arange(10)
    study = uh.calibrate(y, np.zeros(60), methods="aci:gamma=0.9", alpha=0.5)
    score = study.scores["ACI gamma=0.9"]
    assert score.infinite > 1
    assert score.empty > 1
    ends = study.intervals["ACI gamma=0.9"]
    assert score.width == pytest.approx(
        np.where(ends.lower > ends.upper, 0, ends.upper - ends.lower)[
            ~(ends.upper == np.inf)
        ].mean()
    )


def test_a_method_without_a_finite_interval_has_no_width():
    study = uh.calibrate(np.arange(20.0), np.zeros(20), methods="sps")
    score = study.scores["SPS"]
    assert score.infinite == 20
    assert math.isnan(score.width)
    assert math.isnan(score.pinball_lower)
    assert "—" in repr(study)
    assert json.loads(json.dumps(study.to_dict(), allow_nan=False))["methods"][0]["width"] is None


def test_text_and_json(study):
    lines = repr(study).splitlines()
    assert lines[0] == "7 methods on 240 values, 90 % wanted, forecast: a point"
    assert lines[2].split()[:2] == ["method", "coverage"]
    assert " ".join(lines[-2:]) == study.notes[-1]
    assert max(map(len, lines)) <= 104
    told = study.to_dict()
    assert told["notes"] == list(study.notes)
    assert told["methods"][1]["coverage"] == study.scores["ACI"].coverage
    assert told["methods"][1]["settings"] == {"alpha": 0.1, "gamma": 0.005}
    assert told["methods"][1]["local_coverage"] == study.local_coverage("ACI").tolist()


def test_rows_without_a_value_at_the_end_get_intervals(series, tmp_path):
    y, forecast = series
    rows = np.append(y[:-3], [math.nan] * 3)
    for kind in ({"forecast": forecast}, {"lower": forecast - 1, "upper": forecast + 1}, {}):
        study = uh.calibrate(rows, **kind, methods=["aci", "rescored"])
        past = uh.calibrate(y[:-3], **{key: ends[:-3] for key, ends in kind.items()}, methods="aci")
        assert study.scores["ACI"] == past.scores["ACI"]
        assert study.known.tolist() == past.y.tolist()
        assert study.notes == ("3 values to come: see to_frame(), or --out FILE.",)
        low, high = study.forecast_low, study.forecast_high
        after = uh.ACI().fit(past.y, (low[:-3], high[:-3])).predict((low[-3:], high[-3:]))
        run = study.intervals["ACI"]
        assert (run.lower[-3:].tolist(), run.upper[-3:].tolist()) == (
            after.lower.tolist(),
            after.upper.tolist(),
        )

    frame = study.to_frame()  # without forecasts, the first value has none
    assert list(frame.columns) == ["row", "y", "method", "lower", "upper"]
    mine = frame[frame.method == "ACI"]
    assert mine["row"].tolist() == list(range(1, N))
    np.testing.assert_array_equal(mine.y, rows[1:])
    np.testing.assert_array_equal(mine.upper, run.upper)
    study.to_csv(tmp_path / "intervals.csv")
    lines = (tmp_path / "intervals.csv").read_text().splitlines()
    assert lines[0] == "row,y,method,lower,upper"
    assert lines[1] == f"1,{float(y[1])!r},ACI,-inf,inf"
    assert lines[-1] == f"{N - 1},,Rescored,{frame.lower.iloc[-1]},{frame.upper.iloc[-1]}"


def test_methods_in_any_form(series):
    for given in ("aci", uh.ACI, uh.ACI(), [uh.ACI], {"ACI": "aci"}):
        study = uh.calibrate(*series, methods=given)
        assert {name: run.calibrator for name, run in study.intervals.items()} == {"ACI": uh.ACI()}
    sps = uh.calibrate(*series, methods=uh.SPS).intervals["SPS"].calibrator
    assert sps == uh.SPS(horizon=N)
    assert uh.ACPUCB1(0.2, calibrator=uh.ACI) == uh.ACPUCB1(0.2, calibrator="aci")


def test_a_study_of_a_calibrator_of_your_own_is_not_saved(series, tmp_path):
    class Mine(uh.ACI):
        name = "Mine"

    study = uh.calibrate(*series, methods=Mine)
    with pytest.raises(uh.ParameterError, match=r"own calibrators can be saved; got .*Mine\("):
        study.save(tmp_path / "study.npz")
    assert not list(tmp_path.iterdir())


def test_a_damaged_study_is_refused(study, tmp_path):
    path = tmp_path / "study.npz"
    for change in ({"series": np.zeros((3, 5))}, {"ends": np.zeros((7, 1, N))}):
        settings, arrays = study.parts()
        text = json.dumps({"format": study.format, **settings}, default=lambda each: each.spec)
        np.savez(path, settings=np.array(text), **arrays | change)
        with pytest.raises(uh.FileError, match="its arrays do not fit each other"):
            uh.load(path)


def test_the_calibrators_given_are_left_as_they_were(series):
    given = uh.ACI()
    uh.calibrate(*series, methods=given)
    assert len(given) == 0


GOOD = np.arange(20.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"y": GOOD[:9]}, r"At least 1/alpha = 10 values must be given; got 9\. .*larger alpha"),
        ({"y": GOOD, "alpha": 1.5}, "alpha must be a finite number > 0 and < 1; got 1.5"),
        ({"y": [*GOOD, math.nan, 1.0]}, r"y must be .* got nan as y\[20\]"),
        ({"y": [math.nan] * 3}, "y must be a series of numbers"),
        ({"y": GOOD, "forecast": (GOOD,)}, r"a number or \(lower, upper\); got 1 parts"),
        ({"y": [*GOOD, math.nan], "forecast": GOOD}, "each of the 21 values; got 20"),
        ({"y": [*GOOD, math.inf]}, r"y must be finite numbers .* got inf as y\[20\]"),
        ({"y": [GOOD, GOOD]}, r"y must be a series of numbers; got the shape \(2, 20\)"),
        ({"y": GOOD, "forecast": GOOD[1:]}, "forecast must have a number for each of the 20 value"),
        ({"y": GOOD, "lower": GOOD}, "Give one kind"),
        ({"y": GOOD, "forecast": GOOD, "lower": GOOD, "upper": GOOD}, "Give one kind"),
        ({"y": GOOD, "lower": GOOD, "upper": -GOOD}, "got 1 and -1 at place 1"),
        ({"y": GOOD, "window": 21}, "window must be a whole number, 1 or more, and at most 19"),
        ({"y": GOOD, "methods": []}, "At least one method must be given: Split conformal, CQR"),
        ({"y": GOOD, "methods": ["aci", uh.ACI()]}, "can take part once; got ACI twice"),
        ({"y": GOOD, "methods": ["aci:alpha=0.2"]}, "the study, 0.1; ACI has 0.2. Leave one"),
        ({"y": GOOD, "methods": [3]}, "calibrator must be a Calibrator; got 3"),
        ({"y": GOOD, "methods": ["acy"]}, "Unknown calibrator 'acy'. Did you mean 'aci'"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:25],
)
def test_what_is_refused(words, message):
    with pytest.raises(uh.UpperhandError, match=message):
        uh.calibrate(**words)


def test_a_method_that_there_is_not(study):
    with pytest.raises(uh.UnknownNameError, match=r"Unknown method 'ACY'\. Did you mean 'ACI'"):
        study.local_coverage("ACY")
