"""A policy at work whose rewards come late, as live: several answers are under way at a time."""

import numpy as np


class Worker:
    """A policy's state, with what is pending; asks leave it as it is."""

    def __init__(self, policy, arms, seed=0, *, state=None):
        self.policy, self.parameters, self.functions = policy, policy.parameters, policy.functions
        self.state = self.functions.start(self.parameters, arms, 0) if state is None else state
        self.pending = np.zeros(arms, np.int64)
        self.rng = np.random.default_rng(seed)

    @property
    def asked(self):
        """The state as `select` gets it: W pulls of each arm."""
        return self.state._replace(pulls=self.state.pulls + self.pending)

    def choose(self, t, rng=None):
        return self.functions.choose(self.parameters, self.asked, t, rng or self.rng)

    def index(self, arm, t):
        return self.functions.index(self.parameters, self.asked, arm, t)

    def learn(self, arm, reward):
        self.functions.update(self.parameters, self.state, arm, float(reward))
        if self.functions.full(self.parameters, self.state, arm):
            self.state = self.functions.grow(self.state)

    def forget(self, arm, reward):
        self.functions.forget(self.parameters, self.state, arm, float(reward))


def state_of(policy, *histories):
    """Return the policy's state after these rewards of each arm."""
    functions, parameters = policy.functions, policy.parameters
    state = functions.start(parameters, len(histories), 0)
    for arm, rewards in enumerate(histories):
        for reward in rewards:
            functions.update(parameters, state, arm, float(reward))
            if functions.full(parameters, state, arm):
                state = functions.grow(state)
    return state


def play_late(policy, table, late, seed):
    """Return the arms, the reward of round t being told late[t − 1] rounds after it; and more.

    The second thing returned is how many rounds had something under way.
    """
    worker, arms, under_way, waited = Worker(policy, len(table), seed), [], [], 0
    for t in range(1, table.shape[1] + 1):
        waited += bool(under_way)
        arm = worker.choose(t)
        asked = int(worker.state.pulls[arm] + worker.pending[arm])
        under_way.append((t + late[t - 1], arm, table[arm, asked]))
        worker.pending[arm] += 1
        arms.append(arm)
        for _, j, reward in [answer for answer in under_way if answer[0] <= t]:
            worker.pending[j] -= 1
            worker.learn(j, reward)
        under_way = [answer for answer in under_way if answer[0] > t]
    return arms, waited
