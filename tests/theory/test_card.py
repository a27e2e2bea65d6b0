"""The card: values and gaps, the path, Theorem 1, bounds, and parts that do not apply."""

import json
import math

import numpy as np
import pytest
import scipy.stats

import upperhand as uh
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import card as parts
from upperhand.theory import quantile_policies, theorem_1, theory_card

from .instances import PAPER

UNIFORM = [uh.Uniform(0, 1), uh.Uniform(0.9796, 1.9796)]


def tail_gaps(arms, alpha):
    return uh.UpperTail(alpha).gaps(arms)


def theorem(arms, policy, n=10_000, r_y=None, r_s=None):
    return parts._theorem(arms, policy, n, tail_gaps(arms, policy.alpha), r_y, r_s, False)


def bounds(arms, alpha=0.1, n=10_000):
    objectives = {"tail": uh.UpperTail(alpha), "mean": uh.Mean()}
    gaps = {key: each.gaps(arms) for key, each in objectives.items() if each.is_defined(arms)}
    return parts._bounds(arms, uh.UpperTail(alpha).tau, n, gaps, False)


@pytest.fixture(scope="module")
def card():
    return theory_card(PAPER, uh.ACPUCB1(0.1))


# --- the whole card ------------------------------------------------------------------------------


def test_values_and_gaps(card):
    assert [arm["gaps"]["mean"] for arm in card["arms"]] == pytest.approx([0, 0.1, 0.06])
    tails = [arm["values"]["tail"] for arm in card["arms"]]
    assert tails == pytest.approx([0.182243, 0.246728, 0.171588], abs=1e-6)
    assert card["best"] == {"tail": [1], "mean": [0]}
    assert card["transfer"] == pytest.approx({"acp_arm_in_mean": 0.1, "mean_arm_in_acp": 0.0644854})
    for arm in card["arms"]:
        assert arm["q_low"] + arm["q_high"] == pytest.approx(2 * arm["spec"]["loc"])
    assert json.loads(json.dumps(card, allow_nan=False)) == card  # plain data


def test_alpha_is_the_policys():
    other = theory_card(PAPER, uh.ACPUCB1(0.3), 100)
    assert other["alpha"] == 0.3
    assert other["objectives"]["tail"] == "ACP value (p85)"
    assert other["transfer"]["mean_arm_in_acp"] == pytest.approx(0.0036433, abs=1e-7)


@pytest.mark.parametrize(
    ("arms", "path", "theorem_1"),
    [
        ([uh.StudentT(0, 1, 3), uh.Normal(0, 1)], "arm 0 is StudentT", None),
        ([uh.Normal(0, 1), uh.Normal(0, 1)], "arms 0 and 1 tie", "one best arm"),
        ([uh.Bernoulli(0.3), uh.Normal(5, 1)], "arm 0 is Bernoulli", "arm 0, Bernoulli"),
        ([uh.Normal(0, 1), uh.Normal(9, 1)], None, "(b) fails for arm 0"),
    ],
    ids=["student", "tie", "atoms", "wide gap"],
)
def test_a_part_that_does_not_apply_says_why(arms, path, theorem_1):
    found = theory_card(arms, uh.ACPUCB1(0.1), 100)
    for part, reason in (("path", path), ("theorem", theorem_1)):
        assert reason is None or reason in found[part]["fails"]
        assert (reason is None) == ("fails" not in found[part])


def test_an_arm_without_a_mean():
    found = theory_card([uh.StudentT(0, 1, 1), uh.Normal(0, 1)], uh.ACPUCB1(0.1), 100)
    assert found["best"] == {"tail": [0]}
    assert found["transfer"] is None
    assert found["arms"][0]["sd"] is None
    assert set(found["arms"][0]["values"]) == {"tail"}
    json.dumps(found, allow_nan=False)


def test_what_is_refused():
    acp = uh.ACPUCB1(0.1)
    for arms, policy, horizon, message in (
        (PAPER[:1], acp, 100, "two arms or more; got 1"),
        (PAPER, acp, 1, "horizon must be a whole number, 2 or more"),
        (PAPER, acp, 2.5, "horizon must be a whole number, 2 or more"),
        (PAPER, uh.UCB1(), 100, "Theorem 1 is about ACP-UCB1; got UCB1"),
        (PAPER, uh.ACPUCB1(tail="lower"), 100, "about the upper end of the .* got tail='lower'"),
        (PAPER, uh.ACPUCB1(1e-17, level_min=1e-18), 100, "has no finite ACP value"),
        (["normal", "normal"], acp, 100, "normal takes loc,scale; got"),
    ):
        with pytest.raises(ParameterError, match=message):
            theory_card(arms, policy, horizon)


