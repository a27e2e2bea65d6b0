"""R7: clients that try again, all at once; and those that say something else."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import made
from tests.live.states import assert_replay
from upperhand.errors import ConflictError
from upperhand.live.log import sqlite


def told_by_many(exp, trials, tries):
    """Tell each trial so many times at once; return the answers of each."""

    def tell(task):
        trial, value = task
        return exp.tell(trial.id, value)

    tasks = [(trial, float(i)) for i, trial in enumerate(trials) for _ in range(tries)]
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(tell, tasks))
    return [answers[i : i + tries] for i in range(0, len(answers), tries)]


def check_retries(storage, trials, conflicts):
    with made(storage, lease=1e6) as exp:
        asked = [trial for _ in range(trials // 100) for trial in exp.ask_many(100)]
        answers = told_by_many(exp, asked, 5)
        assert all(sorted(each) == ["again"] * 4 + ["told"] for each in answers)
        refused = 0
        for i, trial in enumerate(asked[:conflicts]):
            try:
                exp.tell(trial, i + 0.5)
            except ConflictError:
                refused += 1
        assert refused == conflicts
        found = check_kept(exp, {trial.id: float(i) for i, trial in enumerate(asked)})
        assert len(found) == exp.counts()["outcomes"] == trials
        assert exp.counts()["pending"] == 0
        assert_replay(exp)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("size", [(300, 60), pytest.param((10_000, 1_000), marks=pytest.mark.slow)])
def test_retries_at_once(tmp_path, kind, size):
    check_retries(tmp_path / "log.db" if kind == "sqlite" else None, *size)


def test_a_log_that_forgets_what_was_told_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite.SqliteTransaction, "outcome", lambda transaction, trial: None)
    with pytest.raises(Exception):  # noqa: B017, PT011 - refused as unknown, or written twice
        check_retries(tmp_path / "log.db", 100, 5)
