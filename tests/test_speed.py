"""What `make bench` compares: rivals that play UCB1, rows that say what they found, and the page.

If the page is another than the command's, `make performance` writes it anew.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand.comparison.instances import GAUSSIAN_ARMS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "performance.md"
HORIZON, REPLICATIONS = 400, 12


@pytest.fixture(autouse=True)
def speed(monkeypatch):
    """Let `speed` be found, as when the script next to it runs."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def library_pulls(means, sds, replications, rng):
    """Play the library's own UCB1, interpreted, on rewards by round; return the pulls (K, R)."""
    arms, policy = len(means), uh.UCB1()
    first = rng.standard_normal((arms, replications))
    noise = rng.standard_normal((HORIZON - arms, replications))
    pulls = []
    for r in range(replications):
        state = policy.functions.start(policy.parameters, arms, HORIZON)
        for t in range(1, HORIZON + 1):
            arm = policy.functions.choose(policy.parameters, state, t, None)
            z = first[arm, r] if t <= arms else noise[t - arms - 1, r]
            policy.functions.update(policy.parameters, state, arm, float(means[arm] + sds[arm] * z))
        pulls.append(state.pulls)
    return np.array(pulls).T


@pytest.mark.parametrize("name", ["plain", "masked", "stacked", "gathered"])
@pytest.mark.parametrize("arms", [2, 3, 5])
@pytest.mark.parametrize("chunk", [REPLICATIONS, 5])
def test_numpy_plays_the_librarys_ucb1(name, arms, chunk):
    from speed import numpy_ucb1

    means, sds = np.linspace(0.0, 0.6, arms), np.linspace(0.3, 0.1, arms)
    play, rng = getattr(numpy_ucb1, name), np.random.default_rng(4)
    twin = np.random.default_rng(4)
    grid = [50, HORIZON]

    found = numpy_ucb1.in_chunks(play, chunk, means, sds, REPLICATIONS, grid, rng)
    sizes = [min(chunk, REPLICATIONS - done) for done in range(0, REPLICATIONS, chunk)]
    expected = np.concatenate([library_pulls(means, sds, n, twin) for n in sizes], axis=1)

    assert found.shape == (2, arms, REPLICATIONS)
    assert np.array_equal(found[-1], expected)
    assert np.all(found[0].sum(axis=0) == grid[0])


def test_all_ways_that_are_tried_are_held_equal():
    from speed import numpy_ucb1

    assert set(numpy_ucb1.TUNED) == {"masked", "stacked", "gathered"}


@pytest.mark.parametrize("name", ["river", "SMPyBandits", "MABWiser"])
def test_peers_play_ucb1(name):
    """Whoever is installed pulls as `simulate` does, within what chance allows."""
    from speed.end_to_end import MEANS, SDS
    from speed.peers import PEERS
    from speed.rows import SkippedError

    rng = np.random.default_rng(0)
    try:
        pulls = np.array([PEERS[name](MEANS, SDS, 2_000, rng) for _ in range(3)])
    except SkippedError as reason:
        assert name in str(reason)  # noqa: PT017
        pytest.skip(str(reason))
    runs = uh.simulate(GAUSSIAN_ARMS, uh.UCB1(), 2_000, 50, 0, rounds=1, progress=False)
    ours = runs.pulls["UCB1"][:, -1]

    assert np.all(np.abs(pulls.mean(axis=0) - ours.mean(axis=0)) <= 5 * ours.std(axis=0))
    assert np.all(pulls.sum(axis=1) == 2_000)


def test_a_missing_peer_is_skipped_by_name():
    from speed.peers import load
    from speed.rows import Row, SkippedError, run_row

    with pytest.raises(SkippedError, match="Nobody does not import"):
        load("nobody_of_this_name", "Nobody")
    result = run_row(Row("x", lambda: load("nobody_of_this_name", "Nobody"), "×"))
    assert result.shown.startswith("skipped: Nobody does not import")
    assert not result.failed


def test_the_bare_loop_plays_the_librarys_ucb1():
    from speed.floors import bare_ucb1

    table = np.random.default_rng(0).normal(0.0, 1.0, (3, 300))

    assert np.array_equal(bare_ucb1(table, 300), np.bincount(uh.play(uh.UCB1(), table).arms))


def test_live_use_is_timed_next_to_river(monkeypatch):
    pytest.importorskip("river")
    import live_peers
    from speed import live

    monkeypatch.setattr(live, "live_policies", lambda: {"UCB1": uh.UCB1(), "QUCB": uh.QUCB()})
    monkeypatch.setattr(live_peers, "ROUNDS", 10)
    monkeypatch.setattr(live_peers, "KNOWN", 30)
    taken = live.taken.__wrapped__(3)
    monkeypatch.setattr(live, "taken", lambda _arms: taken)

    assert set(taken) == {"river", "UCB1", "QUCB"}
    slowest = max(("UCB1", "QUCB"), key=lambda name: np.median(taken[name]))
    assert live.row(live.SLOWEST, 3).value == live.row(slowest, 3).value
    assert live.row(live.SLOWEST, 3).note.startswith(f"{slowest}: ")


