import gradtape as tf
from gradtape.compat import v1


def test_conditionals_of_both_versions_can_be_asked_for():
    assert v1.control_flow_v2_enabled()
    try:
        v1.disable_control_flow_v2()
        assert not v1.control_flow_v2_enabled()
        with tf.Graph().as_default(), v1.Session() as session:
            assert session.run(v1.cond(tf.constant(True), lambda: 1, lambda: 2)) == 1
    finally:
        v1.enable_control_flow_v2()
    assert v1.control_flow_v2_enabled()


def test_variables_are_resource_variables_whatever_is_asked_for():
    v1.disable_resource_variables()
    assert v1.resource_variables_enabled()
    v1.enable_resource_variables()
    v1.enable_tensor_equality()
    assert bool(tf.constant(1) == tf.constant(1))


def test_lengths_have_values_on_request():
    try:
        v1.disable_v2_tensorshape()
        assert tf.ones([2]).shape[0].value == 2
    finally:
        v1.enable_v2_tensorshape()
    assert tf.ones([2]).shape[0] == 2


def test_behaviour_of_version_two_is_enabled_again():
    v1 = tf.compat.v1
    v1.disable_v2_behavior()
    try:
        assert not tf.executing_eagerly()
        assert not v1.control_flow_v2_enabled()
    finally:
        v1.enable_v2_behavior()
    assert tf.executing_eagerly()
    assert v1.control_flow_v2_enabled()
    assert type(tf.TensorShape([2])[0]) is int
