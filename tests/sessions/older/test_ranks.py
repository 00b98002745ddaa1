"""Assertions about ranks, and checks of a whole graph."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_closeness_prints_what_it_is_asked_to():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        made = v1.assert_near(x, 1.0, 0.0, 0.25, data=["x is", x])
        assert session.run(made, {x: 1.125}) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"x is(.|\n)*1\.5"):
            session.run(made, {x: 1.5})


def test_shapes_are_checked_at_once():
    x = tf.zeros([2, 3])
    v1.assert_rank_at_least(x, 1)
    v1.assert_rank_in(x, [1, 2])
    with pytest.raises(ValueError, match="rank"):
        v1.assert_rank(x, 1, ["ignored"], 3, "message")
    with pytest.raises(ValueError, match="scalar"):
        v1.assert_scalar(x)


def test_a_whole_graph_is_checked():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        y = 1.0 / x
        made = v1.add_check_numerics_ops()
        assert session.run([y, made], {x: 2.0}) == [0.5, None]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(made, {x: 0.0})
    assert v1.add_check_numerics_ops() is None


def test_shapes_are_checked_when_they_are_known():
    pairs = [(tf.ones([2, 3]), ("rows", "columns")), (tf.ones([3]), ("columns",))]
    assert v1.debugging.assert_shapes(pairs) is None
    with pytest.raises(ValueError, match="must have size 3"):
        v1.debugging.assert_shapes([*pairs, (tf.ones([4]), ("columns",))])
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, None])
        with pytest.raises(ValueError, match="must have size 2"):
            v1.debugging.assert_shapes([(x, "ab"), (tf.ones([3]), (2,))])
        known = v1.debugging.assert_shapes({tf.ones([2]).ref(): [2]})
        check = v1.debugging.assert_shapes([(x, "ab"), (tf.ones([3]), "b")], message="wrong")
        session.run([known, check], {x: np.ones((5, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"wrong.*must have size 2"):
            session.run(check, {x: np.ones((1, 2))})
