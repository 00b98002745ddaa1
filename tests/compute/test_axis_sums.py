"""Sums and extremes along axes of large arrays, against NumPy in double precision."""

import numpy as np
import pytest

from gradtape._src.compute import axis_sums, parallel

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(7,), (300, 40), (40, 3000), (3, 500, 70), (0, 4), (4, 0)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_sums(shape, dtype):
    x = (RNG.normal(size=shape) * 10).astype(dtype)
    for axis in [(-1,), (-len(shape),), tuple(range(-len(shape), 0))]:
        for keep in (False, True):
            got = axis_sums.add(x, axis, keep)
            want = x.astype(np.float64).sum(axis, keepdims=keep)
            assert np.shape(got) == want.shape
            assert np.asarray(got).dtype == dtype
            tolerance = {np.float16: 2e-3, np.float32: 1e-5}.get(dtype, 1e-12)
            np.testing.assert_allclose(got, want, tolerance, atol=tolerance * 100)


def test_halves_are_added_up_wider():
    ones = np.ones(5000, np.float16)
    assert axis_sums.add(ones, (-1,)) == 5000
    assert axis_sums.wider(np.dtype(np.float16)) == np.float32
    assert axis_sums.wider(np.dtype(np.float64)) == np.float64
    assert (
        axis_sums.accumulated(np.multiply, np.full(3, 0.1, np.float16), (-1,)).dtype == np.float16
    )


@pytest.mark.parametrize(
    "shape", [(5,), (3, 3), (32, 10), (4, 8, 5), (900, 7), (200, 300), (3, 2000), (2, 3, 400)]
)
@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum])
def test_extremes(shape, ufunc):
    x = RNG.normal(size=shape).astype(np.float32)
    for keep in (False, True):
        got = axis_sums.extreme(ufunc, x, keep)
        np.testing.assert_array_equal(got, ufunc.reduce(x, -1, keepdims=keep))
    x[..., 1] = np.nan
    assert np.isnan(axis_sums.extreme(ufunc, x, False)).all()


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum])
def test_extremes_of_small_arrays_in_any_form(ufunc):
    """Short rows, in which a position is searched, in other memory orders and of other dtypes."""
    x = RNG.normal(size=(10, 32))
    infinite = np.full((32, 10), np.inf, np.float32)
    for form in (x.T, x[:, ::2].T, x.T.astype(np.float16), (x.T * 9).astype(np.int32), -infinite):
        got = axis_sums.extreme(ufunc, form, False)
        np.testing.assert_array_equal(got, ufunc.reduce(form, -1))
        assert got.dtype == form.dtype


def test_starts_of_rows():
    for rows in (3, 5000):
        np.testing.assert_array_equal(axis_sums.row_starts(rows, 7), np.arange(rows) * 7)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("extra", [0, 1, 256, 8191, 8192, 8193, 8192 + 257])
def test_whole_sums_with_and_without_other_threads(threads, extra, monkeypatch):
    monkeypatch.setattr(parallel.crew, "size", threads)
    x = np.random.default_rng(0).standard_normal(axis_sums._WHOLE + extra).astype("float32")
    found = axis_sums.add(x, (-1,))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, x.sum(dtype=float), rtol=0, atol=1e-4)
    x[-1] = np.nan
    assert np.isnan(axis_sums.add(x, (-1,)))
