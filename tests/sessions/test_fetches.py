from typing import Any, NamedTuple

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_structures_come_back_as_they_were_asked_for(graph):
    a, b = tf.constant(1.0, name="a"), tf.constant([2, 3], name="b")
    group = tf.group(a)
    with v1.Session() as session:
        found = session.run({"x": [a, (b,)], "y": Pair(a, group), "z": "b:0"})
    assert found["x"][0] == 1.0
    np.testing.assert_array_equal(found["x"][1][0], [2, 3])
    assert found["y"] == Pair(1.0, None)
    np.testing.assert_array_equal(found["z"], [2, 3])


def test_values_of_several_parts(graph):
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
    table = tf.Variable(tf.ones([3, 2]))
    (rows,) = tf.gradients(tf.reduce_sum(tf.gather(table, [1, 1])), [table])
    with v1.Session() as session:
        session.run(table.initializer)
        whole, part = session.run([sparse, rows])
    np.testing.assert_array_equal(whole.indices, [[0, 1]])
    np.testing.assert_array_equal(whole.dense_shape, [2, 2])
    np.testing.assert_array_equal(part.indices, [1, 1])
    np.testing.assert_array_equal(part.values, np.ones((2, 2)))


def test_any_tensor_can_be_fed(graph):
    x = v1.placeholder(tf.float32, [], name="x")
    y = x * 2.0
    z = y + 1.0
    with v1.Session() as session:
        assert session.run(z, {y: 10.0}) == 11.0
        assert session.run(z, {"x:0": 10.0}) == 21.0
        assert session.run([y, z], {y: 1.0}) == [1.0, 2.0]


def test_strings_are_fed(graph):
    words = v1.placeholder(tf.string, [None])
    with v1.Session() as session:
        assert session.run(tf.strings.upper(words), {words: ["ab", b"c"]}).tolist() == [b"AB", b"C"]


@pytest.mark.parametrize(
    ("fetch", "error", "said"),
    [
        (None, TypeError, "Cannot be None"),
        (3, TypeError, "Can not convert a int"),
        ("lacking:0", ValueError, "does not exist"),
        ("lacking", ValueError, "does not exist"),
    ],
)
def test_what_can_not_be_fetched(graph, fetch, error, said):
    tf.constant(1.0)
    with v1.Session() as session, pytest.raises(error, match=said):
        session.run(fetch)


def test_what_can_not_be_fed(graph):
    x = v1.placeholder(tf.int32, [None, 2], name="x")
    with v1.Session() as session:
        with pytest.raises(ValueError, match=r"shape \(3,\) for Tensor x:0, which has"):
            session.run(x, {x: [1, 2, 3]})
        with pytest.raises(TypeError, match="feed_dict"):
            session.run(x, [x])
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
            session.run(x, {"y:0": 1})
        with pytest.raises(TypeError, match="cannot be a tf"):
            session.run(x, {x: tf.constant([[1, 2]])})
        graph.prevent_feeding(x)
        with pytest.raises(ValueError, match="may not be fed"):
            session.run(x, {x: [[1, 2]]})


def test_tensors_of_other_graphs_are_refused(graph):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(2.0)
        with v1.Session() as session, pytest.raises(ValueError, match="not an element"):
            session.run(x)
        with pytest.raises(ValueError, match="same graph"):
            y + x


def test_handles_give_the_values_of_their_variables():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        session.run(v.initializer)
        assert session.run("v:0").tolist() == [1.0, 2.0]
        assert session.run(graph.get_tensor_by_name("v:0")).tolist() == [1.0, 2.0]
