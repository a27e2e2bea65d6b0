"""Times of a step: which of the measured seconds count, and in what unit."""

from types import SimpleNamespace

import pytest

import upperhand as uh
from upperhand.comparison import compare
from upperhand.comparison.instances import INSTANCES
from upperhand.simulation.rewards import draw_table

POLICIES = {"one": uh.UCB1(), "two": uh.ACPUCB1()}


@pytest.mark.parametrize(("horizon", "rounds"), [(200, 200), (50_000, 10_000)])
def test_the_median_of_fresh_tables_in_nanoseconds_a_round(monkeypatch, horizon, rounds):
    seen = []

    def measured(policy, table, _seed):
        seen.append((policy.name, table.shape, table[0, 0]))
        turn = (len(seen) - 1) // 2
        return (100.0 if turn == 0 else turn * 1e-3) * (2 if policy.name == "ACP-UCB1" else 1)

    monkeypatch.setattr(compare, "_seconds", measured)
    times = compare.step_times(INSTANCES["headline"], POLICIES, horizon, 0)

    middle = 1e9 * 5e-3 / rounds  # of 1, 2, …, 9 ms; the turn that compiles is left out
    assert times == pytest.approx({"one": middle, "two": 2 * middle})
    assert {shape for _, shape, _ in seen} == {(3, rounds)}
    assert [name for name, *_ in seen] == ["UCB1", "ACP-UCB1"] * 10  # by turns
    assert len({first for *_, first in seen}) == 10  # fresh tables


def test_the_clock_runs_while_the_policy_plays(monkeypatch):
    ticks = iter([3.0, 5.5])
    monkeypatch.setattr(compare, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    table = draw_table(INSTANCES["headline"].arms, 50, 0, 0)

    assert compare._seconds(uh.UCB1(), table, 0) == 2.5
