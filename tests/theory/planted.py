"""Our quantile policies with a fault in each, which the bounds of Theorems Q1 to F must notice."""

import dataclasses
import math

from upperhand._kernels.argmax import argmax, argmax_of_two
from upperhand._kernels.compiler import kernel
from upperhand._kernels.gaussian_evidence import _divergence
from upperhand._kernels.samples import whole_below
from upperhand._kernels.sorted_samples import value_at
from upperhand._kernels.special import bernoulli_kl, binomial
from upperhand.policies import KLQUCB, QuantileIMED, QuantileTS, kl_qucb, quantile_imed, quantile_ts


@kernel
def half_budget(policy, state, arm, t):
    """Explore by ½ ln t: e to its power is √t, rounded down."""
    return kl_qucb.index(policy, state, arm, int(math.sqrt(t)))


@kernel
def double_budget(policy, state, arm, t):
    """Explore by 2 ln t."""
    return kl_qucb.index(policy, state, arm, t * t)


@kernel
def rank_below(policy, state, arm, t):
    """Take x_(r), which is never +∞, for x_(r+1)."""
    bound = kl_qucb.index(policy, state, arm, t)
    r = int(state.plain.below[arm])
    return value_at(state.samples, arm, kl_qucb.BOUND, r) if r > 0 else bound


@kernel
def rank_above(policy, state, arm, t):
    """Take x_(r+2) for x_(r+1)."""
    kl_qucb.index(policy, state, arm, t)
    r, seen = int(state.plain.below[arm]), int(state.samples.size[arm])
    return value_at(state.samples, arm, kl_qucb.BOUND, r + 2) if r + 2 <= seen else math.inf


@kernel
def hopeful(policy, state, arm, t):
    """Take every answer under way for a good one."""
    pulls, seen = int(state.pulls[arm]), int(state.samples.size[arm])
    if seen == 0:
        return math.inf
    r = whole_below(policy.tau, pulls)
    while r < seen and pulls * bernoulli_kl((r + 1) / pulls, policy.tau) <= math.log(t):
        r += 1
    return value_at(state.samples, arm, kl_qucb.BOUND, r + 1) if r < seen else math.inf


@kernel
def without_log(policy, state, arm, t):
    """Leave out ln N."""
    value = quantile_imed.index(policy, state, arm, t)
    return value + math.log(int(state.pulls[arm])) if value < math.inf else value


@kernel
def half_evidence(policy, state, arm, t):
    """Count half of the evidence."""
    value = quantile_imed.index(policy, state, arm, t)
    return (value - math.log(int(state.pulls[arm]))) / 2 if value < math.inf else value


@kernel
def boundless(policy, state, arm, t):
    """Trust a shape as soon as there is one, and without a limit."""
    value = kl_qucb.index(policy, state, arm, t)
    seen, best = int(state.samples.size[arm]), float(state.best[0])
    if value < math.inf or seen < 3:
        return value
    evidence = (seen - 2) * _divergence(policy.z, state, arm, best)
    return value_at(state.samples, arm, kl_qucb.SHARE, seen) if evidence > math.log(t) else value


@kernel
def boundless_imed(policy, state, arm, t):
    """Count the evidence of a shape without a limit."""
    value, best = quantile_imed.index(policy, state, arm, t), float(state.best[0])
    seen = int(state.samples.size[arm])
    if seen < 3 or float(state.quantile[arm]) >= best:
        return value
    return min(value, -(seen - 2) * _divergence(policy.z, state, arm, best))


@kernel
def endless(policy, state, arm, t):
    """Charge whatever an arm is short of, however often it was pulled."""
    pulls, best = int(state.pulls[arm]), float(state.best[0])
    if pulls == 0:
        return math.inf
    budget, tau = math.log(t / pulls), policy.tau
    bound = kl_qucb._bound(tau, state, state.plain, arm, budget)
    if float(state.quantile[arm]) >= best:
        return bound
    charge = kl_qucb._charge(policy, state, arm, bound)
    return kl_qucb._bound(tau, state, state.charged, arm, budget - charge)


@kernel
def draw_below(index, policy, state, t, rng):
    """Draw x_(B), which is never +∞, for x_(1+B)."""
    for arm in range(len(state.pulls)):
        pulls, drawn = int(state.pulls[arm]), math.inf
        if pulls > 0:
            rank = max(1, binomial(rng, pulls, policy.tau, state.sums[arm]))
            drawn = value_at(state.samples, arm, quantile_ts.DRAWN, rank)
        state.drawn[arm] = drawn
    return argmax_of_two(index, quantile_ts.reaching, policy, state, t, rng)


@kernel
def draw_without_order(index, policy, state, t, rng):
    """Give ties to the lowest arm."""
    quantile_ts.select(index, policy, state, t, rng)
    return argmax(index, policy, state, t, rng)


def planted(policy, name, **faulty):
    """Return the policy with other functions; it compiles under a name of its own."""
    functions = dataclasses.replace(policy.functions, **faulty)
    return type(name, (policy,), {"name": name, "functions": functions, "__module__": __name__})


Boundless = planted(KLQUCB, "Boundless", index=boundless)
BoundlessIMED = planted(QuantileIMED, "BoundlessIMED", index=boundless_imed)
Endless = planted(KLQUCB, "Endless", index=endless)
HalfBudget = planted(KLQUCB, "HalfBudget", index=half_budget)
DoubleBudget = planted(KLQUCB, "DoubleBudget", index=double_budget)
RankBelow = planted(KLQUCB, "RankBelow", index=rank_below)
RankAbove = planted(KLQUCB, "RankAbove", index=rank_above)
Hopeful = planted(KLQUCB, "Hopeful", index=hopeful)
WithoutLog = planted(QuantileIMED, "WithoutLog", index=without_log)
HalfEvidence = planted(QuantileIMED, "HalfEvidence", index=half_evidence)
WithoutOrder = planted(KLQUCB, "WithoutOrder", select=argmax)
DrawWithoutOrder = planted(QuantileTS, "DrawWithoutOrder", select=draw_without_order)
DrawBelow = planted(QuantileTS, "DrawBelow", select=draw_below)
