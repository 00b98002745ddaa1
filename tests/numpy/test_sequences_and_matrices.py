"""Sequences, grids and matrices of `tf.experimental.numpy` are NumPy's."""

import numpy as np
import pytest

import gradtape as tf
import gradtape.experimental.numpy as tnp


def check(name, *args, **kwargs):
    made, expected = getattr(tnp, name)(*args, **kwargs), getattr(np, name)(*args, **kwargs)
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made, expected, rtol=1e-12)


@pytest.mark.parametrize("args", [(5,), (2, 6), (2, 9, 3), (5, 0, -2), (0.0, 1.0, 0.25)])
def test_arange(args):
    check("arange", *args)


def test_arange_refuses_a_step_of_zero():
    with pytest.raises(ValueError, match="non-zero"):
        tnp.arange(0, 1, 0)


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
@pytest.mark.parametrize("endpoint", [True, False])
def test_spaces(name, endpoint):
    check(name, 1.0, 3.0, 5, endpoint=endpoint)
    check(name, np.array([1.0, 2.0]), np.array([3.0, 5.0]), 4, endpoint=endpoint)
    check(name, 1.0, 3.0, 3, dtype=np.float32)


@pytest.mark.parametrize("name", ["linspace", "geomspace"])
def test_spaces_along_another_axis(name):
    check(name, np.array([1.0, 2.0]), np.array([3.0, 5.0]), 4, axis=1)


def test_linspace_returns_its_step():
    numbers, step = tnp.linspace(0.0, 1.0, 5, retstep=True)
    assert float(step) == 0.25
    assert numbers.shape == (5,)


def test_the_ends_of_linspace_have_gradients():
    stop = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(stop)
        y = tf.reduce_sum(tnp.linspace(0.0, stop, 5))
    assert float(tape.gradient(y, stop)) == 2.5


@pytest.mark.parametrize("k", [-4, -1, 0, 1, 5])
def test_matrices(k):
    x = np.arange(12.0).reshape(3, 4)
    check("eye", 3, 4, k)
    check("tri", 3, 4, k)
    check("tril", x, k)
    check("triu", x, k)
    check("identity", 3)


def test_grids():
    for indexing in ("xy", "ij"):
        made = tnp.meshgrid([1, 2], [3, 4, 5], indexing=indexing)
        for ours, numpys in zip(
            made, np.meshgrid([1, 2], [3, 4, 5], indexing=indexing), strict=True
        ):
            np.testing.assert_array_equal(ours, numpys)
    with pytest.raises(ValueError, match="sparse"):
        tnp.meshgrid([1], sparse=True)
    with pytest.raises(ValueError, match="copy=True"):
        tnp.meshgrid([1], copy=False)


def test_the_indices_of_a_diagonal():
    for ours, numpys in zip(tnp.diag_indices(3, 3), np.diag_indices(3, 3), strict=True):
        np.testing.assert_array_equal(ours, numpys)


def test_linspace_has_the_dtype_that_is_asked_for():
    assert tnp.linspace(0.0, 1.0, 3, dtype=tf.float32).dtype is tf.float32
    assert tnp.geomspace(1.0, 4.0, 3, dtype=tf.float32).dtype is tf.float32
    assert tnp.geomspace(tf.constant(1.0), tf.constant(4.0), 3).dtype is tf.float64
