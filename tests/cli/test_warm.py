"""`upperhand warm`: what it compiles is what simulations use."""

import pytest
from click.testing import CliRunner

import upperhand as uh
from upperhand._kernels import compiler, numba_backend
from upperhand.cli import commands


@pytest.mark.compiled
def test_later_runs_find_what_was_compiled(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba_backend, "_announced", set())
    monkeypatch.setattr(compiler, "_closures", {})
    done = CliRunner().invoke(commands, ["warm", "ucb1", "uniform-sampling:tau=0.5,budget=9"])
    assert "Compiled: UCB1, Uniform sampling" in done.output
    assert len(list(tmp_path.rglob("*.nbc"))) == 2
    numba_backend._announced.clear()
    compiler._closures.clear()
    uh.simulate([uh.Normal(0, 1), uh.Normal(1, 1)], "ucb1", 5000, replications=2)
    assert compiler._closures
    assert capsys.readouterr().err == ""


@pytest.mark.compiled
def test_what_is_unknown_is_refused(call):
    code, _, err = call("warm", "ucb")
    assert code == 2
    assert "Did you mean 'ucb1'" in err
