"""Runs: regret curves from pull counts, their summary, and files that give everything back."""

import gc
import json
import math
import pickle
import random
import warnings
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.distributions import from_spec
from upperhand.distributions.registry import parse_arm
from upperhand.errors import FileError
from upperhand.objectives import DIRECTIONS
from upperhand.simulation.runs import Runs, regret_curve
from upperhand.simulation.statistics import half_width, standard_error

from ..looping import for_each

ARMS = [
    uh.Normal(0.1, 1 / 3),
    uh.SkewedStudentT(0, 0.16, 5, 0.6),
    uh.Mixture([uh.Normal(0, 1), uh.Empirical([1, 2])], [0.3, 0.7]),
    uh.ScipyDistribution("gamma", (2,), {"scale": 3}),
]
POLICIES = {
    "ACP, η = 0": uh.ACPUCB1(1 / 7, eta=0, tail="lower"),
    "mean": uh.UCB1(random_ties=True),
}
ROUNDS = np.array([2, 4])
PULLS = np.array([[[1, 1], [1, 3]], [[2, 0], [3, 1]], [[1, 1], [2, 2]]])  # (R, G, K) = (3, 2, 2)
GAPS = np.array([0.5, 0.0])


@pytest.fixture(scope="module")
def runs():
    return uh.simulate(ARMS, POLICIES, 60, 5, seed=2**70, rounds=7, progress=False)


@pytest.fixture(scope="module")
def two():
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15)]
    return uh.simulate(arms, [uh.ACPUCB1(), uh.UCB1()], 400, 20, seed=1, progress=False)


class TestRegret:
    def test_by_hand(self):
        curve = regret_curve(ROUNDS, PULLS, GAPS)
        assert curve.rounds.tolist() == [2, 4]
        assert curve.final.tolist() == [0.5, 1.5, 1.0]
        assert curve.mean == pytest.approx([2 / 3, 1.0])
        assert curve.se == pytest.approx(0.5 / math.sqrt(3))
        # the 0.975 quantile of Student's t with two degrees of freedom is 4.302653 (any table)
        half = 4.302653 * 0.5 / math.sqrt(3)
        # In 4 rounds nobody gains, and nobody loses more than 4 · 0.5.
        assert half > 1
        assert (curve.low[1], curve.high[1]) == (0.0, 2.0)

    def test_bands_are_students_also_of_skewed_regrets(self):
        pulls = np.array([[[lost, 100 - lost]] for lost in (30, 31, 30, 32, 70)])
        curve = regret_curve(np.array([100]), pulls, GAPS)
        ends = stats.t.interval(0.95, 4, curve.final.mean(), stats.sem(curve.final))
        assert (curve.low[0], curve.high[0]) == pytest.approx(ends)

    def test_one_replication_has_no_band(self):
        curve = regret_curve(ROUNDS, PULLS[:1], GAPS)
        assert curve.mean.tolist() == [0.5, 0.5]
        assert np.isnan([curve.low, curve.high]).all()
        assert math.isnan(curve.se)

    def test_half_widths_are_students_and_cover(self):
        """Of 4000 bands for a mean of 8 normals, 95 % hold it to 4 standard errors (p = 6e-5)."""
        samples = np.random.default_rng(0).normal(size=(8, 4000))
        half = half_width(8, standard_error(samples))
        ends = stats.t.interval(0.95, 7, samples.mean(axis=0), stats.sem(samples))
        assert half == pytest.approx((ends[1] - ends[0]) / 2)
        covered = np.abs(samples.mean(axis=0)) <= half
        assert abs(covered.mean() - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 4000)

    def test_it_is_the_sum_of_gaps(self, two):
        for objective in (uh.UpperTail(0.1), uh.LowerTail(0.1), uh.Mean(), uh.Utility(1.5)):
            gaps = objective.gaps(two.arms)
            for name, curve in two.regret(objective).items():
                final = (two.pulls[name][:, -1] * gaps).sum(axis=1)
                assert curve.final == pytest.approx(final, rel=1e-12)
                assert curve.rounds is two.rounds
                assert np.all(np.diff(curve.mean) >= -1e-9)
                assert np.all((curve.low <= curve.mean) & (curve.mean <= curve.high))

    def test_each_policy_wins_under_its_own_objective(self, two):
        tail, mean = two.regret(uh.UpperTail(0.1)), two.regret(uh.Mean())
        assert tail["ACP-UCB1"].high[-1] < tail["UCB1"].low[-1]
        assert mean["UCB1"].high[-1] < mean["ACP-UCB1"].low[-1]

    def test_only_an_objective_gives_regret(self, two):
        for objective in (uh.Mean, [], 2):
            with pytest.raises(uh.ParameterError, match=r"An objective must be given|tau must"):
                two.regret(objective)

    def test_the_objective_that_was_given_or_that_the_policies_have(self):
        arms = [uh.Normal(0, 1), uh.Normal(0.2, 0.5)]
        size = {"horizon": 30, "replications": 2, "seed": 0}
        for policies, given, expected in (
            (["acp-ucb1", uh.UCB1], {}, uh.UpperTail(0.1)),
            ([uh.KLQUCB, "ucb1"], {"quantile": 0.8}, uh.Quantile(0.8)),
            ("ucb1", {"objective": "cvar:0.2"}, uh.CVaR(0.2)),
            (uh.UCB1(), {}, uh.Mean()),
        ):
            runs = uh.simulate(arms, policies, **size, **given)
            expect = {name: curve.mean for name, curve in runs.regret(expected).items()}
            found = {name: curve.mean for name, curve in runs.regret().items()}
            np.testing.assert_equal(found, expect)
        runs = uh.simulate(arms, {"a": uh.KLQUCB(0.9), "b": uh.KLQUCB(0.5)}, **size)
        with pytest.raises(uh.ParameterError, match=r"quantiles 0.9, 0.5. Say which one counts"):
            runs.regret()
        assert runs.regret("p90").keys() == {"a", "b"}


