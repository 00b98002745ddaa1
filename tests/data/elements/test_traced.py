"""Functions of datasets are traced once, from what is known of the elements."""

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


def steps(calls):
    def note(value):
        calls.append(1)
        return value

    numbers = Dataset.range(1, 5)
    return [
        (numbers.map(lambda x: note(x) * 2), [2, 4, 6, 8]),
        (numbers.filter(lambda x: note(x) > 2), [3, 4]),
        (numbers.take_while(lambda x: note(x) < 3), [1, 2]),
        (numbers.scan(np.int64(0), lambda s, x: (s + note(x), s)), [0, 1, 3, 6]),
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_function_is_traced_once_and_at_once(number):
    calls = []
    made, expected = steps(calls)[number]
    before = len(calls)
    assert listed(made) == listed(made) == expected
    assert made.element_spec == scalar
    assert len(calls) == before == 4  # one for each of the steps


def test_the_spec_comes_from_the_trace_without_elements():
    nothing = Dataset.range(0)
    assert nothing.map(lambda x: tf.cast(x, tf.float32)).element_spec == TensorSpec([], tf.float32)
    assert nothing.scan(0.0, lambda s, _: (s, s)).element_spec == TensorSpec([], tf.float32)
    fails = Dataset.from_tensor_slices([0, 1]).map(lambda x: 10 // x)
    assert fails.element_spec == TensorSpec([], tf.int32)
    with pytest.raises(errors.InvalidArgumentError):
        list(fails)


def test_the_spec_of_windows_comes_from_a_dataset_in_their_place():
    pictures = Dataset.from_tensor_slices(np.zeros([5, 2, 3], np.float32))
    batches = pictures.window(2).flat_map(lambda window: window.map(lambda x: x + 1).batch(2))
    assert batches.element_spec == TensorSpec([None, 2, 3], tf.float32)
    grouped = pictures.group_by_window(
        lambda x: tf.cast(tf.reduce_sum(x), tf.int64), lambda _, window: window.batch(2), 2
    )
    assert grouped.element_spec == TensorSpec([None, 2, 3], tf.float32)
    assert [len(x) for x in grouped] == [2, 2, 1]


def test_unknown_lengths_stay_unknown_and_known_ones_known():
    batches = Dataset.from_tensor_slices(np.zeros([5, 4], np.float32)).batch(2)
    assert batches.map(lambda x: x @ tf.ones([4, 3])).element_spec == TensorSpec([None, 3])
    assert batches.map(tf.transpose).element_spec == TensorSpec([4, None])
    assert batches.flat_map(Dataset.from_tensor_slices).element_spec == TensorSpec([4])


def test_errors_of_the_function_are_raised_where_it_is_given():
    numbers = Dataset.range(3)
    with pytest.raises(KeyError, match="boo"):
        numbers.map(lambda _: {}["boo"])
    with pytest.raises(TypeError):
        numbers.map(lambda _a, _b: 1)
    with pytest.raises(AttributeError, match="numpy"):
        numbers.map(lambda x: x.numpy())
    with pytest.raises(TypeError, match="Unsupported return value"):
        numbers.map(lambda _: object())
    with pytest.raises(ValueError, match="`predicate` must return"):
        numbers.filter(lambda x: x)
    with pytest.raises(AttributeError, match="`predicate` must return"):
        numbers.filter(lambda x: [x > 1, x > 2])
    with pytest.raises(TypeError):
        numbers.map(lambda x: x + tf.constant(1.0))
    with pytest.raises(ValueError, match="reshape"):
        numbers.map(lambda x: tf.reshape(x, [2]) + tf.reshape(tf.constant([1, 2, 3]), [2]))


def test_values_from_outside_are_kept_and_variables_read_when_iterating():
    k, v = tf.constant(10, tf.int64), counter()
    made = Dataset.range(2).map(lambda x: x + k + v)
    k = tf.constant(100, tf.int64)
    assert listed(made) == [10, 11]
    v.assign(5)
    assert listed(made) == [15, 16]
    assert int(k) == 100


def test_no_tape_follows_what_a_function_does():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        made = Dataset.from_tensor_slices([1.0, 2.0]).map(lambda x: w * x)
        total = tf.add_n(list(made)) * w
    assert float(tape.gradient(total, w)) == 6.0


def test_random_numbers_begin_anew_under_a_seed_only():
    def draws(seed):
        return Dataset.range(4).map(lambda _: tf.random.uniform([], seed=seed))

    tf.random.set_seed(1)
    seeded = draws(None)
    first = listed(seeded)
    assert len(set(first)) == 4
    assert listed(seeded) == first
    tf.random.set_seed(1)
    assert listed(draws(None)) == first
    interleaved = [float(x) for pair in zip(seeded, seeded, strict=True) for x in pair]
    assert interleaved == [x for x in first for _ in range(2)]


ROWS = tf.ragged.constant([[[1, 1], [2]], [[], [2]]])


@pytest.mark.parametrize(
    "step",
    [
        lambda dataset: dataset.map(lambda x: x),
        lambda dataset: dataset.flat_map(Dataset.from_tensors),
        lambda dataset: dataset.interleave(Dataset.from_tensors),
        lambda dataset: dataset.map(lambda x: x).unbatch().batch(2),
    ],
)
@pytest.mark.parametrize("rows", [ROWS, ROWS.with_row_splits_dtype(tf.int32)])
def test_elements_with_several_ragged_axes_keep_their_rows(step, rows):
    (found,) = step(Dataset.from_tensors(rows))
    assert found.to_list() == rows.to_list()


def test_datasets_of_ragged_rows_in_functions():
    rows = Dataset.from_tensor_slices(ROWS).flat_map(lambda x: Dataset.from_tensors(x).repeat(2))
    assert [x.to_list() for x in rows] == [[[1, 1], [2]]] * 2 + [[[], [2]]] * 2


@pytest.mark.parametrize("message", ["of the program", "of the program, about a dtype"])
@pytest.mark.parametrize("method", ["map", "filter"])
def test_errors_that_a_program_raises_keep_their_type(method, message):
    def fails(x):
        raise tf.errors.InvalidArgumentError(None, None, message)

    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        getattr(tf.data.Dataset.range(3), method)(fails)


def test_a_failed_assertion_keeps_its_type():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.data.Dataset.range(3).map(lambda x: tf.debugging.assert_equal(1, 2))
