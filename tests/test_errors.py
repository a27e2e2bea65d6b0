"""One tree of exceptions, drawn in full, and messages that help."""

import inspect
import re

import pytest

from upperhand import errors
from upperhand.errors import FileError, MissingExtraError, UnknownNameError, UpperhandError

EXCEPTIONS = {
    name: cls
    for name, cls in inspect.getmembers(errors, inspect.isclass)
    if cls.__module__ == errors.__name__ and not issubclass(cls, Warning)
}


def test_the_tree_is_drawn_in_full():
    drawn = dict(re.findall(r"[├└]── (\w+)\s+\((\w+)\)", errors.__doc__))
    derived = {name: cls for name, cls in EXCEPTIONS.items() if cls is not UpperhandError}
    assert drawn == {name: cls.__bases__[1].__name__ for name, cls in derived.items()}


def test_all_derive_from_one():
    for cls in EXCEPTIONS.values():
        assert issubclass(cls, UpperhandError)
        assert cls.__doc__


class TestUnknownName:
    def test_near_matches(self):
        error = UnknownNameError.among("arm", "nroth", ["north", "south", "northern", "east"])
        assert str(error) == (
            "Unknown arm 'nroth'. Did you mean 'north' or 'northern' or 'south'? "
            "Known: north, south, northern, east."
        )

    def test_the_beginning_of_a_long_name(self):
        names = ["split-conformal", "aci"]
        assert "Did you mean 'split-conformal'?" in str(UnknownNameError.among("x", "split", names))
        assert "mean" not in str(UnknownNameError.among("x", "", names))

    def test_nothing_near(self):
        error = UnknownNameError.among("arm", "xyz", ["north", "south"])
        assert str(error) == "Unknown arm 'xyz'. Known: north, south."

    def test_a_long_list_is_cut(self):
        error = UnknownNameError.among("arm", "zz", [f"arm{i}" for i in range(30)])
        assert str(error).endswith("arm19, ….")

    def test_names_that_are_no_strings(self):
        assert "Unknown arm 7. Known: 0, 1." in str(UnknownNameError.among("arm", 7, [0, 1]))

    def test_it_is_a_lookup_error_whose_message_is_not_quoted(self):
        with pytest.raises(KeyError, match=r"^Unknown arm 'x'"):
            raise UnknownNameError.among("arm", "x", [])


def test_a_missing_extra_says_what_to_install():
    assert str(MissingExtraError.needed("A figure", "lab")) == (
        "A figure needs the 'lab' extra: pip install 'upperhand[lab]'."
    )
    assert issubclass(MissingExtraError, ImportError)


def test_a_file_error_is_an_os_error():
    assert str(FileError("Cannot do it.")) == "Cannot do it."
    assert issubclass(FileError, OSError)