class TestToDict:
    def test_arms_policies_and_the_best(self, two):
        found = replace(two, objective=uh.Quantile(0.95)).to_dict()
        assert found["best"] == {"p95": [1], "mean": [0]}
        assert [arm["values"]["mean"] for arm in found["arms"]] == [0.10, 0.00]
        assert found["arms"][1]["values"]["p95"] == two.arms[1].quantile(0.95)
        for entry in found["policies"]:
            curve = two.regret(uh.Mean())[entry["name"]]
            assert entry["regret"]["mean"] == {"mean": curve.final.mean(), "se": curve.se}
            np.testing.assert_allclose(sum(entry["pulls"]), 400)

    @pytest.mark.parametrize("minimize", [False, True])
    def test_all_arms_that_tie_are_best(self, minimize):
        """A gamma law with mean 3 · 0.1 and the exponential with mean 0.3 differ by rounding."""
        gamma = parse_arm("scipy:gamma,3,0,0.1")
        arms = [uh.Exponential(0.3), uh.Bernoulli(0.4 if minimize else 0.2), gamma]
        runs = uh.simulate(arms, uh.UCB1(), 20, 2, seed=0, direction=DIRECTIONS[minimize])
        assert gamma.mean != arms[0].mean
        assert runs.to_dict()["best"]["mean"] == [0, 2]

    def test_data_stand_in_it_once(self):
        arms = [uh.Empirical(range(3000)), uh.Normal(0, 1)]
        arm = uh.simulate(arms, uh.UCB1(), horizon=5, replications=2, seed=0).to_dict()["arms"][0]
        assert arm["law"] == "Empirical(3,000 values from 0 to 2999)"
        assert from_spec(arm["spec"]) == arms[0]

    def test_an_arm_without_a_mean_leaves_the_mean_out(self):
        arms = [uh.StudentT(0, 1, 1), uh.Normal(0, 1)]
        runs = uh.simulate(arms, uh.ACPUCB1(), 5, 1, seed=0, quantile=0.9)
        found = runs.to_dict()
        assert found["best"] == {"p90": [0]}
        assert list(found["arms"][0]["values"]) == ["p90"]
        assert found["policies"][0]["regret"]["p90"]["se"] is None
        assert "Arms by p90" in repr(runs)
        assert "Arms by mean" not in repr(runs)
        json.dumps(found, allow_nan=False)


@pytest.fixture
def saved(runs, tmp_path):
    runs.save(tmp_path / "some.npz")
    return tmp_path / "some.npz"


