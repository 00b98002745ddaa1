"""Sums, differences and products: dtypes, broadcasting, operators of other types."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[1.0, -2.0], [3.0, 0.5]])


@pytest.mark.parametrize(
    ("function", "numpys"),
    [(tf.add, np.add), (tf.subtract, np.subtract), (tf.multiply, np.multiply)],
)
@pytest.mark.parametrize("other", [2, [1.0, 4.0], [[5.0], [6.0]], np.float32(3)])
def test_broadcasting_is_numpys(function, numpys, other):
    want = numpys(X.numpy(), np.asarray(other, np.float32))
    np.testing.assert_array_equal(function(X, other), want)


def test_dtypes_do_not_mix():
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        X + tf.constant([1.0], tf.float64)
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        X * tf.constant(1)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        X + tf.zeros([3])


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_integers_wrap_around(dtype):
    top = tf.constant(np.iinfo(dtype).max, dtype)
    assert top + tf.constant(1, dtype) == np.iinfo(dtype).min
    assert (-tf.constant(1, "int8")).dtype is tf.int8


def test_scalars():
    assert tf.math.scalar_mul(2, X).numpy().tolist() == (2 * X.numpy()).tolist()
    with pytest.raises(ValueError, match="scalar"):
        tf.math.scalar_mul([2.0, 3.0], X)


def test_sums_of_several():
    assert tf.add_n([X, X, X]).numpy().tolist() == (3 * X.numpy()).tolist()
    assert tf.math.accumulate_n([X, X]).numpy().tolist() == (2 * X.numpy()).tolist()
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.add_n([X, tf.zeros([3])])
    with pytest.raises(ValueError, match="at least one Tensor"):
        tf.add_n([])


def test_signs_and_amounts():
    z = tf.constant([3 + 4j, 0j])
    assert tf.abs(z).dtype is tf.float64
    assert tf.abs(z).numpy().tolist() == [5, 0]
    assert tf.sign([-2, 0, 7]).numpy().tolist() == [-1, 0, 1]
    assert tf.negative([1, -2]).numpy().tolist() == [-1, 2]


@pytest.mark.parametrize("values", [["a", "b"], "word", [True, False]])
def test_sums_of_other_things_than_numbers_are_refused(values):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add_n(values)
