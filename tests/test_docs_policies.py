"""The page of the policies names every one of them, and no other."""

import re
from pathlib import Path

from upperhand.policies import BEST_ARM_POLICIES, POLICIES

PAGE = (Path(__file__).parents[1] / "docs" / "policies.md").read_text(encoding="utf-8")


def test_every_policy_has_a_row():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    policies = [*POLICIES.values(), *BEST_ARM_POLICIES.values()]
    assert sorted(listed) == sorted(cls.__name__ for cls in policies)
