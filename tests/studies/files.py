"""A small study as a file, and what is in its folder."""

import hashlib
from pathlib import Path

import numpy as np

from upperhand.studies import Folder, Plan, Series

TEXT = """
title = "Which b?"
seed = 3
horizon = [60, 100]
replications = 12
objectives = ["upper-tail:0.1", "mean"]

[instances]
headline = ["normal:0.10,0.05", "normal:0,0.15", "normal:0.04,0.08"]
two = ["bernoulli:0.4", "bernoulli:0.6"]

[[policies]]
name = "quantile-ucb"
b = [0.5, 1]

[[policies]]
name = "ucb1"
"""


def written(folder: Path, text: str = TEXT, name: str = "study.toml") -> Path:
    """Return the path of a study with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def digest(folder: Path) -> str:
    """Return one hash of all blocks: their names and their contents."""
    hashed = hashlib.sha256()
    for path in sorted((folder / "blocks").rglob("*.npy")):
        hashed.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return hashed.hexdigest()


def whole(folder: Path, series: Series) -> np.ndarray:
    """Return all replications of a series."""
    return np.concatenate([rows for _, rows in Folder(folder).blocks(series)])


def series_of(plan: Plan) -> list[Series]:
    """Return the series of all cells."""
    return [series for cell in plan.cells for series in cell.series]


def blocks(folder: Path) -> list[Path]:
    """Return the paths of all blocks."""
    return sorted((folder / "blocks").rglob("[0-9]*.npy"))
