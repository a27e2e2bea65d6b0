"""The paper's experiments: its three figures, and what it says of them.

C. Du, M. Xu, "Conformal-Style Quantile Analyses for Stochastic Bandits", arXiv:2605.07115,
section "Numerical Experiments" and its appendix.
"""
