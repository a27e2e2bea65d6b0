"""Names of rows: in their colours, clear of what stands beside them."""

import pytest

from upperhand.figures.comparison import comparison_figure
from upperhand.figures.style import ink, looks

from .samples import POLICIES


def test_names_stand_in_their_colours_with_a_sample_of_the_line(one):
    left, right = comparison_figure(one).axes
    named = {t.get_text(): t for t in right.texts if t.get_text() in POLICIES}

    assert list(named) == list(POLICIES)
    for (name, text), line, sample in zip(named.items(), left.lines, right.lines, strict=False):
        color = looks([name])[name].color
        assert line.get_color() == sample.get_color() == color
        assert text.get_color() == ink(color)


@pytest.mark.parametrize("given", ["one", "everyone", "wordy"])
def test_names_end_before_the_axes(given, request):
    comparison = request.getfixturevalue(given)
    _, right = comparison_figure(comparison).axes
    right.figure.draw_without_rendering()
    names = [text for text in right.texts if text.get_position()[0] < 0]

    assert len(names) == len(comparison.policies)
    assert all(n.get_window_extent().x1 < right.get_window_extent().x0 for n in names)
    assert all(n.get_window_extent().x0 > 0 for n in names)


def test_only_what_is_too_long_is_shortened(wordy):
    _, right = comparison_figure(wordy).axes
    written = [text.get_text() for text in right.texts if text.get_position()[0] < 0]
    pairs = zip(wordy.policies, written, strict=True)
    ((full, name),) = [pair for pair in pairs if pair[0] != pair[1]]
    begin, end = name.split("…")

    assert full.startswith(begin)
    assert full.endswith(end)