def test_frozen_distributions_of_scipy_and_arms_that_share_a_value():
    frozen = [scipy.stats.norm(0.1, 0.05), scipy.stats.norm(0, 0.15)]
    found = theory_card(frozen, uh.ACPUCB1(0.1), 100)
    assert found["arms"][0]["values"]["tail"] == pytest.approx(0.182243, abs=1e-6)
    normal = [uh.Normal(0, 1), uh.Normal(0, 2), uh.Normal(-9, 2)]
    equal_means = [uh.Exponential(0.3), scipy.stats.gamma(3, 0, 0.1)]
    for arms, best in ((normal, [1]), (equal_means, [0])):
        found = theory_card(arms, uh.ACPUCB1(0.1), 100)
        assert found["best"] == {"tail": best, "mean": [0, 1]}
        assert found["transfer"] == {"acp_arm_in_mean": 0, "mean_arm_in_acp": 0}


def near_ties(count):
    """Return pairs of Gaussian arms a few ulps apart at 0, at 1 and at 1e12, in mean and in sd."""
    rng = np.random.default_rng(8)
    for _ in range(count):
        loc, sd = rng.choice([0.0, 1.0, 1e12]), rng.choice([1e-3, 0.1, 1.0])
        ulps = rng.integers(-40, 41, 2) * rng.integers(0, 2, 2)
        arms = [uh.Normal(loc, sd)]
        arms.append(uh.Normal(loc + ulps[0] * np.spacing(loc + sd), sd + ulps[1] * np.spacing(sd)))
        yield arms, uh.ACPUCB1(float(rng.choice([0.05, 0.1, 0.5])))


def test_a_card_says_one_thing_of_a_tie():
    """Gaps, best arms, path, theorem and lower bounds: tied in one is tied in all."""
    kinds = set()
    for arms, policy in near_ties(60):
        found = theory_card(arms, policy, 20)
        gaps = {key: [arm["gaps"][key] for arm in found["arms"]] for key in ("tail", "mean")}
        assert found["best"] == {key: [j for j in (0, 1) if g[j] == 0] for key, g in gaps.items()}
        ties = {key: len(best) > 1 for key, best in found["best"].items()}
        kinds.add(tuple(ties.values()))
        assert ("must be unique" in found["path"].get("fails", "")) == any(ties.values())
        assert ("needs one best arm" in found["theorem"].get("fails", "")) == ties["tail"]
        for bound in found["bounds"]["lower"]:
            infinite = bound["regret"] is None
            assert infinite or (bound["regret"] == 0) == ties[bound["objective"]]
        if not any(ties.values()):
            path, (acp,), (mean,) = found["path"], found["best"]["tail"], found["best"]["mean"]
            assert [path["envelope"][i]["arm"] for i in (0, -1)] == [mean, acp]
            assert (path["mismatch"] is None) == (acp == mean)
            assert path["worst"]["D_M"] == gaps["tail"][mean]
            assert path["worst"]["D_A"] == gaps["mean"][acp]
    assert len(kinds) == 4


def test_costs():
    """Each arm is moved so that the upper ends stand in the mirrored order."""
    ends = [arm.quantile(0.95) for arm in PAPER]
    moved = [uh.Normal(arm.loc - 2 * end, arm.scale) for arm, end in zip(PAPER, ends, strict=True)]
    found = theory_card(PAPER, uh.ACPUCB1(), 500, minimize=True)
    mirrored = theory_card(moved, uh.ACPUCB1(), 500)

    assert found["best"] == {"tail": [2], "mean": [1]}  # p95s 0.182, 0.247, 0.172
    assert [arm["values"]["tail"] for arm in found["arms"]] == ends
    for key in ("constants", "needs"):
        for source, numbers in found["theorem"][key].items():
            other = mirrored["theorem"][key][source]
            for name in numbers.keys() - {"pulls"}:
                assert numbers[name] == pytest.approx(other[name], rel=1e-6)
    assert found["no_adaptation"] == pytest.approx(mirrored["no_adaptation"], rel=1e-6)
    assert found["path"]["fails"] == "It is about rewards, and these arms pay costs."
    assert found["minimize"] is True
    assert found["bounds"]["upper"].keys() == mirrored["bounds"]["upper"].keys()
    negated = [uh.Normal(-arm.loc, arm.scale) for arm in PAPER]
    regret = quantile_policies.regret(uh.KLQUCB(1 - 0.95), negated, 500)
    assert found["proved"]["policies"][0]["regret"] == pytest.approx(regret, rel=1e-6)


