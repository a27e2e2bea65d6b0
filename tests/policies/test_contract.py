"""What holds for every policy of the library, one suite for all of them."""

import copy
import math
import pickle
from typing import get_args

import numpy as np
import pytest

from upperhand import policies
from upperhand.errors import ParameterError, UnknownNameError
from upperhand.live import Bandit
from upperhand.objectives import DIRECTIONS
from upperhand.policies import POLICIES, Policy, policy_class
from upperhand.policies.base import Endpoint, Functions
from upperhand.simulation.player import play

from ..looping import for_each
from ..reference.keyed import keyed
from ..tables import TABLES, draw
from .examples import EXAMPLES, KNOWS_HORIZON, MIRRORED, ON_CALIBRATORS, RANDOMISED, UNIT_REWARDS
from .late import Worker

every_policy = for_each("name", EXAMPLES)
# A live bandit says when b is far from the spread of the rewards; the tables here are not chosen
# with that in mind.
heedless = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")


# The bounds between which a cached value holds may be infinite.
WINDOWS = {"since", "until", "shapes.reach"}
WINDOWS |= {f"{bounds}.{end}" for bounds in ("plain", "charged") for end in ("here", "above")}
WINDOWS |= {"charged.value"}  # of an arm that was never charged
UNUSED = {"quantile", "largest"}


def per_arm(state, arms):
    """Return the state's arrays of one number an arm, by name, nested tuples included."""
    found = {}
    for name, part in state._asdict().items():
        if isinstance(part, tuple):
            found |= {f"{name}.{key}": value for key, value in per_arm(part, arms).items()}
        elif np.shape(part) == (arms,):
            found[name] = part
    return found


def live(policy, rewards, seed, *, minimize=False):
    """Play a table of rewards, or of costs, by ask and tell; return the arms."""
    names = [f"arm {j}" for j in range(len(rewards))]
    bandit, arms = Bandit(names, policy, seed, direction=DIRECTIONS[minimize]), []
    for _ in range(rewards.shape[1]):
        name = bandit.ask()
        arms.append(names.index(name))
        bandit.tell(name, rewards[arms[-1], bandit.pulls(name)])
    return arms


def assert_finite(policy, table):
    """Assert that all numbers of the final state are finite, or at least numbers."""
    state = play(policy, table, 0).state
    for field, values in per_arm(state, len(table)).items():
        if policy.name == "KL-QUCB" and field in UNUSED and not (policy.trust or policy.frugal):
            continue  # these are kept only where shapes or charges are looked at
        usable = ~np.isnan(values) if field in WINDOWS else np.isfinite(values)
        assert usable.all(), field
    assert state.pulls.sum() == table.shape[1]
    assert state.pulls.min() >= policy.initial_pulls


@every_policy
class TestPlaying:
    def test_arms_are_arms_and_all_are_tried(self, name):
        for arms, kind in zip((1, 2, 5) * len(TABLES), TABLES, strict=False):
            found = play(EXAMPLES[name], draw(kind, arms, 300), 0)
            assert found.arms.shape == (300,)
            assert set(found.arms.tolist()) == set(range(arms))
            assert found.state.pulls.tolist() == np.bincount(found.arms, minlength=arms).tolist()

    @heedless
    def test_live_use_is_the_simulation(self, name):
        """A simulation draws from one stream; in live use each ask has numbers of its own."""
        for kind in ("gaussian", "ties", "heavy"):
            table, policy = draw(kind, 3, 150), EXAMPLES[name]
            if not policy.draws:
                assert live(policy, table, 7) == play(policy, table).arms.tolist()
            policy = policy.replace(random_ties=True)
            assert live(policy, table, 7) == keyed(policy, table, 7)

    def test_only_what_was_pulled_counts(self, name):
        """First all arms in turn; then neither other rewards nor rounds to come change a choice."""
        policy, table = EXAMPLES[name], draw("gaussian", 3, 300)
        found = play(policy, table, 0)
        arms = found.arms.tolist()
        assert arms[: 3 * policy.initial_pulls] == list(range(3)) * policy.initial_pulls
        beyond = np.arange(300) >= found.state.pulls[:, None]
        assert play(policy, np.where(beyond, 99.0, table), 0).arms.tolist() == arms
        assert play(policy, table, 0, rounds=120).arms.tolist() == arms[:120]

    def test_rewards_of_any_reasonable_size_leave_an_order(self, name):
        """An index that is NaN would be neither larger nor smaller than another."""
        policy = EXAMPLES[name]
        for size in (1e-100, 1e100):
            table = np.random.default_rng(0).choice([-size, 0.0, size], (3, 400))
            state = play(policy, table, 0).state
            indices = [policy.functions.index(policy, state, arm, 401) for arm in range(3)]
            assert not np.isnan(indices).any()
            assert state.pulls.min() >= policy.initial_pulls

    def test_the_state_is_finite_after_heavy_tails(self, name):
        assert_finite(EXAMPLES[name], draw("heavy", 4, 2000))


