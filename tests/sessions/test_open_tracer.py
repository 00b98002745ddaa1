import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_constants_say_their_values_where_they_are_needed(session):
    rows, axis = tf.constant(2), tf.constant(0)
    x = v1.placeholder(tf.float32, [4])
    y = tf.reduce_sum(tf.reshape(x, [rows, rows * 1]), axis)
    assert y.shape == (2,)
    np.testing.assert_array_equal(session.run(y, {x: [1, 2, 3, 4]}), [4, 6])


def test_constants_can_be_fed(session):
    c = tf.constant(2.0)
    y = c * 3.0
    assert session.run(y) == 6.0
    assert session.run(y, {c: 5.0}) == 15.0


def test_a_tensor_has_no_value_while_the_graph_is_made(session):
    x = tf.constant(2.0)
    with pytest.raises(AttributeError, match="numpy"):
        x.numpy()
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        bool(x)
    with pytest.raises(TypeError):
        float(x)


def test_a_call_that_needs_a_value_is_one_operation(session):
    n, image = v1.placeholder(tf.int32, []), tf.ones([1, 4, 4, 1])
    y = tf.nn.max_pool(image, n, 1, "VALID")
    assert session.run(y, {n: 3}).shape == (1, 2, 2, 1)


def test_what_needs_a_value_says_so(session):
    x = v1.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.UnimplementedError, match="give the placeholder a shape"):
        tf.identity_n(x)


def test_printing_is_an_operation(session, capsys):
    x = v1.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.print("x is", x)]):
        y = x * 1.0
    assert capsys.readouterr().err == ""
    session.run(y, {x: 2.0})
    assert capsys.readouterr().err == "x is 2\n"


def test_random_numbers_are_drawn_at_each_run(session):
    x = tf.random.normal([4])
    first, second = session.run(x), session.run(x)
    assert not np.array_equal(first, second)
    again = session.run([x, x])
    np.testing.assert_array_equal(again[0], again[1])
