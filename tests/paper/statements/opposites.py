"""How the tests feed a claim with the opposite: a theory function that says something else."""

from upperhand.paper.claim import Effort

SMALL = Effort(seed=0, trials=50)


def altered(monkeypatch, module, name, change):
    """Replace a function by one whose answer is changed."""
    original = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args, **kwargs: change(original(*args, **kwargs)))


def verdicts(claims):
    return [claim.verdict for claim in claims]
