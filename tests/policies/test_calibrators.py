"""ACP-UCB1 on every calibrator: compiled as it is, and as its reference."""

import numpy as np
import pytest

from upperhand.calibrators import as_calibrator
from upperhand.errors import ParameterError
from upperhand.policies import ACPUCB1
from upperhand.policies.parsing import parse_policy
from upperhand.simulation.player import play, play_rounds

from ..calibrators.examples import EXACT, EXAMPLES
from ..looping import for_each
from ..reference import calibrators as reference
from ..tables import draw


def policy(name):
    calibrator, make = EXAMPLES[name]
    return ACPUCB1(calibrator.alpha, b=0.5, calibrator=calibrator), make


@for_each("name", EXACT)
@for_each("kind", ["gaussian", "ties"])
def test_it_plays_as_the_reference(name, kind):
    ours, make = policy(name)
    table = draw(kind, 3, 200)
    arms, ends = reference.acp_ucb1(table.tolist(), make, alpha=str(ours.alpha), b=0.5)
    for compiled in (True, False):
        found = play(ours, table, 0, compiled=compiled)
        assert found.arms.tolist() == arms
        found_ends = zip(found.state.lower.tolist(), found.state.upper.tolist(), strict=True)
        assert list(found_ends) == ends


def test_by_name_with_the_policy_s_alpha():
    by_name = ACPUCB1(0.2, calibrator="nexcp:decay=0.9")
    assert by_name.calibrator == as_calibrator("nexcp:decay=0.9/alpha=0.2")
    assert parse_policy("acp-ucb1:calibrator=aci")[1].calibrator == as_calibrator("aci")
    with pytest.raises(ParameterError, match="horizon"):
        ACPUCB1(calibrator="sps")


@for_each("name", EXAMPLES)
@for_each("case", ["lower tail", "costs"])
def test_an_infinite_end_is_explored_on_either_side(name, case):
    """The better arm comes second: a policy that stays with the first has not explored."""
    ours, _ = policy(name)
    sign = 1.0 if case == "lower tail" else -1.0
    table = sign * np.random.default_rng(0).normal([[0.0], [5.0]], 1.0, (2, 400))
    player = ours.replace(tail="lower") if case == "lower tail" else ours
    parameters = player.parameters_for(minimize=case == "costs")
    assert player.learns_costs
    state = player.functions.start(parameters, 2, 400)
    arms = np.empty(400, np.int64)
    play_rounds(player, state, table, np.random.default_rng(0), arms, parameters=parameters)
    assert (arms == 1).sum() >= 150
