"""Python and NumPy values as raw values: dtypes by TensorFlow's rules."""

from fractions import Fraction

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.base.python_values import NotATensorError, from_shape, raw


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, np.int32),
        (2**31, np.int64),
        (1.5, np.float32),
        (1j, np.complex128),
        (True, np.bool_),
        ([1, 2.5], np.float32),
        ([np.float64(1), 2.5], np.float64),
        (np.arange(3), np.int64),
        ([], np.float32),
        (range(3), np.int32),
    ],
)
def test_dtypes(value, dtype):
    assert np.asarray(raw(value)).dtype == dtype


def test_strings_are_objects_of_bytes():
    value = raw(["a", b"b"])
    assert value.dtype == object
    assert value.tolist() == [b"a", b"b"]


def test_what_is_made_is_a_copy():
    array = np.zeros(2)
    made = raw(array)
    array[:] = 7
    assert made.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (1.5, tf.int32, TypeError),
        ("a", tf.float32, (TypeError, ValueError)),
        ([1, [2]], None, ValueError),
        ([1, "a"], None, (TypeError, ValueError)),
        (None, None, ValueError),
        (object(), None, ValueError),
    ],
)
def test_what_does_not_fit(value, dtype, error):
    with pytest.raises(error):
        raw(value, dtype)


def test_the_error_shows_the_value_only_when_it_is_read():
    shown = []

    class Slow:
        def __repr__(self):
            shown.append(1)
            return "<slow>"

    with pytest.raises(NotATensorError) as caught:
        raw(Slow())
    assert not shown
    assert "<slow>" in str(caught.value)
    with pytest.raises(ValueError, match="Fraction"):
        raw(Fraction(1, 2))


def test_extents_of_a_shape():
    assert from_shape(tf.TensorShape([2, 3]), None).dtype == np.int32
    assert from_shape(tf.TensorShape([2**31]), None).dtype == np.int64
    with pytest.raises(ValueError, match="partially known"):
        from_shape(tf.TensorShape([None]), None)


def test_lengths_of_shapes_are_numbers():
    length, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert tf.convert_to_tensor(length).dtype == tf.int32
    assert tf.convert_to_tensor(length, tf.int64).dtype == tf.int64
    assert tf.reshape(tf.zeros(6), [length, 2]).shape == (3, 2)
    with pytest.raises(ValueError, match="unknown Dimension"):
        tf.convert_to_tensor(unknown)
    with pytest.raises(ValueError, match="None"):
        tf.zeros([unknown, 2])
    with pytest.raises(TypeError, match="Allowed dtypes are"):
        tf.convert_to_tensor(length, tf.float32)
