"""Looks: fixed for known policies, distinct for all; drawing leaves Matplotlib as it was."""

import subprocess
import sys

import matplotlib
import pytest

from upperhand.errors import MissingExtraError
from upperhand.policies import POLICIES
from upperhand.report.style import _CHARTED, drawing, load_matplotlib, look, looks


def test_a_known_policy_looks_the_same_in_every_figure():
    alone = looks(["UCB1"])["UCB1"]

    assert looks(["ACP-UCB1", "UCB1"])["UCB1"] == alone
    assert looks(["mine", "UCB1", "yours"])["UCB1"] == alone


def test_all_policies_of_the_library_differ_as_lines():
    lines = {(style.color, style.linestyle) for style in looks(POLICIES).values()}
    assert len(lines) == len(POLICIES)


def test_every_policy_of_the_library_has_its_look_for_good():
    assert set(POLICIES) <= set(_CHARTED)


def test_ours_and_their_rivals_differ_in_colour():
    names = ["ACP-UCB1", "UCB1", "KL-QUCB", "KL-QUCB+", "Quantile-TS", "Quantile-IMED"]
    assert len({style.color for style in looks(names).values()}) == len(names)


def test_looks_are_distinct():
    assert len(set(looks([f"policy {i}" for i in range(30)] + ["UCB1"]).values())) == 31
    assert len({look(place) for place in range(280)}) == 280


def test_settings_are_ours_within_and_the_users_after():
    with matplotlib.rc_context({"font.size": 31, "lines.linewidth": 9, "axes.facecolor": "red"}):
        with drawing():
            assert matplotlib.rcParams["font.size"] == 8.5
            assert matplotlib.rcParams["axes.facecolor"] == "white"  # not of ours: the default
        assert matplotlib.rcParams["font.size"] == 31
        assert matplotlib.rcParams["axes.facecolor"] == "red"


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"upperhand\[lab\]"), drawing():
        pass
    with pytest.raises(MissingExtraError, match=r"upperhand\[lab\]"):
        load_matplotlib()


def test_matplotlib_is_imported_when_drawing_only():
    code = (
        "import sys, upperhand.report.instance, upperhand.paper.run;"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
