"""Iteration over datasets: generators, buffers, caches and windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf
from gradtape import data, errors
from gradtape._src.data.iteration import default_cycle_length
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


@pytest.mark.parametrize(
    ("value", "dtype", "result"),
    [
        (1.5, tf.int32, 1),
        (1, tf.float32, 1.0),
        (np.float64(1), tf.float32, 1.0),
        ("a", tf.string, b"a"),
    ],
)
def test_generated_values_are_converted(value, dtype, result):
    dataset = Dataset.from_generator(lambda: [value], output_signature=TensorSpec([], dtype))
    assert listed(dataset) == [result]


def test_generated_tensors():
    dataset = Dataset.from_generator(
        lambda: [tf.constant(1.0), tf.constant(2.0)], output_signature=TensorSpec([], tf.float32)
    )
    assert listed(dataset) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("yielded", "signature", "message"),
    [
        ([1], TensorSpec([2], tf.int32), r"of shape \(1,\) where an element of shape \(2,\)"),
        ("a", TensorSpec([], tf.int32), "The expected type was int32, but the yielded element was"),
        (1, (scalar, scalar), "did not match the expected structure"),
        ([1, 2], (scalar, scalar), "did not match the expected structure"),
        ((1,), (scalar, scalar), "did not match the expected structure"),
        ({"a": 1}, {"b": scalar}, "did not match the expected structure"),
    ],
)
def test_what_a_generator_must_not_yield(yielded, signature, message):
    dataset = Dataset.from_generator(lambda: [yielded], output_signature=signature)
    with pytest.raises(errors.InvalidArgumentError, match=message):
        list(dataset)


def failing(error):
    yield 1
    raise error


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (KeyError("boo"), errors.UnknownError),
        (ValueError("boo"), errors.InvalidArgumentError),
        (errors.NotFoundError(None, None, "boo"), errors.NotFoundError),
    ],
)
def test_errors_of_a_generator(error, raised):
    dataset = Dataset.from_generator(lambda: failing(error), output_signature=scalar)
    elements = iter(dataset)
    assert int(next(elements)) == 1
    with pytest.raises(raised, match="boo"):
        next(elements)


@pytest.mark.parametrize("size", [1, 3, 10, 100, data.UNKNOWN_CARDINALITY])
def test_shuffling_keeps_all_elements(size):
    assert sorted(listed(Dataset.range(20).shuffle(size))) == list(range(20))


def test_an_element_moves_forward_by_less_than_the_buffer():
    order = listed(Dataset.range(100).shuffle(5, seed=0))
    assert all(place > value - 5 for place, value in enumerate(order))
    assert order != sorted(order)


def test_seeds_of_shuffling():
    again = Dataset.range(50).shuffle(50, seed=1)
    first, second = listed(again), listed(again)
    assert first != second
    twin = Dataset.range(50).shuffle(50, seed=1)
    assert [listed(twin), listed(twin)] == [first, second]
    fixed = Dataset.range(50).shuffle(50, reshuffle_each_iteration=False)
    assert listed(fixed) == listed(fixed)
    tf.random.set_seed(3)
    one = listed(Dataset.range(50).shuffle(50))
    tf.random.set_seed(3)
    assert listed(Dataset.range(50).shuffle(50)) == one


@pytest.mark.parametrize("size", [0, -1])
def test_a_buffer_has_room(size):
    with pytest.raises(errors.InvalidArgumentError, match="buffer_size must be greater than zero"):
        Dataset.range(5).shuffle(size)


def test_cache_keeps_the_first_complete_iteration():
    calls = tf.Variable(0)

    def counting(v):
        calls.assign_add(1)
        return v

    cached = Dataset.range(3).map(counting).cache()
    next(iter(cached))
    assert int(calls) == 1
    assert listed(cached) == listed(cached) == [0, 1, 2]
    assert int(calls) == 4
    assert repr(Dataset.range(1).cache()).startswith("<CacheDataset element_spec=")


@pytest.mark.parametrize(
    ("kwargs", "windows"),
    [
        ({"size": 3}, [[0, 1, 2], [3, 4, 5], [6]]),
        ({"size": 3, "drop_remainder": True}, [[0, 1, 2], [3, 4, 5]]),
        ({"size": 3, "shift": 2}, [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6]]),
        ({"size": 3, "stride": 2}, [[0, 2, 4], [3, 5], [6]]),
        ({"size": 2, "shift": 5}, [[0, 1], [5, 6]]),
        ({"size": 2, "shift": 3, "stride": 2, "drop_remainder": True}, [[0, 2], [3, 5]]),
    ],
)
def test_window(kwargs, windows):
    dataset = Dataset.range(7).window(**kwargs)
    assert [listed(window) for window in dataset] == windows
    assert len(dataset) == len(windows)
    sizes = [len(window) for window in dataset]
    assert sizes == [len(window) for window in windows]


def test_windows_of_components():
    windows = list(Dataset.from_tensor_slices(([1, 2, 3], {"a": [4, 5, 6]})).window(2))
    assert [(listed(a), listed(b["a"])) for a, b in windows] == [([1, 2], [4, 5]), ([3], [6])]
    joined = Dataset.range(5).window(2).flat_map(lambda w: w.batch(2))
    assert listed(joined) == [[0, 1], [2, 3], [4]]
    assert repr(Dataset.range(7).window(3)) == (
        f"<_WindowDataset element_spec=DatasetSpec({scalar}, TensorShape([]))>"
    )
    with pytest.raises(errors.InvalidArgumentError, match="Window size must be greater than zero"):
        Dataset.range(7).window(0)


@given(st.integers(0, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3), st.booleans())
def test_the_number_of_windows(number, size, shift, stride, drop_remainder):
    dataset = Dataset.range(number).window(size, shift, stride, drop_remainder)
    windows = [listed(window) for window in dataset]
    assert len(dataset) == len(windows)
    for start, window in enumerate(windows):
        expected = range(start * shift, number, stride)[:size]
        assert window == list(expected)
        assert len(window) == size or not drop_remainder


def test_parallel_calls_determine_how_many_inputs_are_interleaved(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    lengths = [default_cycle_length(calls) for calls in (None, 1, 4, 20, tf.data.AUTOTUNE)]
    assert lengths == [8, 1, 4, 8, 3]
    pairs = tf.data.Dataset.range(2).interleave(
        lambda i: tf.data.Dataset.from_tensors(i).repeat(2), num_parallel_calls=1
    )
    assert [int(x) for x in pairs] == [0, 0, 1, 1]


@pytest.mark.parametrize("rows", [tf.ragged.constant([[1], [2]]), tf.sparse.from_dense([[1, 0]])])
def test_unique_refuses_elements_that_are_not_single_tensors(rows):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.data.Dataset.from_tensor_slices(rows).unique()


def test_unique_compares_vectors_of_strings():
    rows = tf.data.Dataset.from_tensor_slices([["ab", "c"], ["", "d"], ["ab", "c"]]).unique()
    assert [x.numpy().tolist() for x in rows] == [[b"ab", b"c"], [b"", b"d"]]


def test_ragged_rows_are_unbatched():
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [], [2, 3]]))
    assert [int(x) for x in rows.unbatch()] == [1, 2, 3]
