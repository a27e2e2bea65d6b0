"""A live experiment as a list of what happened: everything is computed anew from the whole list.

Nothing here comes from upperhand. Failed costs are +∞, failed rewards −∞.
"""

import math
from fractions import Fraction

import numpy as np

from .censored import quantile, sample
from .means import kl_upper
from .quantiles import kl_rank, share_from
from .ranks import exact_rank, order_statistic
from .rounds import Past, best, pulls

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6}


class Model:
    """What an experiment by KL-QUCB+ must say, by the obvious way to find it."""

    def __init__(
        self, arms, quantile, *, minimize, seed=0, lease=None, duration=None,
        window=None, half_life=None, unit="rewards",
    ):  # fmt: skip
        self.first_arms, self.quantile, self.minimize = list(arms), Fraction(quantile), minimize
        self.seed, self.lease, self.duration = seed, lease, duration
        self.window, self.half_life, self.unit = window, half_life, unit
        self.events = []
        self.worst = math.inf if minimize else -math.inf

    # What happens

    def add(self, kind, at, **what):
        self.events.append({"kind": kind, "at": at, **what})

    def these(self, *kinds):
        return [event for event in self.events if event["kind"] in kinds]

    @property
    def now(self):
        return self.events[-1]["at"] if self.events else 0.0

    # Arms, segments, pins, shares

    @property
    def arms(self):
        return self.first_arms + [event["name"] for event in self.these("added")]

    @property
    def retired(self):
        last = {event["name"]: event["kind"] for event in self.these("retired", "back")}
        return {name for name, kind in last.items() if kind == "retired"}

    @property
    def active(self):
        return [name for name in self.arms if name not in self.retired]

    @property
    def segments(self):
        return list(dict.fromkeys(e["by"] for e in self.events if e.get("by") is not None))

    @property
    def pinned(self):
        pins = self.these("pinned")
        return pins[-1]["name"] if pins else None

    def share(self, name):
        shares = self.these("shares")
        return shares[-1]["shares"].get(name, shares[-1]["least"]) if shares else 0.0

    # Asks

    def outcome(self, trial):
        """Return what was first told of a trial."""
        return next((e for e in self.these("outcome") if e["trial"] == trial), None)

    def truth(self, event):
        """Return kind and value of an outcome, as corrected last."""
        fixes = [e for e in self.these("corrected") if e["trial"] == event["trial"] is not None]
        return fixes[-1]["told"] if fixes else event["told"]

    def over(self, ask, at):
        return self.lease is not None and ask["at"] + self.lease < at

    def fate(self, ask, now):
        """Return what has become of an ask, and what it was when its outcome came."""
        ends = [e for e in self.these("released", "outcome") if e["trial"] == ask["trial"]]
        if not ends:
            return ("expired" if self.over(ask, now) else "pending"), None
        first = ends[0]
        early = "expired" if self.over(ask, first["at"]) else None
        if first["kind"] == "released":
            early = "released"
        if early is None:
            return "told", "told"
        return early, ("late" if any(e["kind"] == "outcome" for e in ends) else None)

    def pending(self, now, by=...):
        return [
            ask for ask in self.these("asked")
            if (by is ... or ask["by"] == by) and self.fate(ask, now)[0] == "pending"
        ]  # fmt: skip

    def counts(self):
        asks, outcomes = self.these("asked"), self.these("outcome")
        fates = [self.fate(ask, self.now) for ask in asks]
        asked = {ask["trial"] for ask in asks}
        kinds = [self.truth(event)[0] for event in outcomes]
        return {
            "asked": len(asks),
            "outcomes": len(outcomes),
            "expired": sum(fate == "expired" for fate, _ in fates),
            "late": sum(told == "late" for _, told in fates),
            "lost": sum(e["trial"] is not None and e["trial"] not in asked for e in outcomes),
            "failed": kinds.count("failed"),
            "at_least": kinds.count("at least"),
            "given_back": len(self.these("released")),
            "defaulted": 0,
            "resting": sum(ask["how"] == "failures" for ask in asks),
            "pending": len(self.pending(self.now)),
        }

    # What is known of an arm

    def remembered(self, by, now):
        """Return arm, kind and value of a segment's outcomes that are not forgotten."""
        own = [event for event in self.these("outcome") if event["by"] == by]
        found, of_arm = [], {}
        for place, event in enumerate(own, 1):
            count = of_arm[event["arm"]] = of_arm.get(event["arm"], 0) + 1
            life = math.inf if self.window is None else self.window
            if self.half_life is not None:
                life = self.half_life * math.log2(1.0 / math.fmod(count * GOLDEN, 1.0))
            born, clock = {
                "rewards": (count, sum(each["arm"] == event["arm"] for each in own)),
                "rounds": (place, len(own)),
                "seconds": (event["at"], now),
            }[self.unit]
            if born + life > clock:
                found.append((event["arm"], *self.truth(event)))
        return found

    def known(self, arm, by, now):
        """Return an arm's values, sorted, and its cuts."""
        own = [each[1:] for each in self.remembered(by, now) if each[0] == arm]
        values = {"failed": lambda _: self.worst, "told": lambda value: value}
        known = sorted(values[kind](value) for kind, value in own if kind != "at least")
        return known, [value for kind, value in own if kind == "at least"]

    def estimated(self, known, cuts):
        if not cuts:
            return known
        beyond = math.inf if self.minimize else max([*known, *cuts])
        return sample(known, cuts, beyond)

    def pulled(self, arm, by):
        return sum(e["arm"] == arm and e["by"] == by for e in self.these("outcome"))

    def value(self, values):
        return order_statistic(values, exact_rank(self.quantile, len(values)))

    def estimate(self, arm, by=None):
        known, cuts = self.known(arm, by, self.now)
        if not cuts:
            return self.value(known) if known else math.nan
        return quantile(known, cuts, math.inf if self.minimize else max([*known, *cuts]),
                        Fraction(self.quantile))  # fmt: skip

    def leader(self, by=None):
        """Return the first of the arms with the best estimate."""
        worth = {arm: self.estimate(arm, by) for arm in self.active}
        worth = {arm: value for arm, value in worth.items() if not math.isnan(value)}
        return (min if self.minimize else max)(worth, key=worth.get) if worth else None

    # Choices

    def choice(self, now, *, among=None, by=None, key=None, number=0):
        """Return arm, probability, and how it is known."""
        arms = [a for a in self.arms if a not in self.retired and (among is None or a in among)]
        if self.pinned in arms:
            return self.pinned, 1.0, "pinned"
        if key is not None:
            held = [ask["arm"] for ask in self.pending(now, by) if ask["key"] == key]
            if held and held[-1] in arms:
                return held[-1], 1.0, "sticky"
        own, resting = self.by_policy(arms, by, now)
        shares = {arm: self.share(arm) for arm in arms} if self.these("shares") else {}
        if not any(self.share(arm) for arm in self.arms):
            shares = {}
        arm, left = own, 1.0 - sum(shares.values())
        if shares:
            point = self.lot(number)
            for other, share in shares.items():
                point -= share
                if point < 0.0:
                    arm = other
                    break
        how = "failures" if resting else "exact" if shares else "deterministic"
        return arm, shares.get(arm, 0.0) + left * (arm == own), how

    def lot(self, number):
        """Return the random number of an ask's lot, from a stream keyed by seed and ask."""
        key = np.random.SeedSequence(self.seed).generate_state(2, np.uint64)
        bits = np.random.Philox(key=key, counter=np.array([0, number, 1, 0], np.uint64))
        return np.random.Generator(bits).random()

    def by_policy(self, arms, by, now):
        """Return the arm by KL-QUCB+, or who fails least, and whether it is that."""
        asks = self.pending(now, by)
        memory = self.remembered(by, now)
        t = len(memory) + len(asks) + 1
        arms = self.without_waiting(arms, memory, asks, t)
        # Requests that run longer than all that is known do not make a choice rest on failures.
        samples, strange = {}, any(kind != "told" for _, kind, _ in memory)
        for arm in arms:
            known, cuts = self.known(arm, by, now)
            ages = [now - ask["at"] for ask in asks if ask["arm"] == arm and now > ask["at"]]
            running = [age * UNITS[self.duration] for age in ages] if self.duration else []
            values = self.estimated(known, [*cuts, *running] if known else cuts)
            samples[arm] = Past(values)
            samples[arm].asked = len(known) + len(cuts) + sum(ask["arm"] == arm for ask in asks)
        if strange and all(past and self.value(past) == self.worst for past in samples.values()):
            good = [
                kl_upper(1.0 - past.count(self.worst) / len(past), math.log(t) / pulls(past))
                for past in samples.values()
            ]
            rounded = [round(bound, 9) for bound in good]
            return arms[rounded.index(max(rounded))], True
        seen = [Past(-y for y in past) if self.minimize else past for past in samples.values()]
        for new, past in zip(seen, samples.values(), strict=True):
            new.asked = past.asked
        return arms[self.kl_qucb(seen, t)], False

    def without_waiting(self, arms, memory, asks, t):
        """Leave out arms that never answered and have enough asks, while another arm is known."""
        known = {arm for arm, *_ in memory}
        if not known & set(arms):
            return arms
        most = max(1, math.ceil(2 * math.log(t)))
        asked = [ask["arm"] for ask in asks]
        return [arm for arm in arms if arm in known or asked.count(arm) < most]

    def kl_qucb(self, histories, t):
        tau = 1 - self.quantile if self.minimize else self.quantile

        def bound(past):
            if not past:
                return math.inf
            r = kl_rank(len(past), tau, max(Fraction(1), Fraction(t, pulls(past))), pulls(past))
            return math.inf if r == len(past) else order_statistic(past, r + 1)

        bounds = [bound(past) for past in histories]
        return best(bounds, histories, second=share_from)
