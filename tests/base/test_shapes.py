"""Static shapes: as sequences, as knowledge, as text."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf
from gradtape._src.base.shapes import Dimension, broadcast_static_shape
from gradtape._src.base.shapes import TensorShape as S

unknown = S(None)
dims = st.lists(st.none() | st.integers(0, 4), max_size=4)
shapes = st.none() | dims


@pytest.mark.parametrize(
    ("shape", "shown", "text"),
    [
        (S([2, None]), "TensorShape([2, None])", "(2, None)"),
        (S([2]), "TensorShape([2])", "(2,)"),
        (S([]), "TensorShape([])", "()"),
        (unknown, "TensorShape(None)", "<unknown>"),
    ],
)
def test_text(shape, shown, text):
    assert (repr(shape), str(shape), f"{shape}") == (shown, text, text)
    with pytest.raises(TypeError, match="format"):
        f"{shape:>12}"


@pytest.mark.parametrize(
    ("given", "dims"),
    [
        (2, (2,)),
        (np.int32(3), (3,)),
        ([np.int64(2)], (2,)),
        (np.array([2, 3]), (2, 3)),
        (range(3), (0, 1, 2)),
        (iter([1, 2]), (1, 2)),
        (S([2]), (2,)),
        ([2, None], (2, None)),
    ],
)
def test_what_becomes_a_shape(given, dims):
    shape = S(given)
    assert tuple(shape) == dims
    assert all(dim is None or type(dim) is int for dim in shape)


def test_tensors_become_shapes():
    assert S(tf.constant([2, 3])) == S([tf.constant(2), 3]) == [2, 3]
    assert S(tf.constant(2)) == [2]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([-1], ValueError, "Dimension -1 must be >= 0"),
        (["a"], TypeError, "Dimension value must be integer or None .* got value ''a''"),
        ([2.0], TypeError, "got value '2.0' with type '<class 'float'>'"),
        ([[2]], TypeError, r"got value '\[2\]'"),
        (2.0, TypeError, "got value '2.0'"),
        ("a", TypeError, "Failed to convert 'a' to a shape"),
        ({"a": 1}, TypeError, "Failed to convert {'a': 1} to a shape"),
    ],
)
def test_what_is_no_shape(given, error, message):
    with pytest.raises(error, match=message):
        S(given)


def test_indexing():
    shape = S([2, None, 4])
    assert (shape[0], shape[1], shape[-1], shape[np.int64(2)]) == (2, None, 4, 4)
    assert shape[1:] == S([None, 4])
    assert shape[1:10] == shape[1:]
    assert shape[::-1] == S([4, None, 2])
    assert isinstance(shape[:0], S)
    with pytest.raises(IndexError):
        shape[5]
    with pytest.raises(TypeError):
        shape["a"]


def test_indexing_an_unknown_rank():
    assert unknown[5] is None
    assert unknown[1:3] == S([None, None])
    assert unknown[:2] == S([None, None])
    assert unknown[3:1] == S([])
    assert repr(unknown[1:]) == repr(unknown[-2:]) == "TensorShape(None)"
    with pytest.raises(ValueError, match="Steps are not yet handled"):
        unknown[1:5:2]


def test_as_a_sequence():
    shape = S([2, 3])
    assert len(shape) == 2
    assert list(shape) == [2, 3]
    assert list(reversed(shape)) == [3, 2]
    assert 2 in shape
    assert np.zeros(shape).shape == (2, 3)
    assert np.arange(6).reshape(shape).shape == np.reshape(np.arange(6), shape).shape == (2, 3)
    assert np.prod(shape) == 6
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        len(unknown)
    with pytest.raises(ValueError, match="Cannot iterate over a shape with unknown rank"):
        list(unknown)


def test_facts():
    shape = S([2, None])
    assert (shape.rank, shape.ndims, shape.as_list()) == (2, 2, [2, None])
    assert [n.value for n in shape.dims] == [2, None]
    assert (unknown.rank, unknown.ndims, unknown.dims) == (None, None, None)
    assert (S([2, 3]).num_elements(), S([]).num_elements()) == (6, 1)
    assert shape.num_elements() is unknown.num_elements() is None
    assert S([2]).is_fully_defined()
    assert S([]).is_fully_defined()
    assert not shape.is_fully_defined()
    assert not unknown.is_fully_defined()
    assert [bool(s) for s in (S([]), S([0]), unknown)] == [True, True, False]
    with pytest.raises(ValueError, match="as_list"):
        unknown.as_list()


def test_equality_and_hash():
    assert S([2, None]) == [2, None]
    assert S([2, None]) == (2, None)
    assert (2, None) == S([2, None])  # noqa: SIM300
    assert S([2]) == 2
    assert S([2]) != [3]
    assert S([2]) != "a"
    assert S([2]) != object()
    assert unknown == S(None)
    assert unknown != [2]
    assert hash(S([2])) == hash((2,))
    assert hash(unknown) == hash(S(None))
    with pytest.raises(ValueError, match="must be >= 0"):
        S([2]) == [-1]  # noqa: B015


def test_adding():
    assert S([2]) + [3] == S([2]).concatenate([3]) == S([2]) + 3 == S([2, 3])  # noqa: RUF005
    assert [3] + S([2]) == (3,) + S([2]) == 3 + S([2]) == S([3, 2])  # noqa: RUF005
    for result in (S([2]) + unknown, unknown + [2], S([2]) + None, [2] + unknown):  # noqa: RUF005
        assert result.rank is None
    with pytest.raises(TypeError):
        S([2]) * 2


def test_compatibility():
    assert S([2]).is_compatible_with([None])
    assert S([2]).is_compatible_with(None)
    assert not S([2]).is_compatible_with([3])
    assert not S([2]).is_compatible_with([2, 3])
    assert S([2, 3]).is_subtype_of(S([2, None]))
    assert not S([2, None]).is_subtype_of(S([2, 3]))


def test_merging():
    assert S([2, None]).merge_with([2, 3]) == [2, 3]
    assert unknown.merge_with([2]) == [2]
    assert S([2, 3]).most_specific_compatible_shape([2, 4]) == [2, None]
    assert S([2, 3]).most_specific_compatible_shape([2, 3]) == [2, 3]
    assert S([2, 3]).most_specific_compatible_shape([2]).rank is None
    assert S([2, 3]).most_specific_compatible_shape(None).rank is None


def test_ranks():
    assert S([2]).with_rank(1) == S([2]).with_rank_at_least(1) == S([2]).with_rank_at_most(3) == [2]
    assert unknown.with_rank(2) == [None, None]
    assert unknown.with_rank_at_least(2).rank is None


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: S([2, None]).merge_with([3, 3]), "Shapes (2, None) and (3, 3) are not compatible"),
        (lambda: S([2]).assert_is_compatible_with([3]), "Shapes (2,) and [3] are incompatible"),
        (lambda: S([2, None]).assert_is_fully_defined(), "Shape (2, None) is not fully defined"),
        (lambda: S([2]).assert_has_rank(2), "Shape (2,) must have rank 2"),
        (lambda: S([2]).assert_same_rank([2, 3]), "Shapes (2,) and (2, 3) must have the same rank"),
        (lambda: S([2]).with_rank(2), "Shape (2,) must have rank 2"),
        (lambda: S([2]).with_rank_at_least(2), "Shape (2,) must have rank at least 2"),
        (lambda: S([2, 3]).with_rank_at_most(1), "Shape (2, 3) must have rank at most 1"),
    ],
)
def test_failed_checks(check, message):
    with pytest.raises(ValueError) as error:
        check()
    assert str(error.value) == message


@pytest.mark.parametrize("check", ["assert_has_rank", "with_rank"])
def test_an_unknown_shape_passes_checks(check):
    getattr(unknown, check)(2)
    unknown.assert_is_compatible_with([2])
    unknown.assert_same_rank([2])


@pytest.mark.parametrize("shape", [S([2, None]), S([]), unknown])
def test_copies(shape):
    for twin in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert repr(twin) == repr(shape)


def test_shapes_do_not_change():
    with pytest.raises(AttributeError):
        S([2]).rank = 3
    with pytest.raises(TypeError):
        S([2])[0] = 3


@pytest.mark.parametrize(
    ("x", "y", "result"),
    [
        ([2, 1], [3], [2, 3]),
        ([None], [3], [3]),
        ([None], [1], [None]),
        ([None], [None], [None]),
        ([2, 1, None], [1, 5, 1], [2, 5, None]),
        (None, [3], None),
    ],
)
def test_broadcast_static_shape(x, y, result):
    assert repr(broadcast_static_shape(S(x), S(y))) == repr(S(result))


def test_shapes_that_do_not_broadcast():
    with pytest.raises(ValueError, match=r"Incompatible shapes .* Received: \(2,\) and \(3,\)\."):
        broadcast_static_shape(S([2]), S([3]))


@given(shapes, shapes)
def test_compatibility_is_symmetric(one, other):
    one, other = S(one), S(other)
    assert one.is_compatible_with(other) == other.is_compatible_with(one)
    common = one.most_specific_compatible_shape(other)
    assert one.is_compatible_with(common)
    assert other.is_compatible_with(common)
    assert one.is_subtype_of(common)
    if one.is_compatible_with(other):
        merged = one.merge_with(other)
        assert merged.is_subtype_of(one)
        assert merged.is_subtype_of(other)


@given(dims, dims)
def test_concatenation_keeps_all_dimensions(one, other):
    assert (S(one) + S(other)).as_list() == one + other


@given(st.lists(st.integers(1, 3), max_size=3), st.lists(st.integers(1, 3), max_size=3))
def test_broadcasting_is_numpys(one, other):
    try:
        expected = np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        with pytest.raises(ValueError, match="Incompatible shapes"):
            broadcast_static_shape(S(one), S(other))
    else:
        assert broadcast_static_shape(S(one), S(other)) == expected


def test_lengths_of_version_1():
    two, unknown = tf.compat.v1.Dimension(2), tf.compat.v1.Dimension(None)
    found = [two + 3, 3 - two, two * two, 7 // two, two % 2, two + unknown, unknown - 1]
    assert [n.value for n in found] == [5, 1, 4, 3, 0, None, None]
    assert (two == 2, two < 3, two >= 3, two != unknown) == (True, True, False, None)
    assert (two == "2", int(two), str(two), str(unknown)) == (False, 2, "2", "?")
    assert {two: 1}[tf.compat.v1.Dimension(2)] == 1
    assert tf.TensorShape([two, unknown, 3]).dims[0] == two
    with pytest.raises(ValueError, match="-1"):
        tf.compat.v1.Dimension(-1)
    with pytest.raises(TypeError):
        two + 0.5


@pytest.mark.parametrize(("left", "right"), [(3, 3), (None, 3), (3, None), (3, Dimension(3))])
def test_lengths_are_merged(left, right):
    merged = Dimension(left).merge_with(right)
    assert isinstance(merged, Dimension)
    assert merged.value == 3
    assert Dimension(left).is_compatible_with(right)


def test_lengths_that_differ_are_not_merged():
    assert Dimension(None).merge_with(None).value is None
    assert not Dimension(3).is_compatible_with(4)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        Dimension(3).merge_with(Dimension(4))
    with pytest.raises(TypeError):
        Dimension(3).merge_with(2.5)
