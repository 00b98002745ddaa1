"""Calls that TensorFlow refuses are refused with its type of exception."""

import numpy as np
import pytest

import gradtape as tf

INVALID, RANGE = tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError
vector, matrix = tf.constant([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
flag = tf.constant(True)


def one():
    return tf.constant(1.0)


def add(a, x):
    return a + x


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.add_n([tf.IndexedSlices(vector, tf.constant([0, 1]))])),
        (ValueError, lambda: tf.signal.rfft(tf.constant([1j]))),
        (ValueError, lambda: tf.signal.rfft(tf.constant([1, 2]))),
        (ValueError, lambda: tf.signal.rfft2d(vector)),
        (ValueError, lambda: tf.signal.irfft(vector)),
        (INVALID, lambda: tf.signal.rfft(vector, [-1])),
        (INVALID, lambda: tf.signal.fft(vector)),
        (INVALID, lambda: tf.einsum("ij,jk->ik", vector, matrix)),
        (INVALID, lambda: tf.einsum("b...,b...->b", matrix, matrix)),
        (ValueError, lambda: tf.einsum("ij,jk->ik", matrix)),
        (ValueError, lambda: tf.switch_case(tf.constant(1), {0: one, 2: one})),
        (ValueError, lambda: tf.switch_case(tf.constant(1), [(0, one), (0, one)])),
        (ValueError, lambda: tf.switch_case(tf.constant(0), [])),
        (TypeError, lambda: tf.switch_case(tf.constant(1), {"a": one})),
        (TypeError, lambda: tf.switch_case(tf.constant(1.5), [one, one])),
        (TypeError, lambda: tf.switch_case(tf.constant(9), [one], default=3)),
        (INVALID, lambda: tf.switch_case(tf.constant([1]), [one, one])),
        (TypeError, lambda: tf.case([(flag, one, 1)])),
        (TypeError, lambda: tf.case(None)),
        (ValueError, lambda: tf.cond(None, one, one)),
        (RANGE, lambda: tf.scan(add, tf.zeros([0]))),
        (RANGE, lambda: tf.foldl(add, tf.zeros([0]))),
        (RANGE, lambda: tf.foldr(add, tf.zeros([0]))),
        (INVALID, lambda: tf.scan(lambda a, x: tf.cast(a, "float64"), vector, one())),
        (ValueError, lambda: tf.scan(lambda a, x: tf.concat([a, a], 0), vector, tf.zeros([1]))),
        (ValueError, lambda: tf.map_fn(tf.range, tf.constant([1, 2]))),
        (TypeError, lambda: tf.constant([1, 2]) - 1.5),
        (TypeError, lambda: tf.constant([1, 2]) * [1.5, 2.5]),
        (TypeError, lambda: tf.constant([1, 2]) > (1.5, 2.5)),
        (TypeError, lambda: tf.constant([np.float64(1.5)], "int32")),
        (TypeError, lambda: tf.constant([np.int64(1)], "bool")),
        (ValueError, lambda: tf.constant(np.array(["a"]), "int32")),
    ],
)
def test_refusals(error, call):
    with pytest.raises(error):
        call()


def test_loops_over_no_rows():
    empty = tf.zeros([0, 3])
    assert tf.map_fn(lambda x: 2 * x, empty).shape[0] == 0
    assert tf.scan(add, empty, tf.zeros([3])).shape[0] == 0
    assert float(tf.foldl(add, tf.zeros([0]), one())) == 1.0


def test_map_fn_gives_rows_of_different_lengths():
    spec = tf.RaggedTensorSpec([None], tf.int32)
    out = tf.map_fn(tf.range, tf.constant([1, 0, 2]), fn_output_signature=spec)
    assert out.to_list() == [[0], [], [0, 1]]


def test_whole_numbers_before_others_are_numbers():
    assert tf.constant([np.int64(1), 2.5]).numpy().tolist() == [1.0, 2.5]


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_a_variable_takes_no_value_that_differs_between_rows(method):
    v, w = tf.Variable(1.0), tf.Variable([1.0, 2.0])
    rows = tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="differs between the rows"):
        tf.vectorized_map(lambda x: (getattr(v, method)(x), x)[1], rows)
    with pytest.raises(ValueError, match="differs between the rows"):
        tf.vectorized_map(lambda x: (w.scatter_nd_add([[0]], x[None]), x)[1], rows)
    assert (float(v), w.numpy().tolist()) == (1.0, [1.0, 2.0])
    tf.vectorized_map(lambda x: (v.assign(5.0), x)[1], rows)
    assert float(v) == 5.0
