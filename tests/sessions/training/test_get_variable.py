import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_variables_are_used_again_where_the_scope_says_so(session):
    with v1.variable_scope("a"):
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        with pytest.raises(ValueError, match="already exists"):
            v1.get_variable("v", [2])
    with v1.variable_scope("a", reuse=True):
        assert v1.get_variable("v", [2]) is v
        with pytest.raises(ValueError, match="does not exist"):
            v1.get_variable("w", [2])
        with pytest.raises(ValueError, match=r"specified shape \(3,\) and found shape \(2,\)"):
            v1.get_variable("v", [3])
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
        assert v1.get_variable("v", [2]) is v
        assert v1.get_variable("w", [2]).name == "a/w:0"


def test_what_an_initializer_may_be(session):
    made = [
        v1.get_variable("a", initializer=tf.constant([1, 2])),
        v1.get_variable("b", initializer=7),
        v1.get_variable("c", [2], initializer=v1.zeros_initializer),
        v1.get_variable("d", [2], initializer=lambda shape, dtype: tf.ones(shape, dtype)),
        v1.get_variable("e", [2], tf.int32),
    ]
    session.run(v1.global_variables_initializer())
    assert [np.asarray(x).tolist() for x in session.run(made)] == [
        [1, 2],
        7,
        [0, 0],
        [1, 1],
        [0, 0],
    ]
    with pytest.raises(ValueError, match="constant"):
        v1.get_variable("f", [2], initializer=tf.constant([1, 2]))


def test_regularizers_add_to_the_losses(session):
    with v1.variable_scope("a", regularizer=lambda v: tf.reduce_sum(v * v)):
        v1.get_variable("v", [3], initializer=v1.constant_initializer(2.0))
        v1.get_variable("w", [3], regularizer=v1.no_regularizer)
    session.run(v1.global_variables_initializer())
    assert session.run(v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)) == [12.0]


def test_custom_getters(session):
    seen = []

    def getter(getter, name, **kwargs):
        seen.append(name)
        return getter(name, **kwargs) * 2.0

    with v1.variable_scope("a", custom_getter=getter):
        v = v1.get_variable("v", initializer=3.0)
    session.run(v1.global_variables_initializer())
    assert session.run(v) == 6.0
    assert seen == ["a/v"]


def test_templates_share_their_variables(session):
    scale = v1.make_template("scale", lambda x: x * v1.get_variable("k", initializer=3.0))
    y, z = scale(2.0), scale(5.0)
    assert [v.name for v in v1.global_variables()] == ["scale/k:0"]
    assert scale.variables == v1.global_variables()
    session.run(v1.global_variables_initializer())
    assert session.run([y, z]) == [6.0, 15.0]


def test_templates_share_their_variables_where_operations_run_at_once():
    scale = v1.make_template("scale", lambda x: x * v1.get_variable("k", initializer=3.0))
    assert float(scale(2.0)) == 6.0
    scale.variables[0].assign(10.0)
    assert float(scale(2.0)) == 20.0
    assert len(scale.trainable_variables) == 1


def test_local_variables(session):
    v = v1.get_local_variable("v", initializer=1)
    assert v1.local_variables() == [v]
    assert v1.global_variables() == v1.trainable_variables() == []
    session.run(v1.local_variables_initializer())
    assert session.run(v) == 1


def test_names_of_templates():
    with tf.Graph().as_default():
        template = v1.make_template("t", lambda: v1.get_variable("w", []))
        assert template.variable_scope_name is None
        template()
        assert template.variable_scope_name == "t/"
