"""What a stored experiment knows, as plain values: for the script that stores it, and the tests."""

import hashlib

import numpy as np


def known(experiment):
    """Return, for each segment and arm, the outcomes and counts that the policy learned from."""
    with experiment._look() as machine:
        return {
            label: [_arm(player, arm) for arm in range(len(machine.arms))]
            for label, player in zip(machine.labels, machine.learners, strict=True)
        }


def _arm(player, arm):
    counts = [int(array[arm]) for array in (player.learned, player.pending, player.failures)]
    values = np.zeros(0) if player.settings.quantile is None else player.known(arm)
    text = repr((values.tolist(), sorted(player.cuts[arm])))
    return [*counts, int(player.state.pulls[arm]), hashlib.sha256(text.encode()).hexdigest()[:16]]
