"""The uniform law at α = 1/2: few rewards are enough for the lemmas' and the theorem's numbers."""

from ...distributions import Uniform
from ...theory import assumption_1
from ...theory.assumption_1 import LocalConstants

UNIT = Uniform(0, 1)
LEVEL, LEVELS, RADIUS = 0.5, (0.49, 0.51), 0.2449  # α, the window around it, and r_y = r_s


def uniform_constants() -> LocalConstants:
    """Return f_min = 1 and g_min = 2, which hold for every uniform law of width 1."""
    return assumption_1.local_constants([UNIT], LEVEL, LEVELS, r_y=RADIUS, r_s=RADIUS)