@every_policy
class TestRandomness:
    def test_random_ties_depend_on_the_seed_alone(self, name):
        policy = EXAMPLES[name].replace(random_ties=True)
        runs = [play(policy, draw("ties", 3, 200), 7).arms.tolist() for _ in range(2)]
        assert runs[0] == runs[1]
        table = draw("constant", 4, 60)
        assert len({tuple(play(policy, table, seed).arms) for seed in range(10)}) == 10

    def test_nothing_else_does_unless_the_policy_draws(self, name):
        for kind in ("constant", "gaussian"):
            table = draw(kind, 4, 150)
            by_seed = {tuple(play(EXAMPLES[name], table, seed).arms) for seed in range(5)}
            assert len(by_seed) == (5 if name in RANDOMISED and (name, kind) not in POINTS else 1)


@for_each("name", EXAMPLES | ON_CALIBRATORS)
def test_growing_changes_nothing(name):
    """A state without spare capacity grows its way to the same end, over more than one block."""
    table, policy = draw("heavy", 2, 600), (EXAMPLES | ON_CALIBRATORS)[name]
    worker, rng = Worker(policy, 2), np.random.default_rng(0)
    arms = []
    for t in range(1, 601):
        arms.append(int(worker.choose(t, rng)))
        worker.learn(arms[-1], table[arms[-1], worker.state.pulls[arms[-1]]])
    assert arms == play(policy, table, 0).arms.tolist()


# Without any spread the posterior is a point, and nothing is drawn.
POINTS = {("Thompson gaussian", "constant")}


@for_each("name", [name for name in EXAMPLES if name not in UNIT_REWARDS])
class TestCosts:
    @heedless
    def test_minimising_is_the_mirror_image(self, name):
        """Endpoints at levels where no quantile lies between two costs; tests/live has others."""
        policy = EXAMPLES[name]
        if isinstance(policy, Endpoint):  # a sketch thins out from below: it has no mirror image
            policy = policy.replace(
                alpha=policy.alpha + 1e-5, sketch=200 if policy.sketch is not None else None
            )
        for kind in ("gaussian", "ties"):
            rewards = draw(kind, 3, 150)
            expected = keyed(policy.mirrored(), rewards, 3)
            assert live(policy, -rewards, 3, minimize=True) == expected

    def test_what_the_mirror_image_changes(self, name):
        policy = EXAMPLES[name]
        expected = policy.settings | MIRRORED.get(name, {})
        assert type(policy.mirrored()) is type(policy)
        assert policy.mirrored().settings == {
            setting: pytest.approx(value, rel=1e-12) if type(value) is float else value
            for setting, value in expected.items()
        }

    def test_the_mirror_image_of_the_mirror_image_is_the_policy(self, name):
        policy, table = EXAMPLES[name], draw("ties", 3, 400)
        twice = policy.mirrored().mirrored()
        assert play(twice, table, 3).arms.tolist() == play(policy, table, 3).arms.tolist()


