"""UCB1 in NumPy, vectorised over replications: what a good NumPy user writes, plain and tuned.

All play the same rounds on the same draws (a test holds them equal to the library's own UCB1): the
reward of round t in replication r is mean + sd · z[t, r], with the mean and sd of the pulled arm.
Ties would pull several arms, and have probability 0 with normal rewards. Each returns the pulls
(points, K, R) at some rounds, as `simulate` does.
"""

import numpy as np

BLOCK = 64  # rounds of normal numbers that are drawn at once
CHUNKS = (1_000, 2_500, 5_000)  # replications at once: what fits into a cache is faster


def plain(means, sds, replications, grid, rng):
    """Play in plain NumPy: rows are replications, argmax, and fancy indexing."""
    arms = len(means)
    counts, rows = np.ones((replications, arms)), np.arange(replications)
    sums = first_rewards(means, sds, replications, rng).T.copy()
    kept = []
    for t in range(arms + 1, grid[-1] + 1):
        pulled = np.argmax(sums / counts + np.sqrt(2 * np.log(t) / counts), axis=1)
        sums[rows, pulled] += means[pulled] + sds[pulled] * rng.standard_normal(replications)
        counts[rows, pulled] += 1
        if t == grid[len(kept)]:
            kept.append(counts.T.copy())
    return np.array(kept)


def masked(means, sds, replications, grid, rng):
    """Play with rows for arms, arrays made once, and a mask of who is pulled instead of indices."""
    arms = len(means)
    counts, sums = np.ones((arms, replications)), first_rewards(means, sds, replications, rng)
    index, width, reward = (np.empty_like(sums) for _ in range(3))
    best, pulled = np.empty(replications), np.empty(sums.shape, bool)
    mean, sd = means[:, None], sds[:, None]
    bonus, kept = np.sqrt(2 * np.log(np.arange(1, grid[-1] + 1))), []
    for t, noise in rounds_of_noise(arms, grid[-1], replications, rng):
        np.sqrt(counts, out=width)
        np.divide(bonus[t - 1], width, out=width)
        np.divide(sums, counts, out=index)
        index += width
        largest(index, best)
        np.equal(index, best, out=pulled)
        np.multiply(sd, noise, out=reward)
        reward += mean
        reward *= pulled
        sums += reward
        counts += pulled
        if t == grid[len(kept)]:
            kept.append(counts.copy())
    return np.array(kept)


def stacked(means, sds, replications, grid, rng):
    """As `masked`, with one division, a mask of doubles, and sums and counts in one array."""
    arms = len(means)
    state = np.ones((2, arms, replications))
    sums, counts = state
    sums[:] = first_rewards(means, sds, replications, rng)
    change = np.empty_like(state)
    reward, hit = change
    index, inverse = np.empty_like(sums), np.empty_like(sums)
    best, pulled = np.empty(replications), np.empty(sums.shape, bool)
    mean, sd = means[:, None], sds[:, None]
    bonus, kept = np.sqrt(2 * np.log(np.arange(1, grid[-1] + 1))), []
    for t, noise in rounds_of_noise(arms, grid[-1], replications, rng):
        np.divide(1.0, counts, out=inverse)
        np.multiply(sums, inverse, out=index)
        np.sqrt(inverse, out=inverse)
        inverse *= bonus[t - 1]
        index += inverse
        largest(index, best)
        np.equal(index, best, out=pulled)
        np.copyto(hit, pulled)
        np.multiply(sd, noise, out=reward)
        reward += mean
        reward *= hit
        state += change
        if t == grid[len(kept)]:
            kept.append(counts.copy())
    return np.array(kept)


def gathered(means, sds, replications, grid, rng):
    """Change mean and bonus of the pulled arm alone, found and put back by flat places."""
    arms = len(means)
    sums = first_rewards(means, sds, replications, rng)
    counts, mean, root = np.ones_like(sums), sums.copy(), np.ones_like(sums)
    flat = [each.reshape(-1) for each in (sums, counts, mean, root)]
    index, best, rows = np.empty_like(sums), np.empty(replications), np.arange(replications)
    arm, place = np.empty(replications, np.intp), np.empty(replications, np.intp)
    reward, old, seen = (np.empty(replications) for _ in range(3))
    better = np.empty(replications, bool)
    bonus, kept = np.sqrt(2 * np.log(np.arange(1, grid[-1] + 1))), []
    for t, noise in rounds_of_noise(arms, grid[-1], replications, rng):
        np.multiply(root, bonus[t - 1], out=index)
        index += mean
        best[:] = index[0]
        arm[:] = 0
        for j in range(1, arms):
            np.greater(index[j], best, out=better)
            np.maximum(index[j], best, out=best)
            np.copyto(arm, j, where=better)
        np.multiply(arm, replications, out=place)
        place += rows
        np.take(sds, arm, out=reward, mode="clip")
        reward *= noise
        reward += np.take(means, arm, out=old, mode="clip")
        reward += np.take(flat[0], place, out=old, mode="clip")
        np.take(flat[1], place, out=seen, mode="clip")
        seen += 1
        flat[0][place], flat[1][place] = reward, seen
        reward /= seen
        flat[2][place] = reward
        np.divide(1.0, seen, out=seen)
        flat[3][place] = np.sqrt(seen, out=seen)
        if t == grid[len(kept)]:
            kept.append(counts.copy())
    return np.array(kept)


TUNED = {"masked": masked, "stacked": stacked, "gathered": gathered}


def first_rewards(means, sds, replications, rng):
    """Return the rewards (K, R) of the first pulls."""
    return means[:, None] + sds[:, None] * rng.standard_normal((len(means), replications))


def rounds_of_noise(arms, horizon, replications, rng):
    """Yield each round after the first pulls with its normal numbers (R,), drawn in blocks."""
    block = np.empty((BLOCK, replications))
    for start in range(arms + 1, horizon + 1, BLOCK):
        wanted = block[: min(BLOCK, horizon + 1 - start)]
        rng.standard_normal(out=wanted)
        yield from zip(range(start, start + len(wanted)), wanted, strict=True)


def largest(index, best):
    """Write the largest of each column to `best`: faster than `max(axis=0)` for a few rows."""
    np.maximum(index[0], index[1], out=best)
    for row in index[2:]:
        np.maximum(best, row, out=best)


def in_chunks(play, chunk, means, sds, replications, grid, rng):
    """Play so many replications at a time; return the pulls (points, K, R)."""
    sizes = [min(chunk, replications - done) for done in range(0, replications, chunk)]
    return np.concatenate([play(means, sds, size, grid, rng) for size in sizes], axis=2)
