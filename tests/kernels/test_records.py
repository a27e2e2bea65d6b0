"""Records: compiled code finds a tuple's parts by one address, and the next process the code."""

import copy
import json
import math
import os
import pickle
import subprocess
import sys
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

from upperhand._kernels.compiler import Record, compile_closure, layout_of, record_at
from upperhand.policies import UCB1

from ..looping import for_each
from ..policies.examples import EXAMPLES


class Inner(NamedTuple):
    counts: np.ndarray
    ratio: float
    whole: int


class Outer(NamedTuple):
    flag: bool
    cube: np.ndarray
    inner: Inner
    nothing: tuple
    none: np.ndarray
    marks: np.ndarray
    rng: np.random.Generator
    small: np.ndarray


def made(flag=True, ratio=-0.1, whole=-7, bits=np.random.Philox):
    cube = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    inner = Inner(np.arange(5), ratio, whole)
    marks, small = np.array([True, False]), np.arange(6, dtype=np.uint32).reshape(3, 2)
    rng = np.random.Generator(bits(3))
    return Outer(flag, cube, inner, (), np.empty((0, 3)), marks, rng, small)


def make_work(layout):
    def work(address, i):
        """Read and write parts of all kinds."""
        outer, extra = record_at(address, layout)
        outer.cube[1, 2, i] += outer.inner.ratio
        outer.inner.counts[i] -= outer.inner.whole
        outer.marks[1] = outer.flag
        outer.small[2, 1] += extra[0]
        shapes = outer.cube.shape[0] * 100 + outer.cube.shape[1] * 10 + outer.cube.shape[2]
        drawn = outer.rng.random() + outer.rng.standard_normal()
        strides = outer.cube.strides[0] * 100 + outer.cube.strides[1]
        counts = shapes + len(outer.none), strides
        return *counts, outer.cube[1, 2, i], drawn, outer.inner.ratio

    return work


def compiled(record):
    return compile_closure(make_work, layout_of(record), user=Outer)


def arrays(record):
    outer, _ = record.contents
    return [outer.cube, outer.inner.counts, outer.marks, outer.small]


@pytest.mark.compiled
@for_each("ratio", [0.3, -0.0, math.inf, -math.inf, 5e-324])
@for_each("flag", [True, False])
def test_compiled_code_sees_and_changes_what_interpreted_code_does(flag, ratio):
    one, other = (Record((made(flag, ratio), (4,))) for _ in range(2))
    work, plain = compiled(one), make_work("")
    for i in (0, 3, 3, 1):
        found, expected = work(one.address, i), plain(other.address, i)
        assert [float(x).hex() for x in found] == [float(x).hex() for x in expected]
    for ours, theirs in zip(arrays(one), arrays(other), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(arrays(one)[0], made().cube, equal_nan=True) or ratio in (0.0, 5e-324)


@pytest.mark.compiled
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_generators_of_every_kind_draw_the_same(bits):
    one, other = (Record((made(bits=bits), (1,))) for _ in range(2))
    work, plain = compiled(one), make_work("")
    for _ in range(20):
        assert work(one.address, 0)[3] == plain(other.address, 0)[3]
    assert one.contents[0].rng.random() == other.contents[0].rng.random()


@pytest.mark.compiled
def test_a_new_record_for_arrays_that_were_replaced():
    record = Record((made(), (1,)))
    work = compiled(record)
    larger = record.contents[0]._replace(cube=np.ones((5, 6, 7)))
    grown = Record((larger, (1,)))
    assert layout_of(grown) == layout_of(record)
    assert work(grown.address, 2)[0] == 567
    assert work(record.address, 2)[0] == 234


@pytest.mark.compiled
@pytest.mark.parametrize(
    "another",
    [copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))],  # noqa: S301
)
def test_a_copy_has_arrays_of_its_own(another):
    record = Record((made(), (1,)))
    other = another(record)
    before = arrays(record)[1].tolist()
    assert compiled(record)(other.address, 0)[0] == 234
    assert arrays(record)[1].tolist() == before != arrays(other)[1].tolist()


