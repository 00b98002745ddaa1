"""Metrics in local variables; programs with them are in the probes."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_metrics_need_a_graph():
    with pytest.raises(RuntimeError, match="not supported when eager"):
        v1.metrics.accuracy([1], [1])


def test_operations_are_collected():
    with tf.Graph().as_default():
        value, update = v1.metrics.mean([1.0, 2.0], None, ["values"], ["updates"])
        assert v1.get_collection("values") == [value]
        assert v1.get_collection("updates") == [update]
        assert len(v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)) == 2


def test_columns_of_labels_fit_rows_of_predictions():
    with tf.Graph().as_default(), v1.Session() as session:
        labels = v1.placeholder(tf.float32, [None, 1])
        below, step = v1.metrics.percentage_below(labels, 2.5)
        _, error = v1.metrics.mean_absolute_error(labels, tf.constant([1.0, 2.0]))
        negatives, count = v1.metrics.true_negatives([True, False, False], [False, False, True])
        session.run(v1.local_variables_initializer())
        feed = {labels: [[1.0], [4.0]]}
        assert session.run([step, error], feed) == [0.5, 1.0]
        assert session.run(count) == 1.0
        assert session.run([below, negatives]) == [0.5, 1.0]
