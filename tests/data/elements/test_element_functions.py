"""Functions of datasets run on the dataset's elements only, once for each."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import TensorSpec, errors
from gradtape.data import Dataset

scalar = TensorSpec([], tf.int64)


def listed(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


def counter():
    return tf.Variable(0, dtype=tf.int64)


def test_a_variable_is_changed_once_for_each_element():
    v = counter()
    made = Dataset.range(1, 5).map(v.assign_add).padded_batch(2)
    assert made.element_spec == TensorSpec([None], tf.int64)
    assert int(v) == 0
    assert listed(made) == [[1, 3], [6, 10]]
    assert int(v) == 10


def counting_strings(v, seen):
    def count(x):
        v.assign_add(1)
        seen.append(x)
        return x

    def function(text):
        return tf.strings.split(tf.numpy_function(count, [text], tf.string))

    return function


def test_the_first_element_is_made_once_for_the_spec():
    v, seen = counter(), []
    made = Dataset.from_tensor_slices(["a b", "c", "d e f"]).map(counting_strings(v, seen))
    assert not seen
    assert made.element_spec == TensorSpec([None], tf.string)
    assert made.padded_batch(2).element_spec == TensorSpec([None, None], tf.string)
    assert seen == [b"a b"]
    assert listed(made) == [[b"a", b"b"], [b"c"], [b"d", b"e", b"f"]]
    assert seen == [b"a b", b"c", b"d e f"]
    assert int(v) == 3
    assert listed(made.padded_batch(2)) == [[[b"a", b"b"], [b"c", b""]], [[b"d", b"e", b"f"]]]
    assert int(v) == 6


def test_what_fails_before_the_first_element_fails_in_its_place():
    def positive(x):
        if x < 2:
            raise ValueError("small")
        return np.float32(x)

    def made():
        return Dataset.range(4).map(lambda x: tf.py_function(positive, [x], tf.float32))

    assert made().element_spec == TensorSpec(None, tf.float32)
    asked = made()
    assert asked.element_spec == TensorSpec(None, tf.float32)
    elements = iter(asked)
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError, match="small"):
            next(elements)
    assert [float(x) for x in elements] == [2, 3]
    assert listed(made().ignore_errors().batch(2)) == [[2, 3]]


def test_a_filter_goes_on_after_an_error():
    kept = Dataset.from_tensor_slices([1, 0, 5]).filter(lambda x: 10 // x > 1)
    assert listed(kept.ignore_errors()) == [1, 5]


def test_a_shape_that_depends_on_values_is_unknown():
    rows = Dataset.from_tensor_slices([[1, 0, 3], [0, 0, 2]])
    assert rows.map(lambda x: tf.boolean_mask(x, x > 0)).element_spec == TensorSpec(
        [None], tf.int32
    )
    unique = rows.map(lambda x: tf.unique(x).y)
    assert listed(unique.padded_batch(2)) == [[[1, 0, 3], [0, 2, 0]]]
    raw = Dataset.from_tensor_slices([b"\x01\x02", b"\x03"]).map(
        lambda b: tf.io.decode_raw(b, "uint8")
    )
    assert raw.element_spec == TensorSpec([None], tf.uint8)
    buckets = raw.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2])
    assert sorted(listed(buckets)) == [[[1, 2]], [[3]]]


def test_a_dataset_with_a_function_in_a_traced_function():
    @tf.function
    def total(n):
        return Dataset.range(n).map(lambda x: x * n).reduce(np.int64(0), lambda s, x: s + x)

    assert [int(total(tf.constant(n, tf.int64))) for n in (4, 5)] == [24, 50]