def test_an_address_ends_with_its_record():
    record = Record((np.zeros(3),))
    address = record.address
    assert record_at(address, "") is record.contents
    del record
    with pytest.raises(KeyError):
        record_at(address, "")


@pytest.mark.parametrize("array", [np.zeros((4, 4))[:, 1], np.zeros((2, 3)).T])
def test_an_array_in_pieces_is_refused(array):
    with pytest.raises(ValueError, match="whole and writable"):
        Record((array,))


def test_an_array_that_may_not_be_written_is_refused():
    array = np.zeros(3)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="whole and writable"):
        Record((array,))


def test_layouts_are_told_apart():
    """Whatever differs in the types of parts has another name, and so other code."""
    states = {
        name: policy.functions.start(policy.parameters, 3, 0) for name, policy in EXAMPLES.items()
    }
    layouts = {
        name: layout_of(Record((EXAMPLES[name].parameters, states[name]))) for name in states
    }
    by_class = {type(policy): layouts[name] for name, policy in EXAMPLES.items()}
    assert len(set(by_class.values())) == len(by_class)


@pytest.mark.compiled
def test_classes_of_one_name_are_told_apart():
    """Alike in the types of their fields, which is all that Numba's name for them says."""
    one = namedtuple("Both", ["first", "second"])
    other = namedtuple("Both", ["second", "first"])
    again = namedtuple("Both", ["first", "second"])
    records = [Record((cls(1.0, 2.0),)) for cls in (one, other, again)]
    layouts = [layout_of(record) for record in records]
    assert len(set(layouts)) == 3
    found = [
        compile_closure(make_first, layout, user=Outer)(record.address)
        for record, layout in zip(records, layouts, strict=True)
    ]
    assert found == [1.0, 2.0, 1.0]


def make_first(layout):
    def first(address):
        (pair,) = record_at(address, layout)
        return pair.first

    return first


@for_each("name", EXAMPLES)
def test_states_keep_their_layout(name):
    """As they learn and grow; so one compiled function serves a state for life."""
    policy = EXAMPLES[name]
    f, parameters = policy.functions, policy.parameters
    state, rng = f.start(parameters, 3, 0), np.random.default_rng(0)
    first = layout_of(Record((parameters, state)))
    for arm, reward in zip(rng.integers(0, 3, 700).tolist(), rng.random(700).tolist(), strict=True):
        f.update(parameters, state, arm, reward)
        if f.full(parameters, state, arm):
            state = f.grow(state)
            assert layout_of(Record((parameters, state))) == first


MODULE = """
import numpy as np
from upperhand._kernels.compiler import Record, record_at
from upperhand._kernels.compiler import compile_closure, layout_of
from upperhand.policies import ACPUCB1

def make_index(index, layout):
    def call(address, arm, t):
        policy, state = record_at(address, layout)
        return index(policy, state, arm, t)
    return call

def hits(calibrator):
    policy = ACPUCB1(calibrator=calibrator)
    f, parameters = policy.functions, policy.parameters
    record = Record((parameters, f.start(parameters, 2, 0)))
    record.contents[1].pulls[0] = 9
    record.contents[1].upper[0] = 1.0
    made = compile_closure(
        make_index, f.index, layout_of(record), user=ACPUCB1, parts=policy.parts
    )
    plain = make_index(f.index, "")
    same = made(record.address, 0, 5) == plain(record.address, 0, 5)
    return same, sum(made.stats.cache_hits.values())
"""
RUN = "import json, work; print(json.dumps([work.hits(None), work.hits('aci'), work.hits('cqr')]))"


@pytest.mark.compiled
def test_the_next_process_finds_each_layout_in_the_cache(tmp_path):
    (tmp_path / "work.py").write_text(MODULE)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for hit in (0, 1):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN],
            env={**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == [[True, hit]] * 3


def test_without_the_compiler():
    """With NUMBA_DISABLE_JIT a closure runs as it is, on the same address."""
    policy = UCB1()
    state = policy.functions.start(policy.parameters, 2, 0)
    record = Record((policy.parameters, state))
    parameters, found = record_at(record.address, "any")
    assert parameters is policy.parameters
    assert found is state
