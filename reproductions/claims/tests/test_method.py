"""Section 3 on played paths, and the same claims on paths that were tampered with."""

from dataclasses import replace

import numpy as np
import pytest

import upperhand as uh
from reproductions.claims import method
from reproductions.claims.cases import EXPERIMENTS_POLICY
from reproductions.claims.method import walk
from upperhand.paper.claim import Verdict
from upperhand.theory import concentration

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


@pytest.fixture(scope="module")
def path():
    return walk(EXPERIMENTS_POLICY, uh.Normal(0, 0.15), np.random.default_rng(1), 300)


def test_section_3_holds():
    claims = method.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 4
    assert claims[0].numbers["largest |S̃ − S| / larger error"] == "1.0000"  # the bound is sharp
    assert claims[1].numbers == {"steps": "306", "with L > U": "0"}
    assert int(claims[2].numbers["misses"]) > 10
    assert claims[3].numbers["level after the second reward"] == "0.0910"
    assert claims[3].numbers["steps at which the localisation binds"] == "14 of 306"


def test_the_plug_in_bound_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, concentration, "score_shift", lambda bound: bound * 0.99)
    assert method.claims(SMALL)[0].verdict is FAILS
    altered(monkeypatch, concentration, "score_shift", lambda bound: bound * 3)
    assert method.claims(SMALL)[0].verdict is FAILS  # larger than the sum of both


def test_paths_fed_with_the_opposite(path):
    one = np.arange(len(path.level)) == 7
    assert method._is_interval([path]).verdict is HOLDS
    assert method._is_interval([replace(path, width=np.where(one, -1e-9, 1))]).verdict is FAILS
    assert method._miss([path]).verdict is HOLDS
    assert method._miss([replace(path, outside=path.outside ^ one)]).verdict is FAILS
    assert method._localised([path]).verdict is HOLDS
    far = replace(path, policy=path.policy.replace(lam=0.01))
    assert method._localised([far]).verdict is FAILS


def test_levels():
    assert method.level_verdict(1.0, 1e-4, 0.5) is HOLDS
    assert method.level_verdict(1.001, 1e-4, 0.5) is FAILS
    assert method.level_verdict(1.0, 0.9e-4, 0.5) is FAILS
    assert method.level_verdict(1.0, 1e-4, 0.51) is FAILS


def test_a_path_is_the_policys_own(path):
    """The levels of a walk are those of the same rewards played by the compiled policy."""
    rewards = np.round(uh.Normal(0, 0.15).sample(np.random.default_rng(1), 300) * 1024) / 1024
    state = uh.play(EXPERIMENTS_POLICY, [rewards]).state
    assert path.level[-1] == state.calibration.level[0]
    assert len(path.level) == 299
    assert path.outside[0]  # one reward gives an interval of one point
