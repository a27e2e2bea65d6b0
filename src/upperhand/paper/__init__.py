"""The experiments of the paper: settings as data, figures, and every claim put to the test.

C. Du, M. Xu, "Conformal-Style Quantile Analyses for Stochastic Bandits", arXiv:2605.07115,
section "Numerical Experiments" and its appendix.
"""
