"""Looks: fixed for known policies, distinct for all; drawing leaves Matplotlib as it was."""

import re
import subprocess
import sys
from collections import Counter
from itertools import combinations, islice

import matplotlib
import numpy as np
import pytest

from upperhand.comparison.default_policies import default_policies
from upperhand.comparison.instances import INSTANCES
from upperhand.errors import FileError, MissingExtraError, ParameterError
from upperhand.figures.layout import panel_figure
from upperhand.figures.regret import curve_panel
from upperhand.figures.style import (
    CHART,
    drawing,
    load_matplotlib,
    look,
    looks,
    render,
    save_single,
)
from upperhand.policies import POLICIES
from upperhand.reports.markdown import Report, to_html

from .samples import curve


def test_a_known_policy_looks_the_same_in_every_figure():
    alone = looks(["UCB1"])["UCB1"]

    assert looks(["ACP-UCB1", "UCB1"])["UCB1"] == alone
    assert looks(["mine", "UCB1", "yours"])["UCB1"] == alone


def test_all_policies_of_the_library_differ_as_lines():
    lines = {(style.color, style.linestyle) for style in looks(POLICIES).values()}
    assert len(lines) == len(POLICIES)


def test_ours_and_their_rivals_differ_in_colour():
    names = ["ACP-UCB1", "UCB1", "KL-QUCB", "KL-QUCB+", "Quantile-TS", "Quantile-IMED"]
    assert len({style.color for style in looks(names).values()}) == len(names)


def test_a_label_is_matched_to_its_policy():
    """The line-up says in labels how its policies are set; the command line does too."""
    labels = default_policies(INSTANCES["headline"], 10_000)

    assert len(labels) == 19
    for label, policy in labels.items():
        known = label if label in CHART else policy.name
        assert looks([label]) == {label: looks([known])[known]}
    assert looks(["KL-QUCB+ tau=0.9"])["KL-QUCB+ tau=0.9"] == looks(["KL-QUCB+"])["KL-QUCB+"]
    assert looks(["UCB12"])["UCB12"] == look(0)  # a name of its own


def test_of_several_settings_the_bare_name_has_the_look():
    plain = looks(["ACP-UCB1"])["ACP-UCB1"]
    both = looks(["ACP-UCB1 b=0.5", "ACP-UCB1"])
    variants = looks(["UCB1", "ACP-UCB1 b=0.5", "ACP-UCB1 b=2"])

    assert both["ACP-UCB1"] == plain
    assert variants["ACP-UCB1 b=0.5"] == plain
    assert len({style.color for style in both.values()}) == 2
    assert len({style.color for style in variants.values()}) == 3


def test_no_two_of_the_line_up_share_a_colour_if_there_are_colours_enough():
    labels = list(default_policies(INSTANCES["headline"], 10_000))
    six = islice(combinations(labels, 6), 0, None, 97)

    assert all(len({style.color for style in looks(names).values()}) == 6 for names in six)


def test_who_must_yield_leaves_the_colours_of_the_paper_alone():
    names = ["KL-QUCB", "KL-QUCB+", "Quantile-TS", "Quantile-IMED", "ACP-UCB1", "UCB-CP U"]
    styles = looks(names)

    assert styles["ACP-UCB1"] == look(0)
    assert styles["UCB-CP U"].color != look(1).color  # UCB1's, who is not there
    assert styles["UCB-CP U"][1:] == looks(["UCB-CP"])["UCB-CP"][1:]  # dash and marker stay
    assert all(styles[name] == looks([name])[name] for name in names[:4])


def test_looks_are_distinct():
    assert len(set(looks([f"policy {i}" for i in range(30)] + ["UCB1"]).values())) == 31
    assert len({look(place) for place in range(280)}) == 280


@pytest.mark.parametrize("count", [7, 8, 12, 19])
def test_colours_are_used_evenly_and_no_two_lines_are_the_same(count):
    for names in (list(POLICIES)[:count], list(POLICIES)[-count:], [f"p{i}" for i in range(count)]):
        styles = looks(names).values()
        uses = Counter(style.color for style in styles).values()
        assert (len(uses), max(uses) - min(uses) <= 1) == (7, True)
        assert len({(style.color, style.linestyle) for style in styles}) == count


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
        "import sys, upperhand.figures.regret, upperhand.paper.run;"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def contrast(one, other):
    """Return the contrast ratio of two colours in 0 to 1, by WCAG 2.2, written out."""
    lights = []
    for color in (one, other):
        r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in color)
        lights.append(0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)
    return max(lights) / min(lights)


def rgb(color):
    return np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def in_dark_mode(color):
    """Return what `filter: invert(.91) hue-rotate(180deg)` makes of it, by the CSS standard."""
    turned = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
    return np.clip(turned @ (0.91 - 0.82 * color), 0, 1)


@pytest.mark.parametrize("mode", [0, 1])
def test_every_text_of_a_page_can_be_read(mode):
    style = to_html(Report("title", ()))
    colors = dict(re.findall(r"--(\w+): (#\w{6})", style.split("@media")[mode]))

    for name in ("ink", "soft"):
        assert contrast(rgb(colors[name]), rgb(colors["paper"])) >= 4.5, name
    assert contrast(rgb(colors["ink"]), rgb(colors["wash"])) >= 4.5
    assert "img { filter: invert(.91) hue-rotate(180deg); }" in style
    dark = in_dark_mode(np.ones(3))
    assert mode == 0 or np.abs(dark - rgb(colors["paper"])).max() < 0.02  # no boxes: one ground


def figure():
    return panel_figure([curve_panel("Regret, α = 0.1", {"UCB1": curve(60)})], "Regret")


def test_same_input_same_bytes_in_each_format(tmp_path):
    for suffix, begin in {".png": b"\x89PNG", ".pdf": b"%PDF-1.", ".svg": b"<?xml"}.items():
        paths = [tmp_path / f"one{suffix}", tmp_path / f"two{suffix.upper()}"]
        for path in paths:
            save_single(figure(), path)
        one, two = (path.read_bytes() for path in paths)
        assert one == two == render(figure(), suffix)
        assert one.startswith(begin)
        assert not re.search(rb"tEXt|CreationDate|Matplotlib v|<dc:date>", one)  # date or version
    assert len(list(tmp_path.iterdir())) == 6


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(ParameterError, match=r"\.png, \.pdf, \.svg; got .*plot\.gif"):
        save_single(figure(), tmp_path / "plot.gif")
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileError, match="Cannot write"):
        save_single(figure(), tmp_path / "nowhere" / "plot.png")
