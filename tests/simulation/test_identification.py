"""What is said of searches: means, quantiles, exact intervals of error rates, notes."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.simulation.identify import Answers, Identification
from upperhand.simulation.statistics import mean_interval, share_interval

from .stopping import Bands

ARMS = (uh.Normal(0, 1), uh.Normal(1, 1))


def made(samples, wrong, cap=1000):
    """Return a search of one policy with these results."""
    samples, wrong = np.array(samples), np.array(wrong, bool)
    arms, decided = np.where(wrong, 0, 1)[:, None], samples < cap
    pulls = np.column_stack([samples // 2, samples - samples // 2])
    answers = Answers(samples, decided, arms, pulls, wrong & decided, wrong & ~decided)
    return Identification(ARMS, {"Bands": Bands(0.5)}, cap, len(samples), 7, {"Bands": answers})


@pytest.mark.parametrize(("count", "total"), [(0, 1), (0, 60), (3, 60), (59, 60), (60, 60)])
def test_the_interval_of_a_share_is_clopper_and_pearsons(count, total):
    expected = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    assert share_interval(count, total) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_summary():
    samples = [10, 20, 30, 40, 1000]
    summary = made(samples, [0, 1, 0, 0, 1]).summary("Bands")
    assert (summary.mean, summary.median, summary.p90) == (220.0, 30.0, 1000.0)
    assert (summary.error, summary.undecided) == (0.2, pytest.approx(0.2))
    low, high = mean_interval(np.array(samples, float), 0.0, 1000.0)
    assert (summary.low, summary.high) == (low, high)
    assert (summary.error_low, summary.error_high) == share_interval(1, 5)


def test_what_a_prompt_shows():
    lines = repr(made([10, 20, 30, 40, 1000], [0, 1, 0, 0, 1])).splitlines()
    assert lines[0] == "Identification of the best of 2 arms: 5 replications, seed 7"
    assert lines[1].split() == ["policy", "samples", "median", "p90", "error", "undecided"]
    assert "20 % (0.51–72 %)" in lines[2]
    assert lines[3].startswith("Undecided runs were ended by the cap of 1,000 pulls")


def test_one_replication_has_no_interval_of_the_mean():
    found = made([10], [0])
    assert math.isnan(found.summary("Bands").low)
    assert "10      10   10  0 % (0–98 %)" in repr(found)
    assert found.to_dict()["policies"][0]["low"] is None


def test_json():
    told = made([10, 20, 30, 40, 1000], [0, 1, 0, 0, 1]).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    (policy,) = told["policies"]
    assert policy["settings"] == Bands(0.5).settings
    assert policy["mean"] == 220.0
    assert policy["pulls"] == [110.0, 110.0]
    assert policy["recommended"] == [0.4, 0.6]
    assert policy["wrong_guesses"] == 0.2
    assert [arm["law"] for arm in told["arms"]] == list(map(repr, ARMS))
