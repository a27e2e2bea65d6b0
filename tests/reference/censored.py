"""Kaplan–Meier as it is defined, in fractions: mass of what was cut is passed on to the right."""

from fractions import Fraction


def distribution(known, cuts):
    """Return F̂ at each known value, by handing the mass of each cut to all that lie beyond it.

    B. Efron, "The two sample problem with censored data", 1967: the same estimate as the product.
    """
    # A cut comes behind the known values that are equal to it.
    points = sorted([(value, 0) for value in known] + [(value, 1) for value in cuts])
    mass = [Fraction(1, len(points))] * len(points)
    for place, (_, cut) in enumerate(points):
        behind = len(points) - place - 1
        if cut and behind:
            share = mass[place] / behind
            mass[place] = Fraction(0)
            for other in range(place + 1, len(points)):
                mass[other] += share
    found, total = {}, Fraction(0)
    for (value, cut), weight in zip(points, mass, strict=True):
        if not cut:
            total += weight
            found[value] = total
    return found


def sample(known, cuts, beyond):
    """Return the N values of which the k-th is the smallest x with F̂(x) ≥ k/N."""
    if not known or min(known) >= beyond:  # nothing is known but failures
        return [beyond] * (len(known) + len(cuts))
    cuts = [cut for cut in cuts if cut >= min(known)]
    size, reached = len(known) + len(cuts), distribution(known, cuts)
    return [
        min((x for x, share in reached.items() if share >= Fraction(k, size)), default=beyond)
        for k in range(1, size + 1)
    ]


def quantile(known, cuts, beyond, tau):
    """Return the smallest x with F̂(x) ≥ τ, for a τ that is a fraction."""
    reached = distribution(known, cuts)
    return min((x for x, share in reached.items() if share >= tau), default=beyond)
