"""Arguments that are attributes of operations."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.attributes import attribute, is_exact


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("bool", True, True),
        ("bool", np.bool_(False), False),
        ("int", 2.5, 2),
        ("int", tf.constant(3), 3),
        ("float", 2, 2),
        ("string", b"SAME", "SAME"),
        ("type", "float32", tf.float32),
    ],
)
def test_values_are_converted(kind, value, expected):
    assert attribute(kind, "x", value) == expected


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("bool", 1, "Expected bool for argument 'x' not 1."),
        ("int", "2", "Expected int for argument 'x' not '2'."),
        ("float", "2", "Expected float for argument 'x' not '2'."),
        ("string", 2, "Expected string for argument 'x' not 2."),
        ("type", "nonsense", "Expected DataType for argument 'x' not 'nonsense'."),
    ],
)
def test_other_types_are_refused(kind, value, said):
    with pytest.raises(TypeError, match=said):
        attribute(kind, "x", value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.gather_nd([1, 2], [[0]], bad_indices_policy=1),
        lambda: tf.scatter_nd([[0]], [1], [2], bad_indices_policy=1),
        lambda: tf.tensor_scatter_nd_add([1, 2], [[0]], [1], bad_indices_policy=[2]),
        lambda: tf.linalg.diag([1.0, 2.0], align=1),
        lambda: tf.linalg.diag_part([[1.0, 2.0]], align=1),
        lambda: tf.linalg.set_diag([[1.0]], [1.0], align=1),
    ],
)
def test_words_of_public_functions_are_strings(call):
    with pytest.raises(TypeError, match="Expected string for argument"):
        call()


@pytest.mark.parametrize(
    ("kind", "value", "exact"),
    [
        ("int", 8, True),
        ("int", 8.0, False),
        ("int", np.int64(8), False),
        ("float", 0.5, True),
        ("float", 1, False),
        ("float", None, True),
        ("type", tf.float32, True),
    ],
)
def test_arguments_that_are_attributes_already(kind, value, exact):
    assert is_exact(kind, value) == exact


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.cumsum([1, 2], exclusive="yes"),
        lambda: tf.cumsum([1, 2], 0, 1),
        lambda: tf.linalg.svd([[1.0]], full_matrices=[True]),
        lambda: tf.as_string([1.0], shortest="yes"),
        lambda: tf.dynamic_partition([1, 2], [0, 1], "two"),
        lambda: tf.data.Dataset.range(3).map(lambda x: x, synchronous=1),
    ],
)
def test_attributes_of_public_functions_are_checked(call):
    with pytest.raises(TypeError, match=r"Expected (bool|int) for argument"):
        call()


def test_attributes_may_be_left_out_given_by_place_or_be_none():
    assert tf.cumsum([1, 2], 0, True).numpy().tolist() == [0, 1]
    assert tf.cumsum([1, 2], reverse=np.bool_(True)).numpy().tolist() == [3, 2]
    assert tf.sets.size(tf.sparse.from_dense([[1]]), validate_indices=None).numpy() == [1]
