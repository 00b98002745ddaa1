"""Batches of elements that are padded to one shape."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import errors
from gradtape._src.ops.types.specs import TensorSpec
from gradtape.data import Dataset


def listed(dataset):
    """The elements, arrays as lists."""
    return [
        tf.nest.map_structure(
            lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray | np.generic) else leaf,
            element,
        )
        for element in dataset.as_numpy_iterator()
    ]


def lengths(*sizes):
    """A dataset of vectors of these lengths."""
    return Dataset.from_generator(
        lambda: (np.full(n, n) for n in sizes), output_signature=TensorSpec([None], tf.int64)
    )


def test_padded_batch():
    assert listed(lengths(1, 2, 3).padded_batch(2)) == [[[1, 0], [2, 2]], [[3, 3, 3]]]
    padded = lengths(1, 2).padded_batch(2, padded_shapes=[3], padding_values=np.int64(-1))
    assert listed(padded) == [[[1, -1, -1], [2, 2, -1]]]
    assert padded.element_spec == TensorSpec([None, 3], tf.int64)
    words = Dataset.from_generator(lambda: [["a"], ["b", "c"]], tf.string, [None])
    assert listed(words.padded_batch(2)) == [[[b"a", b""], [b"b", b"c"]]]
    both = Dataset.zip(Dataset.range(2), lengths(1, 2))
    assert listed(both.padded_batch(2, padding_values=(0, 9))) == [([0, 1], [[1, 9], [2, 2]])]
    shapes = ((), [None])
    assert listed(both.padded_batch(2, shapes, drop_remainder=True)) == [([0, 1], [[1, 0], [2, 2]])]


def test_bad_padding():
    with pytest.raises(errors.DataLossError, match="pad to a smaller size"):
        list(lengths(1, 2).padded_batch(2, padded_shapes=[1]))
    with pytest.raises(TypeError, match="`padding_values` values type <dtype: 'float32'> does not"):
        lengths(1).padded_batch(2, padding_values=1.5)
    with pytest.raises(ValueError, match="because component 0 has unknown rank"):
        Dataset.from_generator(list, tf.int32).padded_batch(2)


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])),
        lambda: Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3]])),
        lambda: Dataset.range(2).map(lambda i: (i, None)),
        lambda: Dataset.range(4).window(2),
    ],
)
def test_only_tensors_are_padded(dataset):
    with pytest.raises(TypeError, match="padded_batch"):
        dataset().padded_batch(2)


def test_minus_one_pads_to_the_longest_element():
    dataset = tf.data.Dataset.range(1, 3).map(tf.range)
    for shape in ([-1], (-1,), [None]):
        rows = dataset.padded_batch(2, shape)
        assert rows.element_spec.shape.as_list() == [None, None]
        assert next(iter(rows)).numpy().tolist() == [[0, 0], [0, 1]]
