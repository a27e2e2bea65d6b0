"""Make the three files of this folder: latencies in milliseconds of three backends, log-normal.

They are made up. "eu" has the lowest p95, "us" the lowest mean and the longest tail, and "ap" is
steady and slow. The same seed gives the same files.
"""

from pathlib import Path

import numpy as np

MEDIAN, SIGMA = {"eu": 95.0, "us": 70.0, "ap": 140.0}, {"eu": 0.2, "us": 0.6, "ap": 0.1}
REQUESTS = 300


def text(backend: str) -> str:
    """Return the file of one backend: a header, then a latency a line."""
    rng = np.random.default_rng([list(MEDIAN).index(backend), 2026])
    values = MEDIAN[backend] * np.exp(SIGMA[backend] * rng.standard_normal(REQUESTS))
    return "\n".join(["latency_ms", *(f"{value:.1f}" for value in values), ""])


if __name__ == "__main__":
    for backend in MEDIAN:
        (Path(__file__).parent / f"{backend}.csv").write_text(text(backend), encoding="utf-8")
