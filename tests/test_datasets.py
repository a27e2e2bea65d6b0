"""The shipped data are as they were made, and loaders read clones of the sources."""

import json
import math
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand import datasets

FOLDER = Path(datasets.__file__).parent
SHIPPED = {
    "flights": (5810, 4, "264c9286d80db9b72ed5f7ea21f22dab7a517725cfbe34b8f1f5029a84b9d046"),
    "network_tuning": (400, 8, "a0f87f4621732a4ba43cb57542c1137c916cd4ca867a94bf0d33700a8a39bc4f"),
}


def p95(values):
    return float(np.sort(values)[math.ceil(0.95 * len(values)) - 1])


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files(name):
    rows, columns, digest = SHIPPED[name]
    content = (FOLDER / f"{name}.csv").read_bytes()
    assert sha256(content).hexdigest() == digest
    found = getattr(datasets, f"load_{name}")()
    assert found.to_frame().shape == (rows, columns)
    assert f"{name}.csv\n---" in (FOLDER / "NOTICE").read_text("utf-8")
    for part in (found.source, found.licence, found.citation, found.warning):
        assert part in repr(found)


def test_flights():
    flights = uh.datasets.load_flights()
    with pytest.warns(uh.errors.FitWarning, match=r"360 is better than the worst outcome, 851"):
        arms = flights.arms(dest="BWI", failure=360)
    assert {name: p95(late) for name, late in arms.items()} == {"9E": 306, "EV": 177, "MQ": 360}
    assert [len(late) for late in arms.values()] == [856, 352, 365]
    missing = {k: int(np.isinf(v).sum()) for k, v in flights.arms(dest="BWI").items()}
    assert missing == {"9E": 41, "EV": 13, "MQ": 32}
    assert (flights.quantile, flights.direction, flights.unit) == (0.95, "minimize", "minutes")


def test_network_tuning():
    tuning = uh.datasets.load_network_tuning()
    arms = tuning.arms(families=["relu-tanh-cosine", "tanh-relu-const"])
    assert list(arms) == ["relu-tanh-cosine", "tanh-relu-const"]
    assert tuning.arms()["tanh-relu-const"][0] == -np.log10(0.00938)
    assert tuning.quantile == pytest.approx(2 ** (-1 / 8))
    assert uh.simulate(arms, "ucb1", 20, 2, seed=0).arm_names == tuple(arms)
    assert len(uh.simulate(tuning, "ucb1", 20, 2, seed=0).arms) == 8
    assert len(uh.compare(tuning, "ucb1", horizon=20, replications=2).instances[0].arms) == 8
    with pytest.raises(uh.ParameterError, match="Say which dest"):
        uh.simulate(uh.datasets.load_flights(), "ucb1", 20)


def test_what_there_is_not():
    flights = uh.datasets.load_flights()
    infinite = flights.arms(dest="BWI")
    for error, words, wrong in (
        (uh.ParameterError, r"arms\(dest='BWI'\). There are BWI, CHS, PDX", flights.arms),
        (uh.UnknownNameError, "Did you mean 'BWI'", lambda: flights.arms(dest="BWX")),
        (uh.UnknownNameError, "Known: failure, dest", lambda: flights.arms(destination="BWI")),
        (uh.TableError, "not paired", lambda: flights.table(dest="BWI")),
        (uh.ParameterError, "failure=900", lambda: uh.simulate(infinite, "ucb1", 9)),
    ):
        with pytest.raises(error, match=words):
            wrong()


@pytest.mark.parametrize("name", ["llm_requests", "network_rtt", "sat_seconds"])
def test_a_loader_says_where_its_data_are(name, tmp_path):
    load = getattr(datasets, f"load_{name}")
    with pytest.raises(uh.ParameterError, match=r"git clone https://github\.com/"):
        load()
    with pytest.raises(uh.FileError, match=r"Cannot read .*git clone https://github\.com/"):
        load(tmp_path)
    with pytest.raises(uh.FileError, match=r"Cannot read .*in '3'"):
        load(3)


def answer(code, first=0.0, last=0.0):
    words = ("error_code", "ttft_s", "end_to_end_latency_s", "number_output_tokens")
    return dict(zip(words, (code, first, last, 150), strict=True))


def test_llm_requests(tmp_path):
    folder = tmp_path / "raw_data" / "individual"
    folder.mkdir(parents=True)
    answers = [answer(None, 0.2, 1.5), answer(-100, 0.3, 0.9), answer(429), answer(-1)]
    (folder / "one_70b.json").write_text(json.dumps(answers))
    (folder / "two_70b.json").write_text(json.dumps([answer(None, 0.1, 2.5)]))
    found = datasets.load_llm_requests(tmp_path)
    assert found.columns["status"].tolist() == ["ok", "short", "rate_limited", "failed", "ok"]
    arms = found.arms(failure=120, model="70b")
    assert {name: each.tolist() for name, each in arms.items()} == {
        "one": [1.5, 0.9, 120, 120],
        "two": [2.5],
    }
    assert found.arms(model="70b", outcome="ttft_s")["one"].tolist() == [0.2, 0.3, np.inf, np.inf]
    with pytest.raises(uh.UnknownNameError, match="Did you mean '70b'"):
        found.arms(model="70")
    (folder / "two_70b.json").write_text("[{}]")
    with pytest.raises(uh.FileError, match="raw_data/individual"):
        datasets.load_llm_requests(tmp_path)


def test_network_rtt(tmp_path):
    (tmp_path / "Seattle").mkdir()
    for part in range(1, 12):  # the tenth comes after the second
        rows = [[0, 0.1, part / 100], [0.2, 0, 0.3], [0.4, 0.5, 0]]
        text = "\n".join("\t".join(map(str, row)) for row in rows)
        (tmp_path / "Seattle" / f"SeattleData_{part}").write_text(text + "\n")
    found = datasets.load_network_rtt(tmp_path)
    assert list(found.arms(client=0)) == ["s1", "s2"]
    table = found.table(client="0", servers=["2"])  # as a command line or a file has them
    np.testing.assert_allclose(table[:, 0], 10.0 * np.arange(1, 12))
    assert list(found.to_frame())[:3] == ["slice", "c0_s1", "c0_s2"]
    with pytest.raises(uh.UnknownNameError, match="Unknown server 0"):
        found.arms(client=0, servers=[0])


def test_sat_seconds(tmp_path):
    (tmp_path / "gbd-data").mkdir()
    heads = "hash,benchmark,verified-result,claimed-result,a,b"
    text = f"{heads}\nx,y,sat,sat,1.5,5000\nz,y,sat,sat,3,4\n"
    (tmp_path / "gbd-data" / "anni-seq.csv").write_text(text)
    found = datasets.load_sat_seconds(tmp_path)
    assert found.table(failure=10_000).tolist() == [[1.5, 10_000], [3, 4]]
    assert found.table().tolist() == [[1.5, np.inf], [3, 4]]
    assert list(found.arms(solvers="b")) == ["b"]
    played = uh.replay(found, "ucb1", failure=10_000, replications=2, seed=0, progress=False)
    assert (played.order, played.arms) == ("time", {"a": 3, "b": 10_000})
