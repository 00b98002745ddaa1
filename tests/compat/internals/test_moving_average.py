"""Steps of moving averages; expected values are TensorFlow's."""

import pytest

import gradtape as tf

step = tf.__internal__.train.assign_moving_average


@pytest.mark.parametrize("decay", [0.5, tf.constant(0.5), tf.Variable(0.5)])
def test_the_variable_moves(decay):
    average = tf.Variable([1.0, 2.0], dtype=tf.float64)
    assert step(average, [1.0, 5.0], decay, zero_debias=False).numpy().tolist() == [1.0, 3.5]
    assert average.numpy().tolist() == [1.0, 3.5]


def test_an_average_from_zero_is_corrected():
    average = tf.Variable(0.0)
    compiled = tf.function(lambda x: step(average, x, 0.9))
    found = [float(compiled(tf.constant(x))) for x in (1.0, 2.0, 3.0)]
    assert found == pytest.approx([1.0, 1.5263153, 2.0701101], rel=1e-5)


def test_each_eager_step_is_the_first():
    average = tf.Variable(0.0)
    assert [float(step(average, x, 0.9)) for x in (1.0, 2.0)] == pytest.approx([1.0, 2.0])


def test_shadow_variables_of_graphs_have_free_names():
    with tf.Graph().as_default():
        average = tf.compat.v1.get_variable("u", [], initializer=tf.compat.v1.zeros_initializer())
        first, second = step(average, 1.0, 0.9), step(average, 3.0, 0.9)
        names = [v.name for v in tf.compat.v1.global_variables()]
        assert names == ["u:0", "u/u/biased:0", "u/u/local_step:0"] or names[0] == "u:0"
        assert len(set(names)) == 5
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            assert session.run(first) == pytest.approx(1.0)
            assert session.run(second) == pytest.approx(3.0)


def test_replicas_share_the_mean():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        average = tf.Variable(2.0)
    strategy.run(lambda: step(average, 4.0, 0.5, zero_debias=False))
    assert float(average) == 3.0


def test_no_graph_is_rewritten_for_mixed_precision():
    assert tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled() is False
