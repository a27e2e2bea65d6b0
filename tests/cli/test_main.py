"""The command line as a whole: streams, memory, exit codes."""

import os
import signal
import subprocess
import sys

import pytest

from upperhand import cli
from upperhand.simulation.workers import advised

SIMULATE = ["simulate", "--arm", "t:0,1,1", "--arm", "normal:0,1", "--replications", "2"]
SHORT = [*SIMULATE, "--horizon", "20"]


def started(*words, before="", **options):
    """Start `upperhand` in a process of its own, after some code; it hears SIGINT."""
    code = (
        f"import os, signal, sys\nsys.argv = {['upperhand', *words]!r}\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored\n"
        f"from upperhand.__main__ import main\n{before}\nmain()"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-c", code], text=True, **pipes)


def test_a_pipe_that_is_not_utf8():
    process = started(*SHORT, encoding="latin-1", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert process.communicate()[1] == ""
    assert process.returncode == 0


@pytest.mark.parametrize("words", [SHORT, ["--help"]], ids=" ".join)
def test_output_to_a_full_device(words):
    with open("/dev/full", "w") as full:
        process = started(*words, stdout=full)
        told = process.communicate()[1]
    assert told == ("Error: cannot write the output: No space left on device. Send it elsewhere.\n")
    assert process.returncode == 1


@pytest.mark.parametrize("words", [SHORT, ["--help"]], ids=" ".join)
def test_a_pipe_that_is_closed(words):
    process = started(*words)
    process.stdout.close()  # long before anything is printed
    assert process.stderr.read() == ""
    assert process.wait() == 1
    process.stderr.close()


@pytest.mark.parametrize("words", [SHORT, ["--help"], [*SHORT, "--json"]], ids=" ".join)
def test_an_output_that_is_closed_from_the_start(words):
    process = started(*words, preexec_fn=lambda: os.close(1))
    told = "Error: cannot write the output: standard output is closed. Send it elsewhere.\n"
    assert process.communicate() == ("", told)
    assert process.returncode == 1


@pytest.mark.parametrize("how", ["sys.stderr = None", "sys.stderr.close()"])
def test_errors_that_are_closed_from_the_start(how):
    """What is said there is lost, and goes nowhere else."""
    process = started("simulate", before=how)
    assert process.communicate() == ("", "")
    assert process.returncode == 2
    interrupt = f"{how}\nimport upperhand.cli\nupperhand.cli.main = lambda: os.kill(os.getpid(), 2)"
    process = started(*SHORT, before=interrupt)
    assert process.communicate() == ("", "")
    assert process.returncode == 130


class TestInterrupt:
    """Ctrl-C ends the command with one line and the exit code of the shell's custom."""

    def test_a_second_one_ends_the_shutdown(self):
        code = (
            "import signal, upperhand.cli, upperhand.__main__ as command\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "upperhand.cli.main = lambda: command._interrupt(2, None)\n"
            "try:\n    command.main()\nexcept SystemExit as ended:\n"
            "    print(ended.code, signal.getsignal(signal.SIGINT) is signal.SIG_DFL)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("130 True\n", "Interrupted.\n")

    @pytest.mark.parametrize("module", ["click", "numpy", "upperhand.simulation.simulate"])
    def test_while_modules_are_loaded(self, module):
        finder = (
            "class Finder:\n    def find_spec(self, name, path=None, target=None):\n"
            f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
            f"assert {module!r} not in sys.modules\n"
            "sys.meta_path.insert(0, Finder())\n"
        )
        process = started(*SHORT, before=finder)
        assert process.communicate() == ("", "Interrupted.\n")
        assert process.returncode == 130

    def test_within_a_long_replication(self):
        """The loop comes back to Python, and no replication is played to its end."""
        telling = (
            "from upperhand.simulation import player, rewards\n"
            "prepared, note = player.Runner._prepared, rewards.Rewards.note\n"
            "def _prepared(*given):\n"
            "    loop, address = prepared(*given)\n"
            "    def told(*state):\n"
            "        if state[-2] > 0: os.write(1, b'going on\\n')\n"
            "        return loop(*state)\n"
            "    return told, address\n"
            "def ended(*given):\n    os.write(1, b'ended\\n')\n    return note(*given)\n"
            "player.Runner._prepared = _prepared\nrewards.Rewards.note = ended\n"
        )
        words = [*SIMULATE, "--horizon", "10000000", "--policy", "quantile-ts:tau=0.9"]
        process = started(*words, "--workers", "2", before=telling)
        assert process.stdout.readline() == "going on\n"
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=300)
        assert set(out.split("\n")) <= {"going on", ""}
        assert told == "Interrupted.\n"
        assert process.returncode == 130


def test_too_little_memory_is_a_sentence(monkeypatch, capsys):
    @advised("Use fewer arms.")
    def exhausted(**_options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(cli, "commands", exhausted)
    with pytest.raises(SystemExit) as stop:
        cli.main()

    assert stop.value.code == 1
    told = capsys.readouterr().err
    assert told == "Error: not enough memory (Unable to allocate 7 TiB). Use fewer arms.\n"


def test_version(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["upperhand", "--version"])
    with pytest.raises(SystemExit) as stop:
        cli.main()

    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("upperhand, version 0.")


def test_the_help_fits_a_screen_and_clips_nothing(call):
    _, out, _ = call("--help")
    assert out.count("\n") <= 40
    assert "..." not in out.partition("ARGS]...")[2]


def test_a_mistyped_command(call):
    code, _, err = call("simulat")
    assert (code, "Did you mean 'simulate'?" in err) == (2, True)
