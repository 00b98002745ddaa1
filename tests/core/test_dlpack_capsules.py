"""Capsules of arrays, for the dtypes that DLPack has and for bfloat16."""

import numpy as np
import pytest

from gradtape._src.core.dlpack_capsules import CPU, array_of, capsule_of, device_of_capsule, name_of

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_comes_back_without_a_copy(dtype, version):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    capsule = capsule_of(array, max_version=version)
    assert name_of(capsule) == ("dltensor" if version is None else "dltensor_versioned")
    assert device_of_capsule(capsule) == CPU
    back = array_of(capsule)
    assert back.dtype == array.dtype
    assert np.shares_memory(back, array)
    np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_bfloat16(version):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2.0, 0.0], ml_dtypes.bfloat16)
    back = array_of(capsule_of(array, max_version=version))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_other_dtypes_are_refused():
    with pytest.raises(BufferError):
        capsule_of(np.array(["a"], object))


def test_the_name_tells_what_was_consumed():
    capsule = capsule_of(np.ones(2))
    array_of(capsule)
    assert name_of(capsule) == "used_dltensor"
    assert name_of(3) == name_of(None) == ""
