"""What holds for every calibrator of the library, one suite for all of them."""

import copy
import math
import pickle

import numpy as np
import pytest

import upperhand as uh
from upperhand import calibrators
from upperhand._kernels.samples import never_full
from upperhand.calibrators import CALIBRATORS, Calibrator, as_calibrator
from upperhand.errors import ParameterError, RewardError, UnknownNameError

from ..looping import for_each
from .examples import EXAMPLES, FIXED_SIZE, HONEST, IN_UNITS, ROUNDED
from .streams import one_by_one, run, stream

every_calibrator = for_each("name", EXAMPLES)
WHOLE = (-math.inf, math.inf)


def fresh(name):
    """Return the example without a past."""
    return EXAMPLES[name][0].replace()


def pickled(calibrator):
    return pickle.loads(pickle.dumps(calibrator))  # noqa: S301 - our own


def test_every_calibrator_has_an_example_and_is_public():
    assert {type(calibrator) for calibrator, _ in EXAMPLES.values()} == set(CALIBRATORS.values())
    for cls in CALIBRATORS.values():
        assert getattr(uh, cls.__name__) is cls
        assert issubclass(cls, Calibrator)


@every_calibrator
class TestStreams:
    def test_the_kernels_are_the_object(self, name):
        for kind in ("gaussian", "ties", "heavy"):
            steps = stream(kind, 300, points=False)
            found = run(fresh(name), steps).tolist()
            assert list(map(tuple, found)) == one_by_one(fresh(name), steps)

    def test_rows_are_independent(self, name):
        one, two = stream("ties", 200, points=True), stream("heavy", 200, points=False, seed=1)
        rows = np.random.default_rng(0).permutation([0] * 200 + [2] * 200)
        turns = {0: iter(one), 2: iter(two)}
        both = run(fresh(name), [next(turns[row]) for row in rows], rows.tolist())
        assert np.array_equal(both[rows == 0], run(fresh(name), one))
        assert np.array_equal(both[rows == 2], run(fresh(name), two))

    def test_asking_changes_nothing(self, name):
        steps, asked = stream("gaussian", 200, points=False), fresh(name)
        found = []
        for low, high, y in steps:
            for other in (y, (low - 3.0, high), (low, high), -1e9):
                asked.predict(other)
            found.append(tuple(asked.predict((low, high))))
            asked.predict((y - 1.0, y + 1.0))
            asked.update(y, forecast=(low, high))
        assert found == one_by_one(fresh(name), steps)

    def test_growing_changes_nothing(self, name):
        steps = stream("gaussian", 700, points=False)
        assert np.array_equal(run(fresh(name), steps), run(fresh(name), steps, room=5000))

    def test_a_shift_and_a_unit_cancel_out(self, name):
        """Exactly, in quarters; the steps of `IN_UNITS` are no quarters, and have a unit."""
        plain = np.array(stream("gaussian", 300, points=False))
        plain = plain if name in IN_UNITS else np.round(plain * 4) / 4
        with np.errstate(invalid="ignore"):
            found = run(fresh(name), plain.tolist())
            shifted = run(fresh(name), (plain + 16.0).tolist()) - 16.0
            scaled = run(fresh(name), (plain * 8.0).tolist()) / 8.0
        if name in IN_UNITS:
            np.testing.assert_allclose(shifted, found, atol=1e-12)
            assert not np.allclose(scaled, found)
        elif name in ROUNDED:
            np.testing.assert_allclose(shifted, found, atol=1e-12)
            assert np.array_equal(scaled, found)
        else:
            assert np.array_equal(shifted, found)
            assert np.array_equal(scaled, found)

    def test_the_mirror_image(self, name):
        steps = stream("ties", 300, points=False)
        mirrored = run(fresh(name), [(-high, -low, -y) for low, high, y in steps])
        assert np.array_equal(-mirrored[:, ::-1], run(fresh(name), steps))

    def test_intervals_are_ordered_or_empty(self, name):
        """And never NaN. (UCB-CP's own may cross: it says so.)"""
        found = run(fresh(name), stream("heavy", 400, points=False, seed=2))
        crossed = found[found[:, 0] > found[:, 1]]
        assert not np.isnan(found).any()
        if name not in ("Clipped ACI", "Rescored"):
            assert (crossed == [math.inf, -math.inf]).all()

    def test_which_ones_ever_ask_for_room(self, name):
        assert (fresh(name).functions.full is never_full) == (name in FIXED_SIZE)


