"""Runs on disk: everything comes back exactly, and whatever is no runs file is refused."""

import gc
import json
import pickle
import random
import warnings
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand.distributions import Empirical, Mixture, Normal, ScipyDistribution, SkewedStudentT
from upperhand.errors import FileError
from upperhand.objectives import Mean, UpperTail
from upperhand.policies import ACPUCB1, UCB1
from upperhand.simulation.runs import FORMAT, Runs
from upperhand.simulation.simulate import simulate

ARMS = [
    Normal(0.1, 1 / 3),
    SkewedStudentT(0, 0.16, 5, 0.6),
    Mixture([Normal(0, 1), Empirical([1, 2])], [0.3, 0.7]),
    ScipyDistribution("gamma", (2,), {"scale": 3}),
]
POLICIES = {"ACP, η = 0": ACPUCB1(1 / 7, eta=0, tail="lower"), "mean": UCB1(random_ties=True)}


@pytest.fixture(scope="module")
def runs():
    return simulate(ARMS, POLICIES, 60, 5, seed=2**70, rounds=7, progress=False)


@pytest.fixture
def saved(runs, tmp_path):
    runs.save(tmp_path / "some.npz")
    return tmp_path / "some.npz"


class TestRoundTrip:
    def test_everything_comes_back(self, runs, saved):
        loaded = Runs.load(saved)
        assert loaded.arms == runs.arms
        assert loaded.policies == runs.policies
        assert list(loaded.policies) == list(POLICIES)
        for name in ("horizon", "replications", "seed", "versions"):
            assert getattr(loaded, name) == getattr(runs, name)
        assert np.array_equal(loaded.rounds, runs.rounds)
        assert loaded.pulls.keys() == runs.pulls.keys()
        for name, pulls in runs.pulls.items():
            assert np.array_equal(loaded.pulls[name], pulls)
            assert loaded.pulls[name].dtype == pulls.dtype

    def test_so_does_the_regret(self, runs, saved):
        for objective in (UpperTail(0.1), Mean()):
            before, after = runs.regret(objective), Runs.load(saved).regret(objective)
            assert before.keys() == after.keys()
            for name, curve in before.items():
                assert np.array_equal(curve.mean, after[name].mean)

    def test_it_can_be_simulated_again(self, saved):
        old = Runs.load(saved)
        size = (old.horizon, old.replications, old.seed)
        new = simulate(old.arms, old.policies, *size, rounds=old.rounds, progress=False)
        assert np.array_equal(new.pulls["mean"], old.pulls["mean"])

    def test_any_name_of_file(self, runs, tmp_path):
        for name in ("bare", "a.b.c", "x.zip", "naïve .npz"):
            runs.save(str(tmp_path / name))
            assert Runs.load(str(tmp_path / name)).seed == runs.seed

    def test_saving_again_replaces(self, saved):
        other = simulate(ARMS[:1], UCB1(), 10, 2, seed=1)
        other.save(saved)
        assert Runs.load(saved).arms == other.arms

    def test_a_saved_file_saves_as_the_same_file(self, saved, tmp_path):
        Runs.load(saved).save(tmp_path / "again.npz")
        contents = []
        for path in (saved, tmp_path / "again.npz"):
            with zipfile.ZipFile(path) as archive:
                contents.append({name: archive.read(name) for name in archive.namelist()})
        assert contents[0] == contents[1]


