"""Every policy that looks for the best arm, with one setting or more, and what each claims.

Those with fixed confidence are set so that they stop within some hundred rounds on SEPARATE arms.
"""

import upperhand as uh

EXAMPLES: dict[str, uh.Policy] = {
    "QLUCB": uh.QLUCB(0.5),
    "QLUCB stitched": uh.QLUCB(0.4, epsilon=0.1, radius="stitched", t_opt=50),
    "QLUCB dkw": uh.QLUCB(0.6, delta=0.2, radius="dkw"),
    "QPAC": uh.QPAC(0.5, epsilon=0.1),
    "QPAC beta-binomial": uh.QPAC(0.5, radius="beta-binomial", t_opt=50),
    "Max-Q": uh.MaxQ(0.8, epsilon=0.19, delta=0.5),
    "Doubled Max-Q": uh.DoubledMaxQ(0.8, epsilon=0.19, delta=0.5),
    "Quantile elimination": uh.QuantileElimination(0.5),
    "Quantile-Evidence": uh.QuantileEvidence(0.5),
    "Quantile-Evidence tolerant": uh.QuantileEvidence(0.4, epsilon=0.1, delta=0.2),
    "Q-SAR": uh.QSAR(0.5, budget=300),
    "Q-SAR top": uh.QSAR(0.8, budget=240, top=2),
    "Q-SR": uh.QSR(0.5, budget=300, top=2, interpolated=False),
    "Q-Batch": uh.QBatch(0.5, budget=300, top=2),
    "Uniform sampling": uh.UniformSampling(0.5, budget=300),
    "Uniform sampling top": uh.UniformSampling(0.8, budget=240, top=2),
}

# Only the order of the rewards counts: the same runs under every increasing map.
RANK_BASED = frozenset(name for name in EXAMPLES if not name.startswith(("Q-S", "Q-B")))

# Arms with other labels: the same run with other labels, where no rewards tie.
# (QLUCB and Quantile-Evidence compare bounds and counts, which tie where rewards do not.)
SYMMETRIC = frozenset(EXAMPLES) - frozenset(
    name for name in EXAMPLES if name.startswith(("QLUCB", "Quantile-Evidence"))
)

CAP = 3000  # rounds that an example has at most
