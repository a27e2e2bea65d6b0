"""What a policy of your own needs: see ``examples/policy_of_your_own.py``.

`kernel` marks a plain function as callable from the compiled loop, `argmax` picks an arm by an
index and breaks ties, and `Kernels` gathers the functions of a policy.
"""

from ._kernels.argmax import argmax
from ._kernels.compile import kernel
from .policies.contract import Kernels

__all__ = ["Kernels", "argmax", "kernel"]
