"""The page of the policies names every one of them, and no other."""

import re
from pathlib import Path

import upperhand as uh
from upperhand.policies import BEST_ARM_POLICIES, POLICIES

PAGE = (Path(__file__).parents[1] / "docs" / "policies.md").read_text(encoding="utf-8")


def test_every_policy_has_a_row():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    policies = [*POLICIES.values(), *BEST_ARM_POLICIES.values()]
    assert sorted(listed) == sorted(cls.__name__ for cls in policies)


def test_lines_to_type_are_policies():
    page = (Path(__file__).parents[1] / "docs" / "which-policy.md").read_text(encoding="utf-8")
    lines = re.findall(r'\| `"(.+)"` \|\n', page)
    assert len(lines) == len(re.findall(r"^\| .*`.*$", page, flags=re.MULTILINE))
    for line in lines[:-2]:
        assert uh.Bandit(["a", "b"], line).ask() == "a"
    arms = [uh.Normal(0, 1), uh.Normal(5, 1)]
    assert len(uh.identify(arms, lines[-2:], replications=1, cap=2_000).policies) == 2