# --- the path ------------------------------------------------------------------------------------


def test_the_path_of_the_papers_arms(card):
    """By hand: κ₀ = .1/.1; sups δ_μ and a·.1 − .1; averages .1²/(.2a) and (.1a − .1)²/(.2a)."""
    part = card["path"]
    assert part["a"] == pytest.approx(1.6448536)
    assert [each["arm"] for each in part["envelope"]] == [0, 1]
    assert part["envelope"][1]["kappa"] == pytest.approx(1)
    assert part["worst"] == pytest.approx({"D_A": 0.1, "D_M": 0.06448536})
    assert part["average"] == pytest.approx({"D_A": 0.0303978, "D_M": 0.0126405}, abs=1e-7)
    assert part["mismatch"] == {
        "delta_mu": pytest.approx(0.1),
        "delta_sigma": pytest.approx(0.1),
        "kappa_0": pytest.approx(1),
        "two_arm_envelope": True,
        "acp_is_minimax": False,
    }


def test_other_paths():
    """Lines 1 + 0κ, 0.8 + 0.5κ, 0 + 1κ switch at 0.4 and 1.6 < a."""
    part = parts._path([uh.Normal(1, 1e-9), uh.Normal(0.8, 0.5), uh.Normal(0, 1)], 0.05)
    assert [each["kappa"] for each in part["envelope"]] == pytest.approx([0, 0.4, 1.6])
    assert part["mismatch"]["two_arm_envelope"] is False
    minimax = [uh.Normal(0.08, 0.05), uh.Normal(0, 0.16), uh.Normal(0.03, 0.08)]
    assert parts._path(minimax, 0.1)["mismatch"]["acp_is_minimax"]
    part = parts._path([uh.Normal(1, 1), uh.Normal(0, 0.5)], 0.1)
    assert part["mismatch"] is None
    assert part["worst"] == part["average"] == {"D_A": 0, "D_M": 0}
    with pytest.raises(ParameterError, match=r"for Gaussian arms only; arm 1 is Uniform"):
        parts.moments([uh.Normal(0, 1), uh.Uniform(0, 1)])


# --- Theorem 1 -----------------------------------------------------------------------------------


def test_theorem_1_for_the_papers_arms(card):
    """Catalogue, section 2, item 12, with r = Δ_max / 4."""
    part = card["theorem"]
    appendix, needs = part["constants"]["appendix"], part["needs"]
    assert appendix["r_y"] == appendix["r_s"] == pytest.approx(0.07513975 / 4)
    assert appendix["f_min"] == pytest.approx(2.968e-4, rel=1e-3)
    assert appendix["g_min"] == pytest.approx(2 * appendix["f_min"])
    assert needs["appendix"]["b"] == pytest.approx(64 / appendix["f_min"])
    assert needs["appendix"]["horizon"] == pytest.approx(3.538e15, rel=1e-3)
    assert part["trivial_regret"] == pytest.approx(751.3975)
    # The proof takes f at the nominal quantiles only: there √128 / g_min decides.
    least = [needs[source]["b"] for source in ("appendix", "best", "proof")]
    assert least == sorted(least, reverse=True)
    assert least[2] == pytest.approx(math.sqrt(128) / part["constants"]["best"]["g_min"])
    best, gaps = needs["best"], tail_gaps(PAPER, 0.1)
    assert best["pulls"][1] is None
    lost = [pulls * gap for pulls, gap in zip(best["pulls"], gaps, strict=True) if pulls]
    assert sum(lost) == pytest.approx(best["regret"])
    assert best["regret"] == pytest.approx(theorem_1.regret_bound(10_000, best["b"], gaps))
    assert part["settings"] == {"b": 1.0, "lam": 1.0, "init": 2, "horizon": 10_000}
    holds = [each["holds"] for each in part["conditions"]]
    assert holds == [False, False, True, True, False, False]
    assert part["logarithmic_constants"] == []
    assert all(each["empty"] for each in needs.values())


