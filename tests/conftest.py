"""Comparisons that several tests look at, each made once; and what holds for all tests."""

import gc

import pytest

import upperhand as uh
from tests.figures.samples import POLICIES

from .comparison.samples import TIED, small


def pytest_collection_finish():
    """Spare the collector what stays until the end: modules, and thousands of tests."""
    gc.freeze()


SLOW = 3600  # seconds that a slow test may take on a busy machine


def pytest_collection_modifyitems(items):
    """Give slow tests more time than the others have."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


@pytest.fixture(autouse=True)
def _compiled(request, monkeypatch):
    """Compile at once in tests of compiled code, however short their runs are."""
    if request.node.get_closest_marker("compiled"):
        monkeypatch.setenv("UPPERHAND_COMPILE", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give whole files to a worker, and whole folders where files share runs and comparisons."""
    from xdist.scheduler import LoadFileScheduling

    class ByWhatIsShared(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return next((f for f in ("tests/paper", "tests/figures") if file.startswith(f)), file)

    return ByWhatIsShared(config, log)


@pytest.fixture(scope="session")
def one():
    return small(policies=POLICIES)


@pytest.fixture(scope="session")
def several():
    return small(["headline", TIED], POLICIES)


@pytest.fixture(scope="session")
def crowd():
    """Return a comparison of more policies than there are colours."""
    many = {f"b = {b}": uh.ACPUCB1(b=b) for b in (0.1, 0.2, 0.5, 2, 5)}
    return small(policies=POLICIES | many, replications=2)


@pytest.fixture(scope="session")
def everyone():
    """Return the line-up of the library."""
    return small(policies=None, replications=2)


@pytest.fixture(scope="session")
def wordy():
    """Return eight policies with labels as the command line makes them, under eight objectives."""
    tuned = {
        f"ACP-UCB1 b={b} eta=0.05 lam=0.5 scale=auto": uh.ACPUCB1(b=b, scale="auto")
        for b in (0.25, 0.5, 1.0, 2.0, 4.0)
    }
    others = {
        "Thompson sampling model=gaussian prior=-2": uh.ThompsonSampling("gaussian", prior=-2),
        "UCB-CP score=comb alpha=0.1 eta=0.02 lam=0.6 decay=0.3 level_max=0.4": uh.UCBCP("comb"),
        "UCB1": uh.UCB1(),
    }
    objectives = [
        uh.UpperTail(0.1),
        uh.LowerTail(0.1),
        uh.Quantile(0.5),
        uh.Mean(),
        uh.Utility(2.5),
        uh.CVaR(0.025),
        uh.MeanVariance(0.75),
        uh.MeanVariance(1000),
    ]
    return small(policies=tuned | others, objectives=objectives, replications=2)
