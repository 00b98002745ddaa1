"""What libraries import of TensorFlow's insides; the results are TensorFlow's."""

import logging
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.python import control_flow, deprecation, framework, nest, spec_names
from gradtape._src.compat.python.array_ops import prevent_gradient
from gradtape._src.compat.python.tf_inspect import getfullargspec


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


def test_how_deep_to_go():
    traverse = nest.get_traverse_shallow_structure
    into_lists = traverse(lambda s: not isinstance(s, tuple), [1, (2, 3), [4, (5,)]])
    assert into_lists == [True, False, [True, False]]
    with pytest.raises(TypeError, match="non-bool scalar: 3"):
        traverse(lambda _: 3, [1])


def test_case_by_ones_own_cond():
    asked = []

    def cond(pred, true_fn, false_fn, name):
        asked.append(bool(pred))
        return true_fn() if pred else false_fn()

    pairs = [(False, lambda: 1), (True, lambda: 2), (True, lambda: 3)]
    assert control_flow._case_helper(cond, pairs, None, False, None) == 2
    assert asked == [False, True]
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one"):
        control_flow._case_helper(cond, pairs, None, True, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="none of the predicates"):
        control_flow._case_helper(cond, pairs[:1], None, False, None)


def test_pfor_and_values():
    x = tf.constant([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(control_flow.pfor(lambda i: tf.gather(x, i) ** 2, 3), [1, 4, 9])
    assert framework.constant_value_as_shape(tf.constant([1, -1])).as_list() == [1, None]
    v = tf.Variable(2.0)
    assert isinstance(framework.convert_variables_to_tensors([v, 1])[0], tf.Tensor)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = prevent_gradient(x, message="not here")
    with pytest.raises(LookupError, match="not here"):
        tape.gradient(y, x)
    assert getfullargspec(tf.reduce_sum).args == ["input_tensor", "axis", "keepdims", "name"]


def test_names_of_specs():
    class Spec(tf.TypeSpec):
        pass

    assert spec_names.register("gradtape_test.Spec")(Spec) is Spec
    assert spec_names.lookup("gradtape_test.Spec") is Spec
    assert spec_names.get_name(Spec) == "gradtape_test.Spec"
    with pytest.raises(ValueError, match="already been registered"):
        spec_names.register("gradtape_test.Other")(Spec)
    with pytest.raises(ValueError, match="must have the form"):
        spec_names.register("plain")


def test_deprecation_is_said_once(caplog):
    @deprecation.deprecated("2030-01-31", "Use `new`.")
    def old():
        return 1

    @deprecation.deprecated_args(None, "Leave it out.", "b")
    def some(a, b=2):
        return a + b

    with caplog.at_level(logging.WARNING, "tensorflow"), deprecation.silence():
        assert old() == 1
    assert not caplog.records
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert [old(), old(), some(1), some(1, 3)] == [1, 1, 3, 4]
    assert len(caplog.records) == 2
    assert "after 2030-01-31" in caplog.text
    assert "b=3" in caplog.text


def test_bad_indices_are_left_out_where_asked():
    x, indices, updates = tf.zeros(3), [[0], [7], [-1]], [1.0, 2.0, 3.0]
    kept = tf.tensor_scatter_nd_add(x, indices, updates, bad_indices_policy="IGNORE")
    np.testing.assert_array_equal(kept, [1, 0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown bad indices"):
        tf.tensor_scatter_nd_max(x, indices, updates, bad_indices_policy="x")
