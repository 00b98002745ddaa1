"""Functions that have a say in how variables are made."""

import pytest

import gradtape as tf


def test_creators_are_called_from_the_inside_out_with_all_arguments():
    calls = []

    def creator(label):
        def create(next_creator, **kwargs):
            calls.append((label, sorted(kwargs)))
            return next_creator(**{**kwargs, "name": f"{label}_{kwargs['name']}"})

        return create

    with tf.variable_creator_scope(creator("a")), tf.variable_creator_scope(creator("b")):
        v = tf.Variable(3.0, name="v")
    assert v.name == "a_b_v:0"
    assert [label for label, _ in calls] == ["b", "a"]
    assert calls[0][1] == [
        "aggregation", "caching_device", "constraint", "dtype",
        "experimental_enable_variable_lifting", "import_scope", "initial_value", "name", "shape",
        "synchronization", "trainable", "validate_shape", "variable_def",
    ]  # fmt: skip
    assert tf.Variable(1.0, name="v").name == "v:0"


def test_a_creator_may_give_something_else():
    with tf.variable_creator_scope(lambda next_creator, **kwargs: "another object"):
        assert tf.Variable(1.0) == "another object"
    with pytest.raises(ZeroDivisionError), tf.variable_creator_scope(lambda *a, **k: 1 / 0):
        tf.Variable(1.0)
    assert isinstance(tf.Variable(1.0), tf.Variable)


def test_subclasses_are_made_as_they_are():
    class Own(tf.Variable):
        pass

    with tf.variable_creator_scope(lambda next_creator, **kwargs: None):
        assert isinstance(Own(1.0), Own)
        assert tf.Variable(1.0) is None