def test_theorem_1_for_other_settings():
    part = theorem(PAPER, uh.ACPUCB1(0.1), r_y=0.001, r_s=0.001)  # below Δ/4, s_0 may exceed it
    assert part["needs"]["best"]["regret"] is None
    assert part["needs"]["best"]["pulls"] == [None] * 3
    assert theorem(PAPER, uh.ACPUCB1(0.1, b=0))["conditions"] == []
    part = theorem(PAPER, uh.ACPUCB1(0.1, level_min=0.05, level_max=0.2), r_y=0.01, r_s=0.02)
    for constants in part["constants"].values():
        assert (constants["r_y"], constants["r_s"]) == (0.01, 0.02)
    assert part["window"] == [0.05, 0.2]
    assert part["conditions"][2]["holds"] is False
    policy = uh.ACPUCB1(0.5, level_min=0.49, level_max=0.51)
    for n, empty in ((10**4, True), (10**9, False)):
        needs = theorem(UNIFORM, policy, n)["needs"]["best"]
        assert needs["empty"] == (needs["regret"] > n * 0.9796) == empty
    policy = policy.replace(b=64, init=222_246)
    part = theorem(UNIFORM, policy, 450_000)
    assert all(each["holds"] for each in part["conditions"])
    assert list(part["constants"]) == ["best"]
    assert part["needs"]["best"]["init"] == policy.init


def test_one_arm_for_both_objectives():
    """γ^UCB = max{256 · 1/1, 8}; r = 1 + a(2 − 1); γ^ACP = 4 b_0²/(1 + a)²."""
    policy = uh.ACPUCB1(0.1, level_min=0.05, level_max=0.15)
    part = theorem([uh.Normal(0, 1), uh.Normal(1, 2)], policy)
    (constants,) = part["logarithmic_constants"]
    b = part["needs"]["best"]["b"]
    assert constants["arm"] == 0
    assert constants["gamma_ucb"] == 256
    assert constants["gap_ratio"] == pytest.approx(2.6448536)
    assert constants["gamma_acp"] == pytest.approx(4 * b * b / 2.6448536**2)
    assert constants["least_gap_ratio"] == pytest.approx(b / 8)


def test_without_adaptation(card):
    """The least density within r of the p95 is at its far end, of the widest arm."""
    part, radius = card["no_adaptation"], 0.07513975 / 4
    least = min(arm.pdf(arm.quantile(0.95) + radius) for arm in PAPER)
    assert part["f_min"] == pytest.approx(least, rel=1e-6)
    assert part["b"] == pytest.approx(math.sqrt(8) / least, rel=1e-6)
    assert part["horizon"] == theorem_1.smallest_horizon(3, part["b"], part["r_y"] / 2)
    assert part["init"] == theorem_1.s_loc(part["horizon"], part["b"], part["r_y"] / 2)
    # Exponential arms have no density below 0, which is within the radius of the lower quantiles.
    arms = [uh.Exponential(1), uh.Exponential(2)]
    assert parts._no_adaptation(arms, 0.1, tail_gaps(arms, 0.1), None)["b"] > 0
    with pytest.raises(AssumptionError, match=r"\(a\) fails.* Theorem 1 needs radii of at least"):
        theorem(arms, uh.ACPUCB1(0.1))


# --- bounds --------------------------------------------------------------------------------------


def test_bounds_for_the_papers_arms(card):
    """Lai and Robbins by hand: 2·.0225/.1 + 2·.0064/.06 per ln n; the quantile's from its kl.

    Auer et al.: gaps .1 and .06, sds .15 and .08, ln n = 9.21034.
    """
    part = card["bounds"]
    tail, gaussian, known, unknown = part["lower"]
    assert tail["pulls"] == pytest.approx([209.98, 0, 264.54], abs=0.01)
    assert tail["regret"] == pytest.approx(33.419, abs=1e-3)
    assert gaussian["regret"] == pytest.approx(9.649, abs=1e-3)  # for means and sds unknown
    assert known["regret_per_log"] == pytest.approx(0.45 + 0.0128 / 0.06)
    assert unknown["regret"] > known["regret"] == pytest.approx(6.1095, abs=1e-4)
    assert [each["objective"] for each in part["lower"]] == ["tail"] * 2 + ["mean"] * 2
    ucb1 = 8 * 9.21034037 * (10 + 1 / 0.06) + (1 + math.pi**2 / 3) * 0.16
    growing = 256 * 0.0225 / 0.1 + 0.8 + 256 * 0.0064 / 0.06 + 0.48
    normal = growing * 9.21034037 + (1 + math.pi**2 / 2) * 0.16
    assert part["upper"] == pytest.approx({"UCB1": ucb1, "UCB1-NORMAL": normal})