@every_calibrator
class TestObjects:
    def test_coverage_and_width_are_counted(self, name):
        calibrator, steps = fresh(name), stream("ties", 300, points=False)
        assert math.isnan(calibrator.coverage)
        ends = one_by_one(calibrator, steps)
        covered = [low <= y <= high for (low, high), (*_, y) in zip(ends, steps, strict=True)]
        widths = [max(high - low, 0.0) for low, high in ends if (low, high) != WHOLE]
        assert len(calibrator) == 300
        assert calibrator.coverage == sum(covered) / 300
        assert calibrator.width == pytest.approx(math.fsum(widths) / len(widths), rel=1e-12)

    def test_a_copy_goes_on_with_the_same_answers_on_its_own(self, name):
        steps, whole = stream("gaussian", 300, points=False), fresh(name)
        expected = one_by_one(whole, steps)[150:]
        for copied in (copy.copy, copy.deepcopy, pickled):
            calibrator = fresh(name)
            one_by_one(calibrator, steps[:150])
            other = copied(calibrator)
            assert one_by_one(other, steps[150:]) == expected
            assert len(calibrator) == 150
            assert one_by_one(calibrator, steps[150:]) == expected
            assert (other.coverage, other.width) == (whole.coverage, whole.width)

    def test_settings_and_text_make_the_same_calibrator_without_a_past(self, name):
        calibrator, steps = fresh(name), stream("gaussian", 50, points=True)
        first = one_by_one(calibrator, steps)
        assert calibrator  # with a past too
        evaluated = eval(repr(calibrator), vars(calibrators))  # noqa: S307
        made = type(calibrator)(**calibrator.settings), as_calibrator(calibrator.spec), evaluated
        for other in (calibrator.replace(), *made):
            assert other
            assert other == calibrator
            assert one_by_one(other, steps) == first
        for alpha in (0.0, 1.0, -0.1, 2.0, math.nan, "much", None):
            with pytest.raises(ParameterError, match=r"alpha must be .*got"):
                calibrator.replace(alpha=alpha)

    def test_bad_forecasts_and_outcomes_are_refused_and_leave_no_trace(self, name):
        calibrator, steps = fresh(name), stream("gaussian", 60, points=True)
        one_by_one(calibrator, steps[:30])
        for bad in (math.nan, (math.nan, 1.0), math.inf, (2.0, 1.0), (1.0, 2.0, 3.0), "a"):
            for call in (calibrator.predict, lambda bad: calibrator.update(0.0, forecast=bad)):
                with pytest.raises(ParameterError, match=r"(forecast|lower|upper) .* got "):
                    call(bad)
        for bad in (math.nan, -math.inf, 1e200, "a", None):
            with pytest.raises(RewardError, match=r"value must be .* got .*leave it out"):
                calibrator.update(bad, forecast=0.0)
        assert len(calibrator) == 30
        assert one_by_one(calibrator, steps[30:]) == one_by_one(fresh(name), steps)[30:]

    def test_arrays_give_what_numbers_give(self, name):
        """Also where the calibrator has a past already: fit starts afresh."""
        low, high, y = np.array(stream("gaussian", 80, points=False)).T
        calibrator, slow = fresh(name).fit(y, forecast=low), fresh(name)
        assert calibrator.fit(y[:60], (low[:60], high[:60])) is calibrator
        one_by_one(slow, list(zip(low[:60], high[:60], y[:60], strict=True)))
        lower, upper = calibrator.predict((low[60:], high[60:]))
        ends = zip(low[60:], high[60:], strict=True)
        assert list(zip(lower, upper, strict=True)) == list(map(slow.predict, ends))
        assert (len(calibrator), calibrator.coverage) == (60, slow.coverage)


@pytest.mark.parametrize(
    ("bad", "advice"),
    [
        ((2.0, 1.0), r"lower must be at most upper; got 2 and 1 at place 0.*Sort ends that cross"),
        (math.nan, "forecast must be a number or an array of numbers; got nan"),
        ((1.0, math.nan), "upper must be a number or an array of numbers; got nan"),
        (None, "forecast must be a number or an array of numbers; got None"),
        ((1.0, 2.0, 3.0), r"a number or \(lower, upper\); got 3 parts"),
        ("soon", "forecast must be a number or an array of numbers; got 'soon'"),
        ([1.0, [2.0, 3.0]], "must be a number or an array of numbers"),
        ([1.0, math.nan], r"got nan as forecast\[1\]"),
        ([], r"forecast must be a series of numbers; got the shape \(0,\)"),
        (np.ones((5, 2)), r"\(5, 2\)\. Give its columns as ends: \(x\[:, 0\], x\[:, 1\]\)"),
        (([1.0, 2.0], [1.0, 1.0]), "lower must be at most upper; got 2 and 1 at place 1"),
        (([1.0, 2.0], 3.0), r"lower and upper must fit; got shapes \(2,\), \(\)"),
    ],
)
def test_the_error_says_what_is_wrong_with_a_forecast(bad, advice):
    with pytest.raises(ParameterError, match=advice):
        uh.ACI().predict(bad)


