"""Real data to measure policies on: two small datasets, and loaders for three more.

The two come with the library, as they are in the public domain or under a licence that allows it
(``NOTICE`` beside this file). The others are read from a clone of the repository that has them.
Loading needs NumPy only, and never the network.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, ParameterError
from .dataset import ABOUT, Choice, Values, one_of, some_of
from .dataset import Dataset as Dataset

PathLike = str | os.PathLike[str]
CUT_OFF = 5000.0  # seconds after which a solver was stopped
STATUS = {None: "ok", -100: "short", 429: "rate_limited"}  # by the error code; all others failed
TIMES = ("ttft_s", "end_to_end_s")


def load_flights() -> Dataset:
    """Return how late flights from New York arrived in 2013: 3 destinations, 3 carriers each.

    >>> load_flights().arms(dest="BWI", failure=900)["EV"][:3].tolist()
    [-3.0, -13.0, 60.0]
    """
    heads, rows = read_csv(Path(__file__).with_name("flights.csv"))
    dest, carrier, day, late = rows.T
    late = np.where(late == "", "nan", late).astype(np.float64)

    def choose(dest: str | None = None) -> Choice:
        here = rows[:, 0] == one_of("dest", dest, np.unique(rows[:, 0]).tolist())
        return by_arm(carrier, late, here)

    cells = (dest, carrier, day.astype(np.int64), late)
    return Dataset("flights", dict(zip(heads, cells, strict=True)), choose, **ABOUT["flights"])


def load_network_tuning() -> Dataset:
    """Return how good 400 random configurations of each of 8 families of networks are.

    >>> load_network_tuning().arms()["relu-relu-cosine"][:2].round(3).tolist()
    [0.006, 0.693]
    """
    names, rows = read_csv(Path(__file__).with_name("network_tuning.csv"))
    losses = dict(zip(names, rows.T.astype(np.float64), strict=True))

    def choose(families: Iterable[str] | None = None) -> Choice:
        return {each: -np.log10(losses[each]) for each in some_of("family", families, names)}

    return Dataset("network_tuning", losses, choose, **ABOUT["network_tuning"])


def load_llm_requests(path: PathLike | None = None) -> Dataset:
    """Return how long providers of Llama-2 took to answer, from a clone of LLMPerf Leaderboard."""
    rows = list[tuple[Any, ...]]()
    with reading(path, "llm_requests", "raw_data/individual") as folder:
        for file in sorted(folder.glob("*_*.json")):
            provider, _, model = file.stem.rpartition("_")
            for request, each in enumerate(json.loads(file.read_text(encoding="utf-8")), 1):
                status = STATUS.get(each["error_code"], "failed")
                times = each["ttft_s"], each["end_to_end_latency_s"]
                known = times if status in ("ok", "short") else (np.nan, np.nan)
                tokens = each["number_output_tokens"]
                rows.append((model, provider, request, *known, tokens, status))
        heads = ("model", "provider", "request", *TIMES, "output_tokens", "status")
        cells = zip(*rows, strict=True)
        columns = {head: np.array(each) for head, each in zip(heads, cells, strict=True)}

    def choose(model: str | None = None, outcome: str = "end_to_end_s") -> Choice:
        here = columns["model"] == one_of("model", model, np.unique(columns["model"]).tolist())
        return by_arm(columns["provider"], columns[one_of("outcome", outcome, TIMES)], here)

    return Dataset("llm_requests", columns, choose, **ABOUT["llm_requests"])


def load_network_rtt(path: PathLike | None = None) -> Dataset:
    """Return round-trip times between 99 nodes, from a clone of NetLatency-Data."""
    with reading(path, "network_rtt", "Seattle") as folder:
        files = [*folder.glob("SeattleData_*")]
        files.sort(key=lambda file: int(file.name.rpartition("_")[2]))
        slices = [[row.split() for row in file.read_text().splitlines()] for file in files]
        times = 1000.0 * np.array(slices, dtype=np.float64)  # milliseconds
        nodes = list(range(times.shape[2]))

    def choose(client: int | None = None, servers: Iterable[int] | None = None) -> Choice:
        client = one_of("client", client, nodes)
        others = [node for node in nodes if node != client]
        return {f"s{j}": times[:, client, j] for j in some_of("server", servers, others)}

    columns = {f"c{i}_s{j}": times[:, i, j] for i in nodes for j in nodes if i != j}
    slices_of_time = {"slice": np.arange(1, len(times) + 1)}
    return Dataset("network_rtt", slices_of_time | columns, choose, **ABOUT["network_rtt"])


def load_sat_seconds(path: PathLike | None = None) -> Dataset:
    """Return run times of 28 SAT solvers on 5,355 instances, from a clone of their repository."""
    with reading(path, "sat_seconds", "gbd-data/anni-seq.csv") as file:
        heads, rows = read_csv(file)
        seconds = rows[:, 4:].astype(np.float64)
        seconds[seconds >= CUT_OFF] = np.nan
        columns = dict(zip(heads[4:], seconds.T, strict=True))

    def choose(solvers: Iterable[str] | None = None) -> Choice:
        return {solver: columns[solver] for solver in some_of("solver", solvers, heads[4:])}

    return Dataset(
        "sat_seconds", {"instance": rows[:, 0]} | columns, choose, **ABOUT["sat_seconds"]
    )


def read_csv(path: Path) -> tuple[list[str], Any]:
    """Return the names of the columns, and the cells as text."""
    with path.open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    return heads, np.array(rows)


def by_arm(names: Any, values: Values, rows: Any) -> Choice:
    """Return the values of each arm in these rows."""
    return {each: values[rows & (names == each)] for each in np.unique(names[rows]).tolist()}


@contextmanager
def reading(path: PathLike | None, name: str, part: str) -> Iterator[Path]:
    """Give a part of a clone; say where to get it if it is not there, or is something else."""
    address = ABOUT[name]["source"].rpartition(", ")[2]
    line = f'git clone {address}, then load_{name}("{address.rpartition("/")[2]}")'
    if path is None:
        raise ParameterError(f"load_{name} reads a clone of its source: {line}.")
    try:
        yield Path(path) / part
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        told = f"Cannot read {part} in {str(path)!r}. Give the path of a clone"
        raise FileError(f"{told}: {line}.") from error