@pytest.mark.parametrize("name", sorted(UNIT_REWARDS))
def test_costs_outside_the_unit_interval_are_refused(name):
    with pytest.raises(ParameterError, match=r"\[0, 1\].*1 − cost"):
        EXAMPLES[name].mirrored()
    with pytest.raises(ParameterError, match=r"\[0, 1\].*1 − cost"):
        Bandit(["a", "b"], EXAMPLES[name], direction="minimize")


@every_policy
class TestValues:
    def test_settings_repr_and_copies_are_the_same_policy(self, name):
        policy = EXAMPLES[name].replace(random_ties=True)
        assert type(policy)(**policy.settings) == policy
        assert policy.settings == EXAMPLES[name].settings | {"random_ties": True}
        assert hash(type(policy)(**policy.settings)) == hash(policy)
        assert eval(repr(policy), vars(policies)) == policy  # noqa: S307
        assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301
        assert copy.copy(policy) == copy.deepcopy(policy) == policy

    def test_equal_means_same_class_and_settings(self, name):
        policy = EXAMPLES[name]
        assert policy == policy.replace()
        assert not policy != policy.replace()  # noqa: SIM202
        for other in (policy.replace(random_ties=True), policy.parameters):
            assert policy != other
            assert not policy == other  # noqa: SIM201
        assert [other for other, same in EXAMPLES.items() if policy == same] == [name]

    def test_bad_settings_are_refused(self, name):
        policy, cls = EXAMPLES[name], type(EXAMPLES[name])
        for setting, value in policy.settings.items():
            with pytest.raises(AttributeError):
                setattr(policy, setting, value)
            if setting == "calibrator":  # a name is one too: tests/policies/test_acp_ucb1.py
                continue
            kind, stated = cls.declared()[setting]
            allowed = {None} if type(None) in get_args(kind) else set()
            allowed |= {0} if stated.least == 0 else set()
            for bad in (bad for bad in WRONG[type(value)] if bad not in allowed):
                with pytest.raises(ParameterError, match=rf"\b{setting}\b.*got .*{bad!r:.10}"):
                    policy.replace(**{setting: bad})
        for setting, values in OUT_OF_RANGE.get(name, {}).items():
            for bad in values:
                with pytest.raises(ParameterError, match=rf"\b{setting}\b.*\.$"):
                    policy.replace(**{setting: bad})
        with pytest.raises(AttributeError):
            policy.anything = 1
        with pytest.raises(UnknownNameError, match=f"Unknown setting of {policy.name} 'x'"):
            policy.replace(x=1)
        with pytest.raises(TypeError, match="takes no x="):
            cls(**policy.settings, x=1)

    def test_parameters_have_the_same_types_whatever_the_settings(self, name):
        """Another type would make Numba compile the policy again."""
        policy = EXAMPLES[name]
        same = [p for p in EXAMPLES.values() if (type(p), p.parts) == (type(policy), policy.parts)]
        assert len({tuple(type(value) for value in p.parameters) for p in same}) == 1
        own = {part.Parameters for part in policy.parts}
        assert {type(value) for value in policy.parameters} <= {bool, int, float} | own


@for_each("cls", POLICIES.values())
def test_name_and_kernels(cls):
    assert issubclass(cls, Policy)
    assert isinstance(cls.functions, Functions)
    assert policy_class(cls.name) is cls
    assert policy_class(cls.name.lower()) is cls
    assert vars(policies)[cls.__name__] is cls


NO_NUMBER = (math.nan, math.inf, -math.inf, "0.1", True, (0.1,), 0.1j)
WRONG = {
    float: NO_NUMBER,
    int: (*NO_NUMBER, 2.0, None, 0, -1),
    bool: (0, 1, "yes", None),
    str: ("other", "", None, 1, True),
    type(None): NO_NUMBER,
}

