"""A parameter is stated once: signature, check, settings and documentation follow from it."""

import inspect
from dataclasses import fields, replace

import pytest

from upperhand.calibrators import ClippedACI, Rescored
from upperhand.errors import ParameterError
from upperhand.policies import ACPUCB1, POLICIES, UCBCP, Policy, as_policy, derived, parameter

from ..looping import for_each

every_class = for_each("cls", POLICIES.values())


class Mine(Policy):
    """Do what I say.

    Examples
    --------
    >>> 1
    1
    """

    name = "mine"

    width: float = parameter("How wide.", above=0, most=2, kw_only=False)
    count: int = parameter("How many.", default=3, least=1)


def test_the_signature():
    signature = inspect.signature(ACPUCB1)
    assert list(signature.parameters)[:1] == ["alpha"]
    assert signature.parameters["alpha"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert signature.parameters["b"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.parameters["b"].default == 1.0
    assert signature.parameters["b"].annotation is float


# Files of runs hold the settings in this order.
ORDER = {
    "ACP-UCB1": "alpha b eta eta_decay lam level_min level_max init tail scale calibrator "
    "sketch random_ties",
    "UCB1": "random_ties",
    "Quantile-UCB": "alpha b init tail sketch random_ties",
    "KL-QUCB": "tau trust plus frugal horizon sketch random_ties",
    "Quantile-TS": "tau sketch random_ties",
    "Quantile-IMED": "tau trust sketch random_ties",
    "QUCB": "tau c sketch random_ties",
    "UCB1-NORMAL": "random_ties",
    "KL-UCB": "model sd c random_ties",
    "UCB-V": "span zeta c random_ties",
    "Thompson sampling": "model sd prior random_ties",
    "MV-LCB": "horizon span rho random_ties",
    "ExpExp": "horizon rho random_ties",
    "MaRaB": "level c random_ties",
    "UCB-CP": "score alpha eta lam decay level_min level_max random_ties",
    "ThresholdAscent": "horizon s delta random_ties",
    "MaxMedian": "random_ties",
    "QoMax-ETC": "horizon q batches length random_ties",
    "QoMax-SDA": "q least random_ties",
    "Round robin": "random_ties",
    "Epsilon-greedy": "tau epsilon random_ties",
    "Explore-then-commit": "tau horizon share random_ties",
    "Mean of last": "last random_ties",
}


@every_class
def test_the_order_of_settings(cls):
    assert cls.setting_names() == ORDER[cls.name].split()


@every_class
def test_the_documentation_lists_them_before_the_examples(cls):
    text = inspect.getdoc(cls)
    for name, (_, stated) in cls.declared().items():
        assert f"\n{name}\n    {stated.about} (" in text
    assert text.index("Parameters\n---") < text.index("Examples\n---")


@every_class
def test_kernels_get_numbers_only(cls):
    assert set(cls.Parameters._fields) >= {"random_ties"}
    assert cls.Parameters.__qualname__ == f"{cls.__name__}.Parameters"
    declared = {name for name, (kind, _) in cls.declared().items() if kind in (bool, int, float)}
    rules = {name for name in dir(cls) if isinstance(getattr(cls, name), derived)}
    assert set(cls.Parameters._fields) == declared | rules


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        (float, 1.0),
        (str, parameter("", default="x")),
        (int, parameter("", default=1)),
    ],
    ids=["no parameter", "a type that cannot be checked", "a whole number without a least one"],
)
def test_what_cannot_be_checked_is_refused_with_the_class(kind, declared):
    body = {"name": "moody", "mood": declared, "__annotations__": {"mood": kind}}
    with pytest.raises(TypeError, match=r"Moody\.mood"):
        type("Moody", (Policy,), body)


def test_whole_numbers_have_both_bounds_and_may_be_absent():
    class Counted(Policy):
        name = "counted"
        k: int = parameter("", least=1, most=5)
        m: int | None = parameter("", default=None, least=1)

    assert Counted(k=3, m=2).settings == {"k": 3, "m": 2, "random_ties": False}
    assert Counted(k=3).m is None
    with pytest.raises(ParameterError, match="k must be a whole number"):
        Counted(k=30)
    with pytest.raises(ParameterError, match="m must be a whole number"):
        Counted(k=3, m=2.5)


def test_a_setting_can_be_needed_again():
    class Asking(ACPUCB1):
        name = "asking"
        alpha: float = parameter("", above=0, below=1, kw_only=False)

    assert Asking.required_names() == ["alpha"]


def test_a_policy_without_functions_is_refused():
    class Bare(Policy):
        name = "bare"

    with pytest.raises(ParameterError, match="lacks a name or functions"):
        as_policy(Bare())


def test_ranges_are_checked():
    with pytest.raises(ParameterError, match="width must be a finite number > 0 and ≤ 2; got 3"):
        Mine(3)
    with pytest.raises(ParameterError, match="count must be a whole number, 1 or more; got 0"):
        Mine(1, count=0)
    assert Mine(1).settings == {"width": 1.0, "count": 3, "random_ties": False}


@pytest.mark.parametrize(
    ("policy", "calibrator"), [(ACPUCB1, Rescored), (UCBCP, ClippedACI)], ids=["ACP-UCB1", "UCB-CP"]
)
def test_a_policy_states_its_calibrators_settings_alike(policy, calibrator):
    """Two signatures have them, so that type checkers see them; defaults and ranges are one."""

    def stated(cls):
        defaults = {f.name: f.default for f in fields(cls)}
        return {
            name: (kind, defaults[name], replace(each, about=""))
            for name, (kind, each) in cls.declared().items()
            if name in calibrator.setting_names()
        }

    assert stated(policy) == stated(calibrator)