class TestTheFile:
    def test_it_holds_arrays_and_json_and_no_pickle(self, saved):
        with np.load(saved, allow_pickle=False) as file:
            assert all(file[name].dtype != object for name in file.files)
            settings = json.loads(str(file["settings"]))
        assert settings["format"] == FORMAT
        assert [policy["name"] for policy in settings["policies"]] == ["ACP-UCB1", "UCB1"]

    def test_nothing_else_is_left_beside_it(self, saved):
        assert [path.name for path in saved.parent.iterdir()] == ["some.npz"]

    def test_a_write_that_fails_leaves_the_old_file_whole(self, runs, saved, monkeypatch):
        def half_written(file, **arrays):
            file.write(b"half of it")
            raise OSError(28, "No space left on device")

        before = saved.read_bytes()
        monkeypatch.setattr(np, "savez_compressed", half_written)
        with pytest.raises(FileError, match=r"Cannot write .*some.npz.*: No space left on device"):
            runs.save(saved)
        assert saved.read_bytes() == before
        assert [path.name for path in saved.parent.iterdir()] == ["some.npz"]

    def test_an_interrupted_write_leaves_nothing(self, runs, tmp_path, monkeypatch):
        def interrupted(file, **arrays):
            file.write(b"half of it")
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "savez_compressed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs.save(tmp_path / "new.npz")
        assert list(tmp_path.iterdir()) == []


class TestPathsThatCannotBeWritten:
    def test_no_such_folder(self, runs, tmp_path):
        with pytest.raises(FileError, match=r"Cannot write .*: No such file or directory"):
            runs.save(tmp_path / "nowhere" / "some.npz")

    def test_a_folder(self, runs, tmp_path):
        with pytest.raises(FileError, match=r"Cannot write .*: a folder or device is there"):
            runs.save(tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_a_file_as_the_folder(self, runs, saved):
        with pytest.raises(FileError, match=r"Cannot write .*: Not a directory"):
            runs.save(saved / "some.npz")


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of which there is a test below
class TestFilesThatCannotBeRead:
    def refused(self, path, reason=""):
        message = rf"Cannot load runs from .*{path.name}.*{reason}.*Runs\.save wrote"
        with pytest.raises(FileError, match=message) as caught:
            Runs.load(path)
        assert "allow_pickle" not in str(caught.value)  # NumPy's advice would make a file dangerous
        gc.collect(1)  # what was just made is young

    def test_missing(self, tmp_path):
        self.refused(tmp_path / "none.npz", "No such file or directory")

    def test_a_folder(self, tmp_path):
        self.refused(tmp_path, "Is a directory")

    @pytest.mark.parametrize("content", [b"", b"some text", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
    def test_not_a_runs_file(self, content, tmp_path):
        path = tmp_path / "other.npz"
        path.write_bytes(content)
        self.refused(path)

    def test_a_pickle_is_not_executed(self, tmp_path):
        class Evil:
            def __reduce__(self):
                return Path.touch, (tmp_path / "executed",)

        bare, boxed = tmp_path / "bare.npz", tmp_path / "boxed.npz"
        bare.write_bytes(pickle.dumps(Evil()))
        np.savez(boxed, settings=np.array(Evil(), dtype=object))
        for path in (bare, boxed):
            self.refused(path)
        assert not (tmp_path / "executed").exists()

    def test_an_array(self, tmp_path):
        np.save(tmp_path / "array.npy", np.arange(3))
        self.refused(tmp_path / "array.npy")

    def test_arrays_of_something_else(self, tmp_path):
        np.savez(tmp_path / "else.npz", x=np.arange(3))
        self.refused(tmp_path / "else.npz", "settings")

    @pytest.mark.parametrize("settings", ["[]", "{}", "not json", '"text"', "null"])
    def test_other_settings(self, settings, tmp_path):
        np.savez(tmp_path / "else.npz", settings=np.array(settings))
        self.refused(tmp_path / "else.npz")

    def test_a_later_format(self, saved, tmp_path):
        with np.load(saved) as file:
            arrays = dict(file)
        settings = json.loads(str(arrays["settings"])) | {"format": "upperhand-runs-9"}
        np.savez(tmp_path / "later.npz", **(arrays | {"settings": np.array(json.dumps(settings))}))
        self.refused(tmp_path / "later.npz", "its format is 'upperhand-runs-9'")

    @pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.9, 0.99])
    def test_truncated(self, part, saved):
        content = saved.read_bytes()
        saved.write_bytes(content[: int(part * len(content))])
        self.refused(saved)

    def test_marked_as_encrypted(self, saved):
        content = bytearray(saved.read_bytes())
        for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(header) + flags] |= 1
        saved.write_bytes(content)
        self.refused(saved, "damaged")

    def test_an_array_whose_shape_cannot_be_read(self, tmp_path):
        path = tmp_path / "array.npy"
        np.save(path, np.arange(3))
        path.write_bytes(path.read_bytes().replace(b"(3,), }", b"(3,(, }"))
        self.refused(path)

    def test_damaged(self, saved, runs):
        """A few bytes overwritten: refused, or, where nothing reads them, harmless."""
        whole, rng = saved.read_bytes(), random.Random(0)
        refused = 0
        for _ in range(300):
            at = rng.randrange(len(whole) - 8)
            saved.write_bytes(whole[:at] + rng.randbytes(8) + whole[at + 8 :])
            try:
                assert np.array_equal(Runs.load(saved).pulls["mean"], runs.pulls["mean"])
            except FileError:
                refused += 1
        assert refused > 200


