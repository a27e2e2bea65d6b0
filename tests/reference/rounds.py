"""The rounds of a bandit, and how an arm is picked from indices."""

import math
from collections.abc import Callable, Sequence

Table = Sequence[Sequence[float]]
Histories = Sequence[Sequence[float]]  # the rewards of each arm so far
Index = Callable[[Sequence[float], int], float]  # of an arm's rewards so far, at round t
Choice = Callable[[Histories, int], int]  # of the rewards of all arms so far, at round t
Late = Sequence[int]  # by how many rounds each round's reward is late


class Past(list[float]):
    """The rewards of an arm seen so far; `asked` counts those under way too."""

    asked = 0


def pulls(past: Sequence[float]) -> int:
    """Return how often the arm was asked for: as often as rewards were seen, and those to come."""
    return past.asked if isinstance(past, Past) else len(past)


def play_choice(
    table: Table,
    choice: Choice,
    late: Late | None = None,
    learn: Callable[[Histories, int, float], None] | None = None,
) -> list[int]:
    """Return the arms: each round's choice, given nothing but what has been seen.

    The reward of round t is told late[t − 1] rounds after it, at once if nothing is given; `learn`
    hears of each before it is among the rewards seen.
    """
    arms: list[int] = []
    histories = [Past() for _ in table]
    under_way: list[tuple[int, int, float]] = []
    for t in range(1, len(table[0]) + 1):
        arm = choice(histories, t)
        under_way.append((t + (late[t - 1] if late else 0), arm, table[arm][histories[arm].asked]))
        histories[arm].asked += 1
        arms.append(arm)
        for _, j, reward in [answer for answer in under_way if answer[0] <= t]:
            if learn:
                learn(histories, j, reward)
            histories[j].append(reward)
        under_way = [answer for answer in under_way if answer[0] > t]
    return arms


def play_index(table: Table, index: Index, late: Late | None = None) -> list[int]:
    """Return the arms: each round the one with the largest index, computed anew for all arms."""

    def choice(histories: Histories, t: int) -> int:
        return best([index(past, t) for past in histories], histories)

    return play_choice(table, choice, late)


def best(
    values: Sequence[float],
    histories: Histories,
    second: Callable[[Sequence[float], float], float] | None = None,
) -> int:
    """Return the lowest of the arms with the largest value.

    Among +∞ the fewest pulls come first, among other equal ones the largest second(rewards, value).
    """
    top = max(values)
    tied = [arm for arm, value in enumerate(values) if value == top]
    if top == math.inf:
        return min(tied, key=lambda arm: pulls(histories[arm]))
    return tied[0] if second is None else max(tied, key=lambda arm: second(histories[arm], top))


def explore_then_commit(
    table: Table, e: int, worth: Callable[[Sequence[float]], float], late: Late | None = None
) -> list[int]:
    """Return the arms: e pulls of each, round-robin, then for good the one that is worth most.

    While answers of the exploration are under way, the best so far is played; the first reward of
    a best arm that comes when they are there commits to it.
    """
    chosen: list[int] = []

    def value(past: Sequence[float]) -> float:
        return math.inf if not past or pulls(past) < e else worth(past)

    def choice(histories: Histories, t: int) -> int:
        return chosen[0] if chosen else best([value(past) for past in histories], histories)

    def learn(histories: Histories, arm: int, reward: float) -> None:
        explored = all(len(past) >= e for past in histories)
        if not chosen and explored and value(histories[arm]) == max(map(value, histories)):
            chosen.append(arm)

    return play_choice(table, choice, late, learn)
