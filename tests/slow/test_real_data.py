"""What was measured on real data before, with other code and seeds, is measured again.

Figures f ± s and f' ± s' agree if |f' − f| ≤ 4 √(s² + s'²) + 0.002. A figure without an error is
exact, or rounded to a whole number. Excerpts of the data that do not come with the library are read
from the folder that UPPERHAND_REAL_DATA names.
"""

import csv
import math
import os
import runpy
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand.simulation.rewards import row_stream

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
ROOT = Path(__file__).parents[2]
GALLERY = runpy.run_path(str(ROOT / "docs" / "tools" / "gallery.py"))
with (ROOT / "tests" / "fixtures" / "real_data.csv").open(encoding="utf-8") as file:
    EXPECTED = list(csv.DictReader(file, delimiter=";"))
SHIPPED = ("BWI", "CHS", "PDX", "tuning")
FOLDER = os.environ.get("UPPERHAND_REAL_DATA")


class Fixed:
    """Play one arm of the table, wherever its column is: the replications come in order."""

    replications = count()

    def __init__(self, best, seed):
        self.best, self.seed = best, seed

    def start(self, n_arms):
        order = row_stream(self.seed, next(Fixed.replications)).permutation(n_arms)
        self.arm = order.tolist().index(self.best)

    def select(self):
        return self.arm

    def update(self): ...


def rows(name):
    with (Path(FOLDER) / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def requests(model, outcome):
    found = {}
    for row in rows("llm_requests"):
        if row["model"] == model:
            answered = row["status"] in ("ok", "short")
            found.setdefault(row["provider"], []).append(float(row[outcome] if answered else "inf"))
    return {provider: np.array(times) for provider, times in found.items()}


def excerpt(name):
    """Return the setting of an excerpt."""
    aim, setting = {"quantile": 0.95, "direction": "minimize"}, GALLERY["Setting"]
    if name.startswith("rtt"):
        table = [
            {k: float(v) for k, v in row.items() if k != "slice"} for row in rows("network_rtt")
        ]
        clients = dict.fromkeys(column.partition("_")[0] for column in table[0])
        tables = [
            np.array([[v for k, v in row.items() if k.startswith(f"{c}_")] for row in table])
            for c in clients
        ]
        return setting(tables, {**aim, "quantile": float(name[-2:]) / 100, "order": "time"}, 25)
    if name == "sat":
        table = [[float(v or "inf") for v in list(row.values())[1:]] for row in rows("sat_seconds")]
        options = {**aim, "quantile": 0.6, "order": "shuffle", "failure": 10_000.0}
        return setting([np.array(table)], options | {"horizon": 1500}, 200)
    arms = requests(name[:3].strip(","), "ttft_s" if "token" in name else "end_to_end_s")
    rounds = 200 if name.endswith(" 200") else 2000
    options = {**aim, "horizon": rounds, "failure": 120.0, "order": "resample"}
    return setting([arms], options, 400 if rounds == 200 else 200)


def measured(name):
    """Return the figures of a setting by policy."""
    if name in SHIPPED:
        setting = GALLERY["tuning"]() if name == "tuning" else GALLERY["flights"](name)
    else:
        setting = excerpt(name)
    sign = 1 if setting.options["direction"] == "minimize" else -1
    found = []
    for seed, table in enumerate(setting.tables):
        outcomes = [np.where(np.isinf(x), setting.options.get("failure"), x)
                    for x in GALLERY["columns"](table)]  # fmt: skip
        Fixed.replications = count()
        best = int(np.argmin([sign * values.mean() for values in outcomes]))
        extra = {"best mean, fixed": Fixed(best, seed + 100), "MaxMedian": "maxmedian"}
        extra["KL-QUCB+, trust=3"] = "kl-qucb:plus=true,trust=3"
        policies = {**GALLERY["policies"](setting, table), **extra}
        found.append(
            uh.replay(
                table, policies, **setting.options, replications=setting.replications,
                seed=seed + 100, workers=1, progress=False,
            )
        )  # fmt: skip
    return {policy: GALLERY["figures"](found, policy) for policy in found[0].played}


@pytest.mark.slow
@pytest.mark.parametrize("name", dict.fromkeys(row["setting"] for row in EXPECTED))
def test_figures(name):
    if name not in SHIPPED and not FOLDER:
        pytest.skip("UPPERHAND_REAL_DATA names no folder with the excerpts.")
    found, wrong = measured(name), []
    for row in EXPECTED:
        if row["setting"] == name:
            ratio, error = found[row["policy"]]
            stated, own = float(row["ratio"]), float(row["error"] or 0)
            rounded = 0.5 if "." not in row["ratio"] and stated > 1 else 0.0
            allowed = 4 * math.hypot(own, error) + 0.002 + rounded
            if abs(ratio - stated) > allowed:
                wrong.append((row, ratio, error))
    assert not wrong


def test_a_few_figures_of_few_replications():
    setting = GALLERY["tuning"]()._replace(replications=40)
    policies = {"round robin": "round-robin", "mean of last 10": "mean-of-last"}
    found = uh.replay(
        setting.tables[0], policies, **setting.options, replications=40, seed=5, progress=False
    )
    for row in EXPECTED:
        if row["setting"] == "tuning" and row["policy"] in policies:
            ratio, error = GALLERY["figures"]([found], row["policy"])
            own = float(row["error"])
            assert abs(ratio - float(row["ratio"])) <= 4 * math.hypot(own, error) + 0.002


def test_the_gallery_has_a_place_for_each_table():
    text = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "gallery").glob("*.md"))
    assert all(f"<!-- {name} -->" in text for name in ("shipped", "clones", "identify"))
