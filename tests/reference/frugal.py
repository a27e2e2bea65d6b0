"""Frugal KL-QUCB+ by plain means: lists, whole counts, and a search for each bound from below."""

import math
from fractions import Fraction

from .means import bernoulli_kl
from .ranks import order_statistic, quantile
from .rounds import Past
from .shapes import FAILED, shape_evidence

ROUNDING = 1e-12  # of a budget: W kl(r/N, τ) may equal it in whole numbers


class Frugal:
    """KL-QUCB+ that charges retries; with `m` = 0, no `horizon` and no `trust` it is KL-QUCB+."""

    def __init__(
        self, arms: int, tau: str, *, m: int = 0, horizon: int = 0, trust: float = 0.0
    ) -> None:
        self.tau, self.level = tau, Fraction(tau)
        self.m, self.horizon, self.trust = m, horizon, trust
        self.seen = [Past() for _ in range(arms)]

    def ask(self, arm: int) -> None:
        """Note that the arm is asked for."""
        self.seen[arm].asked += 1

    def tell(self, arm: int, reward: float) -> None:
        """Note an answer."""
        self.seen[arm].append(reward)

    def best(self, t: int, ask: int = 0) -> list[int]:
        """Return the arms that may be chosen in round t: more than one if they tie.

        It is the t-th ask, unless that is said to be another.
        """
        self.rounds, ask = t, ask or t
        if ask <= self.horizon:
            self.rounds = min(t, self.horizon - ask + 1)
        keys = [self._key(arm, t) for arm in range(len(self.seen))]
        return [arm for arm, key in enumerate(keys) if key == max(keys)]

    def _key(self, arm: int, t: int) -> tuple[float, Fraction]:
        past, index = self.seen[arm], self.index(arm, t)
        if index == math.inf:
            return index, Fraction(-past.asked)
        return index, Fraction(sum(y >= index for y in past), len(past))

    def index(self, arm: int, t: int) -> float:
        """Return U((b − λ)₊), or what trust in the shape makes of it."""
        past = self.seen[arm]
        if not past:
            return math.inf
        u = max(quantile(each, self.tau) for each in self.seen if each)
        b = math.log(self.rounds / past.asked)
        index = self._bound(past, b - self._charge(past, u, b))
        if index < math.inf or not self.trust:
            return index
        poor = shape_evidence(past, self.tau, t, len(self.seen), u) > max(b, 0.0)
        return max(past) if poor and -past.asked * math.log(self.level) > b - self.trust else index

    def _charge(self, past: Past, u: float, b: float) -> float:
        n, q = len(past), quantile(past, self.tau)
        most = math.log(max(1.0, self.m * len(self.seen) / past.asked))
        missing = n * (1 - self.level) - sum(y >= u for y in past)
        if most == 0.0 or q >= u or missing <= 0:
            return 0.0
        if q == -FAILED:
            return most
        short = float(missing / ((n + self.level) * (1 - self.level)))
        top = max(max(each) for each in self.seen if each)
        gain = min(self._bound(past, b), top) - u
        return min(most, short * (2.0 + (math.log(1.0 + (u - q) / gain) if gain > 0 else 99.0)))

    def _bound(self, past: Past, b: float) -> float:
        r, n = math.floor(self.level * len(past)), len(past)
        allowed = b + ROUNDING * (1.0 + abs(b))
        while r < n and past.asked * bernoulli_kl((r + 1) / n, float(self.level)) <= allowed:
            r += 1
        return order_statistic(past, r + 1) if r < n else math.inf
