"""Structures that become messages and are read again."""

import collections

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.internals.structure_coder import (
    NotEncodableError,
    can_encode,
    decode_proto,
    encode_structure,
)
from gradtape._src.messages import protos
from gradtape._src.ops.types.specs import BoundedTensorSpec

Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024  (the subject of the test)


@pytest.mark.parametrize(
    "value",
    [
        BoundedTensorSpec((2, 3), tf.float32, 0, [1.0, 2.0, 3.0], "x"),
        tf.TensorSpec([None], tf.int64),
        [1, 2.5, "x", None, True, ()],
        {"a": tf.float32, "b": tf.TensorShape([None, 2])},
        (tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([2])),
    ],
)
def test_structures_are_read_again(value):
    assert can_encode(value)
    written = encode_structure(value).SerializeToString()
    assert decode_proto(protos.StructuredValue.FromString(written)) == value


def test_values_are_read_again():
    pair = decode_proto(encode_structure(Pair(tf.constant([1.5, 2.0]), np.array([1, 2]))))
    assert type(pair).__name__ == "Pair"
    assert isinstance(pair.a, tf.Tensor)
    assert pair.a.numpy().tolist() == [1.5, 2.0]
    assert type(pair.b) is np.ndarray
    assert pair.b.tolist() == [1, 2]


@pytest.mark.parametrize("value", [object(), b"bytes", np.float32(2), tf.Variable(1.0), {1, 2}])
def test_other_values(value):
    assert not can_encode([value])
    with pytest.raises(NotEncodableError, match=r"No encoder for object .* of type"):
        encode_structure({"key": [value]})


def test_specs_without_names():
    class Unknown(tf.TypeSpec):
        value_type = object

        def _serialize(self):
            return ()

    assert not can_encode(Unknown())
    with pytest.raises(NotEncodableError, match="register the class Unknown"):
        encode_structure(Unknown())
