"""Maxima of the latest values: the same as from whole rows, for any capacity."""

import numpy as np

from upperhand._kernels import extremes
from upperhand._kernels.extremes import (
    RECORDS,
    ROWS,
    full,
    grown,
    maximum_after,
    maximum_of_rank,
    packed,
    push,
)

from ..looping import for_each
from ..tables import draw

KINDS = ["gaussian", "ties", "rising", "falling", "constant", "alternating"]


def filled(kind, arms=3, rows=9, most=25):
    """Return the maxima, and the rows that they are of: of different lengths."""
    rng, maxima = np.random.default_rng(0), extremes.empty(arms)
    whole = [[] for _ in range(arms)]
    for arm in range(arms):
        table = draw(kind, rows, most, arm)
        for row in range(rows):
            whole[arm].append([])
            for number in range(1, int(rng.integers(1, most + 1)) + 1):
                if full(maxima, arm):
                    maxima = grown(maxima)
                value = float(table[row, number - 1])
                push(maxima, arm, row, number, value)
                whole[arm][row].append(value)
    return maxima, whole


@for_each("kind", KINDS)
def test_maxima_after_every_number_and_of_every_rank(kind):
    maxima, whole = filled(kind)
    for arm, rows in enumerate(whole):
        for row, values in enumerate(rows):
            for number in range(len(values)):
                assert maximum_after(maxima, arm, row, number) == max(values[number:])
        for count in range(1, len(rows) + 1):
            expected = sorted(max(values) for values in rows[:count])
            found = [maximum_of_rank(maxima, arm, count, k) for k in range(1, count + 1)]
            assert found == expected


def test_records_by_hand():
    maxima = extremes.empty(2)
    for number, value in enumerate([5.0, 3.0, 4.0, 1.0, 1.0], 1):
        push(maxima, 1, 0, number, value)
    assert maxima.size[1, 0] == 3  # 4 removes 3, and the later 1 the earlier
    assert maxima.values[1, 0, :3].tolist() == [5.0, 4.0, 1.0]
    assert maxima.numbers[1, 0, :3].tolist() == [1, 3, 5]
    assert maxima.most.tolist() == [0, 3]
    assert maxima.begun.tolist() == [0, 1]
    push(maxima, 1, 0, 6, 9.0)
    assert maxima.size[1, 0] == 1
    assert maxima.most[1] == 3


def test_what_is_used_up_grows():
    maxima = extremes.empty(2)
    for row in range(ROWS):
        assert not full(maxima, 0)
        push(maxima, 0, row, 1, 1.0)
    assert full(maxima, 0)
    assert not full(maxima, 1)
    more = grown(maxima)
    assert more.values.shape == (2, ROWS + ROWS // 2 + ROWS, RECORDS)
    for number in range(2, RECORDS + 1):
        push(more, 0, 0, number, -float(number))
    assert full(more, 0)
    assert grown(more).values.shape[2] > RECORDS
    assert not full(grown(more), 0)


@for_each("kind", KINDS)
def test_packed_arrays_do_not_depend_on_the_capacity(kind):
    """Whatever the capacity was, and whatever was removed, the packed arrays are equal."""
    maxima, _ = filled(kind)
    larger = grown(grown(maxima))
    larger.values[:, :, -1] = 7.0  # left over
    one, other = packed(maxima), packed(larger)
    for name in maxima._fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.values.shape[1:] == (maxima.begun.max(), maxima.most.max())
    assert repr(maxima) == "RecentMaxima of 3 arms, 27 rows"