class TestSaving:
    def test_everything_comes_back(self, runs, saved):
        loaded = Runs.load(saved)
        for name in ("arms", "policies", "horizon", "replications", "seed", "versions"):
            assert getattr(loaded, name) == getattr(runs, name)
        assert list(loaded.policies) == list(loaded.pulls) == list(POLICIES)
        assert np.array_equal(loaded.rounds, runs.rounds)
        for name, pulls in runs.pulls.items():
            assert np.array_equal(loaded.pulls[name], pulls)
            assert loaded.pulls[name].dtype == pulls.dtype
        before, after = (each.regret(uh.Mean())["mean"].mean for each in (runs, loaded))
        assert np.array_equal(before, after)
        size = (loaded.horizon, loaded.replications, loaded.seed)
        new = uh.simulate(loaded.arms, loaded.policies, *size, rounds=loaded.rounds)
        assert np.array_equal(new.pulls["mean"], runs.pulls["mean"])

    def test_any_name_of_file_and_what_is_there_is_replaced(self, runs, tmp_path):
        other = uh.simulate(ARMS[:1], uh.UCB1(), 10, 2, seed=1)
        for name in ("bare", "a.b.c", "x.zip", "naïve .npz"):
            other.save(str(tmp_path / name))
            runs.save(str(tmp_path / name))
            assert Runs.load(str(tmp_path / name)).seed == runs.seed
        assert len(list(tmp_path.iterdir())) == 4

    def test_a_saved_file_saves_as_the_same_file(self, saved, tmp_path):
        Runs.load(saved).save(tmp_path / "again.npz")
        contents = []
        for path in (saved, tmp_path / "again.npz"):
            with zipfile.ZipFile(path) as archive:
                contents.append({name: archive.read(name) for name in archive.namelist()})
        assert contents[0] == contents[1]

    def test_it_holds_arrays_and_json_and_no_pickle(self, saved):
        with np.load(saved, allow_pickle=False) as file:
            assert all(file[name].dtype != object for name in file.files)
            settings = json.loads(str(file["settings"]))
        assert settings["format"] == Runs.format
        assert [policy["name"] for policy in settings["policies"]] == ["ACP-UCB1", "UCB1"]

    def test_a_write_that_fails_leaves_the_old_file_whole(self, runs, saved, monkeypatch):
        before = saved.read_bytes()
        full, stop = OSError(28, "No space left on device"), KeyboardInterrupt()
        for error, seen in ((full, FileError), (stop, KeyboardInterrupt)):

            def half_written(file, error=error, **_arrays):
                file.write(b"half of it")
                raise error

            monkeypatch.setattr(np, "savez_compressed", half_written)
            with pytest.raises(seen, match=r"some\.npz.*: No space" if error is full else None):
                runs.save(saved)
            assert saved.read_bytes() == before
            assert [path.name for path in saved.parent.iterdir()] == ["some.npz"]

    def test_paths_that_cannot_be_written(self, runs, saved, tmp_path):
        for path, reason in (
            (tmp_path / "nowhere" / "some.npz", "No such file or directory"),
            (tmp_path, "a folder or device is there"),
            (saved / "some.npz", "Not a directory"),
        ):
            with pytest.raises(FileError, match=rf"Cannot write .*: {reason}"):
                runs.save(path)

    def test_what_could_not_be_loaded_is_not_saved(self, tmp_path):
        class OwnLaw(uh.Normal):
            pass

        mixed = uh.Mixture([OwnLaw(0, 1), uh.Normal(0, 1)], [0.5, 0.5])
        for arm in (OwnLaw(0, 1), mixed):
            runs = uh.simulate([arm], uh.UCB1(), horizon=5, replications=1, seed=0)
            with pytest.raises(uh.ParameterError, match="Only the library's own distributions"):
                runs.save(tmp_path / "runs.npz")
        assert list(tmp_path.iterdir()) == []

    def test_a_policy_of_ones_own_is_given_again(self, tmp_path):
        class OwnPolicy(uh.KLQUCB):
            name = "Own"

        runs = uh.simulate([uh.Normal(0, 1)], OwnPolicy(0.9), horizon=5, replications=1, seed=0)
        runs.save(tmp_path / "runs.npz")
        loaded = uh.load(tmp_path / "runs.npz", policies=[OwnPolicy])
        assert loaded.policies == runs.policies


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of which there is a test below
class TestFilesThatCannotBeRead:
    def refused(self, path, reason=""):
        message = rf"Cannot load .*{path.name}.*{reason}.*that the save of a result wrote"
        with pytest.raises(FileError, match=message) as caught:
            Runs.load(path)
        assert "allow_pickle" not in str(caught.value)  # NumPy's advice would make a file dangerous
        gc.collect(1)  # what was just made is young

    def test_something_else(self, tmp_path):
        self.refused(tmp_path / "none.npz", "No such file or directory")
        with pytest.raises(FileError, match="There is no study in"):  # of a folder
            uh.load(tmp_path)
        path = tmp_path / "other.npz"
        for content in (b"", b"some text", b"PK\x03\x04", b"\x93NUMPY\x01\x00"):
            path.write_bytes(content)
            self.refused(path)
        np.save(tmp_path / "array.npy", np.arange(3))
        self.refused(tmp_path / "array.npy")
        whole = (tmp_path / "array.npy").read_bytes()
        path.write_bytes(whole.replace(b"(3,), }", b"(3,(, }"))
        self.refused(path)
        np.savez(path, x=np.arange(3))
        self.refused(path, "damaged")
        for settings in ("[]", "{}", "not json", '"text"', "null"):
            np.savez(path, settings=np.array(settings))
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

    def test_truncated(self, saved):
        content = saved.read_bytes()
        for part in (0.01, 0.3, 0.6, 0.9, 0.99):
            saved.write_bytes(content[: int(part * len(content))])
            self.refused(saved)
        saved.write_bytes(content)
        encrypted = bytearray(content)
        for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            encrypted[encrypted.index(header) + flags] |= 1
        saved.write_bytes(encrypted)
        self.refused(saved, "damaged")

    def test_damaged(self, saved, runs):
        """A few bytes overwritten: refused, or, where nothing reads them, harmless."""
        whole, rng = saved.read_bytes(), random.Random(0)
        refused = 0
        for _ in range(200):
            at = rng.randrange(len(whole) - 8)
            saved.write_bytes(whole[:at] + rng.randbytes(8) + whole[at + 8 :])
            try:
                assert np.array_equal(Runs.load(saved).pulls["mean"], runs.pulls["mean"])
            except FileError:
                refused += 1
        assert refused > 130

    def test_a_refused_file_is_closed(self, saved):
        saved.write_bytes(saved.read_bytes()[:-100])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with suppress(FileError):
                Runs.load(saved)
            gc.collect(1)
        assert [str(warning.message) for warning in caught] == []


