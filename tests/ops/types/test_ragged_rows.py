"""Ragged tensors in graphs: their rows are known only when these run."""

import pytest

import gradtape as tf

MAKERS = {
    "from_row_splits": [0, 1, 3],
    "from_row_lengths": [1, 2],
    "from_row_starts": [0, 1],
    "from_row_limits": [1, 3],
    "from_value_rowids": [0, 1, 1],
}


@pytest.mark.parametrize("name", MAKERS)
def test_rows_by_symbols(name):
    make = getattr(tf.RaggedTensor, name)
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.int64)])
    def f(values, rows):
        made = make(values, rows)
        shapes.append(made.shape.as_list())
        return made, made.row_lengths(), made.nrows(), made.value_rowids()

    made, lengths, rows, ids = f(tf.constant([1.0, 2.0, 3.0]), MAKERS[name])
    assert made.to_list() == [[1.0], [2.0, 3.0]]
    assert (lengths.numpy().tolist(), rows.numpy(), ids.numpy().tolist()) == ([1, 2], 2, [0, 1, 1])
    assert shapes == [[None, None]]


def test_wrong_splits_are_refused_when_the_graph_runs():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(splits):
        return tf.RaggedTensor.from_row_splits([1.0, 2.0], splits)

    assert f(tf.constant([0, 2], tf.int64)).to_list() == [[1.0, 2.0]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="row_splits"):
        f(tf.constant([0, 3], tf.int64))


def test_padding_gives_the_shape_that_is_asked_for():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(lengths):
        rows = tf.RaggedTensor.from_row_lengths(tf.range(3), lengths)
        padded = rows.to_tensor(shape=[None, 4])
        assert padded.shape.as_list() == [None, 4]
        return padded

    assert f(tf.constant([2, 1], tf.int64)).numpy().tolist() == [[0, 1, 0, 0], [2, 0, 0, 0]]


def test_values_must_have_as_many_rows():
    rows = tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(ValueError, match="3 rows"):
        rows.with_values([1, 2])
