"""river's UCB on the library's rewards: it plays what its documentation says, paired with ours."""

import itertools
import math
import sys

import numpy as np
import pytest
from river import stats

from upperhand.errors import MissingExtraError
from upperhand.simulation.tables import draw_table
from upperhand.studies.instances import INSTANCES
from upperhand.studies.line_up import OURS, REFERENCE
from upperhand.studies.river_rival import (
    AS_DOCUMENTED,
    SETTINGS,
    RiverSetting,
    play_river,
    play_table,
    settings_for,
)
from upperhand.studies.river_standing import BEST, WORST, river_standing
from upperhand.studies.study import run_study

from .samples import SMALL

HEADLINE = INSTANCES["headline"]


def estimate(rewards, tau):
    """Return river's quantile of rewards that come anew, from the first one on."""
    quantile = stats.Quantile(tau)
    for reward in rewards:
        quantile.update(reward)
    return quantile.get()


def twin(delta, burn_in, tau, table):
    """Play the formula on whole histories; after the burn-in, no two indices are equal here."""
    seen = [[] for _ in table]
    for t in range(1, table.shape[1] + 1):
        waiting = [arm for arm, rewards in enumerate(seen) if len(rewards) < burn_in]
        if waiting:
            arm = waiting[0]
        else:
            bonus = [delta * math.sqrt(2 * math.log(t - 1) / len(rewards)) for rewards in seen]
            index = [estimate(each, tau) + more for each, more in zip(seen, bonus, strict=True)]
            arm = int(np.argmax(index))
        seen[arm].append(table[arm, len(seen[arm])])
    return [len(rewards) for rewards in seen]


@pytest.mark.parametrize(
    ("delta", "burn_in", "tau"), [(1, 20, 0.95), (0.15, 7, 0.95), (0.3, 5, 0.5)]
)
def test_the_formula_on_whole_histories(delta, burn_in, tau):
    table = draw_table(HEADLINE.arms, 400, 1, 0)
    expected = twin(delta, burn_in, tau, table)

    assert play_table(RiverSetting(delta, burn_in), tau, table, seed=0) == expected
    assert min(expected) > 5  # beyond the first six rewards, whose estimate is no quantile


def test_scaled_rewards_have_no_unit():
    table = draw_table(HEADLINE.arms, 400, 1, 0)
    scaled, plain = RiverSetting(1.0, scaled=True), RiverSetting(1.0)

    assert play_table(scaled, 0.95, table, 0) == play_table(scaled, 0.95, 1024 * table, 0)
    assert play_table(plain, 0.95, table, 0) != play_table(plain, 0.95, 1024 * table, 0)
    assert play_table(scaled, 0.95, table, 0) != play_table(plain, 0.95, table, 0)


def test_after_six_rewards_the_estimate_is_their_middle_marker():
    """What the page says of P²: five markers, of which the third is the estimate."""
    for rewards in itertools.permutations([1.0, 2.0, 3.0, 4.0, 5.0]):
        assert estimate([*rewards, 6.0], 0.95) == 3
    assert estimate([3.0, 1.0, 2.0], 0.95) == 3  # up to five rewards, it is a quantile
    assert estimate([5.0, 1.0, 4.0, 2.0, 3.0, 6.0, 7.0], 0.95) == 4  # and by one place a reward


def test_it_meets_the_rewards_that_the_others_meet(rival):
    pulls = rival.pulls["headline"]
    size = (SMALL["replications"], 3)

    assert list(rival.pulls) == ["headline"]
    assert list(pulls) == list(settings_for(HEADLINE))
    assert len(pulls) == SETTINGS
    for setting, counts in pulls.items():
        assert counts.shape == size
        for replication in range(SMALL["replications"]):
            table = draw_table(HEADLINE.arms, SMALL["horizon"], SMALL["seed"], replication)
            assert counts[replication].tolist() == play_table(setting, 0.95, table, 0)


def test_settings_are_in_the_unit_of_the_arms():
    large, small = map(settings_for, (HEADLINE, INSTANCES["small-unit"]))
    count = len(AS_DOCUMENTED)

    assert large[:count] == small[:count] == tuple(AS_DOCUMENTED.values())
    for one, other in zip(large[count:], small[count:], strict=True):
        assert one.burn_in == other.burn_in
        assert one.delta == pytest.approx(100 * other.delta)
    assert large[count].delta == 0.15  # the largest standard deviation


def test_best_and_worst_in_hindsight(rival, one):
    found = river_standing(rival, one, "headline")
    gaps = one.objectives["headline"][0].gaps(HEADLINE.arms)
    means = {setting: (counts @ gaps).mean() for setting, counts in rival.pulls["headline"].items()}

    assert found.best == min(means, key=means.get)
    assert found.regrets[BEST].mean() == min(means.values())
    assert found.regrets[WORST].mean() == max(means.values())
    for label, setting in AS_DOCUMENTED.items():
        assert found.regrets[label].mean() == means[setting]


def test_ours_are_taken_from_the_same_replications(rival, one):
    shorter = rival._replace(
        pulls={"headline": {s: counts[:2] for s, counts in rival.pulls["headline"].items()}}
    )
    found = river_standing(shorter, one, "headline").regrets
    whole = one.runs["headline"].regret(one.objectives["headline"][0])

    assert [label for label in found if label in whole] == [REFERENCE, *OURS[:2]]
    for label in (REFERENCE, *OURS[:2]):
        assert found[label] == pytest.approx(whole[label].final[:2])


def test_without_river_one_is_told_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delattr("upperhand.studies.study.compare")  # nothing is played before

    with pytest.raises(MissingExtraError, match="pip install river"):
        run_study()


def test_the_same_numbers_every_time():
    size = {"horizon": 60, "replications": 2, "seed": 5, "progress": False}
    first, again = (play_river(["liar"], **size).pulls["liar"] for _ in range(2))

    assert all((first[setting] == again[setting]).all() for setting in first)
