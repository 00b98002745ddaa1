"""`tf.test.compute_gradient` answers as TensorFlow's does."""

import numpy as np
import pytest

import gradtape as tf

compute_gradient = tf.test.compute_gradient


def test_shapes_and_types():
    by_rule, by_difference = compute_gradient(tf.matmul, [tf.ones([1, 2]), tf.ones([2, 2])])
    assert type(by_rule) is type(by_difference) is tuple
    for found in (by_rule, by_difference):
        assert [(type(a), a.dtype, a.shape) for a in found] == [
            (np.ndarray, np.float32, (2, 2)),
            (np.ndarray, np.float32, (2, 4)),
        ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_both_agree(dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3)).astype(dtype) * (1 + 1j if np.dtype(dtype).kind == "c" else 1)
    y = x[0] + 1
    for a, b in zip(*compute_gradient(lambda x, y: x * x * y, [x, y]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-2)
        assert a.dtype == b.dtype == np.zeros(0, dtype).real.dtype


def test_complex_numbers_are_pairs():
    by_rule, _ = compute_gradient(lambda z: z * z, [np.array([1 + 2j])])
    np.testing.assert_allclose(by_rule[0], [[2, -4], [4, 2]])
    by_rule, _ = compute_gradient(tf.abs, [np.array([3 + 4j])])
    np.testing.assert_allclose(by_rule[0], [[0.6, 0.8]])


def test_delta():
    _, found = compute_gradient(lambda x: x**3, [np.array([1.0, 2.0])], delta=0.5)
    np.testing.assert_allclose(found[0], [[3.25, 0], [0, 12.25]])


def test_unconnected_and_empty():
    by_rule, by_difference = compute_gradient(lambda x, y: x * x, [2.0, tf.constant(3.0)])
    assert by_rule[1].tolist() == by_difference[1].tolist() == [[0]]
    for found in compute_gradient(lambda x: x * 2, [np.zeros((0, 3), np.float32)]):
        assert found[0].shape == (0, 0)


def test_errors():
    with pytest.raises(ValueError, match="must be a list or tuple"):
        compute_gradient(tf.square, np.ones(2))
    with pytest.raises(AssertionError, match="unsupported type int64 of argument 0"):
        compute_gradient(tf.square, [np.array([1, 2], np.int64)])
    with pytest.raises(AttributeError, match="has no attribute 'shape'"):
        compute_gradient(lambda x: (x, x), [1.0])
