"""The policies: how arms are chosen. One paper's policy, one file."""

from ..errors import UnknownNameError
from .acp_ucb1 import ACPUCB1
from .contract import Policy, as_policy
from .ucb1 import UCB1

__all__ = ["ACPUCB1", "POLICIES", "UCB1", "Policy", "as_policy", "policy_class"]

POLICIES: dict[str, type[Policy]] = {cls.name: cls for cls in (ACPUCB1, UCB1)}


def policy_class(name: str) -> type[Policy]:
    """Return the policy of that name; upper and lower case are the same."""
    for known, cls in POLICIES.items():
        if known.lower() == name.lower():
            return cls
    raise UnknownNameError.among("policy", name.lower(), [known.lower() for known in POLICIES])
