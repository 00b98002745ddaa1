"""Datasets: what their elements are, in what order, and what is known beforehand."""

import collections
import threading

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf
from gradtape import data, errors
from gradtape._src.ops.types.specs import TensorSpec
from gradtape.data import Dataset

Point = collections.namedtuple("Point", "x y")  # noqa: PYI024  (as programs write them)
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


# Sources.


@pytest.mark.parametrize(
    ("args", "values"),
    [((5,), [0, 1, 2, 3, 4]), ((2, 5), [2, 3, 4]), ((10, 0, -3), [10, 7, 4, 1]), ((5, 0), [])],
)
def test_range(args, values):
    dataset = Dataset.range(*args)
    assert listed(dataset) == values
    assert len(dataset) == len(values)
    assert repr(dataset) == f"<_RangeDataset element_spec={scalar}>"


def test_range_of_another_type():
    (one,) = Dataset.range(1, 2, output_type=tf.float32)
    assert repr(one) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((), ValueError, "length of `args` should be between 1 and 3 but was 0"),
        ((1, 2, 0), errors.InvalidArgumentError, "step must be a non-zero integer"),
        ((2.5,), TypeError, "Cannot convert 2.5"),
    ],
)
def test_bad_ranges(args, error, message):
    with pytest.raises(error, match=message):
        Dataset.range(*args)


@pytest.mark.parametrize(
    ("tensors", "elements"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        (([1, 2], [3, 4]), [(1, 3), (2, 4)]),
        (([1, 2],), [(1,), (2,)]),
        (([1, 2], ([3, 4], {"a": [5, 6]})), [(1, (3, {"a": 5})), (2, (4, {"a": 6}))]),
        ({"b": [1, 2], "a": [3, 4]}, [{"b": 1, "a": 3}, {"b": 2, "a": 4}]),
        (Point([1, 2], [3, 4]), [Point(1, 3), Point(2, 4)]),
        (["a", "bc"], [b"a", b"bc"]),
        ((["a"], [1]), [(b"a", 1)]),
        ((None, [1]), [(None, 1)]),
        (np.zeros((2, 0)), [[], []]),
        ([], []),
    ],
)
def test_from_tensor_slices(tensors, elements):
    dataset = Dataset.from_tensor_slices(tensors)
    assert listed(dataset) == listed(dataset) == elements
    assert len(dataset) == len(elements)
    for element in dataset:
        tf.nest.assert_same_structure(dataset.element_spec, element)


def test_slices_of_tensors_and_variables():
    assert listed(Dataset.from_tensor_slices(tf.constant([1, 2]))) == [1, 2]
    assert listed(Dataset.from_tensor_slices(tf.Variable([1.0, 2.0]))) == [1, 2]
    (one,) = Dataset.from_tensor_slices(np.ones(1, ml_dtypes.bfloat16))
    assert (one.dtype, float(one)) == (tf.bfloat16, 1)


