"""Nested structures: what is a container, the order of leaves, errors, and round trips."""

import collections
import dataclasses
import types
from collections import OrderedDict, UserDict, UserList, defaultdict, deque

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf
from gradtape import nest

Point = collections.namedtuple("Point", "x y")  # noqa: PYI024
Twin = collections.namedtuple("Point", "x y")  # noqa: PYI024
Other = collections.namedtuple("Other", "x y")  # noqa: PYI024
Renamed = collections.namedtuple("Point", "x z")  # noqa: PYI024


class SubPoint(Point):
    pass


class SubList(list):
    pass


class SubTuple(tuple):
    __slots__ = ()


class SubDict(dict):
    pass


class AMapping(collections.abc.Mapping):
    def __init__(self, *args, **kwargs):
        self.items_ = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)


class ASequence(collections.abc.Sequence):
    def __init__(self, items):
        self.items_ = list(items)

    def __getitem__(self, i):
        return self.items_[i]

    def __len__(self):
        return len(self.items_)


@attrs.define
class WithAttrs:
    b: object
    a: object


@dataclasses.dataclass
class Plain:
    a: object
    b: object


@dataclasses.dataclass
class Flattens:
    a: object
    b: object

    def __tf_flatten__(self):
        return (self.b,), (self.a,)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(leaves[0], metadata[0])


LEAVES = [None, 1, "ab", b"ab", {1, 2}, Plain(1, 2), Plain, object(), tf.constant([1.0])]
LEAVES += [tf.Variable([1.0]), np.ones(2), tf.TensorShape([1, 2]), tf.float32, (x for x in "ab")]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: type(leaf).__name__)
def test_leaves(leaf):
    assert not nest.is_nested(leaf)
    (same,) = nest.flatten(leaf)
    assert same is leaf
    assert nest.pack_sequence_as(leaf, [3]) == 3
    assert nest.map_structure(lambda x: [x], leaf)[0] is leaf


