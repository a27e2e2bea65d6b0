"""The obvious twin again, for longer."""

import pytest

from ..policies.test_against_naive import check_acp_ucb1
from ..tables import TABLES, draw

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("alpha", "settings"),
    [
        ("0.1", {}),
        ("0.14", {"eta": 0.1, "b": 0.2}),
        ("0.3", {"eta_decay": 0.6, "eta": 0.5, "lam": 5.0, "tail": "lower"}),
    ],
    ids=["paper", "fast", "decaying-lower"],
)
@pytest.mark.parametrize("kind", TABLES)
def test_acp_ucb1(kind, alpha, settings):
    check_acp_ucb1(draw(kind, 3, 3000, seed=1), alpha, settings)


@pytest.mark.parametrize("kind", ["gaussian", "ties", "bernoulli", "heavy"])
def test_acp_ucb1_one_arm(kind):
    check_acp_ucb1(draw(kind, 1, 6000, seed=2), "0.059", {"eta": 0.03, "lam": 3.0})


@pytest.mark.parametrize("kind", ["gaussian", "ties"])
def test_acp_ucb1_many_arms(kind):
    check_acp_ucb1(draw(kind, 30, 1500, seed=3), "0.18", {"eta": 0.05, "b": 0.5})
