"""Instances that are hard, each for somebody."""

from ..distributions import Empirical, LogNormal, Mixture, Normal
from .instance import ALPHA, Instance
from .paper_instances import GAUSSIAN_ARMS

FAR = 0.002  # the α of p99.9


def _counts(*shares: int) -> Empirical:
    """Return a law on 0, 1, 2, … with these shares in percent."""
    return Empirical([value for value, share in enumerate(shares) for _ in range(share)])


def _liar(share: float, spread: float) -> Mixture:
    """Return a law that pays about −1, and about 10 with that chance."""
    return Mixture([Normal(-1.0, spread), Normal(10.0, 1.0)], [1 - share, share])


TRAPS = (  # what an arm has shown says little of what it is worth, or not in a known unit
    Instance(
        "small-gaps",
        (Normal(0.158, 0.05), Normal(0.00, 0.15), Normal(0.1076, 0.08)),
        ALPHA,
        "Gaussian arms whose p95s are ten times closer than the headline's",
    ),
    Instance(
        "ties",
        (_counts(61, 35, 4), _counts(80, 14, 6), _counts(30, 67, 3)),
        ALPHA,
        "counts 0, 1 and 2: ties in every sample, and p95s that hang on two percent of mass",
    ),
    Instance(
        "exact-tie",
        (_counts(60, 35, 5), _counts(80, 14, 6), _counts(30, 67, 3)),
        ALPHA,
        "the same, but an arm with exactly 95 % up to 1: no sample says on which side it falls",
    ),
    Instance(
        "lognormal",
        (LogNormal(0.0, 1.5), LogNormal(0.5, 1.0), LogNormal(1.0, 0.5)),
        ALPHA,
        "log-normal arms: the best p95 belongs to the arm with the lowest median",
    ),
    Instance(
        "liar",
        (Normal(0.0, 1.0), _liar(0.06, 0.3)),
        ALPHA,
        "the best arm looks the worse one 94 times in a hundred, then pays about 10",
    ),
    Instance(
        "far-liar",
        (Normal(0.0, 1.0), _liar(0.0015, 0.5)),
        FAR,
        "the same at p99.9: it pays about 10 once or twice in a thousand pulls",
    ),
    Instance(
        "small-unit",
        tuple(Normal(arm.loc / 100, arm.scale / 100) for arm in GAUSSIAN_ARMS),
        ALPHA,
        "the headline's arms in another unit: every reward is divided by 100",
    ),
)
ENTRY = (  # each arm must be paid for before it can be ruled out
    Instance(
        "many-arms",
        (*[Normal(0.10, 0.05)] * 15, Normal(0.00, 0.15), *[Normal(0.04, 0.08)] * 14),
        ALPHA,
        "30 Gaussian arms: the headline's best one, among 15 and 14 of its other two",
    ),
    Instance(
        "hundreds-of-arms",
        (*[Normal(0.10, 0.05)] * 100, Normal(0.00, 0.15), *[Normal(0.04, 0.08)] * 99),
        ALPHA,
        "200 Gaussian arms: the headline's best one, among 100 and 99 of its other two",
    ),
    Instance("far-tail", GAUSSIAN_ARMS, FAR, "the headline's arms, valued by their p99.9"),
    Instance(
        "far-apart",
        (Normal(5.0, 1.0), Normal(10.0, 1.0), Normal(0.0, 1.0)),
        ALPHA,
        "Gaussian arms with five standard deviations between them",
    ),
)
HARD = (*TRAPS, *ENTRY)
