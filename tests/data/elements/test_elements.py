"""Batches of elements, and what is known of them."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf
from gradtape import errors
from gradtape._src.ops.types.specs import TensorSpec
from gradtape.data import Dataset

scalar = TensorSpec([], tf.int64)


def listed(dataset):
    """The elements, arrays as lists."""
    return [
        tf.nest.map_structure(
            lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray | np.generic) else leaf,
            element,
        )
        for element in dataset.as_numpy_iterator()
    ]


def pairs():
    return Dataset.from_tensor_slices((np.arange(6).reshape(3, 2), np.float32([0, 1, 2])))


def lengths(*sizes):
    """A dataset of vectors of these lengths."""
    return Dataset.from_generator(
        lambda: (np.full(n, n) for n in sizes), output_signature=TensorSpec([None], tf.int64)
    )


def test_batch():
    assert listed(Dataset.range(5).batch(2)) == [[0, 1], [2, 3], [4]]
    assert listed(Dataset.range(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert listed(pairs().batch(2)) == [([[0, 1], [2, 3]], [0, 1]), ([[4, 5]], [2])]
    assert listed(Dataset.from_tensor_slices(["a", "bc"]).batch(2)) == [[b"a", b"bc"]]
    assert listed(Dataset.range(5).batch(2).batch(2)) == [[[0, 1], [2, 3]], [[4]]]
    nested = Dataset.from_tensor_slices({"a": ([1, 2], [3, 4])}).batch(2)
    assert listed(nested) == [{"a": ([1, 2], [3, 4])}]
    half = Dataset.from_tensor_slices(np.ones(2, ml_dtypes.bfloat16)).batch(2)
    assert half.element_spec == TensorSpec([None], tf.bfloat16)
    assert next(iter(half)).dtype is tf.bfloat16


def test_specs_of_batches():
    assert Dataset.range(5).batch(2).element_spec == TensorSpec([None], tf.int64)
    assert Dataset.range(5).batch(2, True).element_spec == TensorSpec([2], tf.int64)
    assert Dataset.range(5).batch(2).unbatch().element_spec == scalar


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_has_elements(size):
    with pytest.raises(errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        Dataset.range(5).batch(size)


@pytest.mark.parametrize("size", [2.5, "a"])
def test_a_batch_size_is_a_whole_number(size):
    with pytest.raises(TypeError, match="Cannot convert"):
        Dataset.range(5).batch(size)


def test_elements_of_a_batch_have_one_shape():
    with pytest.raises(errors.InvalidArgumentError, match=r"Cannot add .* use padded_batch"):
        list(lengths(1, 2).batch(2))


def test_unbatch_and_rebatch():
    assert listed(Dataset.range(5).batch(2).unbatch()) == [0, 1, 2, 3, 4]
    assert listed(pairs().batch(2).unbatch()) == listed(pairs())
    assert listed(Dataset.range(4).batch(2).rebatch(3)) == [[0, 1, 2], [3]]
    with pytest.raises(ValueError, match="Cannot unbatch an input with scalar components"):
        Dataset.range(5).unbatch()
    with pytest.raises(ValueError, match="matching leading dimension"):
        list(Dataset.from_tensors(([1, 2], [3])).unbatch())


@given(st.integers(0, 20), st.integers(1, 7))
def test_unbatch_undoes_batch(number, size):
    dataset = Dataset.range(number)
    batched = dataset.batch(size)
    assert listed(batched.unbatch()) == listed(dataset)
    assert len(batched) == len(listed(batched))
