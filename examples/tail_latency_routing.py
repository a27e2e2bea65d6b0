"""Which backend should get the requests? Real HTTP servers on this machine, and many threads.

"steady" is never fast. "bursty" has a better mean, but some of its answers take long, and a few
never come in time. "flaky" refuses some requests, which it does quickly: by the mean time alone it
looks best of all. All requests pass through one experiment in a file, shared by eight threads; it
plays for the lowest p95, in which a refusal is the worst outcome there is, and a time-out is "at
least 100 ms, and no more is known".
"""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np

import upperhand as uh

REQUESTS, THREADS, PATIENCE = 1000, 8, 0.1  # seconds


def steady(rng):
    return 200, rng.uniform(0.010, 0.014)


def bursty(rng):
    slow, never = rng.random(2) < (0.08, 0.02)
    return 200, 0.3 if never else rng.uniform(0.040, 0.060) if slow else rng.uniform(0.002, 0.004)


def flaky(rng):
    return (500, 0.001) if rng.random() < 0.15 else (200, rng.uniform(0.002, 0.004))


BACKENDS = {"steady": steady, "bursty": bursty, "flaky": flaky}


def serve(answer, rng):
    """Start a server on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, delay = answer(rng)
            time.sleep(delay)
            with suppress(OSError):  # nobody waits for this answer any more
                self.send_response(status)
                self.end_headers()

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def get(port):
    """Get an answer, or raise `TimeoutError`, or `OSError` if it is refused."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        if connection.getresponse().status != 200:
            raise ConnectionError
    finally:
        connection.close()


def request(exp, ports, seen):
    """Send one request to the backend of a trial; note what a clock would have said of it."""
    with suppress(OSError), exp.trial() as trial:  # an exception in here tells that it failed …
        begin = time.perf_counter()
        try:
            get(ports[trial.arm])
        except TimeoutError:
            trial.tell(at_least=1000 * PATIENCE)  # … unless the block tells better
        finally:
            seen.append((trial.arm, 1000 * (time.perf_counter() - begin)))
        # Otherwise leaving the block tells how long it took.


def main(folder):
    rng = np.random.default_rng(0)
    servers = {name: serve(answer, rng) for name, answer in BACKENDS.items()}
    ports = {name: server.server_port for name, server in servers.items()}
    seen = []
    with uh.Experiment(
        "routing", list(BACKENDS), quantile=0.95, direction="minimize", duration="ms",
        storage=folder / "routing.db", seed=0,
    ) as exp:  # fmt: skip
        exp.shares(least=0.1)  # a tenth for each, so that the log can also judge other choices
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in range(REQUESTS):
                pool.submit(request, exp, ports, seen)
        print(exp)
        chosen, pulls = exp.leader().arm, {arm: exp.pulls(arm) for arm in exp.arms}
    for server in servers.values():
        server.shutdown()

    means = {arm: np.mean([ms for each, ms in seen if each == arm]) for arm in BACKENDS}
    clock = ", ".join(f"{arm} {mean:.1f} ms" for arm, mean in means.items())
    quick = min(means, key=means.get)
    print(f"\nMean times by the clock, refusals and time-outs included: {clock}")
    print(f"The p95 picks {chosen!r}; the mean would have picked {quick!r}.")
    print(f"Of {REQUESTS} requests {chosen!r} got {pulls[chosen]}, {quick!r} {pulls[quick]}.")


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
