"""Operations that compute with values are nodes of a graph as a whole."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

EXAMPLE = tf.train.Example(
    features=tf.train.Features(
        feature={
            "a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
            "b": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 4, 5])),
        }
    )
).SerializeToString()
ROWS = [[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]]


def listed(x):
    if isinstance(x, dict):
        return {key: listed(value) for key, value in x.items()}
    if isinstance(x, tf.SparseTensor):
        return listed(x.indices), listed(x.values), listed(x.dense_shape)
    return x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist()


FEATURES = {
    "fixed": ("a", lambda: tf.io.FixedLenFeature([2], tf.float32)),
    "varying": ("b", lambda: tf.io.VarLenFeature(tf.int64)),
    "ragged": ("b", lambda: tf.io.RaggedFeature(tf.int64)),
    "padded": ("b", lambda: tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)),
}
RAGGED = {
    "sum": lambda x: tf.reduce_sum(x, axis=1),
    "max": lambda x: tf.reduce_max(x, axis=0),
    "plus": lambda x: x + x * 2,
    "row": lambda x: x[2],
    "cut": lambda x: x[:, :1],
    "concat": lambda x: tf.concat([x, x], 1),
    "gather": lambda x: tf.gather(x, [2, 0]),
    "mask": lambda x: tf.ragged.boolean_mask(x, x > 1),
    "bounds": lambda x: x.bounding_shape(),
    "reverse": lambda x: tf.reverse(x, [1]),
}
SPARSE = {
    "sum": lambda x: tf.sparse.reduce_sum(x, 1),
    "matmul": lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([2, 2])),
    "add": lambda x: tf.sparse.add(x, x),
    "slice": lambda x: tf.sparse.slice(x, [0, 0], [2, 2]),
    "transpose": lambda x: tf.sparse.transpose(x),
    "retain": lambda x: tf.sparse.retain(x, x.values > 1),
    "filled": lambda x: tf.sparse.fill_empty_rows(x, 0.0)[0],
}


def check_traced_once(function, *args):
    traces = []

    @tf.function
    def traced(*given):
        traces.append(None)
        return function(*given)

    for _ in range(3):
        assert listed(traced(*args)) == listed(function(*args))
    assert len(traces) == 1
    assert "ran as Python" not in traced.explain()


@pytest.mark.parametrize("kind", FEATURES)
def test_parsing(kind):
    key, make = FEATURES[kind]
    batch = tf.constant([EXAMPLE, EXAMPLE])
    check_traced_once(lambda x: tf.io.parse_example(x, {key: make()}), batch)
    check_traced_once(lambda x: tf.io.parse_single_example(x, {key: make()}), batch[0])


@pytest.mark.parametrize("kind", RAGGED)
def test_ragged_tensors(kind):
    check_traced_once(RAGGED[kind], tf.ragged.constant(ROWS))


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_tensors(kind):
    check_traced_once(SPARSE[kind], tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]))


def test_ragged_tensors_that_are_made_in_a_function():
    values = tf.range(6.0)
    check_traced_once(tf.RaggedTensor.from_row_lengths, values, tf.constant([2, 1, 3]))
    check_traced_once(lambda x: tf.RaggedTensor.from_tensor(x, padding=0.0), tf.eye(3))


def test_gradients():
    f = tf.function(lambda v, n: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(v, n), 1)[1])
    for _ in range(3):
        v = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = f(v * v, tf.constant([1, 2]))
        np.testing.assert_array_equal(tape.gradient(y, v), [0, 4, 6])


def test_a_length_that_was_guessed_wrongly_is_found_out():
    """Checks values that are unlike all sample values: 6 of 100 numbers are above 5."""
    x = tf.sparse.SparseTensor(np.arange(100)[:, None], tf.constant([9.0] * 6 + [1.0] * 94), [1000])
    f = tf.function(lambda x: tf.sparse.retain(x, x.values > 5).values)
    assert f(x).shape == (6,)


def test_lengths_that_depend_on_values_are_unknown():
    shapes = []

    @tf.function
    def counted(x):
        y = tf.math.confusion_matrix(x, x, tf.reduce_max(x) + 1)
        shapes.append(y.shape.as_list())
        return y

    assert [counted(tf.constant([0, 1, n])).shape[0] for n in (4, 8)] == [5, 9]
    assert shapes == [[None, None]]


def test_lengths_do_not_depend_on_chance():
    overlaps, scores = tf.TensorSpec([None, 2]), tf.TensorSpec([None])
    chosen = tf.function(lambda x, s: tf.image.non_max_suppression_overlaps(x, s, 2))
    assert chosen.get_concrete_function(overlaps, scores).output_shapes.as_list() == [None]
    table, ids = tf.TensorSpec([None, 3]), tf.SparseTensorSpec([3, 2], tf.int64)
    looked_up = tf.function(lambda x, i: tf.nn.embedding_lookup_sparse(x, i, None))
    assert looked_up.get_concrete_function(table, ids).output_shapes.as_list() == [None, 3]


def test_errors_come_when_the_function_runs():
    f = tf.function(lambda x: tf.io.parse_single_example(x, {"z": FEATURES["fixed"][1]()}))
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not be found"):
        f(tf.constant(EXAMPLE))


def test_a_programs_functions_never_run_on_sample_values():
    seen = []

    def noted(x):
        seen.append(x)
        return x

    @tf.function
    def f(rt):
        return tf.ragged.map_flat_values(noted, tf.reverse(rt, [1]))

    f(tf.ragged.constant(ROWS))
    assert not any(tf.is_symbolic_tensor(x) is False and len(x) != 6 for x in seen)


def test_operations_keep_their_names_and_lines():
    f = tf.function(lambda x: tf.nn.relu(x, name="act"))
    operations = f.get_concrete_function(tf.constant(1.0)).graph.get_operations()
    assert "act" in [op.name for op in operations]
