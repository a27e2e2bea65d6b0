"""Plain text tables."""

from upperhand.text import text_table


def test_names_to_the_left_numbers_to_the_right():
    shown = text_table(["arm", "pulls"], [["a", "7"], ["longer", "1234"]])

    assert shown.splitlines() == ["arm     pulls", "a           7", "longer   1234"]


def test_a_table_without_rows_is_its_heads():
    assert text_table(["arm", "pulls"], []) == "arm  pulls"
