"""The arms of the paper's experiments.

Their numbers stand here and nowhere else: appendix, "Data generation".
"""

from ..distributions import Distribution, Normal, SkewedStudentT, StudentT
from .instance import ALPHA, Instance

ALPHAS = (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)  # the levels of Figure 2

# The Gaussian objective-mismatch instance: N(0.10, 0.05²), N(0.00, 0.15²), N(0.04, 0.08²).
GAUSSIAN_ARMS = (Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08))

LOCATIONS, SCALES = (0.08, 0.00, 0.03), (0.05, 0.16, 0.08)  # the same in every family
T_DF = (3, 3, 5)
SKEWED_DF, SKEWS = (5, 5, 5), (-0.2, 0.6, 0.3)
FAMILIES: dict[str, tuple[Distribution, ...]] = {  # of Figure 3
    "Gaussian": tuple(map(Normal, LOCATIONS, SCALES)),
    "Student-t": tuple(map(StudentT, LOCATIONS, SCALES, T_DF)),
    "Skewed Student-t": tuple(map(SkewedStudentT, LOCATIONS, SCALES, SKEWED_DF, SKEWS)),
}

PAPER = (
    Instance("headline", GAUSSIAN_ARMS, ALPHA, "Figure 1: Gaussian arms"),
    *(
        Instance(f"alpha-{alpha:.2f}", GAUSSIAN_ARMS, alpha, f"Figure 2 at α = {alpha:.2f}")
        for alpha in ALPHAS
    ),
    *(
        Instance(name, FAMILIES[family], ALPHA, f"Figure 3: {family} arms")
        for name, family in (
            ("gaussian", "Gaussian"),
            ("student-t", "Student-t"),
            ("skewed-t", "Skewed Student-t"),
        )
    ),
)
