"""TensorFlow's private `nest`, which libraries import; results are TensorFlow's."""

from typing import Any, NamedTuple

import pytest

import gradtape as tf
from gradtape._src.compat.python import nest


class Point(NamedTuple):
    a: Any
    b: Any


@pytest.mark.parametrize(
    ("shallow", "deep", "expected"),
    [
        ([1, 2], [[1, 2], [3]], [[1, 2], [3]]),
        (1, {"a": 1}, [{"a": 1}]),
        (Point(1, 2), Point([3], 4), [[3], 4]),
        ({"b": 1, "a": 2}, {"b": [3], "a": 4}, [4, [3]]),
    ],
)
def test_beside_shallower(shallow, deep, expected):
    assert nest.flatten_up_to(shallow, deep) == expected


@pytest.mark.parametrize(
    ("shallow", "deep", "error", "message"),
    [
        ([1, 2], [[1, 2]], ValueError, "length 1, while shallow structure has length 2"),
        ([1, [2]], [[1, 2], 3], TypeError, "input must also be a sequence"),
        ([1], (1,), TypeError, "same sequence type"),
        ({"a": 1, "c": 3}, {"a": 1, "b": 2}, ValueError, "not in the input_tree: .'c'."),
    ],
)
def test_beside_shallower_refused(shallow, deep, error, message):
    with pytest.raises(error, match=message):
        nest.assert_shallow_structure(shallow, deep)


def test_paths():
    tree = {"b": [3], "a": Point(4, (5, 6))}
    assert list(nest.yield_flat_paths(tree)) == [("a", "a"), ("a", "b", 0), ("a", "b", 1), ("b", 0)]
    joined = nest.flatten_with_joined_string_paths(tree)
    assert joined == [("a/a", 4), ("a/b/0", 5), ("a/b/1", 6), ("b/0", 3)]
    added = nest.map_structure_with_tuple_paths(lambda p, x, y: (*p, x + y), [1, [2]], [3, [4]])
    assert added == [(0, 4), [(1, 0, 6)]]
    assert nest.map_structure_up_to([1, 2], lambda x, y: x + y, [[1], [2]], [[3], [4]]) == [
        [1, 3],
        [2, 4],
    ]


def test_composite_tensors_are_containers():
    ragged, sparse = tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[1, 0]])
    tree = {"a": [ragged, 1], "b": sparse}
    assert list(nest.yield_flat_paths(tree)) == [("a", 0), ("a", 1), ("b",)]
    joined = [name for name, _ in nest.flatten_with_joined_string_paths(tree, "/", True)]
    inside = ["a/0/RaggedTensor/0", "a/0/RaggedTensor/1", "a/1"]
    assert joined == [*inside, *(f"b/SparseTensor/{i}" for i in range(3))]
    doubled = nest.map_structure_with_paths(
        lambda path, x: 2 * x if path.endswith("0") else x, [ragged], expand_composites=True
    )
    assert doubled[0].to_list() == [[2], [4, 6]]
    assert nest.is_nested_or_composite(ragged)
    assert not nest.is_sequence_or_composite(1)
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        nest.flatten_up_to(ragged, sparse, expand_composites=True)
    with pytest.raises(TypeError, match="input must also be a sequence"):
        nest.flatten_up_to([ragged], [1], expand_composites=True)


def test_how_deep_to_go():
    traverse = nest.get_traverse_shallow_structure
    into_lists = traverse(lambda s: not isinstance(s, tuple), [1, (2, 3), [4, (5,)]])
    assert into_lists == [True, False, [True, False]]
    with pytest.raises(TypeError, match="non-bool scalar: 3"):
        traverse(lambda _: 3, [1])


def test_the_functions_that_keras_reads_from_internal():
    found = tf.__internal__.nest
    assert found.flatten_up_to([0, [0]], [[1, 2], [[3]]]) == [[1, 2], [3]]
    assert found.map_structure_up_to([0, 0], lambda a, b: (a, b), [1, [2]], [3, 4]) == [
        (1, 3),
        ([2], 4),
    ]
    assert found.list_to_tuple([1, [2, (3,)], {"a": [4]}]) == (1, (2, (3,)), {"a": (4,)})
    assert found.sequence_like((1,), [2]) == (2,)
    assert list(found.yield_flat_paths({"b": 1, "a": [2, 3]})) == [("a", 0), ("a", 1), ("b",)]
    assert found.get_traverse_shallow_structure(
        lambda part: not isinstance(part, tuple), [1, (2, 3)]
    ) == [True, False]
    assert found.is_mapping({})
    assert not found.is_attrs({})


def test_composite_tensors_are_opened_on_request():
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    found = tf.__internal__.nest
    assert len(found.flatten_up_to([0], [slices])) == 1
    assert len(found.flatten_up_to([0], [slices], expand_composites=True)) == 1
    assert len(found.flatten_up_to([slices], [slices], expand_composites=True)) == 2
    paths = list(found.yield_flat_paths([slices], expand_composites=True))
    assert paths == [(0, "IndexedSlices", 0), (0, "IndexedSlices", 1)]


def test_parts_of_trackable_objects():
    tracking = tf.__internal__.tracking
    kept = tracking.wrap([1])
    assert isinstance(kept, tracking.TrackableDataStructure)
    assert not isinstance([1], tracking.TrackableDataStructure)
    assert tracking.TrackableReference("a", 3).ref == 3
    assert isinstance(tracking.sticky_attribute_assignment(tf.Module(), "x", [1]), type(kept))
