"""Costs from a file have one p95, and one best arm, in every command and in Python."""

import json

import pytest

import upperhand as uh

SMALL = ["--replications", "2", "--seed", "1", "--workers", "1", "--json"]
SHORT = ["--horizon", "50", "--policy", "ucb1", *SMALL]


@pytest.mark.parametrize("rows", [10, 11, 20, 21, 37])
def test_one_p95_and_one_best_arm(call, tmp_path, monkeypatch, rows):
    """Of 20 costs the p95 is the 19th, and the upper one the 20th: then another arm is best."""
    costs = [[5] * (rows - 1) + [100], [3, *[6] * (rows - 3), 7, 7]]
    for name, values in zip("ab", costs, strict=True):
        (tmp_path / f"{name}.csv").write_text("\n".join(["ms", *map(str, values)]))
    p95s = [sorted(values)[-(-19 * rows // 20) - 1] for values in costs]
    best = p95s.index(min(p95s))
    arms = ["--arm", "empirical:a.csv", "--arm", "empirical:b.csv", "--minimize"]

    def read(*words):
        code, out, err = call(*words)
        assert (code, err) == (0, "")
        return json.loads(out)

    found = read("simulate", *arms, *SHORT)
    assert [arm["values"]["p95"] for arm in found["arms"]] == p95s
    assert found["best"]["p95"] == [best]
    found = read("theory", *arms, "--json")
    assert [arm["values"]["tail"] for arm in found["arms"]] == p95s
    assert found["best"]["tail"] == [best]
    (found,) = read("compare", *arms, *SHORT)["instances"]
    assert [arm["values"]["p95"] for arm in found["arms"]] == p95s
    assert found["best"]["p95"] == [best]
    budget = ["--policy", "uniform-sampling:budget=20"]
    found = read("identify", *arms, *budget, *SMALL)
    assert [arm["values"]["p95"] for arm in found["arms"]] == p95s
    assert found["best"] == {"p95": [best]}
    _, out, _ = call("identify", *arms, *budget, *SMALL[:-1])
    assert f"Arms by p95, the lowest first: {'ab'[best]} ({p95s[best]:g})" in out
    assert "if it is wrong by these and by the quantiles shown" in " ".join(out.split())

    monkeypatch.setenv("UPPERHAND_STORAGE", "live.db")
    call("new", "live", "--arm", "a", "--arm", "b", "--quantile", "0.95", "--minimize")
    told = [f"{arm},{cost}" for arm, each in zip("ab", costs, strict=True) for cost in each]
    (tmp_path / "told.csv").write_text("\n".join(["arm,value", *told]))
    call("import", "live", "told.csv")
    found = read("show", "live", "--json")
    assert [arm["quantile"] for arm in found["arms"]] == p95s
    assert found["leader"]["arm"] is None  # a bound needs more outcomes than these

    files = [uh.Empirical.from_file(tmp_path / f"{name}.csv") for name in "ab"]
    assert [uh.Quantile(0.95).value(arm) for arm in files] == p95s
    found = uh.identify(files, uh.UniformSampling(budget=20), replications=1, direction="minimize")
    assert found.to_dict()["best"] == {"p95": [best]}
