"""The rounds of a bandit, and how an arm is picked from indices."""

import math
from collections.abc import Callable, Sequence

Table = Sequence[Sequence[float]]
Histories = Sequence[Sequence[float]]  # the rewards of each arm so far
Index = Callable[[Sequence[float], int], float]  # of an arm's rewards so far, at round t
Choice = Callable[[Histories, int], int]  # of the rewards of all arms so far, at round t


def play_choice(table: Table, choice: Choice) -> list[int]:
    """Return the arms: each round's choice, given nothing but what has been seen."""
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]
    for t in range(1, len(table[0]) + 1):
        arm = choice(histories, t)
        histories[arm].append(table[arm][len(histories[arm])])
        arms.append(arm)
    return arms


def play_index(table: Table, index: Index) -> list[int]:
    """Return the arms: each round the one with the largest index, computed anew for all arms."""
    return play_choice(
        table, lambda histories, t: best([index(past, t) for past in histories], histories)
    )


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
        return min(tied, key=lambda arm: len(histories[arm]))
    return tied[0] if second is None else max(tied, key=lambda arm: second(histories[arm], top))