def test_update_is_about_the_last_predict_or_the_forecast_given():
    calibrator, slow = uh.ACI(0.5), uh.ACI(0.5)
    for forecast in (1.0, np.array([1.0]), np.float64(1.0)):  # models return arrays of one
        calibrator.predict(7.0)
        calibrator.predict(forecast)
        with pytest.raises(RewardError, match="Nothing was learned"):
            calibrator.update(math.nan)
        calibrator.update(3.0)
        slow.update(3.0, forecast=1.0)
    assert calibrator.predict(0.0) == slow.predict(0.0)
    calibrator.update(2.0, forecast=0.0)
    for forecasts in ([], [[1.0, 2.0]]):  # none, and two whose outcomes come later
        list(map(calibrator.predict, forecasts))
        with pytest.raises(ParameterError, match=r"one forecast: .* write update\(y, forecast=f\)"):
            calibrator.update(2.0)
    with pytest.raises(ParameterError, match=r"where f is a number or a tuple \(lower, upper\)"):
        calibrator.update(2.0, forecast=[1, 2])


def test_the_outcome_comes_first():
    with pytest.raises(TypeError, match=r"write update\(y, forecast=f\)"):
        uh.ACI().update(0.0, 1.0)
    with pytest.raises(TypeError, match=r"update\(\) takes no y_pred=: write forecast=f"):
        uh.ACI().update(1.0, y_pred=0.0)


def test_a_stream_is_written_in_a_line():
    calibrator = uh.ACI(0.5, gamma=0.9)
    assert repr(calibrator.stream) == "<Stream: 0 values, coverage nan, 0 infinite, 0 empty>"
    for y in (1.0, 1.0, 2.0):  # in the whole line, in [−1, 1], not in the empty interval
        calibrator.update(y, forecast=0.0)
    stream = calibrator.stream
    assert (len(stream), stream.infinite, stream.empty) == (3, 1, 1)
    assert repr(stream) == "<Stream: 3 values, coverage 0.6667, 1 infinite, 1 empty>"


@for_each("name", sorted(HONEST))
def test_too_few_scores_give_the_whole_line(name):
    """Fewer than 1/α − 1, or more where a guarantee needs more; then never again."""
    calibrator = fresh(name)
    found = one_by_one(calibrator, stream("gaussian", 400, points=True))
    first = next(i for i, ends in enumerate(found) if ends != WHOLE)
    assert first + 1 >= 1 / calibrator.alpha - 1e-9
    assert all(ends != WHOLE for ends in found[first:])


@for_each("name", sorted(set(EXAMPLES) - {"Clipped ACI"}))
def test_nothing_known_is_the_whole_line(name):
    assert fresh(name).predict((1.0, 2.0)) == WHOLE


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("aic", UnknownNameError, "aci"),
        ("aci:gama=1", UnknownNameError, "gamma"),
        ("aci:gamma=-1", ParameterError, "gamma must be .*≥ 0"),
        ("aci:gamma", ParameterError, "name=value"),
        ("aci:gamma=1/gamma=2", ParameterError, "once"),
        ("nexcp:decay=0", ParameterError, "decay must be .*> 0"),
        ("nexcp:decay=1.01", ParameterError, "decay must be .*≤ 1"),
        ("decaying-steps:epsilon=0.5", ParameterError, "epsilon must be .*< 0.5"),
        ("cqr:symmetric=2", ParameterError, "symmetric must be"),
        ("sps", ParameterError, r"SPS needs horizon: sps:horizon=…"),
        ("sps:horizon=0", ParameterError, "horizon must be"),
    ],
)
def test_text_that_says_no_calibrator(text, error, words):
    with pytest.raises(error, match=words):
        as_calibrator(text)


def test_settings_in_the_text_come_before_those_given_beside_it():
    assert as_calibrator("aci:alpha=0.2,gamma=1") == as_calibrator("aci:alpha=0.2/gamma=1")
    assert as_calibrator("ACI", alpha=0.3) == uh.ACI(0.3)
    assert as_calibrator("split conformal:alpha=0.2", alpha=0.3) == uh.SplitConformal(0.2)
