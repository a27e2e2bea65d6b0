"""A study's blocks: the same bytes whoever plays them, in whatever order, however interrupted."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ClusterError
from upperhand.studies import Folder, cluster, plan, read_plan, run, run_plan
from upperhand.studies.results import status_of
from upperhand.studies.run import gaps, missing

from .files import TEXT, digest, series_of, whole, written

QUIET = {"progress": False}


class TestSameBytes:
    def test_any_number_of_workers(self, tmp_path, study, once):
        for workers in (2, 7):
            run_plan(study, tmp_path / str(workers), workers=workers, **QUIET)
            assert digest(tmp_path / str(workers)) == digest(once)

    @pytest.mark.compiled
    def test_processes(self, tmp_path, study):
        run_plan(study, tmp_path / "threads", workers=4, **QUIET)
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            run_plan(study, tmp_path / "out", executor=executor, **QUIET)
        assert digest(tmp_path / "out") == digest(tmp_path / "threads")

    def test_interrupted_at_any_block_and_resumed(self, tmp_path, study, once, monkeypatch):
        rng, real, interrupts = random.Random(0), Folder.write, 0
        for _ in count():
            left = rng.randrange(1, 9)

            def failing(folder, *args):
                nonlocal left
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                real(folder, *args)

            monkeypatch.setattr(Folder, "write", failing)
            try:
                run_plan(study, tmp_path / "out", workers=2, **QUIET)
                break
            except KeyboardInterrupt:
                interrupts += 1
        assert interrupts >= 3
        assert digest(tmp_path / "out") == digest(once)

    def test_other_blocks_say_the_same(self, tmp_path, study, once, monkeypatch):
        """Cut otherwise, the files differ, and what is in them does not."""
        monkeypatch.setattr(plan, "LEAST_ROUNDS", 200_000)
        run_plan(study, tmp_path / "b", **QUIET)
        assert digest(tmp_path / "b") != digest(once)
        for series in series_of(study):
            assert np.array_equal(*(whole(folder, series) for folder in (once, tmp_path / "b")))


def test_the_numbers_are_those_of_simulate(study, once):
    for cell in study.cells[::2]:
        runs = uh.simulate(cell.arms, dict(cell.policies), cell.horizon, 12, seed=3, progress=False)
        for series in cell.series:
            assert np.array_equal(whole(once, series), runs.pulls[series.label])


def test_blocks_are_arrays_for_anyone(study, once):
    series = study.cells[0].series[0]
    paths = sorted((once / "blocks" / f"{series.key}-{series.code}").glob("*.npy"))
    assert np.array_equal(np.concatenate([np.load(path) for path in paths]), whole(once, series))


class TestGrowing:
    def test_what_is_there_is_not_played_again(self, tmp_path, study, once):
        first = TEXT.replace("replications = 12", "replications = 7")
        first = first.replace('[[policies]]\nname = "ucb1"', "").replace("[60, 100]", "60")
        run_plan(read_plan(written(tmp_path, first, "first.toml")), tmp_path / "out", **QUIET)
        files = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "blocks").rglob("*.npy")}
        ran = run_plan(study, tmp_path / "out", **QUIET)
        assert ran.there == len(files) > 0
        assert all(path.stat().st_mtime_ns == at for path, at in files.items())
        for series in series_of(study):
            assert np.array_equal(whole(tmp_path / "out", series), whole(once, series))

    def test_a_run_that_is_complete_plays_nothing(self, study, out):
        again = run_plan(study, out, **QUIET)
        assert (again.played, again.failures) == (0, [])
        assert again.there > 0

    def test_another_title_is_no_other_study(self, tmp_path, out):
        other = written(tmp_path, TEXT.replace('title = "Which b?"', ""), "renamed.toml")
        assert run_plan(read_plan(other), out, **QUIET).played == 0
        assert Folder(out).read_plan().title == "renamed"

    def test_the_folder_knows_its_plan(self, tmp_path, monkeypatch):
        text = TEXT + '\n[[policies]]\nname = "acp-ucb1"\ncalibrator = "aci"\n'
        study = read_plan(written(tmp_path, text))
        monkeypatch.setattr(run, "missing", lambda *_: (0, []))
        run_plan(study, tmp_path / "out", **QUIET)
        again = Folder(tmp_path / "out").read_plan()
        assert again == study
        assert [s[3:] for s in series_of(again)] == [s[3:] for s in series_of(study)]


def test_quantiles_are_an_axis(tmp_path):
    """Each is what policies play for and what they are evaluated by; UCB1 is played once."""
    text = TEXT.replace("objectives =", "quantiles = [0.9, 0.99]\nobjectives =")
    text = text.replace('name = "quantile-ucb"\nb = [0.5, 1]', 'name = "kl-qucb"')
    study = read_plan(written(tmp_path, text.replace("[60, 100]", "60")))
    assert [cell.policies["KL-QUCB"].tau for cell in study.cells] == [0.9, 0.99, 0.9, 0.99]
    labels = [objective.label for objective in study.cells[1].objectives]
    assert labels == ["p99", "ACP value (p95)", "mean"]
    blocks = len(study.cells[0].blocks(12))
    _, tasks = missing(study, Folder(tmp_path / "out"))
    assert sum(len(task.series) for task in tasks) == 2 * 3 * blocks
    run_plan(study, tmp_path / "out", **QUIET)
    (ucb1,) = (each for each in study.cells[0].series if each.label == "UCB1")
    next((tmp_path / "out" / "blocks").glob(f"{ucb1.key}*/*.npy")).write_bytes(b"")
    assert len(status_of(study, Folder(tmp_path / "out")).damaged) == 1


def test_many_arms_are_cut_into_small_blocks(study):
    """What is on its way does not grow with replications, and two threads find work."""
    (cell, *_) = study.cells
    large = plan.Cell("play", "many", cell.arms * 250, 1_000, {}, 0, False, 40, ())
    sizes = {len(block) for n in (1_000, 12_800) for block in large.blocks(n)[:-1]}
    assert len(sizes) == 1
    assert max(sizes) * 40 * len(large.arms) * 8 <= 4_000_000
    assert all(len(each.blocks(100)) >= 2 for each in (large, cell))


def test_the_processes_of_an_executor_end(tmp_path, study):
    """As where a script that is spawned has no guard."""
    with ProcessPoolExecutor(1) as executor:
        executor.submit = lambda *_: (_ for _ in ()).throw(BrokenExecutor("so"))
        with pytest.raises(ClusterError, match=r"guard the script.*again to resume"):
            run_plan(study, tmp_path / "out", executor=executor, **QUIET)


def failing_where(wrong, error, tries, monkeypatch):
    """Let blocks fail."""
    real = plan.play_block

    def play(kind, job, block, stop=None):
        if wrong(job, block):
            tries.append(1)
            raise error
        return real(kind, job, block, stop)

    monkeypatch.setattr(cluster, "play_block", play)


class TestFailures:
    def test_what_may_pass_is_tried_three_times(self, tmp_path, study, monkeypatch):
        tries, wrong = [], lambda job, block: len(job.arms) == 2 and block.start == job.horizon - 60
        failing_where(wrong, MemoryError("too much"), tries, monkeypatch)
        ran = run_plan(study, tmp_path / "out", **QUIET)
        assert len(tries) == 3 + 3 * 3  # all policies together, then each by itself
        assert {failure.task.labels for failure in ran.failures} == {
            (label,) for label in study.cells[0].policies
        }
        _, left = missing(study, Folder(tmp_path / "out"))
        assert [task.block for task in left] == [ran.failures[0].task.block]

    def test_an_error_of_one_policy_is_told_once_and_the_others_play(
        self, tmp_path, study, monkeypatch, capsys
    ):
        tries, folder = [], Folder(tmp_path / "out")
        error = ValueError("a formula\nwithout a value")
        wrong = lambda job, block: "UCB1" in job.policies and job.horizon == 60  # noqa: E731
        failing_where(wrong, error, tries, monkeypatch)
        ran = run_plan(study, folder.path, **QUIET)
        blocks = len(study.cells[0].blocks(12))
        assert len(tries) == 2 * blocks * (1 + 1)  # with others, and by itself
        assert {failure.task.labels for failure in ran.failures} == {("UCB1",)}
        where = "UCB1 on headline, ACP value (p95), 60 rounds, replications 1–4"
        told = f"Given up: {where}: ValueError: a formula\\nwithout a value"
        assert str(run.Failure("a task", MemoryError())) == "Given up: a task: MemoryError"
        assert told in capsys.readouterr().err
        assert told in status_of(study, folder).failures
        assert {task.labels for task in missing(study, folder)[1]} == {("UCB1",)}


@pytest.mark.compiled
def test_a_process_of_a_pool_is_killed(tmp_path, study, monkeypatch):
    """The run ends with a sentence; what was played stays, and another pool resumes."""
    real, kept = Folder.write, []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:

        def write(folder, *args):
            real(folder, *args)
            kept.append(1)
            if len(kept) == 6:
                os.kill(next(iter(executor._processes)), signal.SIGKILL)

        with monkeypatch.context() as patch:
            patch.setattr(Folder, "write", write)
            with pytest.raises(ClusterError, match=r"guard the script.*again to resume"):
                run_plan(study, tmp_path / "out", executor=executor, **QUIET)
    assert run_plan(study, tmp_path / "out", **QUIET).there == len(kept) >= 6
    run_plan(study, tmp_path / "fresh", **QUIET)
    assert digest(tmp_path / "out") == digest(tmp_path / "fresh")


def test_gaps():
    for seed in range(200):
        rng = random.Random(seed)
        edges = sorted(rng.sample(range(30), 6))
        known = [range(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        block = range(*sorted(rng.sample(range(30), 2)))
        found = [i for gap in gaps(block, known) for i in gap]
        assert found == [i for i in block if not any(i in each for each in known)]


KILLED = """
import sys
from upperhand.studies import plan, read_plan, run_plan
plan.LEAST_ROUNDS = 200
run_plan(read_plan(sys.argv[1]), sys.argv[2], workers=2, progress=False)
"""


def killed_again_and_again(path, folder, kills):
    """Run the study in processes that are killed, and return how often that was."""
    rng, done = random.Random(kills), 0
    for _ in range(50 * kills):
        process = subprocess.Popen([sys.executable, "-c", KILLED, path, folder])
        started = time.monotonic()
        blocks = lambda: sum(1 for _ in folder.rglob("*.npy"))  # noqa: E731
        before, wanted = blocks(), rng.randrange(1, 4)
        while process.poll() is None and time.monotonic() - started < 60:
            if done < kills and blocks() >= before + wanted:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
                break
            time.sleep(0.002)
        if process.wait() == 0:
            return done
    raise AssertionError("The study did not end.")


def test_killed_and_resumed(tmp_path, once):
    assert killed_again_and_again(written(tmp_path), tmp_path / "out", kills=1) == 1
    assert digest(tmp_path / "out") == digest(once)


@pytest.mark.slow
def test_killed_a_hundred_times_and_resumed(tmp_path):
    """A larger study, so that there is something to kill."""
    path = written(tmp_path, TEXT.replace("replications = 12", "replications = 300"))
    assert killed_again_and_again(path, tmp_path / "out", kills=100) >= 50
    run_plan(read_plan(path), tmp_path / "once", workers=1, **QUIET)
    assert digest(tmp_path / "out") == digest(tmp_path / "once")


def test_nothing_is_left_behind(out):
    names = {path.suffix for path in out.rglob("*") if path.is_file()}
    assert names == {".npy", ".json", ".lock"}


class TestProgress:
    @pytest.fixture
    def lacking(self, out):
        """Return the folder, with one block to play."""
        next((out / "blocks").rglob("*.npy")).unlink()
        return out

    def test_lines_where_there_is_no_terminal(self, study, lacking, capsys, monkeypatch):
        monkeypatch.setattr(run, "LINES", 0.0)
        run_plan(study, lacking)
        (line,) = capsys.readouterr().err.splitlines()
        pace = r"Which b\?: 1 of 1 block, 100 %, [\d.e-]+ million steps a second, 0 s left"
        assert re.fullmatch(pace, line)

    def test_a_bar_on_a_terminal(self, tmp_path, lacking, capsys, monkeypatch):
        title = "a {title} with {0} braces and [bold]markup[/bold]"
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "150")
        text = TEXT.replace("Which b?", title)
        run_plan(read_plan(written(tmp_path, text)), lacking)
        said = capsys.readouterr().err
        assert title in said
        assert "million steps a second" in said

    def test_without_standard_error(self, study, lacking, monkeypatch):
        monkeypatch.setattr(sys, "stderr", None)
        assert run_plan(study, lacking).played == 1

    def test_another_shell_sees_the_pace_of_a_run(self, study, lacking):
        folder = Folder(lacking)
        run_plan(study, lacking, **QUIET)
        note = folder.noted()
        assert note["process"] == os.getpid()
        assert status_of(study, folder).pace == ""  # nobody runs it now
        with folder.locked() as write:
            write(note)
            status = status_of(study, folder)
            assert status.running
            assert status.pace.startswith("1 of 1 block, 100 %")
