"""Elementwise operations at special points answer as TensorFlow does: values and gradients.

tensorflow.npz holds what TensorFlow 2.21 answered; record.py makes it.
"""

import importlib
import pkgutil

import numpy as np
import pytest

import gradtape as tf
from gradtape._src import ops
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.pointwise import Binary, Unary

from .accepted import ACCEPTED, FURTHER_GRADIENTS, INTERNAL
from .cases import CASES, all_cases, answers, inputs
from .compare import load, unequal

pytestmark = pytest.mark.slow

RECORDED = load()
PAIRS = [(case, dtype) for case, dtype in all_cases() if (case.key, dtype) in RECORDED]
IDS = [f"{case.key}-{dtype}" for case, dtype in PAIRS]
SMALL = 40
LARGE = 5000


def accepted(case, dtype, what, xs):
    """The points at which a difference is meant."""
    mask = np.zeros(xs[0].shape, bool)
    for difference in ACCEPTED:
        if case.key in difference.keys.split() and applies(difference, dtype, what):
            mask |= at(difference, xs)
    return mask


def applies(difference, dtype, what):
    """Whether a difference is about a dtype and an answer."""
    return difference.what in ("", what) and dtype in (difference.dtypes or (dtype,))


def at(difference, xs):
    """The points that a difference is about."""
    return difference.where(*[x if x.dtype.kind == "c" else x.astype(np.float64) for x in xs])


def differences(case, dtype):
    """For each answer, where it is not TensorFlow's."""
    xs = inputs(case, dtype)
    want, got = RECORDED[case.key, dtype], answers(tf, case, xs)
    if case.key in FURTHER_GRADIENTS:
        got = {what: value for what, value in got.items() if what in want}
    assert got.keys() == want.keys()
    for what, value in got.items():
        assert (value.dtype, value.shape) == (want[what].dtype, want[what].shape), what
        yield what, xs, unequal(value, want[what], dtype), value, want[what]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("case", "dtype"), PAIRS, ids=IDS)
def test_as_tensorflow(case, dtype):
    for what, xs, differs, got, want in differences(case, dtype):
        places = np.flatnonzero(differs & ~accepted(case, dtype, what, xs))[:5]
        shown = [(*(x[i] for x in xs), f"got {got[i]}, TensorFlow {want[i]}") for i in places]
        assert not shown, what


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("difference", ACCEPTED, ids=lambda d: f"{d.keys.split()[0]} {d.what}")
def test_each_difference_that_is_listed_is_one(difference):
    keys = set(difference.keys.split())
    assert keys <= {case.key for case in CASES}
    assert any(
        (differs & at(difference, xs)).any()
        for case, dtype in PAIRS
        if case.key in keys
        for what, xs, differs, _, _ in differences(case, dtype)
        if applies(difference, dtype, what)
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("case", "dtype"), PAIRS, ids=IDS)
def test_numbers_small_and_large_arrays_agree(case, dtype):
    """Fast paths for single numbers and for large arrays treat special points as others do."""
    xs = inputs(case, dtype)
    rng = np.random.default_rng(0)
    few = rng.permutation(xs[0].size)[:SMALL]
    some = [x[few] for x in xs]
    whole = answers(tf, case, some)
    copies = -(-LARGE // few.size)
    large = answers(tf, case, [np.tile(x, copies) for x in some])
    assert large.keys() == whole.keys()
    for what, value in whole.items():
        meant = accepted(case, dtype, what, some)
        differs = unequal(large[what], np.tile(value, copies), dtype)[: few.size] & ~meant
        assert not [
            (*(x[i] for x in some), large[what][i], value[i]) for i in np.flatnonzero(differs)
        ]
    for i in range(few.size):
        alone = answers(tf, case, [x[i] for x in some])
        assert alone.keys() == whole.keys()
        for what, value in alone.items():
            assert value.dtype == whole[what].dtype
            point = [x[i] for x in some]
            if not accepted(case, dtype, what, [x[i : i + 1] for x in some]).any():
                assert not unequal(value, whole[what][i], dtype).any(), (what, point, value)


def test_every_elementwise_operation_has_a_case():
    for module in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}."):
        importlib.import_module(module.name)
    names = {name for name, found in REGISTRY.items() if isinstance(found, (Unary, Binary))}
    own = {name for name in names if found_in_gradtape(name)}
    assert own - INTERNAL.keys() == {case.op for case in CASES} - {"", "Betainc"}


def found_in_gradtape(name):
    """Whether an operation was declared by the library, and not by another test."""
    return REGISTRY[name].kernel.__module__.startswith(("gradtape", "numpy", "_operator", "scipy"))
