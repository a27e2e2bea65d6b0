"""Policies that look for the arm with the best quantile, and stop: one paper's policy, one file.

They are policies like the others, with two more functions, `stop` and `recommend`.
"""