@pytest.mark.parametrize(
    ("structure", "leaves", "plus_ten"),
    [
        ([], [], []),
        ((), [], ()),
        ({}, [], {}),
        ([1, [2, (3,)], {"b": 5, "a": 4}], [1, 2, 3, 4, 5], [11, [12, (13,)], {"b": 15, "a": 14}]),
        ({2: 2, 1: 1}, [1, 2], {2: 12, 1: 11}),
        (OrderedDict(b=2, a=1), [1, 2], OrderedDict(b=12, a=11)),
        (defaultdict(int, b=2, a=1), [1, 2], defaultdict(int, b=12, a=11)),
        (UserDict(b=2, a=1), [1, 2], UserDict(b=12, a=11)),
        (SubDict(b=2, a=1), [1, 2], SubDict(b=12, a=11)),
        (AMapping(b=2, a=1), [1, 2], AMapping(b=12, a=11)),
        (Point(1, (2, 3)), [1, 2, 3], Point(11, (12, 13))),
        (SubPoint(1, 2), [1, 2], SubPoint(11, 12)),
        (WithAttrs(1, 2), [1, 2], WithAttrs(11, 12)),
        (Flattens(1, 2), [1], Flattens(11, 2)),
        (SubList([1, 2]), [1, 2], SubList([11, 12])),
        (SubTuple([1, 2]), [1, 2], SubTuple([11, 12])),
        (UserList([1, 2]), [1, 2], UserList([11, 12])),
        (deque([1, 2]), [1, 2], deque([11, 12])),
        (range(3), [0, 1, 2], [10, 11, 12]),
        (bytearray(b"ab"), [97, 98], bytearray([107, 108])),
        ({"a": 1}.values(), [1], [11]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_containers(structure, leaves, plus_ten):
    assert nest.is_nested(structure)
    assert nest.flatten(structure) == leaves
    mapped = nest.map_structure(lambda x: x + 10, structure)
    packed = nest.pack_sequence_as(structure, [x + 10 for x in leaves])
    for result in (mapped, packed):
        assert result == plus_ten
        assert type(result) is type(plus_ten)
        if isinstance(result, dict | UserDict):
            assert list(result) == list(structure)


def test_other_sequences_and_views():
    assert nest.flatten(ASequence([1, 2])) == [1, 2]
    assert nest.map_structure(lambda x: x + 1, ASequence([1])).items_ == [2]
    assert nest.flatten({"a": 1}.keys()) == ["a"]
    assert nest.flatten({"a": 1}.items()) == ["a", 1]
    assert nest.flatten(memoryview(b"ab")) == [97, 98]
    assert nest.map_structure(lambda x: x, defaultdict(list, a=1)).default_factory is list


def test_mappings_that_cannot_be_rebuilt():
    view = types.MappingProxyType({"b": 2, "a": 1})
    assert nest.flatten(view) == [1, 2]
    with pytest.raises(TypeError, match="Error creating an object of type <class 'mappingproxy'>"):
        nest.map_structure(lambda x: x, view)


def test_keys_without_an_order():
    with pytest.raises(TypeError, match=r"'<' not supported .* Give all keys one type: \[1, 'a'\]"):
        nest.flatten({1: 1, "a": 2})


# Several structures.


def add(*leaves):
    return sum(leaves)


def test_map_structure_resembles_the_first():
    assert nest.map_structure(add, [1, {"a": 2}], [10, {"a": 20}], [100, {"a": 200}]) == [
        111,
        {"a": 222},
    ]
    assert nest.map_structure(add, {"a": 1, "b": 2}, {"b": 20, "a": 10}) == {"a": 11, "b": 22}
    assert nest.map_structure(add, (1, 2), [3, 4], check_types=False) == (4, 6)
    assert nest.map_structure(add, {"a": 1}, {"b": 1}, check_types=False) == {"a": 2}
    assert nest.map_structure(lambda _: None, [1, None]) == [None, None]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "a"),
        ([1, 2], [3, 4]),
        ([1], SubList([2])),
        (SubList([2]), [1]),
        ({"a": 1}, OrderedDict(a=1)),
        ({"a": 1}, AMapping(a=1)),
        ({"a": 1}, UserDict(a=1)),
        (defaultdict(int, a=1), {"a": 1}),
        (Point(1, 2), Twin(1, 2)),
        (WithAttrs(1, 2), WithAttrs(3, 4)),
        ([1], [None]),
        ([1], [tf.TensorShape([2])]),
        ("ab", "cd"),
    ],
)
def test_structures_that_are_alike(one, other):
    assert nest.assert_same_structure(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "error", "reason"),
    [
        ([1, 2], (3, 4), TypeError, "has type list, while second structure"),
        ((1,), SubTuple([1]), TypeError, "has type tuple, while second structure"),
        ([1], UserList([1]), TypeError, "has type UserList"),
        (Point(1, 2), Other(1, 2), TypeError, "has type Other"),
        (Point(1, 2), Renamed(1, 2), TypeError, "has type Point"),
        (Point(1, 2), (1, 2), TypeError, "has type tuple"),
        (WithAttrs(1, 2), Point(3, 4), TypeError, "has type WithAttrs"),
        ({"a": 1}, [1], TypeError, "has type dict"),
        ({"a": (1, 2)}, {"a": [1, 2]}, TypeError, "First structure type=tuple str=(1, 2)"),
        ([1, 2], 3, ValueError, '"type=list str=[1, 2]" is a sequence, while substructure'),
        (1, [2], ValueError, '"type=list str=[2]" is a sequence, while substructure'),
        ([1, 2], [3, [4]], ValueError, 'substructure "type=int str=2" is not'),
        ([1, None], [2, []], ValueError, 'substructure "type=NoneType str=None" is not'),
        ([1, 2], [1], ValueError, "don't have the same number of elements. First structure: type="),
        ([1, [2, 3]], [1, [2]], ValueError, "Second structure: type=list str=[2]"),
        ({"a": 1}, {"b": 1}, ValueError, "has keys type=list str=['a'], while second structure"),
        ({"a": 1}, {"a": 1, "b": 2}, ValueError, "has keys type=list str=['a', 'b']"),
        ("ab", ["c", "d"], ValueError, 'substructure "type=str str=ab" is not'),
    ],
)
def test_structures_that_differ(one, other, error, reason):
    with pytest.raises(error) as raised:
        nest.assert_same_structure(one, other)
    assert reason in str(raised.value)
    with pytest.raises(error):
        nest.map_structure(add, one, other)