OUT_OF_RANGE = {
    "ACP-UCB1": {
        "alpha": (0, 1, -0.1, 0.7),
        **dict.fromkeys(("b", "eta", "eta_decay", "lam"), (-1, -1e-09)),
        **dict.fromkeys(("level_min", "level_max"), (0, 1, 1.5)),
        "init": (0, -1),
        "tail": ("both",),
        "scale": ("sd",),
    },
    "Quantile-UCB": {"alpha": (0, 1, -0.1), "b": (-1,), "init": (0, -1), "tail": ("both",)},
    "KL-QUCB": {"tau": (0, 1, -0.5, 1.5)},
    "Quantile-TS": {"tau": (0, 1, -0.5, 1.5)},
    "Quantile-IMED": {"tau": (0, 1, -0.5, 1.5)},
    "QUCB": {"tau": (0, 1, -0.5, 1.5), "c": (-0.1,)},
    "UCB-CP U": {
        "score": ("u", "LU"),
        "alpha": (0, 1, -0.1, 0.7, 1e-5),
        "eta": (-0.1,),
        "lam": (-0.1, 1.1),
        "decay": (-0.1,),
        "level_min": (0, 1, 0.2),
        "level_max": (0, 1, 0.05),
    },
    "MaRaB": {"level": (0, -0.1, 1.1), "c": (-1,)},
    "KL-UCB bernoulli": {"model": ("beta",), "c": (-1,), "sd": (1.0,)},
    "KL-UCB gaussian": {"sd": (0, -1, None), "model": ("bernoulli",)},
    "UCB-V": {"span": (0, -1), "zeta": (-1,), "c": (-1,)},
    "Thompson beta": {"model": ("bernoulli",), "sd": (1.0,)},
    "Thompson gaussian known": {"sd": (0, -1), "model": ("beta",)},
    "Thompson gaussian": {"prior": (math.nan, math.inf)},
    "MV-LCB": {"horizon": (0, -5, 10.0), "span": (0, -1), "rho": (-1,)},
    "ExpExp": {"horizon": (0, -5, 10.0), "rho": (-1,)},
    "ThresholdAscent": {"horizon": (0, -5, 10.0), "s": (0, -1, 2.0), "delta": (0, 1, -0.1)},
    "QoMax-ETC": {"horizon": (0, 1.5), "q": (0, 1, 1.5), "batches": (0, 2.0), "length": (0, -1)},
    "QoMax-SDA": {"q": (0, 1, -0.5), "least": (0, -1, 2.0)},
    "Epsilon-greedy": {"tau": (0, 1), "epsilon": (-0.1, 1.1)},
    "Explore-then-commit": {"tau": (0, 1), "horizon": (0, 10.0), "share": (0, 1)},
    "Mean of last": {"last": (0, -1, 2.0)},
}


def test_every_policy_has_an_example():
    assert {type(policy) for policy in EXAMPLES.values()} == set(POLICIES.values())
    refused = {type(EXAMPLES[name]) for name in OUT_OF_RANGE}
    assert {cls.name for cls in POLICIES.values() if cls not in refused} == {
        "UCB1",
        "UCB1-NORMAL",
        "MaxMedian",
        "Round robin",
    }


def test_which_policies_know_the_horizon():
    known = {name for name, policy in EXAMPLES.items() if policy.settings.get("horizon")}
    assert known == KNOWS_HORIZON


def test_what_only_the_user_can_know_has_no_default():
    required = {cls.name: cls.required_names() for cls in POLICIES.values()}
    assert {name: names for name, names in required.items() if names} == {
        "UCB-V": ["span"],
        "MV-LCB": ["horizon", "span"],
        "ExpExp": ["horizon"],
        "ThresholdAscent": ["horizon"],
        "QoMax-ETC": ["horizon"],
        "Explore-then-commit": ["horizon"],
    }


def test_policies_by_name():
    assert list(POLICIES) == [cls.name for cls in POLICIES.values()]
    with pytest.raises(UnknownNameError, match=r"Unknown policy 'ucb2'.*mean 'ucb1'"):
        policy_class("UCB2")
