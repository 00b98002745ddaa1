"""Datasets: what their elements are, in what order, and what is known beforehand."""

import collections

import ml_dtypes
import numpy as np
import pytest

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


def test_a_dataset_is_not_made_by_its_class():
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset(3)


def test_other_sources():
    assert listed(Dataset.counter(2, 3).take(3)) == [2, 5, 8]
    chosen = Dataset.choose_from_datasets(
        [Dataset.range(3), Dataset.range(10, 13)], Dataset.from_tensor_slices([0, 1, 0])
    )
    assert listed(chosen) == [0, 10, 1]


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
        return tf.strings.split(tf.numpy_function(lambda: {}["boo"], [], tf.string))

    assert "unknown (KeyError: 'boo')" in repr(Dataset.range(3).map(fails))
