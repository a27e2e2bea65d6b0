"""Every policy with one setting or more, and what each of them claims."""

import upperhand as uh

from ..calibrators.examples import EXAMPLES as CALIBRATORS

EXAMPLES: dict[str, uh.Policy] = {
    "ACP-UCB1": uh.ACPUCB1(),
    "ACP-UCB1 lower": uh.ACPUCB1(0.3, b=0.1, eta=0.1, tail="lower"),
    "ACP-UCB1 auto": uh.ACPUCB1(b=0.5, eta=0.05, scale="auto"),
    "ACP-UCB1 sketched": uh.ACPUCB1(b=0.2, sketch=64),
    "UCB1": uh.UCB1(),
    "Quantile-UCB": uh.QuantileUCB(),
    "Quantile-UCB lower": uh.QuantileUCB(0.3, b=0.2, init=1, tail="lower"),
    "KL-QUCB": uh.KLQUCB(),
    "KL-QUCB plus": uh.KLQUCB(0.5, plus=True),
    "KL-QUCB sketched": uh.KLQUCB(0.9, sketch=64),
    "Hedged KL-QUCB": uh.KLQUCB(0.9, plus=True, trust=3.0),
    "Frugal KL-QUCB": uh.KLQUCB(0.9, plus=True, frugal=10),
    "Frugal hedged": uh.KLQUCB(0.8, plus=True, frugal=40, trust=3.0),
    "Frugal to the end": uh.KLQUCB(0.85, plus=True, frugal=40, horizon=250),
    "Quantile-TS": uh.QuantileTS(),
    "Quantile-TS median": uh.QuantileTS(0.5),
    "Quantile-IMED": uh.QuantileIMED(),
    "Quantile-IMED median": uh.QuantileIMED(0.5),
    "Hedged IMED": uh.QuantileIMED(0.95, trust=2.0),
    "QUCB": uh.QUCB(),
    "QUCB narrow": uh.QUCB(0.8, c=0.05),
    "UCB-CP U": uh.UCBCP(),
    "UCB-CP L": uh.UCBCP("L", alpha=0.2, eta=0.05, decay=1.0),
    "UCB-CP UL": uh.UCBCP("UL", level_min=0.05, level_max=0.3),
    "UCB-CP comb": uh.UCBCP("comb", lam=0.25),
    "MaRaB": uh.MaRaB(),
    "MaRaB half": uh.MaRaB(0.5, c=0.1),
    "UCB1-NORMAL": uh.UCB1Normal(),
    "KL-UCB bernoulli": uh.KLUCB(),
    "KL-UCB gaussian": uh.KLUCB("gaussian", sd=0.5, c=3.0),
    "UCB-V": uh.UCBV(1.0, zeta=1.0),
    "Thompson beta": uh.ThompsonSampling("beta"),
    "Thompson gaussian known": uh.ThompsonSampling("gaussian", sd=0.5),
    "Thompson gaussian": uh.ThompsonSampling("gaussian"),
    "MV-LCB": uh.MVLCB(300, 0.2, rho=2.0),
    "ExpExp": uh.ExpExp(300, rho=2.0),
    "ThresholdAscent": uh.ThresholdAscent(300, s=20),
    "MaxMedian": uh.MaxMedian(),
    "QoMax-ETC": uh.QoMaxETC(300, batches=4, length=3),
    "QoMax-SDA": uh.QoMaxSDA(),
    "QoMax-SDA few": uh.QoMaxSDA(0.5, least=1),
    "Round robin": uh.RoundRobin(),
    "Epsilon-greedy": uh.EpsilonGreedy(0.8),
    "Explore-then-commit": uh.ExploreThenCommit(0.8, horizon=300),
    "Mean of last": uh.MeanOfLast(),
    "Mean of last few": uh.MeanOfLast(3),
}

ON_CALIBRATORS: dict[str, uh.Policy] = {
    f"ACP-UCB1 on {name}": uh.ACPUCB1(calibrator.alpha, b=0.5, calibrator=calibrator)
    for name, (calibrator, _) in CALIBRATORS.items()
}


