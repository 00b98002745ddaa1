"""Shapes of ragged tensors; answers are TensorFlow's."""

import pytest

import gradtape as tf

Shape = tf.experimental.DynamicRaggedShape
ROWS = tf.experimental.RowPartition.from_row_splits([0, 2, 2, 5])


@pytest.mark.parametrize(
    ("lengths", "count", "inner", "uniform"),
    [
        ([2, (1, 2), 3], 1, [3, 3], [True, False, True]),
        ([2, 3], 0, [2, 3], [True, True]),
        ([2, 3, (1, 2, 3, 4, 5, 6), 2], 2, [21, 2], [True, True, False, True]),
        ([2, (1, 2), (1, 2, 3)], 2, [6], [True, False, False]),
        ([], 0, [], []),
    ],
)
def test_lengths(lengths, count, inner, uniform):
    shape = Shape.from_lengths(lengths)
    shown = ", ".join(map(str, lengths))
    assert repr(shape) == f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={count}>"
    assert shape.static_lengths() == lengths
    hidden = [None if isinstance(n, tuple) else n for n in lengths]
    assert shape.static_lengths(ragged_lengths=False) == hidden
    assert (shape.num_row_partitions, shape.rank) == (count, len(lengths))
    assert (shape.inner_rank, shape.inner_shape.numpy().tolist()) == (len(inner), inner)
    assert [shape.is_uniform(axis) for axis in range(shape.rank)] == uniform
    assert shape == Shape.from_lengths(lengths)
    assert shape.with_dtype(tf.int32).dtype is tf.int32


def test_more_partitions_than_needed():
    shape = Shape.from_lengths([2, (1, 2), 3], num_row_partitions=2)
    assert repr(shape.row_partitions[1]) == "tf.RowPartition(nrows=3, uniform_row_length=3)"
    assert (int(shape[2]), shape.inner_rank) == (3, 1)
    with pytest.raises(ValueError, match="num_row_partitions should be less"):
        Shape.from_lengths([2, 3], num_row_partitions=2)


def test_items_and_slices():
    shape = Shape.from_lengths([2, (1, 2), 3])
    assert (int(shape[0]), int(shape[2]), int(shape[-1])) == (2, 3, 3)
    assert repr(shape[:2]) == "<DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>"
    assert shape[:1].static_lengths() == [2]
    assert shape[2:].static_lengths() == [3]
    for index, error in ((1, ValueError), (9, IndexError), (slice(1, None), ValueError)):
        with pytest.raises(error):
            shape[index]
    with pytest.raises(IndexError):
        shape.is_uniform(3)


def test_of_tensors_and_partitions():
    assert Shape.from_tensor(tf.ones([2, 3])).static_lengths() == [2, 3]
    ragged = tf.ragged.constant([[[1], [2, 3]], []])
    assert Shape.from_tensor(ragged).static_lengths() == [2, (2, 0), (1, 2)]
    assert (Shape.from_tensor(ragged).dtype, tf.shape(ragged).dtype) == (tf.int64, tf.int32)
    assert Shape.from_row_partitions([ROWS]).static_lengths() == [3, (2, 0, 3)]
    assert Shape([ROWS], [5, 2]).static_lengths() == [3, (2, 0, 3), 2]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Shape([5], [2]), TypeError),
        (lambda: Shape([ROWS], [4], validate=True), tf.errors.InvalidArgumentError),
        (lambda: Shape([ROWS], 4), ValueError),
        (lambda: Shape([ROWS], [5], static_inner_shape=[4]), ValueError),
        (lambda: Shape.from_row_partitions([]), ValueError),
        (lambda: Shape.from_lengths([2, (1, 2, 3)]), ValueError),
        (lambda: Shape.from_lengths([(1, 2), 3]), ValueError),
        (lambda: Shape.from_lengths([2, "a"]), ValueError),
    ],
)
def test_refused(make, error):
    with pytest.raises(error):
        make()


def test_tensors_of_a_shape():
    shape = Shape.from_lengths([2, (1, 2)])
    assert tf.ones(shape).to_list() == [[1], [1, 1]]
    assert tf.fill(shape, 3).to_list() == [[3], [3, 3]]
    assert tf.reshape(tf.range(3), shape).to_list() == [[0], [1, 2]]
    assert tf.broadcast_to(tf.constant([[1], [2]]), shape).to_list() == [[1], [2, 2]]
    deep = Shape.from_lengths([2, (1, 2), 3])
    assert tf.zeros(deep, tf.int32).to_list() == [[[0] * 3], [[0] * 3] * 2]
    assert tf.broadcast_dynamic_shape(shape, Shape.from_lengths([2, 1])).static_lengths() == [
        *(2, (1, 2)),
    ]
    assert tf.broadcast_dynamic_shape(deep, [3]).static_lengths() == [2, (1, 2), 3]


def test_in_functions():
    ragged = tf.ragged.constant([[1], [2, 3]])
    shape = tf.function(tf.shape)(ragged)
    assert repr(shape) == "<DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>"
    assert tf.function(lambda x: tf.ones(tf.shape(x)))(ragged).to_list() == [[1], [1, 1]]
    lengths = tf.function(lambda s: s.row_partitions[0].row_lengths())(shape)
    assert lengths.numpy().tolist() == [1, 2]
    assert len(tf.nest.flatten(shape, expand_composites=True)) == 2
    spec = tf.type_spec_from_value(shape)
    assert spec.is_compatible_with(shape)
    assert repr(spec).startswith("DynamicRaggedShape.Spec(row_partitions=(RowPartitionSpec(")
