"""The same choices, same seed, when the rewards change their unit, their zero, or their shape.

Multiplying by a power of two is exact in floating point, so there the choices must be equal for
every policy that has no unit. Rank-based policies must not notice any map that keeps the order of
all rewards, rounding included.
"""

from itertools import cycle

import numpy as np

from upperhand.simulation.player import play

from ..looping import for_each
from ..tables import draw
from .examples import EXAMPLES, RANK_BASED, SCALE_FREE, SHIFT_FREE

KINDS = ["gaussian", "ties", "bernoulli", "heavy", "rising", "falling", "alternating"]
POWERS = [-40, -10, -1, 1, 20]
ROUNDS = 300

INCREASING = {
    "× 1e-3": lambda x: x * 1e-3,
    "× 1e6": lambda x: x * 1e6,
    "÷ 7": lambda x: x / 7,
    "+ 100": lambda x: x + 100,
    "− 1e-3": lambda x: x - 1e-3,
    "arctan": np.arctan,
    "cube": lambda x: x**3,
    "exp": lambda x: np.exp(np.clip(x, None, 340)),
    "ranks": lambda x: np.unique(x, return_inverse=True)[1].reshape(x.shape) * 1.0,
}


def arms(name, table, seed=3):
    return play(EXAMPLES[name], table, seed).arms.tolist()


def keeps_order(table, mapped):
    """Tell whether equal rewards stay equal and smaller ones smaller, of all arms together."""
    before, after = (np.unique(x, return_inverse=True)[1] for x in (table, mapped))
    return np.array_equal(before, after)


@for_each("name", sorted(RANK_BASED))
def test_only_the_order_counts(name):
    """The first table is mapped by all; of the others each takes one map after the other."""
    turns = cycle(INCREASING)
    for kind in KINDS:
        table = draw(kind, 3, ROUNDS)
        maps = INCREASING if kind == "gaussian" else [next(turns) for _ in range(3)]
        mapped = [INCREASING[label](table) for label in maps]
        usable = [each for each in mapped if keeps_order(table, each)]  # rounding makes ties
        assert usable
        assert kind != "gaussian" or len(usable) == len(INCREASING)
        expected = arms(name, table)
        for each in usable:
            assert arms(name, each) == expected, kind


@for_each("name", sorted(SCALE_FREE))
def test_the_unit_cancels_out(name):
    for kind, power in zip([*KINDS, "constant", "zeros"], cycle(POWERS), strict=False):
        table = draw(kind, 3, ROUNDS)
        assert arms(name, table * 2.0**power) == arms(name, table), kind


@for_each("name", sorted(SCALE_FREE - RANK_BASED))
def test_any_unit_cancels_out_where_nothing_ties(name):
    table = draw("gaussian", 3, ROUNDS)
    for factor in (1e-3, 1e6):
        assert arms(name, factor * table) == arms(name, table)


def on_a_grid(kind):
    """Return rewards in whole 2⁻³⁰: adding a whole number is exact, and hardly any two tie."""
    return np.round(draw(kind, 3, ROUNDS) * 2.0**30) / 2.0**30


@for_each("name", sorted(SHIFT_FREE))
def test_the_zero_cancels_out(name):
    for kind, shift in (("gaussian", -64.0), ("rising", 1.0), ("falling", 1024.0)):
        table = on_a_grid(kind)
        assert arms(name, table + shift) == arms(name, table), kind


@for_each("name", sorted(SHIFT_FREE - SCALE_FREE))
def test_those_with_a_unit_do_notice_it(name):
    """The other half of the claims: what is not called free of scale is not."""
    table = draw("gaussian", 3, ROUNDS)
    table[0] *= 2.0  # so that means and spreads rank the arms differently
    noticed = [arms(name, table * 2.0**power) != arms(name, table) for power in (-20, 20)]
    assert any(noticed)
