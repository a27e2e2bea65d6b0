"""How to read the report: where the paper leaves a choice, and what was chosen."""

ERRORS = (
    "Errors.",
    "± in the table of final regrets is one standard error; in claims it is a 95 % interval "
    "(Student's t over replications), in bands and bars one that is corrected for skewness.",
)
HOW_TO_READ = (
    (
        "What is checked.",
        "The paper states orders and growth, not numbers, for its curves. Each sentence of its "
        "experiments section is judged by code from the numbers below it; thresholds for words "
        "such as “sharply” are ours, and stated.",
    ),
    (
        "Regret",
        "is pseudo-regret: pulls of each arm times its true gap, initial rounds included. “ACP "
        "regret” values an arm by F⁻¹(1 − α/2), “mean regret” by its mean.",
    ),
    ERRORS,
    (
        "Common rewards.",
        "In each replication both policies meet the same reward table, so differences are paired. "
        "The figures share their streams of random numbers too: Figure 2 meets the first tables of "
        "Figure 1, so that its runs at α = 0.10 are runs of Figure 1, and the three families of "
        "Figure 3 are drawn from the same streams. So the figures do not confirm each other "
        "independently. The paper does not say whether its replications share rewards.",
    ),
    (
        "UCB1 is not UCB1-NORMAL.",
        "The figures use UCB1 with the index of the appendix. The paper's theory compares with "
        "UCB1-NORMAL, a different policy, which is not in these figures.",
    ),
    (
        "Outside the theorem.",
        "The experiments use b = 1 and λ = 1; the theorem needs b ≥ 64/h_min and λ ≤ b·g_min/4, "
        "which these do not meet. The figures illustrate the theorem, they do not test it.",
    ),
    (
        "Two bonuses.",
        "ACP-UCB1 explores with √(ln t / T), UCB1 with √(2 ln t / T): a difference in regret mixes "
        "objective and exploration.",
    ),
    (
        "Student-t arms",
        "are plain: location + scale · T_ν, whose standard deviation exceeds the scale. The skewed "
        "Student-t is Hansen's (1994) standardised law, with mean 0 and variance 1; the paper "
        "calls it only the one “used in the simulation code”.",
    ),
    (
        "Details of ACP-UCB1.",
        "Empirical quantiles are the lower inverse, never interpolated; levels start at α and "
        "adapt from the second pull of an arm on; ties go to the lowest arm; logarithms are "
        "natural and t is the current round.",
    ),
)
