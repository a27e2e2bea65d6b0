"""Live use beside river's: what ask + tell cost, with every policy, and pull + update of its UCB.

    python benchmarks/live_peers.py            all policies
    python benchmarks/live_peers.py UCB1 QUCB  these alone

CPU time, medians of turns: all take turns in one process, as a shared machine changes its speed.
"""

import sys
import time
import warnings

import numpy as np

import upperhand as uh
from upperhand.comparison.default_policies import default_policies
from upperhand.comparison.instances import INSTANCES

ARMS = (3, 10, 100, 1_000)
KNOWN = 10_000  # rewards before anything is timed, shared out evenly, and ten of each arm at least
ROUNDS = 300  # a turn
TURNS = 7


class River:
    """river's UCB as a bandit: ask is pull, tell is update."""

    def __init__(self, arms):
        from river import bandit

        self.policy, self.arms = bandit.UCB(delta=1, seed=0), arms

    def ask(self):
        """Return the arm to use next."""
        return self.policy.pull(self.arms)

    def tell(self, arm, reward):
        """Learn a reward."""
        self.policy.update(arm, reward)


def live_policies(names=()):
    """Return the line-up's policies, all or those named, by name."""
    policies = default_policies(INSTANCES["headline"], 100_000)
    return {name: each for name, each in policies.items() if not names or name in names}


def pairs(policies, arms, turns=TURNS):
    """Return the seconds of ask + tell, (turns,), by policy; those of river are by "river"."""
    names = [f"arm {j}" for j in range(arms)]
    bandits = {"river": River(names)}
    bandits |= {name: uh.Bandit(names, policy, seed=0) for name, policy in policies.items()}
    rng = np.random.default_rng(0)
    told = names * max(10, KNOWN // arms)
    known = rng.normal(size=len(told)).tolist()
    for bandit in bandits.values():
        for name, reward in zip(told, known, strict=True):
            bandit.tell(name, reward)
    times = {key: [] for key in bandits}
    for _ in range(turns):
        rewards = rng.normal(size=ROUNDS).tolist()
        for key, bandit in bandits.items():
            times[key].append(turn(bandit, rewards))
    return {key: np.array(each) for key, each in times.items()}


def turn(bandit, rewards):
    """Return the CPU seconds of an ask and a tell."""
    start = time.process_time()
    for reward in rewards:
        bandit.tell(bandit.ask(), reward)
    return (time.process_time() - start) / len(rewards)


def main(names):
    """Print the table."""
    warnings.simplefilter("ignore", uh.FitWarning)
    policies = live_policies(names)
    print(f"{'µs an ask and tell, K =':34}" + "".join(f"{arms:>9,}" for arms in ARMS))
    columns = [pairs(policies, arms) for arms in ARMS]
    for name in columns[0]:
        row = "".join(f"{1e6 * np.median(column[name]):9.1f}" for column in columns)
        print(f"{name:34}{row}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
