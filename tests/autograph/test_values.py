"""The values of variables in traced blocks."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autograph.values import (
    Static,
    dtype_of,
    flat,
    is_tensor,
    packed,
    statics,
    tensors_of,
)
from gradtape._src.autograph.variables import Undefined


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, tf.int32),
        (1.5, tf.float32),
        (True, tf.bool),
        ("a", tf.string),
        (1j, tf.complex128),
        (np.float64(1), tf.float64),
        (tf.Variable(1.0), tf.float32),
        (tf.TensorArray(tf.int64, 1), tf.variant),
        (None, None),
        (object(), None),
        (Undefined("x"), None),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_a_tensor(value, dtype):
    assert is_tensor(value) is (dtype is not None)
    assert dtype_of(value) is dtype


def test_structures_are_taken_apart_and_put_together():
    marker = object()
    value = {"a": (1, marker), "b": [True, tf.constant(2.0)]}
    assert statics(value) == [Static.VARIES, marker, True, Static.VARIES]
    tensors = tensors_of(value)
    assert [t.dtype.name for t in tensors] == ["int32", "bool", "float32"]
    known = [Static.VARIES, marker, Static.VARIES, Static.VARIES]
    again = packed(value, known, iter(tensors))
    assert again["a"][1] is marker
    assert [again["a"][0], *again["b"]] == tensors
    assert len(flat(value)) == 4


def test_a_ragged_tensor_is_one_leaf():
    ragged = tf.ragged.constant([[1], [2, 3]])
    assert flat((ragged, 1))[0] is ragged
    assert tensors_of(ragged) == [ragged]
