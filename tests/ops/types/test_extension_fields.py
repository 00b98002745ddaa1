"""Annotations of extension types, and values that fit them."""

import typing

import pytest

import gradtape as tf
from gradtape._src.ops.types import extension_fields as fields

SPEC = tf.TensorSpec([2], tf.float32)


class Later:
    """Named in an annotation before it is known."""


@pytest.mark.parametrize(
    "kind",
    [
        int,
        str,
        tf.Tensor,
        tf.TensorShape,
        tf.DType,
        tuple[int, ...],
        typing.Mapping[str, tf.Tensor],
        int | None,
        tf.Tensor | float,
        tf.RaggedTensor,
        "Later",
    ],
)
def test_annotations_that_fields_may_have(kind):
    assert fields.check_annotation(kind) is None


@pytest.mark.parametrize(
    "kind", [list, dict[str, int], typing.Any, typing.Callable[..., int], Later]
)
def test_annotations_that_they_may_not_have(kind):
    with pytest.raises(TypeError, match="Unsupported"):
        fields.check_annotation(kind)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (3, int, 3),
        ([1, 2], tuple[int, ...], (1, 2)),
        ((1, "a"), tuple[int, str], (1, "a")),
        (None, int | None, None),
        ("float32", tf.DType, tf.float32),
        ([2, None], tf.TensorShape, tf.TensorShape([2, None])),
        ({"a": 1}, typing.Mapping[str, int], {"a": 1}),
    ],
)
def test_values_are_converted(value, kind, expected):
    assert fields.converted(value, kind, "x", specs=False) == expected


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("a", int, "x: expected 'int', got 'str'"),
        ((1, "a"), tuple[int, ...], r"x\[1\]"),
        ((1,), tuple[int, int], "x"),
        ("a", int | None, "x"),
        (3, typing.Mapping[str, int], "x: expected mapping, got 'int'"),
        ({"a": "b"}, typing.Mapping[str, int], "x"),
        ("no dtype", tf.DType, "x: expected 'DType'"),
    ],
)
def test_the_error_names_the_field(value, kind, message):
    with pytest.raises(TypeError, match=message):
        fields.converted(value, kind, "x", specs=False)


def test_specs_stand_for_tensors():
    assert fields.converted(SPEC, tf.Tensor, "x", specs=True) is SPEC
    with pytest.raises(TypeError, match="expected a TensorSpec"):
        fields.converted(1.0, tf.Tensor, "x", specs=True)


def test_mappings_stay_as_they_are():
    kept = fields.ImmutableDict({"b": 1, "a": 2})
    assert (dict(kept), len(kept), kept["a"]) == ({"b": 1, "a": 2}, 2, 2)
    assert hash(kept) == hash(fields.ImmutableDict({"b": 1, "a": 2}))
    with pytest.raises(TypeError):
        kept["c"] = 3


def test_components_are_found_and_replaced_in_order():
    a, b = tf.constant(1.0), tf.constant(2.0)
    value = (a, fields.ImmutableDict({"k": b, "n": 3}))
    assert [c is t for c, t in zip(fields.components(value), (a, b), strict=True)] == [True, True]
    other = fields.replaced(value, iter(["first", "second"]))
    assert other[0] == "first"
    assert dict(other[1]) == {"k": "second", "n": 3}
