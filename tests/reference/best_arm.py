"""A reference for the smallest number of samples: exact counts and a linear programme."""

from collections.abc import Sequence
from fractions import Fraction

from scipy import optimize

from .means import bernoulli_kl
from .ranks import quantile

Arms = Sequence[Sequence[float]]


def right_answers(arms: Arms, tau: Fraction, epsilon: Fraction) -> list[int]:
    """The arms whose (τ+ε)-quantile is at least every τ-quantile."""
    best = max(quantile(arm, tau) for arm in arms)
    return [h for h, arm in enumerate(arms) if quantile(arm, tau + epsilon) >= best]


def costs(
    leader: Sequence[float], rival: Sequence[float], tau: Fraction, epsilon: Fraction
) -> list[tuple[float, float]]:
    """The costs of a threshold below all values, and at each of them: a cdf moves nowhere else."""
    pairs = []
    for u in [min([*leader, *rival]) - 1, *leader, *rival]:
        below = Fraction(sum(y <= u for y in leader), len(leader))
        above = Fraction(sum(y <= u for y in rival), len(rival))
        down = bernoulli_kl(float(below), float(tau + epsilon)) if below < tau + epsilon else 0.0
        pairs.append((down, bernoulli_kl(float(above), float(tau)) if above > tau else 0.0))
    return pairs


def evidence(
    arms: Arms, h: int, shares: Sequence[float], tau: Fraction, epsilon: Fraction
) -> float:
    """What one sample says at most for the answer h: the least over rivals and thresholds."""
    return min(
        shares[h] * down + shares[a] * up
        for a, rival in enumerate(arms)
        if a != h
        for down, up in costs(arms[h], rival, tau, epsilon)
    )


def answer_time(arms: Arms, h: int, tau: Fraction, epsilon: Fraction) -> float:
    """One over the largest z with z ≤ w_h d_h(u) + w_a d_a(u) for all, over shares w."""
    rows = []
    for a, rival in enumerate(arms):
        for down, up in costs(arms[h], rival, tau, epsilon) if a != h else []:
            row = [0.0] * len(arms) + [1.0]
            row[h], row[a] = -down, -up
            rows.append(row)
    found = optimize.linprog(
        [0.0] * len(arms) + [-1.0],
        A_ub=rows,
        b_ub=[0.0] * len(rows),
        A_eq=[[1.0] * len(arms) + [0.0]],
        b_eq=[1.0],
    )
    return -1.0 / found.fun if found.fun < -1e-12 else float("inf")
