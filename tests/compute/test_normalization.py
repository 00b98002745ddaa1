"""Moments and normalization of large and small arrays, against the formulas in float64."""

import numpy as np
import pytest

from gradtape._src.compute import normalization as n

rng = np.random.default_rng(0)
CASES = {  # by name: the shape, the axes of the moments, and the shape of scale and offset
    "small": ((5, 7), (-1,), (7,)),
    "rows": ((100, 130), (-1,), (130,)),
    "rows of a cube": ((8, 40, 64), (-1,), (1, 1, 64)),
    "long rows": ((3, 10_000), (-1,), (10_000,)),
    "columns": ((16, 16, 64), (-3, -2), (64,)),
    "an odd number of columns": ((129, 65), (-2,), (65,)),
    "middle": ((4, 16, 100), (-3, -1), (16, 1)),
    "all": ((70, 70), (-2, -1), ()),
}


def _arrays(case, offset, dtype=np.float32):
    shape, axis, own = CASES[case]
    x = (rng.standard_normal(shape) + offset).astype(dtype)
    scale, shift = (rng.standard_normal(own).astype(dtype) for _ in range(2))
    return x, axis, scale, shift


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("case", CASES)
def test_moments_are_exact_to_the_precision_of_the_deviations(case, offset):
    x, axis, _, _ = _arrays(case, offset)
    mean, variance = n.moments(x, axis)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean(axis, keepdims=True), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(variance, wide.var(axis, keepdims=True), rtol=2e-5)
    assert mean.dtype == variance.dtype == np.float32


def test_the_variance_of_numbers_far_from_zero_is_computed_from_deviations():
    x = (np.tile([1.0, -1.0], (100, 50)) + 4096).astype(np.float32)
    for axis in ((-1,), (-2,)):
        variance = n.moments(x, axis)[1]
        np.testing.assert_array_equal(variance, np.full_like(variance, axis == (-1,)))


@pytest.mark.parametrize("given", ["both", "scale", "offset", "neither"])
@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("case", CASES)
def test_normalized_values_and_cotangents_are_those_of_the_formula(case, offset, given):
    x, axis, scale, shift = _arrays(case, offset)
    mean, variance = (v.astype(np.float32) for v in n.moments(x, axis))
    scale = scale if given in ("both", "scale") else None
    shift = shift if given in ("both", "offset") else None
    g = rng.standard_normal(x.shape).astype(np.float32)
    out = n.normalized(x, mean, variance, scale, shift, 0.01)
    inverse = 1 / np.sqrt(variance.astype(np.float64) + 0.01)
    deviation = x.astype(np.float64) - mean
    factor = 1.0 if scale is None else scale.astype(np.float64)
    want = deviation * inverse * factor + (0.0 if shift is None else shift)
    digits = {"rtol": 1e-4, "atol": 1e-4 if offset else 1e-5}
    np.testing.assert_allclose(out, want, **digits)

    def summed(d, like):
        lead = d.ndim - np.ndim(like)
        axes = tuple(i for i in range(d.ndim) if i < lead or np.shape(like)[i - lead] == 1)
        return d.sum(axes).reshape(np.shape(like))

    to_x = g * factor * inverse
    wants = [
        to_x,
        summed(-to_x, mean),
        summed(to_x * deviation * inverse**2 * -0.5, variance),
        None if scale is None else summed(g * deviation * inverse, scale),
        None if shift is None else summed(g.astype(np.float64), shift),
    ]
    found = n.normalized_vjp(g, x, mean, variance, scale, shift, 0.01)
    for d, expected in zip(found, wants, strict=True):
        assert (d is None) == (expected is None)
        if d is not None:
            assert d.dtype == np.float32
            size = np.abs(expected).max() + np.sqrt(x.size / expected.size)
            np.testing.assert_allclose(d, expected, rtol=1e-4, atol=1e-5 * size)


@pytest.mark.parametrize("case", CASES)
def test_the_cotangent_of_moments_is_that_of_the_formula(case):
    x, axis, _, _ = _arrays(case, 0.0, np.float64)
    mean, _variance = n.moments(x, axis)
    g = rng.standard_normal(mean.shape), rng.standard_normal(mean.shape)
    count = x.size // mean.size
    want = g[0] / count + 2 * (x - mean) / count * g[1]
    np.testing.assert_allclose(n.moments_vjp(g, x, mean, axis), want, rtol=1e-9, atol=1e-12)


def test_arrays_without_elements_have_no_moments():
    mean, variance = n.moments(np.zeros((0, 3), np.float32), (-2,))
    assert np.isnan(mean).all()
    assert np.isnan(variance).all()
    assert n.normalized(np.zeros((0, 3), "f4"), mean, variance, None, None, 0.1).shape == (0, 3)
