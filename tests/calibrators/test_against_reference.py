"""Every interval of every calibrator is that of its reference implementation, to the bit."""

import math

import numpy as np

from ..looping import for_each
from ..tables import TABLES
from .examples import EXACT, EXAMPLES
from .streams import against, run, stream

every_calibrator = for_each("name", EXACT)


def reference_run(make, steps):
    reference, found = make(), []
    for low, high, y in steps:
        found.append(reference.interval(low, high))
        reference.update(low, high, y)
    return found


@every_calibrator
@for_each("points", [True, False])
def test_any_stream(name, points):
    calibrator, make = EXAMPLES[name]
    for kind in TABLES:
        steps = stream(kind, 140, points=points)
        with np.errstate(over="ignore"):
            expected = reference_run(make, steps)
            found = run(calibrator, steps, room=140).tolist()
        assert list(map(tuple, found)) == expected, kind


@every_calibrator
def test_an_adversary(name):
    calibrator, make = EXAMPLES[name]
    ours, reference = calibrator.replace(), make()
    for t in range(250):
        low, high = -(t % 3) / 2, (t % 4) / 2
        expected = reference.interval(low, high)
        assert ours.predict((low, high)) == expected, t
        y = against(expected, t)
        ours.update(y, forecast=(low, high))
        reference.update(low, high, y)


@every_calibrator
def test_a_long_stream_with_ties(name):
    """Long enough for blocks to split and late values to be merged."""
    calibrator, make = EXAMPLES[name]
    steps = stream("ties", 600, points=False, seed=3)
    reference, found = make(), run(calibrator, steps)
    for i, (low, high, y) in enumerate(steps):
        if i % 60 == 59:
            assert tuple(found[i].tolist()) == reference.interval(low, high), i
        reference.update(low, high, y)


def test_the_adversary_gets_the_empty_interval_and_the_whole_line():
    """What the streams above are for: both ends of ACI's level are reached."""
    calibrator, _ = EXAMPLES["ACI fast"]
    ours, seen = calibrator.replace(), set()
    for t in range(100):
        ends = ours.predict(0.0)
        seen.add(tuple(ends))
        ours.update(against(ends, t) if t < 50 else 0.0, forecast=0.0)
    assert {(-math.inf, math.inf), (math.inf, -math.inf)} <= seen
