"""Datasets made of datasets: which elements, and in what order."""

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


# Which elements.


def test_repeat_take_skip_shard():
    two = Dataset.range(2)
    assert listed(two.repeat(2)) == [0, 1, 0, 1]
    assert listed(two.repeat().take(5)) == listed(two.repeat(-1).take(5)) == [0, 1, 0, 1, 0]
    assert listed(two.repeat(0)) == []
    assert listed(Dataset.range(0).repeat()) == []
    five = Dataset.range(5)
    assert listed(five.take(2)) == [0, 1]
    assert listed(five.take(-1)) == listed(five.take(10)) == [0, 1, 2, 3, 4]
    assert listed(five.skip(2)) == [2, 3, 4]
    assert listed(five.skip(-1)) == listed(five.skip(10)) == []
    assert listed(Dataset.range(10).shard(3, 1)) == [1, 4, 7]
    with pytest.raises(errors.InvalidArgumentError, match="Index must be between 0 and 2"):
        five.shard(3, 3)
    with pytest.raises(TypeError, match="Cannot convert 'a'"):
        five.take("a")


def test_filter_and_take_while():
    assert listed(Dataset.range(5).filter(lambda v: v > 2)) == [3, 4]
    assert listed(Dataset.range(5).filter(lambda _: True)) == [0, 1, 2, 3, 4]
    assert listed(Dataset.range(5).take_while(lambda v: v != 3)) == [0, 1, 2]
    assert listed(pairs().filter(lambda _, b: b > 1)) == [([4, 5], 2)]
    with pytest.raises(ValueError, match=r"`predicate` must return a `tf.bool` scalar tensor"):
        list(Dataset.range(5).filter(lambda v: v))


def test_unique_concatenate_enumerate():
    assert listed(Dataset.from_tensor_slices([1, 1, 2, 1]).unique()) == [1, 2]
    assert listed(Dataset.from_tensor_slices(["a", "a"]).unique()) == [b"a"]
    assert listed(Dataset.range(2).concatenate(Dataset.range(2, 4))) == [0, 1, 2, 3]
    assert listed(pairs().enumerate(start=5))[0] == (5, ([0, 1], 0))
    assert Dataset.range(2).enumerate().element_spec == (scalar, scalar)
    with pytest.raises(TypeError, match=r"Incompatible dataset elements"):
        Dataset.range(2).concatenate(Dataset.from_tensor_slices([1.0]))
    even = Dataset.range(2).batch(2, drop_remainder=True)
    odd = Dataset.range(3).batch(3, drop_remainder=True)
    assert even.concatenate(odd).element_spec == TensorSpec([None], tf.int64)


def test_flat_map_and_interleave():
    assert listed(Dataset.range(4).flat_map(Dataset.range)) == [0, 0, 1, 0, 1, 2]

    def thrice(v):
        return Dataset.from_tensors(v).repeat(3)

    one_each = Dataset.range(3).interleave(thrice, cycle_length=2, block_length=1)
    assert listed(one_each) == [0, 1, 0, 1, 0, 1, 2, 2, 2]
    two_each = Dataset.range(4).interleave(thrice, cycle_length=2, block_length=2)
    assert listed(two_each) == [0, 0, 1, 1, 0, 1, 2, 2, 3, 3, 2, 3]
    assert sorted(listed(Dataset.range(4).interleave(thrice))) == sorted(listed(two_each))
    with pytest.raises(AttributeError, match=r"`map_func` must return a `Dataset` object. Got"):
        Dataset.range(3).flat_map(lambda v: v)


def test_scan_and_reduce():
    sums = Dataset.range(4).scan(np.int64(0), lambda s, v: (s + v, (s, v)))
    assert listed(sums) == [(0, 0), (0, 1), (1, 2), (3, 3)]
    assert int(Dataset.range(5).reduce(np.int64(0), lambda s, v: s + v)) == 10
    total, power = Dataset.range(5).reduce(
        (np.int64(0), np.int64(1)), lambda s, v: (s[0] + v, s[1] * 2)
    )
    assert (int(total), int(power)) == (10, 32)
    assert float(pairs().reduce(0.0, lambda s, v: s + v[1])) == 3
    with pytest.raises(errors.InvalidArgumentError, match=r"\(initial_state=1, output=2\)"):
        Dataset.range(5).reduce(np.int64(0), lambda s, v: (s, v))


def test_apply():
    assert listed(Dataset.range(3).apply(lambda d: d.batch(3))) == [[0, 1, 2]]
    with pytest.raises(
        TypeError, match=r"must return a `tf.data.Dataset` object. Got <class 'int'>"
    ):
        Dataset.range(3).apply(lambda _: 3)


@given(st.integers(0, 12), st.integers(0, 15))
def test_take_and_skip_make_the_whole(number, split):
    dataset = Dataset.range(number)
    parts = dataset.take(split).concatenate(dataset.skip(split))
    assert listed(parts) == listed(dataset)
    assert len(parts) == number


@pytest.mark.parametrize(
    ("sizes", "drop", "length"),
    [(1, False, 1), (2, False, 2), (3, False, None), (3, True, 3), ([2, 2], False, 2)],
)
def test_the_length_of_new_batches_is_known_if_all_are_full(sizes, drop, length):
    dataset = Dataset.from_tensor_slices(tf.zeros((6, 4, 2)))
    assert dataset.rebatch(sizes, drop_remainder=drop).element_spec.shape == [length, 2]
    uneven = Dataset.from_tensors((tf.zeros([2]), tf.zeros([4])))
    with pytest.raises(ValueError, match="different lengths"):
        uneven.rebatch(sizes)
