"""NumPy's arrays and scalars, and JAX's arrays, have what `RawValue` says that they have."""

import inspect

import numpy as np
import pytest

from gradtape._src.compute.raw_value import RawValue, boxed

MEMBERS = [name for name in vars(RawValue) if inspect.isfunction(vars(RawValue)[name])]
MEMBERS = [name for name in MEMBERS if name not in {"__init__", "__subclasshook__"}]
PROPERTIES = [name for name, member in vars(RawValue).items() if isinstance(member, property)]


def check(value):
    assert {"__add__", "__array__", "__lt__"} <= set(MEMBERS)
    assert {"astype", "dtype", "shape"} <= set(PROPERTIES)
    missing = [name for name in MEMBERS + PROPERTIES if not hasattr(value, name)]
    assert not missing, type(value)
    assert isinstance(value.shape, tuple)
    assert value.ndim == len(value.shape)
    assert value.reshape((value.size,)).astype(value.dtype).dtype == value.dtype


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float16, np.float32, np.complex64])
def test_arrays_and_scalars_of_numpy_are_raw_values(dtype):
    check(np.ones((2, 3), dtype))
    check(dtype(1))


def test_arrays_of_jax_are_raw_values():
    check(pytest.importorskip("jax.numpy").ones((2, 3), np.float32))


def test_an_object_becomes_a_scalar():
    for x in ("text", [1, 2], {"a": 1}):
        box = boxed(x)
        assert (box.shape, box.dtype) == ((), np.dtype(object))
        assert box[()] is x