def test_slices_do_not_change_with_the_array():
    array = np.arange(2)
    dataset = Dataset.from_tensor_slices(array)
    array[:] = 7
    assert listed(dataset) == [0, 1]


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ((np.zeros(3), np.zeros(5)), "Dimensions 3 and 5 are not compatible"),
        (3, "Unbatching a tensor is only supported for rank >= 1"),
        ([[1], [2, 3]], "Can't convert non-rectangular Python sequence to Tensor"),
        ((), "`element` should not be empty"),
        (None, "`element` should not be empty"),
    ],
)
def test_bad_slices(tensors, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_tensor_slices(tensors)


def test_from_tensors():
    dataset = Dataset.from_tensors((1, [2.0, 3.0]))
    assert (listed(dataset), len(dataset)) == ([(1, [2.0, 3.0])], 1)
    assert dataset.element_spec == (TensorSpec([], tf.int32), TensorSpec([2], tf.float32))
    assert int(Dataset.from_tensors(3).get_single_element()) == 3
    with pytest.raises(errors.InvalidArgumentError):
        Dataset.from_tensors(())


@pytest.mark.parametrize("number", [0, 2])
def test_what_is_no_single_element(number):
    with pytest.raises(errors.InvalidArgumentError, match=r"no elements|more than one element"):
        Dataset.range(number).get_single_element()


def test_a_dataset_is_not_made_by_its_class():
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset(3)


def test_other_sources():
    assert listed(Dataset.counter(2, 3).take(3)) == [2, 5, 8]
    chosen = Dataset.choose_from_datasets(
        [Dataset.range(3), Dataset.range(10, 13)], Dataset.from_tensor_slices([0, 1, 0])
    )
    assert listed(chosen) == [0, 10, 1]


# Generators.


def test_from_generator():
    signature = (TensorSpec([], tf.int32), TensorSpec([None], tf.float32))
    dataset = Dataset.from_generator(
        lambda: iter([(1, [1.0, 2.0]), (2, [3.0])]), output_signature=signature
    )
    assert listed(dataset) == listed(dataset) == [(1, [1, 2]), (2, [3])]
    assert dataset.element_spec == signature
    assert dataset.cardinality() == data.UNKNOWN_CARDINALITY


def test_from_generator_with_types_and_shapes():
    def generator():
        yield {"a": 1, "b": "x"}

    types = {"a": tf.float32, "b": tf.string}
    assert listed(Dataset.from_generator(generator, types)) == [{"a": 1, "b": b"x"}]
    dataset = Dataset.from_generator(generator, types, {"a": [], "b": None})
    assert dataset.element_spec == {"a": TensorSpec([]), "b": TensorSpec(None, tf.string)}
    assert Dataset.from_generator(generator, tf.int32).element_spec == TensorSpec(None, tf.int32)


def test_from_generator_with_arguments():
    dataset = Dataset.from_generator(
        lambda n: [type(n).__name__] * n, args=(2,), output_signature=TensorSpec([], tf.string)
    )
    assert listed(dataset) == [b"int32", b"int32"]


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


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((list,), "you need to provide either the `output_signature`"),
        ((3, tf.int32), "`generator` must be a Python callable"),
        ((list, tf.int32, None, None, scalar), "`output_types` argument can not be used"),
        ((list, None, (), None, scalar), "`output_shapes` argument can not be used"),
        ((list, None, None, None, 3), "subclass of `tf.TypeSpec` but found <class 'int'>"),
    ],
)
def test_bad_generators(args, message):
    with pytest.raises(TypeError, match=message):
        Dataset.from_generator(*args)


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


def test_zip():
    a, b = Dataset.range(3), Dataset.range(4)
    assert listed(Dataset.zip(a, b)) == listed(Dataset.zip((a, b))) == [(0, 0), (1, 1), (2, 2)]
    assert listed(Dataset.zip(datasets=(a, b))) == [(0, 0), (1, 1), (2, 2)]
    assert listed(Dataset.zip({"x": a, "y": (b,)}))[2] == {"x": 2, "y": (2,)}
    assert listed(Dataset.zip(a)) == [0, 1, 2]
    assert Dataset.zip(a, b).element_spec == (scalar, scalar)


@pytest.mark.parametrize(
    "args", [(), (1,), ((Dataset.range(1), 1),), ([Dataset.range(1), Dataset.range(1)],)]
)
def test_what_cannot_be_zipped(args):
    with pytest.raises(TypeError, match=r"`zip`"):
        Dataset.zip(*args)


# Order.


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


# Functions.


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda v: v * 2, 2),
        (lambda v: (v, {"a": v + 1}), (1, {"a": 2})),
        (lambda v: [v, 2.0], (1, 2.0)),
        (lambda v: {"a": [v, v]}, {"a": [1, 1]}),
        (lambda v: Point(v, v), Point(1, 1)),
        (lambda v: (v, None), (1, None)),
        (lambda _: 5, 5),
        (lambda _: "a", b"a"),
        (lambda _: np.arange(2), [0, 1]),
        (lambda _: np.float64(1), 1.0),
    ],
)
def test_map(function, result):
    dataset = Dataset.range(1, 2).map(function, num_parallel_calls=data.AUTOTUNE)
    assert listed(dataset) == [result]


