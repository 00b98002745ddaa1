"""Ragged tensors as sources and targets of gradients."""

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def rows():
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def test_the_gradient_by_a_ragged_tensor_is_ragged(rows):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([rows, {"x": x}])
        y = tf.reduce_sum(rows.values**2) * x
    ragged, rest = tape.gradient(y, [rows, {"x": x}])
    assert ragged.to_list() == [[4.0, 8.0], [], [12.0]]
    assert float(rest["x"]) == 14.0


def test_a_ragged_target_is_the_sum_of_its_values(rows):
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.ragged.map_flat_values(tf.square, rows)
    assert tape.gradient(y, rows, output_gradients=rows).to_list() == [[2.0, 8.0], [], [18.0]]


def test_gradients_pass_through_padding():
    deep = tf.ragged.constant([[[1.0], [2.0, 3.0]], []])
    weights = tf.constant(np.arange(8.0, dtype="f4").reshape(2, 2, 2))
    with tf.GradientTape() as tape:
        tape.watch(deep)
        padded = deep.to_tensor(default_value=-1.0)
        y = padded * weights
    assert padded.numpy().tolist() == [[[1, -1], [2, 3]], [[-1, -1], [-1, -1]]]
    assert tape.gradient(y, deep).to_list() == [[[0.0], [2.0, 3.0]], []]


def test_an_unconnected_ragged_source(rows):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rows)
        y = tf.constant(1.0)
    assert tape.gradient(y, rows) is None
    zero = tape.gradient(y, rows, unconnected_gradients="zero")
    assert zero.to_list() == [[0.0, 0.0], [], [0.0]]


def test_what_has_no_gradient_of_its_own_is_refused(rows):
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
    with tf.GradientTape(persistent=True) as tape:
        with pytest.raises(ValueError, match=r"SparseTensor is not supported.*values"):
            tape.watch(sparse)
        tape.watch(rows)
        y = rows.values**2
    with pytest.raises(ValueError, match="SparseTensor is not supported"):
        tape.gradient(y, sparse)
    with pytest.raises(ValueError, match=r"use the `\.values`"):
        tape.jacobian(y, rows)
    with pytest.raises(ValueError, match="primal"):
        tf.autodiff.ForwardAccumulator(rows, rows)
