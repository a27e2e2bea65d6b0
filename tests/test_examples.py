"""The examples run and say what they promise."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "best_of_n.py": "creative  median best of 16: 70.8   <- most pulls",
    "best_of_n_solvers.py": "By the mean, 'one tree' got ",
    "calibrate_river.py": "intervals that cover 90% of 2,000 values",
    "calibrate_sklearn.py": "scikit-learn's intervals cover 66%, calibrated ones 90%",
    "calibrate_statsmodels.py": ", at least 82% of any 100 values in a row",
    "lowest_p95.py": "Use 'steady'",
    "mean_against_tail.py": "Under the mean, the best arm is Normal",
    "policy_of_your_own.py": "Best-Maximum",
    "tail_latency_routing.py": "The p95 picks 'steady'; the mean would have picked 'flaky'.",
}


def test_every_example_is_listed():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_example(name):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, check=True
    )

    assert SAID[name] in done.stdout
    assert done.stderr == ""