def test_a_refused_file_is_closed(saved):
    saved.write_bytes(saved.read_bytes()[:-100])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with suppress(FileError):
            Runs.load(saved)
        gc.collect(1)
    assert [str(warning.message) for warning in caught] == []


class OwnPolicy(uh.UCB1):
    """A policy that the library does not know."""

    __slots__ = ()
    name = "Own"


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    runs = uh.simulate([uh.Normal(0, 1)], OwnPolicy(), horizon=5, replications=1, seed=0)
    with pytest.raises(uh.ParameterError, match="Only the library's own policies and laws"):
        runs.save(tmp_path / "runs.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def changed(tmp_path):
    """Return a function that changes settings and arrays of a file of runs, refused then."""
    path = tmp_path / "runs.npz"
    arms, rounds = [uh.Normal(0, 1), uh.Normal(1, 1)], [2, 5]
    uh.simulate(arms, uh.UCB1(), 5, replications=2, seed=0, rounds=rounds).save(path)

    def refused(reason, settings=None, save=np.savez, **arrays):
        with np.load(path) as file:
            all_ = {**file, **arrays}
        text = json.dumps(json.loads(str(all_["settings"])) | (settings or {}))
        save(path, **{**all_, "settings": np.array(text)})
        with pytest.raises(uh.FileError, match=f"Cannot load runs from .*: .*{reason}"):
            uh.Runs.load(path)

    return refused


UCB1_SETTINGS = {"key": "a", "name": "UCB1", "settings": {}}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"replications": 77}, r"its pulls are not of shape \(77, "),
        ({"replications": 0}, "its replications must be a whole number, 1 or more; got 0"),
        ({"horizon": 4}, "its rounds do not end at its horizon"),
        ({"horizon": "5"}, "its horizon must be a whole number, 1 or more; got '5'"),
        ({"horizon": True}, "its horizon must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": None}, "its seed is missing"),
        ({"arms": []}, "its arms or policies are missing"),
        ({"arms": [5]}, "A law's spec is a dict"),
        ({"policies": []}, "its arms or policies are missing"),
        ({"policies": [UCB1_SETTINGS] * 2}, "missing, or badly named"),
        ({"policies": [{**UCB1_SETTINGS, "key": 3}]}, "missing, or badly named"),
        ({"policies": [{**UCB1_SETTINGS, "key": "a\x1b"}]}, "missing, or badly named"),
        ({"seed": True}, "seed must be a whole number"),
        ({"policies": [UCB1_SETTINGS | {"name": "none"}]}, "Unknown policy 'none'"),
        ({"policies": 5}, "damaged"),
        ({"versions": 5}, "damaged"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(changed, settings, reason):
    changed(reason, settings)


@pytest.mark.parametrize(
    ("pulls", "reason"),
    [
        ([[[3, -1], [4, 1]], [[1, 1], [4, 1]]], "its pulls are negative"),
        ([[[1, 1], [5, 0]], [[1, 1], [4, 1]]], "its pulls are negative, or fall"),
        ([[[1, 1], [4, 1]], [[1, 1], [3, 1]]], "its pulls miss some rounds"),
        ([[[1, 1]], [[1, 1]]], r"its pulls are not of shape \(2, 2, 2\)"),
        ([[[1.0, 1.0], [4.0, 1.0]]] * 2, "its pulls are not of shape"),
        (np.full((2, 2, 2), None), "damaged|larger"),
    ],
    ids=str,
)
def test_pulls_that_cannot_be_are_refused(changed, pulls, reason):
    changed(reason, pulls_0=np.array(pulls))


@pytest.mark.parametrize(
    ("rounds", "reason"),
    [
        ([2, 6], "do not end at its horizon"),
        ([5, 5], "do not rise from 1 on"),
        ([0, 5], "do not rise from 1 on"),
        ([[2], [5]], "its rounds are not what they must be"),
        ([2.0, 5.0], "its rounds are not what they must be"),
        (np.empty(0, np.int64), "its rounds are not what they must be"),
    ],
    ids=str,
)
def test_rounds_that_cannot_be_are_refused(changed, rounds, reason):
    changed(reason, rounds=np.array(rounds))


class TestBombs:
    """Small files that unpack to much are refused before it is all unpacked."""

    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        """Let 10 kB be the most that may be read from any part of a file."""
        read, total = zipfile.ZipExtFile.read, Counter()

        def counted(self, n=-1):
            content = read(self, n)
            total[self.name] += len(content)
            assert total[self.name] < 10_000
            return content

        monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)

    def test_more_pulls_than_the_settings_say(self, changed):
        many = np.zeros((10**4, 2, 2), np.int64)
        changed("'pulls_0' is larger than it can be", pulls_0=many, save=np.savez_compressed)

    def test_as_many_as_the_settings_say_and_all_are_zero(self, changed):
        many = np.zeros((10**4, 2, 2), np.int64)
        settings = {"replications": 10**4}
        changed("its pulls miss", settings, pulls_0=many, save=np.savez_compressed)

    @pytest.mark.parametrize("part", ["settings", "rounds"])
    def test_settings_and_rounds(self, changed, part, monkeypatch):
        monkeypatch.setattr("upperhand.simulation.runs.MOST_BYTES", 8_000)
        settings = {"more": " " * 10**5} if part == "settings" else {}
        rounds = np.arange(10**5 if part == "rounds" else 2)
        changed(f"'{part}' is larger", settings, rounds=rounds, save=np.savez_compressed)

    def test_a_shape_that_is_not_there(self, tmp_path, changed):
        """An array whose header promises terabytes."""
        changed("", {}, pulls_0=np.zeros((10**12, 0), np.int64))
        path, other = tmp_path / "runs.npz", tmp_path / "other.npz"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
            for name in old.namelist():
                content = old.read(name).replace(b"(1000000000000, 0)", b"(1000000000000, 2)")
                new.writestr(name, content)
        with pytest.raises(FileError, match="its pulls are not of shape"):
            Runs.load(other)


@pytest.mark.parametrize("objective", ["mean", uh.Mean, None])
def test_only_an_objective_gives_regret(objective):
    runs = uh.simulate([uh.Normal(0, 1)], uh.UCB1(), horizon=5, replications=2, seed=0)
    with pytest.raises(uh.ParameterError, match="An objective must be given, such as Mean"):
        runs.regret(objective)


class OwnLaw(uh.Normal):
    """A law that the library does not know."""


@pytest.mark.parametrize(
    "law", [OwnLaw(0, 1), uh.Mixture([OwnLaw(0, 1), uh.Normal(0, 1)], [0.5, 0.5])]
)
def test_a_law_of_ones_own_is_not_saved(tmp_path, law):
    runs = uh.simulate(law, uh.UCB1(), horizon=5, replications=1, seed=0)
    with pytest.raises(uh.ParameterError, match="Only the library's own policies and laws"):
        runs.save(tmp_path / "runs.npz")
