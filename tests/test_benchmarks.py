"""The scripts that the library's speed is measured against choose its arms."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh

LADDER = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "naive_numpy.py"))["LADDER"]


@pytest.mark.parametrize("rung", LADDER)
@pytest.mark.parametrize("decimals", [12, 1])
def test_every_rung_of_the_ladder_chooses_our_arms(rung, decimals):
    """Also with ties: to one decimal, few rewards differ."""
    rng = np.random.default_rng(3)
    table = np.round(
        rng.normal([[0.1], [0.0], [0.04]], [[0.05], [0.15], [0.08]], (3, 400)), decimals
    )

    assert np.array_equal(LADDER[rung](table), uh.play(uh.ACPUCB1(), table).arms)


def test_the_live_benchmark_measures_a_bandit_that_has_learned(monkeypatch):
    """It asserts what it prepares; here it is only run, on few observations."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import measure

    assert measure.live(arms=2, observations=200, tries=3) > 0