UCB1 = {"key": "a", "name": "UCB1", "settings": {}}
IMPOSSIBLE = [
    ({"format": "upperhand-runs-9"}, {}, "its format is 'upperhand-runs-9'"),
    ({"replications": 77}, {}, r"its pulls are not whole numbers of shape \(77, "),
    ({"replications": 0}, {}, "its replications must be a whole number, 1 or more; got 0"),
    ({"horizon": 4}, {}, "its rounds do not rise from 1 to its horizon"),
    ({"horizon": "5"}, {}, "its horizon must be a whole number, 1 or more; got '5'"),
    ({"horizon": True}, {}, "its horizon must be a whole number"),
    ({"seed": -1}, {}, "seed must be a whole number"),
    ({"seed": None}, {}, "its seed is missing"),
    ({"seed": True}, {}, "seed must be a whole number"),
    ({"arms": []}, {}, "its arms or policies are missing"),
    ({"arms": [5]}, {}, "spec is a dict"),
    ({"policies": []}, {}, "its arms or policies are missing"),
    ({"policies": [UCB1 | {"key": 3}]}, {}, "missing, or badly named"),
    ({"policies": [UCB1 | {"key": "a\x1b"}]}, {}, "missing, or badly named"),
    ({"policies": [UCB1 | {"name": "none"}]}, {}, "Unknown policy 'none'"),
    ({"policies": 5}, {}, "damaged"),
    ({"versions": 5}, {}, "damaged"),
    ({}, {"pulls_0": [[[3, -1], [4, 1]], [[1, 1], [4, 1]]]}, "not those of one arm a round"),
    ({}, {"pulls_0": [[[1, 1], [5, 0]], [[1, 1], [4, 1]]]}, "not those of one arm a round"),
    ({}, {"pulls_0": [[[1, 1], [4, 1]], [[1, 1], [3, 1]]]}, "not those of one arm a round"),
    ({}, {"pulls_0": [[[1, 1]], [[1, 1]]]}, r"not whole numbers of shape \(2, 2, 2\)"),
    ({}, {"pulls_0": [[[1.0, 1.0], [4.0, 1.0]]] * 2}, "not whole numbers of shape"),
    ({}, {"pulls_0": np.full((2, 2, 2), None)}, "damaged"),
    *(
        ({}, {"rounds": rounds}, "its rounds do not rise from 1 to its horizon")
        for rounds in ([2, 6], [5, 5], [0, 5], [[2], [5]], [2.0, 5.0], np.empty(0, np.int64))
    ),
]


@for_each("settings, arrays, reason", IMPOSSIBLE)
def test_what_no_simulation_gives_is_refused(tmp_path, settings, arrays, reason):
    path = tmp_path / "runs.npz"
    arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    uh.simulate(arms, uh.UCB1(), 5, replications=2, seed=0, rounds=[2, 5]).save(path)
    with np.load(path) as file:
        changed = {**file, **{name: np.array(value) for name, value in arrays.items()}}
    text = json.dumps(json.loads(str(changed["settings"])) | settings)
    np.savez(path, **{**changed, "settings": np.array(text)})
    with pytest.raises(FileError, match=f"Cannot load .*: .*{reason}"):
        Runs.load(path)
