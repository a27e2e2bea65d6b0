"""Which versions of SQLite lose committed writes."""

from ....errors import StoreError

FIXED = (3, 51, 3)
BACKPORTED = ((3, 44, 6), (3, 50, 7))  # and what follows in the same series


def loses_writes(version: str) -> bool:
    """Tell whether a version has the WAL-reset bug, by which commits of others can vanish."""
    number = tuple(int(part) for part in version.split(".")[:3])
    if number < (3, 7, 0) or number >= FIXED:  # WAL came with 3.7.0
        return False
    return not any(number[:2] == fix[:2] and number >= fix for fix in BACKPORTED)


def refuse_old(version: str) -> None:
    """Refuse a library that is not safe for a log."""
    if loses_writes(version) or not version.startswith("3."):
        raise StoreError(
            f"apsw brings SQLite {version}, which can lose committed writes (its WAL-reset bug; "
            "3.7.0 to 3.51.2, but not 3.44.6 and 3.50.7). "
            "Upgrade it: pip install --upgrade 'upperhand[live]'."
        )
