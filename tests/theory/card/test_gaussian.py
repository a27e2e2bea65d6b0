"""The Gaussian comparison on the card."""

import pytest

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.theory.card import moments, path_part


def test_the_papers_arms():
    """By hand: κ₀ = .1/.1; sups δ_μ and a·.1 − .1; averages .1²/(.2a) and (.1a − .1)²/(.2a)."""
    part = path_part([uh.Normal(0.1, 0.05), uh.Normal(0, 0.15), uh.Normal(0.04, 0.08)], 0.1)

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


def test_a_third_arm_on_the_way():
    """Lines 1 + 0κ, 0.8 + 0.5κ, 0 + 1κ switch at 0.4 and 1.6 < a."""
    arms = [uh.Normal(1, 1e-9), uh.Normal(0.8, 0.5), uh.Normal(0, 1)]
    part = path_part(arms, 0.05)
    assert [each["kappa"] for each in part["envelope"]] == pytest.approx([0, 0.4, 1.6])
    assert part["mismatch"]["two_arm_envelope"] is False


def test_minimax_where_it_holds():
    arms = [uh.Normal(0.08, 0.05), uh.Normal(0, 0.16), uh.Normal(0.03, 0.08)]
    assert path_part(arms, 0.1)["mismatch"]["acp_is_minimax"] is True


def test_one_arm_for_both_objectives():
    part = path_part([uh.Normal(1, 1), uh.Normal(0, 0.5)], 0.1)
    assert part["mismatch"] is None
    assert part["worst"] == part["average"] == {"D_A": 0, "D_M": 0}


def test_other_laws_have_no_path():
    with pytest.raises(ParameterError, match=r"for Gaussian arms only; arm 2 is Uniform"):
        moments([uh.Normal(0, 1), uh.Uniform(0, 1)])
