"""What the digests are made of: policies, studies, commands, arguments of theory's functions."""

from typing import Any

import numpy as np
from scipy import stats

import upperhand as uh

POLICIES: dict[str, uh.Policy] = {
    "ACP-UCB1": uh.ACPUCB1(),
    "ACP-UCB1 lower": uh.ACPUCB1(0.3, b=0.1, eta=0.1, tail="lower"),
    "ACP-UCB1 auto": uh.ACPUCB1(b=0.5, eta=0.05, scale="auto"),
    "ACP-UCB1 sketched": uh.ACPUCB1(b=0.2, sketch=64),
    "ACP-UCB1 levels": uh.ACPUCB1(b=0.1, eta=0.2, eta_decay=0.6, level_min=0.04, init=5),
    "ACP-UCB1 lam": uh.ACPUCB1(0.14, b=0.1, lam=0.1, level_max=0.7, init=1),
    "UCB1": uh.UCB1(),
    "Quantile-UCB": uh.QuantileUCB(),
    "Quantile-UCB lower": uh.QuantileUCB(0.3, b=0.2, init=1, tail="lower"),
    "Quantile-UCB sketched": uh.QuantileUCB(b=0.3, sketch=64),
    "KL-QUCB": uh.KLQUCB(),
    "KL-QUCB plus": uh.KLQUCB(0.5, plus=True),
    "KL-QUCB sketched": uh.KLQUCB(0.9, sketch=64),
    "H-KL-QUCB": uh.KLQUCB(0.9, plus=True, trust=3.0),
    "H-KL-QUCB sketched": uh.KLQUCB(0.9, trust=3.0, sketch=64),
    "Quantile-TS": uh.QuantileTS(),
    "Quantile-TS median": uh.QuantileTS(0.5),
    "Quantile-TS sketched": uh.QuantileTS(0.9, sketch=64),
    "Quantile-IMED": uh.QuantileIMED(),
    "Quantile-IMED median": uh.QuantileIMED(0.5),
    "Quantile-IMED sketched": uh.QuantileIMED(0.9, sketch=64),
    "H-Quantile-IMED": uh.QuantileIMED(0.95, trust=2.0),
    "QUCB": uh.QUCB(),
    "QUCB narrow": uh.QUCB(0.8, c=0.05),
    "QUCB sketched": uh.QUCB(0.8, c=0.1, sketch=64),
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
}
CALIBRATORS: dict[str, uh.Calibrator] = {
    "Split": uh.SplitConformal(),
    "Split half": uh.SplitConformal(0.5),
    "CQR": uh.CQR(0.2),
    "CQR asymmetric": uh.CQR(0.3, symmetric=False),
    "ACI": uh.ACI(),
    "ACI fast": uh.ACI(0.3, gamma=0.4),
    "AgACI": uh.AgACI(0.2),
    "AgACI doubling": uh.AgACI(0.3, experts="doubling"),
    "DtACI": uh.DtACI(0.1317),
    "DtACI quick": uh.DtACI(0.3341, memory=5),
    "Decaying steps": uh.DecayingSteps(),
    "Decaying steps constant": uh.DecayingSteps(0.25, eta=0.05, epsilon=-0.5),
    "NexCP": uh.NexCP(),
    "NexCP quick": uh.NexCP(0.4, decay=0.8),
    "SPS": uh.SPS(0.6, horizon=20),
    "Rescored": uh.Rescored(0.2, eta=0.05),
    "Clipped ACI": uh.ClippedACI(0.2, eta=0.05),
}
CALIBRATED = {
    f"ACP-UCB1 on {name}": uh.ACPUCB1(each.alpha, b=0.5, calibrator=each)
    for name, each in CALIBRATORS.items()
}
PLAYERS = POLICIES | CALIBRATED
SEARCHES: dict[str, uh.Policy] = {
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
# Played on many arms, where a round looks at a shortlist of them; compiled only the first of each.
LISTED = ("UCB1", "KL-QUCB", "ACP-UCB1", "UCB-CP L", "MaRaB")
ALSO_LISTED = ("Quantile-UCB lower", "QUCB narrow", "UCB-V", "KL-UCB gaussian", "MV-LCB")
WITH_RANDOM_TIES = ("UCB1", "KL-QUCB plus", "Thompson beta")  # those that are compiled too

STUDY = """
title = "Digest"
seed = 3
horizon = [400, 900]
cap = 2000
replications = 25
objectives = ["upper-tail:0.1", "mean"]
instances = ["headline", "student-t"]
{costs}

[[policies]]
name = "acp-ucb1"
b = [0.5, 1.0]

[[policies]]
name = "kl-qucb"

[[searches]]
name = "qpac"
tau = 0.9
epsilon = 0.05
"""

CALLS = """
simulate ARMS SIZE
simulate ARMS POLICIES SIZE --minimize --quantile 0.9
simulate MIXED POLICIES SIZE --best-of 8
simulate ARMS SIZE --quantile 0.05 --seed 5
identify ARMS SEARCHES REPEAT --epsilon 0.05
identify MIXED SEARCHES REPEAT --minimize --cap 3000
compare ARMS POLICIES SIZE
compare MIXED POLICIES SIZE --best-of 8 --minimize
compare extreme-1 SIZE
calibrate FILE --y y --json
calibrate FILE --y y --forecast f --alpha 0.2 --json
calibrate FILE --y 1 --lower f --upper u --method aci:gamma=0.01 --window 50 --json
theory ARMS --json
theory ARMS --minimize --alpha 0.2 --horizon 2000 --json
theory MIXED --horizon 100000 --r-y 0.01 --r-s 0.01 --json
theory --arm bernoulli:0.3 --arm bernoulli:0.6 --json
policies --json
"""
WORDS = {
    "ARMS": "--arm normal:0.10,0.05 --arm normal:0.00,0.15 --arm normal:0.04,0.08",
    "MIXED": "--arm t:0,1,4 --arm lognormal:0,0.5 --arm skewed-t:0,0.5,5,0.6",
    "SIZE": "--horizon 800 REPEAT",
    "REPEAT": "--replications 8 --workers 1 --json",
    "POLICIES": "--policy kl-qucb --policy acp-ucb1:b=0.5 --policy quantile-ts",
    "SEARCHES": "--policy qpac --policy uniform-sampling:budget=500 --quantile 0.8",
}

# Each public function of theory with its arguments, those by keyword with a star: see `drawn`.
THEORY = """
gaussian_constants sds window *r_y *r_s | local_constants smooth alpha window *r_y *r_s
reward_sets law alpha window r_y | score_set law alpha window r_s
nominal_density smooth alpha *r_y | endpoint_density smooth alpha *r_y
ucb1_pull_bound horizons gap | ucb1_regret_bound horizons gaps
ucb1_normal_pull_bound horizons gap sd | ucb1_normal_regret_bound horizons gaps sds
characteristic_time arms tau epsilon | identification_bound arms tau delta epsilon
acp_gap gap a sd sd_2 | gamma_acp b gap | gamma_ucb sd gap | gap_ratio gap gap_2
least_gap_ratio b sd gap | has_smaller_acp_constant b gap sd gap_2
quantile_error error g_0 r | correction_error betas alpha g_min
reward_quantile_tail counts error *f_min *r_y
score_quantile_tail counts error *f_min *g_min *r_y *r_s | score_shift kappas z
side_conditions gaps constants *b *lam *init *horizon
covered tau | theorem policy | pulls policy arms n *minimize | regret policy arms n *minimize
regret_of count_of_each arms tau *minimize | regret_curve policy arms rounds *minimize
bernoulli_kl levels betas | quantile_pulls arms tau *minimize | quantile_regret arms tau *minimize
gaussian_quantile_divergence z kappas | gaussian_quantile_pulls normal tau *variance *minimize
gaussian_quantile_regret normal tau *variance *minimize | has_mean_bound arms
mean_pulls normal *variance *minimize | mean_regret normal *variance *minimize
mean_pulls bernoulli *minimize | mean_regret bernoulli *minimize
score z kappas_below z_above | q_low law alpha | q_high law alpha | u_star law alpha
score_support law alpha | score_cdf law alpha z | score_pdf law alpha z
correction law alpha betas | upper_endpoint law alpha betas | interval law alpha betas
utility_regret count_of_each_normal means sds kappas | leading_term horizons means sds j kappa
transfer_error count_of_each_normal means sds j a
kl_qucb_pulls arms tau n *minimize | kl_qucb_plus_pulls arms tau n *minimize
quantile_ts_pulls arms tau n *minimize | hedged_pulls arms tau n trust *plus *minimize
delayed_pulls arms tau n late *plus *evidence *minimize
imed_lattice_pulls bernoulli tau n *minimize
asymptotic_pulls arms tau *minimize | kl_qucb_closed_form arms tau n *minimize
kl_qucb_plus_closed_form arms tau n *minimize | quantile_ts_closed_form arms tau n *minimize
h_min f_min g_min | rho r_y r_s | b_0 f_min g_min | b_of_the_proof f_min g_min
b_without_adaptation f_min | proof_exponents b f_min g_min | lambda_max b g_min
s_loc horizon b r_y | smallest_horizon k b r_y | pull_bound horizons b gap
leading_pulls horizons b gap | regret_bound horizons b gaps | least_radius gaps
unique_gaps gaps | admissible_policy horizon *f_min *g_min *r_y *r_s *alpha
kappa_0 gap sd | acp_shortfall kappas gap sd | mean_shortfall kappas gap sd
worst_acp_shortfall gap | worst_mean_shortfall a gap sd | average_acp_shortfall a gap sd
average_mean_shortfall a gap sd | is_acp_minimax a gap sd | path_end alpha
utilities means sds kappas | shortfalls means sds kappas | targets means sds a
envelope means sds a | is_two_arm_envelope means sds a | worst_shortfall means sds j a
average_shortfall means sds j a | theory_card smooth acp n *minimize
theory_card arms acp n *minimize *r_y *r_s | theory_card normal acp n *r_y *r_s
"""


def laws(rng: np.random.Generator) -> dict[str, uh.Distribution]:
    loc, scale, df = rng.normal(), rng.uniform(0.2, 2.0), rng.uniform(2.2, 9.0)
    smooth = {
        "normal": uh.Normal(loc, scale),
        "t": uh.StudentT(loc, scale, df),
        "skewed t": uh.SkewedStudentT(loc, scale, df, rng.uniform(-0.8, 0.8)),
        "lognormal": uh.LogNormal(0.3 * loc, 0.5 * scale),
        "exponential": uh.Exponential(scale),
        "uniform": uh.Uniform(loc, loc + scale),
        "scipy": uh.from_scipy(stats.gamma(df, scale=scale)),
    }
    parts = [smooth["normal"], uh.Normal(loc + 3 * scale, 0.5 * scale)]
    return smooth | {
        "pareto": uh.Pareto(scale, df),
        "mixture": uh.Mixture(parts, [0.7, 0.3]),
        "heavy t": uh.StudentT(loc, scale, 1.5),
        "bernoulli": uh.Bernoulli(rng.uniform(0.05, 0.95)),
        "empirical": uh.Empirical(np.round(rng.normal(loc, scale, 60), 1)),
    }


def drawn(i: int) -> dict[str, Any]:
    """Return arguments for the functions of theory: the variables of this function, by name."""
    rng, k, j = np.random.default_rng([77, i]), 2 + i % 3, i % (2 + i % 3)
    alpha, tau = rng.uniform(0.05, 0.4), round(float(rng.uniform(0.1, 0.97)), 2)
    delta, epsilon = rng.uniform(0.01, 0.2), (1 - tau) * 0.3 * (i % 2)
    horizon, n, late = int(rng.integers(100, 10**6)), int(rng.integers(20, 1000)), i + 1
    horizons, rounds = np.array([10, 1000, horizon]), np.array([50, 9, n])
    means, sds, gaps_behind = rng.normal(size=k), rng.uniform(0.1, 2, k), rng.uniform(0.05, 1, k)
    gaps = np.where(np.arange(k) == j, 0.0, gaps_behind)
    gap, gap_2, sd, sd_2, z_above = *gaps_behind[:2], *sds[:2], 1.0
    f_min, g_min, r_y, r_s = rng.uniform(0.05, 1, 4) * [1, 1, 0.02, 0.02]
    g_0, r, error = rng.uniform(0.2, 1), 0.5, np.array([0.001, 0.3, 0.9]) * min(r_y / 2, r_s)
    a, b, lam, trust = rng.uniform(0.5, [2.5, 60.0, 3.0, 9.0])
    init, counts = int(rng.integers(1, 99)), rng.integers(2, 10**6, 3)
    betas, levels, z = rng.uniform(0.01, 0.95, 3), rng.uniform(0, 1, 3), rng.normal(size=3)
    kappa, kappas, kappas_below = 0.4, rng.uniform(0, 2, 3), -rng.uniform(0, 2, 3)
    count_of_each, count_of_each_normal = rng.uniform(0, 500, k), rng.integers(0, 500, k)
    minimize, plus = bool(i // 3 % 2), bool(i // 2 % 2)
    variance, evidence = ["known", "unknown"][i % 2], ["asked", "seen"][i // 4 % 2]
    window = (alpha * 0.7, alpha * 1.4)
    acp = uh.ACPUCB1(alpha, level_min=window[0], level_max=window[1])
    policies = [uh.KLQUCB(tau), uh.KLQUCB(tau, plus=True), uh.QuantileIMED(tau), uh.UCB1()]
    policy = [*policies, uh.QuantileTS(tau), uh.QuantileIMED(tau, trust=3.0)][i % 6]
    pool = [laws(rng) for _ in range(k)]
    law = list(pool[0].values())[i % 7]
    smooth = [list(each.values())[int(rng.integers(6))] for each in pool]
    arms = [list(each.values())[int(rng.integers(12))] for each in pool]
    normal, bernoulli = ([each[kind] for each in pool] for kind in ("normal", "bernoulli"))
    return locals()
