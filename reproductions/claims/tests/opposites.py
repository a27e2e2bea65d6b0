"""How the tests feed a claim with the opposite: a theory function that says something else."""

from reproductions.claims.evidence import Effort
from upperhand.distributions import families
from upperhand.theory import assumption_1, gaussian, population

SMALL = Effort(seed=0, trials=50)


def altered(monkeypatch, module, name, change):
    """Replace a function by one whose answer is changed."""
    original = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args, **kwargs: change(original(*args, **kwargs)))


def wrong_quantiles(monkeypatch, factor):
    """Make every Gaussian quantile of ours wrong by a factor."""
    for module in (families, assumption_1, population, gaussian):
        altered(monkeypatch, module, "normal_quantile", lambda q: factor * q)


def verdicts(claims):
    return [claim.verdict for claim in claims]