def test_the_whole_message():
    with pytest.raises(ValueError) as raised:
        nest.assert_same_structure([1, {"a": (2,)}], [1, {"a": (2, 3)}])
    assert str(raised.value) == (
        "The two structures don't have the same nested structure.\n\n"
        "First structure: type=list str=[1, {'a': (2,)}]\n\n"
        "Second structure: type=list str=[1, {'a': (2, 3)}]\n\n"
        "More specifically: The two structures don't have the same number of elements. "
        "First structure: type=tuple str=(2,). Second structure: type=tuple str=(2, 3)\n"
        "Entire first structure:\n[., {'a': (.,)}]\n"
        "Entire second structure:\n[., {'a': (., .)}]"
    )


def test_types_need_not_be_checked():
    nest.assert_same_structure({"a": 1}, [1], check_types=False)
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)
    with pytest.raises(ValueError, match="same number of elements"):
        nest.assert_same_structure({"a": 1}, {"b": 1, "c": 2}, check_types=False)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nest.map_structure(3, [1]), TypeError, "func must be callable, got: 3"),
        (lambda: nest.map_structure(add), ValueError, "Must provide at least one structure"),
        (
            lambda: nest.map_structure(add, [1], foo=1, check_types=False),
            ValueError,
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: `foo`",
        ),
        (
            lambda: nest.pack_sequence_as([1, 2], [3]),
            ValueError,
            (
                "Could not pack sequence. Structure had 2 atoms, but flat_sequence had 1 items.  "
                "Structure: [1, 2], flat_sequence: [3]."
            ),
        ),
        (
            lambda: nest.pack_sequence_as([], [1]),
            ValueError,
            (
                "Could not pack sequence. Structure had 0 atoms, but flat_sequence had 1 items.  "
                "Structure: [], flat_sequence: [1]."
            ),
        ),
        (
            lambda: nest.pack_sequence_as(1, [3, 4]),
            ValueError,
            (
                "The target structure is of type `<class 'int'>`\n  1\nHowever the input is a "
                "sequence (<class 'list'>) of length 2.\n  [3, 4]\nnest cannot guarantee that "
                "it is safe to map one to the other."
            ),
        ),
        (
            lambda: nest.pack_sequence_as([1], 3),
            TypeError,
            (
                "Attempted to pack value:\n  3\ninto a structure, but found incompatible type "
                "`<class 'int'>` instead."
            ),
        ),
        (
            lambda: nest.pack_sequence_as([1], np.array([3])),
            TypeError,
            (
                "Attempted to pack value:\n  [3]\ninto a structure, but found incompatible type "
                "`<class 'numpy.ndarray'>` instead."
            ),
        ),
    ],
)
def test_bad_calls(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_packing_from_any_sequence():
    assert nest.pack_sequence_as([1, [2]], range(2)) == [0, [1]]
    assert nest.pack_sequence_as([1, [2]], (5, 6)) == [5, [6]]


def test_composite_tensors_on_request():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    assert nest.flatten([slices])[0] is slices
    values, indices, dense_shape = nest.flatten([slices], expand_composites=True)
    assert values is slices.values
    assert indices is slices.indices
    assert dense_shape is slices.dense_shape
    doubled = nest.map_structure(lambda x: x * 2, slices, expand_composites=True)
    assert isinstance(doubled, tf.IndexedSlices)
    assert doubled.values.numpy().tolist() == [[2, 2]]


structures = st.recursive(
    st.integers() | st.none() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3).map(OrderedDict)
        | st.tuples(inner, inner).map(lambda pair: Point(*pair))
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(structures)
def test_packing_undoes_flattening(structure):
    leaves = nest.flatten(structure)
    assert nest.pack_sequence_as(structure, leaves) == structure
    assert not any(map(nest.is_nested, leaves))
    nest.assert_same_structure(structure, nest.map_structure(lambda _: 0, structure))


@pytest.mark.slow
@given(structures)
def test_map_is_flatten_apply_pack(structure):
    calls = []
    mapped = nest.map_structure(lambda leaf: calls.append(leaf) or len(calls), structure)
    assert calls == nest.flatten(structure)
    assert nest.flatten(mapped) == list(range(1, len(calls) + 1))