class TestRows:
    """A row says its value, its range and what was missed, and never stops the others."""

    def test_shown(self):
        from speed.rows import Measured, Row, at_least, at_most, run_row, shown

        row = Row("x", lambda: None, "µs", at_most(2))
        assert shown(row, Measured(1.5e-6, 1.25e-6, 12e-6)) == "1.50 µs (1.25 to 12.0)"
        assert shown(row, Measured(2.5e-6, 2.5e-6, 2.5e-6, "n")) == "2.50 µs, missed; n"
        assert row.goal.text("µs") == "≤ 2 µs"
        many = Row("x", lambda: Measured(1234.0, 999.0, 2000.0), "×", at_least(1_000))
        result = run_row(many)
        assert (result.shown, result.goal) == ("1,234 × (999 to 2,000)", "≥ 1,000 ×")

    def test_one_that_fails_says_so(self):
        from speed.rows import Row, run_row

        def fails():
            raise ValueError("no such thing")

        result = run_row(Row("x", fails, "s"))
        assert (result.shown, result.failed) == ("failed: ValueError: no such thing", True)

    def test_sides_by_turns(self):
        from speed.clock import by_turns, ratio

        said = []
        sides = {"a": lambda: said.append("a") or 2.0, "b": lambda: said.append("b") or 1.0}
        taken = by_turns(sides, 3)

        assert said == ["a", "b"] * 4  # one turn before the first
        assert ratio(taken["a"], taken["b"])[:3] == (2.0, 2.0, 2.0)

    def test_a_ratio_is_taken_turn_by_turn(self):
        from speed.clock import ratio

        found = ratio(np.array([1.0, 20.0, 300.0]), np.array([1.0, 10.0, 100.0]))
        assert found[:3] == (2.0, 1.0, 3.0)


def test_the_command_runs_the_rows_with_the_word():
    script = [sys.executable, str(ROOT / "benchmarks" / "run.py")]
    done = subprocess.run([*script, "--only", "Normal Number"], capture_output=True, text=True)

    assert done.returncode == 0
    assert done.stdout.count("a normal number by NumPy") == 2  # as it is found, and in the table
    assert "UCB1" not in done.stdout
    none = subprocess.run([*script, "--only", "nothing-of-it"], capture_output=True, text=True)
    assert none.returncode == 2
    assert "no row has 'nothing-of-it'" in none.stderr


def test_the_installer_knows_the_peers():
    script = [sys.executable, str(ROOT / "benchmarks" / "install_peers.py"), "nobody"]
    done = subprocess.run(script, capture_output=True, text=True)

    assert done.returncode == 1
    assert "mabwiser, optuna, river, SMPyBandits are" in done.stderr


def test_the_page_says_what_is_missed_and_what_was_not_measured(monkeypatch, tmp_path):
    from speed import page
    from speed.rows import Measured, Row, Section, SkippedError, at_most, run_row

    def absent():
        raise SkippedError("no river here")

    rows = (
        Row("good", lambda: Measured(1.0, 1.0, 1.0), "×", at_most(2)),
        Row("bad", lambda: Measured(3.0, 2.5, 4.0, "3 against 1"), "×", at_most(2)),
        Row("gone", absent, "×", at_most(2)),
        Row("free", lambda: Measured(5.0, 5.0, 5.0), "s"),
    )
    steps = {10**3: {"UCB1": 3e-8, "ACP-UCB1": 9e-8}, 10**4: {"UCB1": 4e-8, "ACP-UCB1": 2e-7}}
    monkeypatch.setattr(page, "against_rounds", lambda: steps)
    monkeypatch.setattr(page, "against_arms", lambda: steps)
    (tmp_path / "images").mkdir()
    found = [(Section("Things", rows), [run_row(row) for row in rows])]
    places = (
        f"<!-- {name} -->\n\nold\n\n<!-- end -->" for name in ("run", "Things", "rounds", "arms")
    )
    (tmp_path / "page.md").write_text("By hand.\n\n" + "\n\n".join(places), encoding="utf-8")
    page.write_page(tmp_path / "page.md", found)
    text = (tmp_path / "page.md").read_text(encoding="utf-8")

    assert text.startswith("By hand.\n\n<!-- run -->")
    assert "old" not in text
    assert "| goals | 3 goals: met 1, missed 1, not measured 1 |" in text
    assert "| bad | 3.00 × (2.50 to 4.00), missed; 3 against 1 | ≤ 2 × |" in text
    assert "| gone | skipped: no river here | ≤ 2 × |" in text
    assert "| 10,000 | 40 ns | 200 ns |" in text
    assert (tmp_path / "images" / "performance.png").read_bytes()[1:4] == b"PNG"


@pytest.fixture(scope="module")
def text():
    return re.sub(r"\\(.)", r"\1", PAGE.read_text(encoding="utf-8"))


class TestPage:
    """The page is what the command makes now, whatever its numbers were."""

    def test_every_row_with_its_goal(self, text):
        from speed.catalogue import sections

        for section in sections():
            assert f"\n## {section.title}\n" in text
            for row in section.rows:
                goal = row.goal.text(row.unit) if row.goal else ""
                assert re.search(rf"^\| {re.escape(row.name)} \| .+ \| {re.escape(goal)} +\|$",
                                 text, re.M), row.name  # fmt: skip

    def test_no_other_rows(self, text):
        from speed.catalogue import sections
        from speed.page import HEADER

        names = [row.name for section in sections() for row in section.rows]
        parts = text.split(f"| {' | '.join(HEADER)} |\n| --- | --- | --- |\n")[1:]
        rows = [line for part in parts for line in part.split("\n\n")[0].splitlines()]

        assert [line.split(" | ")[0].removeprefix("| ") for line in rows] == names

    def test_curves_and_their_figure(self, text):
        from speed.curves import ARMS, MAIN, ROUNDS

        assert (PAGE.parent / "images" / "performance.png").is_file()
        assert f"| rounds n | {' | '.join(MAIN)} |" in text
        for size in (*ROUNDS, *ARMS):
            assert f"\n| {size:,} | " in text

    def test_it_tells_no_date_and_no_place(self, text):
        assert not re.search(r"\b\d{4}-\d\d-\d\d\b|/(home|work|tmp|Users)/", text)
