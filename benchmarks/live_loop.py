"""The rule of live use as one compiled loop: asks under way, and rewards that are forgotten.

It makes the choices of `upperhand.live` (a test compares them), but for one rule that it lacks: an
arm that has not answered yet waits after 2 ln t asks while another is known. With D asks under way
from the first round on, that concerns the few asks between the first answers of the arms.
"""

import math

import numpy as np

from upperhand._kernels.compiler import compile_closure, kernel
from upperhand.live.forgetting import GOLDEN

NEVER = 0  # nothing is forgotten
WINDOW, OWN_WINDOW, HALF_LIFE = 1, 2, 3  # last of all arms, last of each arm, half-life


def make_live(index, select, update, full, forget):
    """Return the loop for one policy's functions."""

    def live(policy, state, table, rng, delay, rule, length, arms, pending, heads, links, counts):
        """Play on to the end or to a full state; return the round.

        table[j, t − 1] is what arm j pays for the t-th ask. The outcome of an ask is told after
        `delay` further ones. What is told s-th stands in the list of when it is due: heads, links.
        """
        k = len(pending)
        for t in range(counts[0] + 1, len(arms) + 1):
            for j in range(k):
                state.pulls[j] += pending[j]
            arm = select(index, policy, state, counts[1] + min(t - 1, delay) + 1, rng)
            for j in range(k):
                state.pulls[j] -= pending[j]
            arms[t - 1] = arm
            pending[arm] += 1
            counts[0] = t
            s = t - delay  # the ask whose outcome is told now
            if s < 1:
                continue
            told = arms[s - 1]
            pending[told] -= 1
            update(policy, state, told, float(table[told, s - 1]))
            counts[1] += 1
            counts[2 + told] += 1
            if rule != NEVER:
                own = counts[2 + told]
                if rule == HALF_LIFE:
                    due = s + length * math.log2(1.0 / (own * GOLDEN % 1.0))
                    place = math.ceil(due)
                elif rule == WINDOW:
                    place = s + int(length)
                else:  # the list of an arm's own outcomes, by its own count
                    place = own + int(length)
                row = told if rule == OWN_WINDOW else 0
                if place < heads.shape[1]:
                    links[s] = heads[row, place]
                    heads[row, place] = s
                now = own if rule == OWN_WINDOW else s
                old = heads[row, now]
                while old > 0:
                    forget(policy, state, arms[old - 1], float(table[arms[old - 1], old - 1]))
                    counts[1] -= 1
                    old = links[old]
                heads[row, now] = 0
            if full(policy, state, told):
                return t
        return len(arms)

    return live


def play_live(policy, table, rng, *, delay=0, rule=NEVER, length=0.0, interpreted=False):
    """Return the arm of each round on a table (K, n)."""
    f, parameters = policy.functions, policy.parameters
    functions = (f.index, f.select, f.update, f.full, f.forget or _keep)
    loop = make_live(*functions)
    if not interpreted:
        loop = compile_closure(make_live, *functions, user=type(policy), parts=policy.parts)
    k, n = table.shape
    state, arms = f.start(parameters, k, n), np.zeros(n, np.int64)
    heads, links = np.zeros((k, n + 2), np.int64), np.zeros(n + 2, np.int64)
    pending, counts = np.zeros(k, np.int64), np.zeros(2 + k, np.int64)
    while True:
        played = loop(
            parameters, state, table, rng, delay, rule, float(length), arms, pending, heads, links,
            counts,
        )  # fmt: skip
        if played == n:
            return arms
        state = f.grow(state)


@kernel
def _keep(policy, state, arm, reward):
    """Stand where a policy cannot forget."""