def starting(*names: str) -> frozenset[str]:
    """Return the examples whose names start with one of these."""
    return frozenset(example for example in EXAMPLES if example.startswith(names))


# Their choices depend on the seed even where nothing ties.
RANDOMISED = starting("Quantile-TS", "UCB-CP", "Thompson", "MaxMedian", "Epsilon-greedy")

# Only the order of the rewards counts: the same choices under every increasing map.
EXTREMES = starting("ThresholdAscent", "MaxMedian", "QoMax")
BASELINES = starting("Round robin", "Epsilon-greedy", "Explore-then-commit", "Mean of last")
RANK_BASED = starting("KL-QUCB", "Quantile-TS", "Quantile-IMED", "QUCB") | EXTREMES
RANK_BASED |= BASELINES - starting("Mean of last")

# The unit of the rewards cancels out: the same choices if all are multiplied by one number.
SCALE_FREE = (
    RANK_BASED
    | starting("ACP-UCB1 auto", "UCB1-NORMAL", "UCB-CP", "Hedged", "Mean of last", "Frugal")
    | {"Thompson gaussian"}
)

# So does their zero: the same choices if one number is added to all.
SHIFT_FREE = frozenset(EXAMPLES) - starting("KL-UCB bernoulli", "Thompson beta")

# Told the horizon; all others play for any.
KNOWS_HORIZON = starting(
    "MV-LCB", "ExpExp", "ThresholdAscent", "QoMax-ETC", "Explore-then-commit", "Frugal to"
)

# What is remembered of an arm depends on the others' rewards: a best of all, or rounds of all.
TOGETHER = starting("ThresholdAscent", "QoMax-SDA")

# How an index moves between two pulls of its arm, for those that say so.
RISING = starting("UCB1", "Quantile-UCB", "KL-QUCB", "QUCB", "UCB-CP", "KL-UCB", "UCB-V", "MV-LCB")
RISING |= starting("Round robin", "Mean of last")
RISING |= {"ACP-UCB1", "ACP-UCB1 lower", "ACP-UCB1 sketched"}
FALLING = starting("MaRaB")

# For rewards in [0, 1] only: negated costs are none, so there is no mirror image.
UNIT_REWARDS = starting("KL-UCB bernoulli", "Thompson beta")

# What `mirrored` changes: an upper endpoint of costs is a lower one of negated costs, and so on.
# All others are their own mirror image.
MIRRORED: dict[str, dict[str, object]] = {
    "ACP-UCB1": {"tail": "lower"},
    "ACP-UCB1 lower": {"tail": "upper"},
    "ACP-UCB1 auto": {"tail": "lower"},
    "ACP-UCB1 sketched": {"tail": "lower"},
    "Quantile-UCB": {"tail": "lower"},
    "Quantile-UCB lower": {"tail": "upper"},
    "KL-QUCB": {"tau": 0.05},
    "KL-QUCB plus": {"tau": 0.5},
    "KL-QUCB sketched": {"tau": 0.1},
    "Quantile-TS": {"tau": 0.05},
    "Quantile-TS median": {"tau": 0.5},
    "Quantile-IMED": {"tau": 0.05},
    "Quantile-IMED median": {"tau": 0.5},
    "Hedged KL-QUCB": {"tau": 0.1},
    "Hedged IMED": {"tau": 0.05},
    "Frugal KL-QUCB": {"tau": 0.1},
    "Frugal hedged": {"tau": 0.2},
    "Frugal to the end": {"tau": 1 - 0.85},
    "QUCB": {"tau": 0.05},
    "Epsilon-greedy": {"tau": 0.2},
    "Explore-then-commit": {"tau": 0.2},
    "QUCB narrow": {"tau": 0.2},
    "UCB-CP U": {"score": "L"},
    "UCB-CP L": {"score": "U"},
    "UCB-CP comb": {"lam": 0.75},
}