def test_a_bound_is_shown_where_it_covers_the_arms():
    for arms, names, count in (
        ([uh.Normal(0, 0.5), uh.Normal(1, 0.5)], ["UCB1", "UCB1-NORMAL"], 4),
        ([uh.Normal(0, 0.51), uh.Normal(1, 0.5)], ["UCB1-NORMAL"], 4),
        ([uh.Bernoulli(0.3), uh.Bernoulli(0.4)], ["UCB1"], 2),
        ([uh.Uniform(2, 3), uh.Uniform(0, 1)], ["UCB1"], 1),
        ([uh.Uniform(2, 3.1), uh.Uniform(0, 1)], [], 1),
        ([uh.Normal(0, 0.5), uh.Uniform(0, 1)], ["UCB1"], 1),
        ([uh.StudentT(0, 1, 1), uh.StudentT(1, 1, 1)], [], 1),
    ):
        part = bounds(arms, n=1000)
        assert list(part["upper"]) == names
        assert len(part["lower"]) == count


def test_an_infinite_bound_is_none_on_the_card():
    """All mass of the first arm between its p95 and 5 is missing."""
    gap = uh.Mixture([uh.Uniform(0, 1), uh.Uniform(9, 10)], [0.95, 0.05])
    arms = [gap, uh.Uniform(4, 5)]
    assert bounds(arms)["lower"][0]["regret"] == math.inf
    assert theory_card(arms, uh.ACPUCB1(0.1), 100)["bounds"]["lower"][0]["regret"] is None


def test_bounds_that_any_policy_meets_are_empty():
    """By hand: n · max Δ is 0.1 n in mean and 0.0751 n in the tail; bounds grow like ln n."""
    for n in (10, 1000, 10_000, 10**6):
        part = bounds(PAPER, n=n)
        assert part["empty"] == [name for name, bound in part["upper"].items() if bound > 0.1 * n]
        assert part["lower"][0]["empty"] == (3.6285 * math.log(n) > 0.0751398 * n)
    assert bounds(PAPER)["empty"] == ["UCB1"]
    gaps = tail_gaps(PAPER, 0.1)
    for n, most in ((100, 7.51398), (10_000, 751.398)):
        proved = parts._proved(PAPER, 0.95, n, gaps, False)["policies"]
        assert [each["empty"] for each in proved] == [each["regret"] > most for each in proved]
        assert proved[0]["empty"] == (n == 100)


def test_what_is_proved_of_each_policy(card):
    covered = quantile_policies.covered(0.95)
    assert [each["policy"] for each in card["proved"]["policies"]] == list(covered)
    for each, policy in zip(card["proved"]["policies"], covered.values(), strict=True):
        assert each["theorem"] == quantile_policies.theorem(policy)
        assert each["regret"] == quantile_policies.regret(policy, PAPER, 10_000)
        assert each["pulls"][1] is None  # nothing bounds a best arm's
    counts = [uh.Bernoulli(0.05), uh.Bernoulli(0.2)]
    fails = theory_card(counts, uh.ACPUCB1(0.1), 100)["proved"]["fails"]
    assert "no bound for arm 0, Bernoulli(p=0.05)" in fails


def test_names_and_a_frame():
    found = theory_card({"calm": uh.Normal(0.2, 0.1), "wild": uh.Normal(0.1, 0.5)})
    rows = found.to_frame()
    assert rows["arm"].tolist() == ["calm", "wild"]
    assert rows["tail_gap"].min() == 0
    text = repr(found)
    assert text.startswith("Theory of 2 arms")
    assert "wild  Normal(loc=0.1" in text
    assert "0.25      wild" in text  # where the utility path begins to end with it
