"""Widths of texts are those on the page; what does not fit is cut or wrapped until it does."""

import pytest

from upperhand.figures.layout import pieces, plain, shortened, text_width, wrapped
from upperhand.figures.style import drawing, new_figure

LONG = "ACP-UCB1 b=0.25 eta=0.05 lam=0.5 scale=auto"


@pytest.fixture(autouse=True)
def _settings():
    with drawing():
        yield


@pytest.mark.parametrize("text", ["UCB1", LONG, "lower bound (n → ∞)", "$5"])
@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_are_those_on_the_page(text, weight):
    figure = new_figure(6.5, 1)
    figure.dpi = 800  # where letters are not moved to whole pixels
    drawn = figure.text(0, 0, plain(text), fontsize=7.5, weight=weight)
    figure.draw_without_rendering()

    told = text_width(text, 7.5, bold=weight == "bold")
    assert told == pytest.approx(drawn.get_window_extent().width / figure.dpi, rel=0.01, abs=0.01)


def test_what_fits_stays():
    assert shortened(LONG, text_width(LONG, 7), 7) == LONG


@pytest.mark.parametrize("room", [0.3, 1.0, 2.0])
def test_what_does_not_loses_its_middle(room):
    short = shortened(LONG, room, 7)

    assert text_width(short, 7) <= room + 1e-6
    begin, end = short.split("…")
    assert LONG.startswith(begin)
    assert LONG.endswith(end)


def test_no_room_at_all_is_no_endless_loop():
    assert shortened(LONG, 0.0, 7) == "A…o"


def test_lines_end_between_words():
    room = text_width("variance", 7)

    assert wrapped("mean-variance (ρ=1)", room, 7) == ["mean-", "variance", "(ρ=1)"]
    assert wrapped("mean", room, 7) == ["mean"]
    assert all(text_width(line, 7) <= room for line in wrapped("extraordinarily so", room, 7))
    assert pieces("CVaR 10\u00a0%") == ["CVaR", "10\u00a0%"]
