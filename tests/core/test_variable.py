"""Variables: how they are made, read and changed."""

import pytest

import gradtape as tf

BIG = 2**31


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.Variable(1.0, synchronization="x"), ValueError),
        (lambda: tf.Variable(1.0, aggregation="x"), ValueError),
    ],
)
def test_modes_that_do_not_exist(run, error):
    with pytest.raises(error):
        run()


@pytest.mark.parametrize("synchronization", tf.VariableSynchronization)
@pytest.mark.parametrize("aggregation", tf.VariableAggregation)
@pytest.mark.parametrize("trainable", [None, True, False])
def test_variables_that_differ_between_replicas_are_not_trainable(
    synchronization, aggregation, trainable
):
    v = tf.Variable(
        1.0, synchronization=synchronization, aggregation=aggregation, trainable=trainable
    )
    usual = synchronization is not tf.VariableSynchronization.ON_READ
    assert v.trainable is (usual if trainable is None else trainable)
    assert (v.synchronization, v.aggregation) == (synchronization, aggregation)
    with tf.GradientTape() as tape:
        y = v * v
    assert (tape.gradient(y, v) is not None) is v.trainable


def test_modes_of_variables_may_be_none_or_numbers():
    v = tf.Variable(1.0, synchronization=None, aggregation=2)
    assert v.synchronization is tf.VariableSynchronization.AUTO
    assert v.aggregation is tf.VariableAggregation.MEAN


class _Lent(tf.Variable):
    """A variable that keeps no value: the registered function converts it."""

    dtype = tf.float32

    def __init__(self, lent):
        self.lent = lent


def test_a_variable_that_converts_itself():
    tf.register_tensor_conversion_function(_Lent, lambda x, **_: x.lent)
    lent = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(lent)
        y = tf.reduce_sum(tf.cast(_Lent(lent), tf.float32) * 3)
    assert tape.gradient(y, lent).numpy().tolist() == [3, 3]
    assert tf.ones_like(_Lent(lent)).numpy().tolist() == [1, 1]
