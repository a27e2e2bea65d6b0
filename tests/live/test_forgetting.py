"""How long a reward is remembered."""

from datetime import timedelta

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.live.forgetting import Forgetting, forgetting


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"window": 500}, Forgetting(False, "rewards", 500.0)),
        ({"window": "2000 rounds"}, Forgetting(False, "rounds", 2000.0)),
        ({"window": "10m"}, Forgetting(False, "seconds", 600.0)),
        ({"window": "1.5 h"}, Forgetting(False, "seconds", 5400.0)),
        ({"half_life": timedelta(days=1)}, Forgetting(True, "seconds", 86400.0)),
        ({"half_life": 7}, Forgetting(True, "rewards", 7.0)),
        ({}, None),
    ],
)
def test_what_may_be_given(given, rule):
    assert forgetting(**given) == rule


@pytest.mark.parametrize("name", ["window", "half_life"])
def test_what_may_not(name):
    numbers, texts = (0, -3, 2.5, True), ("10", "10 weeks", "0s", "0 rounds", "1.5 rounds")
    for given in (*numbers, *texts, timedelta(0), timedelta(-1), [1], b"1s"):
        with pytest.raises(ParameterError, match=name):
            forgetting(**{name: given})


def test_one_of_the_two():
    with pytest.raises(ParameterError, match="not both"):
        forgetting(window=3, half_life=3)


def test_of_the_rewards_of_any_age_the_right_share_is_alive():
    """In every stretch of 1,000 rewards, the share that lives for a is 2^(−a/h), but for 0.3 %."""
    rule = Forgetting(True, "rewards", 100.0)
    for first in (1, 5_000, 10**6):
        lives = np.array([rule.life(first + i) for i in range(1_000)])
        for age in (0, 1, 50, 100, 300, 700):
            assert abs((lives > age).mean() - 2 ** (-age / 100)) < 0.003


def test_a_window_is_the_same_for_all():
    assert {Forgetting(False, "seconds", 5.0).life(i) for i in range(1, 9)} == {5.0}
