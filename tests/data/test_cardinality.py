"""The number of elements of a dataset, as far as it is known."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import data, errors
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


# What is known.

_some = Dataset.range(3).filter(lambda _: True)  # an unknown number of elements
_all = Dataset.range(3).repeat()  # infinitely many


@pytest.mark.parametrize(
    ("dataset", "number"),
    [
        (Dataset.range(7).batch(2), 4),
        (Dataset.range(7).batch(2, drop_remainder=True), 3),
        (Dataset.range(7).map(lambda v: v).cache().prefetch(1).enumerate().shuffle(2), 7),
        (Dataset.range(7).shard(3, 0), 3),
        (Dataset.range(7).shard(3, 1), 2),
        (Dataset.range(7).skip(10), 0),
        (Dataset.range(7).scan(0, lambda s, v: (s, v)), 7),
        (Dataset.range(0).repeat(), 0),
        (_all.take(4), 4),
        (_all.skip(4), -1),
        (_all.batch(4), -1),
        (_all.concatenate(_some), -1),
        (_some, -2),
        (_some.repeat(), -1),
        (_some.repeat(0), 0),
        (_some.take(3), -2),
        (_some.concatenate(Dataset.range(2)), -2),
        (Dataset.zip(_all, Dataset.range(2)), 2),
        (Dataset.zip(_some, Dataset.range(2)), -2),
        (Dataset.zip(_all, _all), -1),
        (_some.apply(data.experimental.assert_cardinality(3)), 3),
        (Dataset.range(3).flat_map(Dataset.range), -2),
    ],
)
def test_cardinality(dataset, number):
    assert int(dataset.cardinality()) == int(data.experimental.cardinality(dataset)) == number
    if number >= 0:
        assert len(dataset) == number == len(listed(dataset))


def test_no_length():
    with pytest.raises(TypeError, match="The dataset is infinite"):
        len(_all)
    with pytest.raises(TypeError, match=r"The dataset length is unknown.*assert_cardinality"):
        len(_some)


@pytest.mark.parametrize(("said", "found"), [(5, "only 3"), (2, "3")])
def test_a_wrong_cardinality(said, found):
    dataset = _some.apply(data.experimental.assert_cardinality(said))
    with pytest.raises(errors.FailedPreconditionError, match=f"contain {said} .* {found} elements"):
        list(dataset)


def test_elements_of_several_datasets():
    endless, three = Dataset.range(1).repeat(), Dataset.range(3)
    choices = Dataset.range(2)
    for mix in (
        lambda parts: Dataset.sample_from_datasets(parts, seed=1),
        lambda parts: Dataset.choose_from_datasets(parts, choices),
    ):
        assert mix([endless, endless]).cardinality() == tf.data.INFINITE_CARDINALITY
        assert mix([endless, three]).cardinality() == tf.data.INFINITE_CARDINALITY
        assert mix([three, three]).cardinality() == tf.data.UNKNOWN_CARDINALITY
        assert mix([three]).cardinality() == 3


def test_the_number_of_rows_of_batches():
    def count(dataset):
        return int(dataset.unbatch().cardinality())

    numbers = tf.data.Dataset.range(5)
    assert count(numbers.batch(4, drop_remainder=True)) == 4
    assert count(numbers.batch(4)) == tf.data.UNKNOWN_CARDINALITY
    assert count(numbers.batch(2, drop_remainder=True).repeat()) == tf.data.INFINITE_CARDINALITY
    assert count(tf.data.Dataset.from_tensor_slices(tf.zeros([0, 2]))) == 0
    assert count(tf.data.Dataset.from_tensor_slices(tf.zeros([3, 0]))) == -2