def test_functions_get_the_components_of_a_tuple():
    assert listed(pairs().map(lambda a, b: (b, a)))[1] == (1, [2, 3])
    named = Dataset.from_tensor_slices(Point([1], [2]))
    assert listed(named.map(lambda point: point.x)) == [1]
    assert listed(Dataset.from_tensors({"a": 1}).map(lambda d: d["a"])) == [1]
    assert listed(Dataset.from_tensors((1,)).map(lambda *args: args)) == [(1,)]


def test_functions_are_plain_python():
    assert listed(Dataset.range(3).map(lambda v: v if v > 1 else -v)) == [0, -1, 2]
    with pytest.raises(ZeroDivisionError):
        Dataset.range(3).map(lambda _: 1 / 0)
    with pytest.raises(ValueError, match="Argument `func` must be a callable"):
        Dataset.range(3).map(3)
    with pytest.raises(errors.InvalidArgumentError, match="must return a value"):
        Dataset.range(3).map(lambda _: None)
    with pytest.raises(errors.InvalidArgumentError, match="num_parallel_calls"):
        Dataset.range(3).map(lambda v: v, num_parallel_calls=0)


@pytest.mark.parametrize(
    ("dataset", "spec"),
    [
        (Dataset.range(3).map(lambda v: tf.cast(v, tf.float32)), TensorSpec([])),
        (Dataset.range(3).map(lambda v: tf.fill([v], v)), TensorSpec([None], tf.int64)),
        (Dataset.range(3).batch(2).map(lambda v: v + 1), TensorSpec([None], tf.int64)),
        (
            Dataset.from_tensor_slices(["a"]).map(lambda s: (s, 1)),
            (TensorSpec([], tf.string), TensorSpec([], tf.int32)),
        ),
        (Dataset.range(1, 2).map(lambda _: 0.5), TensorSpec([])),
        (Dataset.range(3).flat_map(Dataset.range), scalar),
        (Dataset.range(3).scan(0.0, lambda s, v: (s, (s, v))), (TensorSpec([]), scalar)),
    ],
)
def test_the_spec_of_what_a_function_makes(dataset, spec):
    assert dataset.element_spec == spec


def test_a_printed_form_even_if_the_function_fails():
    def fails(_):
        return tf.numpy_function(lambda: {}["boo"], [], tf.int64)

    assert "unknown (KeyError: 'boo')" in repr(Dataset.range(3).map(fails))


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


# Batches.


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


def test_as_an_object():
    dataset = Dataset.range(0)
    assert bool(dataset)
    assert dataset != Dataset.range(0)
    with pytest.raises(TypeError):
        next(dataset)
    with pytest.raises(TypeError):
        dataset[0]


def test_iterators():
    elements = iter(Dataset.range(1))
    assert isinstance(elements, data.Iterator)
    assert type(elements).__name__ == "OwnedIterator"
    assert iter(elements) is elements
    assert elements.element_spec == scalar
    assert int(elements.get_next()) == 0
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        elements.get_next()
    with pytest.raises(StopIteration):
        next(elements)
    arrays = Dataset.range(1).as_numpy_iterator()
    assert iter(arrays) is arrays
    assert next(arrays) == 0


def test_arrays_may_be_changed():
    dataset = Dataset.from_tensor_slices(np.zeros((1, 2))).cache()
    for array in (*dataset.as_numpy_iterator(), *dataset.as_numpy_iterator()):
        assert array.tolist() == [0, 0]
        array[:] = 1


