import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_operations_run_once():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=0.0)
        x = v1.placeholder(tf.float32, [])
        first = v.assign_add(1.0)
        with tf.control_dependencies([first]):
            second = x + v
        session.run(v.initializer)
        handle = session.partial_run_setup([first.op, first, second], [x])
        session.partial_run(handle, first.op)
        assert session.partial_run(handle, first) == 1.0
        assert session.partial_run(handle, second, {x: 10.0}) == 11.0
        assert session.run(v) == 1.0


def test_random_numbers_are_drawn_once():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        u = v1.random_uniform([])
        total = u + x
        handle = session.partial_run_setup([u, total], [x])
        drawn = session.partial_run(handle, u)
        assert session.partial_run(handle, total, {x: 0.0}) == drawn


def test_what_was_not_set_up():
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
        z = x + y
        handle = session.partial_run_setup([z], [x, "Placeholder_1:0"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
            session.partial_run(handle, z, {x: 1.0})
        handle = session.partial_run_setup([z, x], [x])
        with pytest.raises(tf.errors.InvalidArgumentError, match="was not set up"):
            session.partial_run(handle, z, {y: 1.0})
        session.partial_run(handle, x, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="already been fed"):
            session.partial_run(handle, z, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="already been fetched"):
            session.partial_run(handle, x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
            session.partial_run("other", x)
