# ruff: noqa: F401 - tests use these names as reference.NAME
"""Reference implementations: policies straight from their papers, recomputed from raw histories.

Nothing here comes from upperhand. Ranks are exact: a nominal level is given as it is written down
("0.14") and stays a rational number. What the fast code finds must be *equal* (==), not close.
"""

from .baselines import epsilon_greedy, explore_in_turn, mean_of_last, round_robin
from .conformal import Outcome, acp_ucb1, ucb_cp
from .extremes import Duels, max_median, qomax_etc, qomax_sda, threshold_ascent
from .means import (
    exact_mean,
    exact_moments,
    exp_exp,
    kl_budget,
    kl_ucb_bernoulli,
    kl_ucb_bernoulli_index,
    kl_ucb_gaussian,
    kl_upper,
    mv_lcb,
    ucb1,
    ucb1_normal,
    ucb_v,
)
from .quantiles import kl_qucb, kl_rank, marab, quantile_imed, quantile_ts, quantile_ucb, qucb
from .ranks import exact_rank, order_statistic, quantile
from .rounds import play_choice, play_index
from .thompson import thompson_beta, thompson_gaussian, thompson_gaussian_known