def test_options():
    options = data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 2
    options.experimental_distribute.auto_shard_policy = data.experimental.AutoShardPolicy.DATA
    dataset = Dataset.range(3).with_options(options).batch(2)
    assert dataset.options().deterministic is False
    assert dataset.options().threading.private_threadpool_size == 2
    assert dataset.with_options(data.Options()).options().deterministic is False
    assert listed(dataset) == [[0, 1], [2]]
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 3


# Gradients.


def test_a_dataset_stops_gradients():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        (element,) = Dataset.from_tensors(x * 3.0).map(lambda v: v * x)
        y = element * x
    assert float(y) == 24
    assert float(tape.gradient(y, x)) == 12
    with tf.GradientTape() as tape:
        (element,) = Dataset.from_tensors(x * 3.0)
    assert tape.gradient(element, x) is None


def test_functions_do_not_watch_variables():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        list(Dataset.range(2).map(lambda _: x * 2.0))
        total = Dataset.range(2).reduce(0.0, lambda s, _: s + x)
    assert float(total) == 4
    assert tape.watched_variables() == ()


def test_a_function_may_use_a_tape():
    def slope(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        return tape.gradient(y, v)

    assert listed(Dataset.from_tensor_slices([1.0, 2.0]).map(slope)) == [2, 4]


def test_elements_are_fresh_tensors():
    dataset = Dataset.from_tensors(1.0).cache()
    (first,), (second,) = dataset, dataset
    assert first is not second
    with tf.GradientTape() as tape:
        tape.watch(first)
        y = second * 2.0
    assert tape.gradient(y, first) is None


# Prefetching.


def prefetching():
    return [t for t in threading.enumerate() if t.name == "gradtape-prefetch"]


@pytest.mark.parametrize("size", [0, 1, 100, data.AUTOTUNE])
def test_prefetch(size):
    assert listed(Dataset.range(10).prefetch(size)) == list(range(10))


def test_prefetching_runs_ahead():
    asked, made = threading.Event(), threading.Event()

    def make(v):
        if v == 2:
            made.set()
        return v

    elements = iter(Dataset.range(10).map(make).prefetch(2))
    assert not asked.is_set()
    assert int(next(elements)) == 0
    assert made.wait(10)


def test_errors_come_through_after_the_elements_before_them():
    dataset = Dataset.range(3).map(lambda v: 2 // (2 - v)).prefetch(10)
    elements = iter(dataset)
    assert [int(next(elements)), int(next(elements))] == [1, 2]
    with pytest.raises(errors.InvalidArgumentError):
        next(elements)


def test_a_forgotten_iterator_ends_its_thread():
    before = prefetching()
    elements = iter(Dataset.range(3).repeat().prefetch(2))
    next(elements)
    (thread,) = [t for t in prefetching() if t not in before]
    del elements
    thread.join(10)
    assert not thread.is_alive()


def test_a_negative_buffer():
    with pytest.raises(errors.InvalidArgumentError, match="buffer_size must be >= 0"):
        Dataset.range(3).prefetch(-2)


# Laws.


@given(st.integers(0, 20), st.integers(1, 7))
def test_unbatch_undoes_batch(number, size):
    dataset = Dataset.range(number)
    batched = dataset.batch(size)
    assert listed(batched.unbatch()) == listed(dataset)
    assert len(batched) == len(listed(batched))


@given(st.integers(0, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3), st.booleans())
def test_the_number_of_windows(number, size, shift, stride, drop_remainder):
    dataset = Dataset.range(number).window(size, shift, stride, drop_remainder)
    windows = [listed(window) for window in dataset]
    assert len(dataset) == len(windows)
    for start, window in enumerate(windows):
        expected = range(start * shift, number, stride)[:size]
        assert window == list(expected)
        assert len(window) == size or not drop_remainder


@given(st.integers(0, 12), st.integers(0, 15))
def test_take_and_skip_make_the_whole(number, split):
    dataset = Dataset.range(number)
    parts = dataset.take(split).concatenate(dataset.skip(split))
    assert listed(parts) == listed(dataset)
    assert len(parts) == number
