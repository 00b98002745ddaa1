"""Names of `tf.compat.v1` that mean what a name of `tf` means."""

import pytest

import gradtape as tf
from gradtape._src.compat.v1_namespaces import shared_names


def test_a_shared_name_is_the_same_object():
    assert tf.compat.v1.matmul is tf.matmul
    assert tf.compat.v1.float32 is tf.float32
    assert tf.compat.v1.log is tf.math.log
    assert tf.compat.v1.io.serialize_tensor is tf.io.serialize_tensor
    assert tf.compat.v1.io.VarLenFeature is tf.io.VarLenFeature
    assert "serialize_tensor" in dir(tf.compat.v1.io)


def test_a_name_that_changed_its_meaning_is_no_shared_one():
    assert "reduce_sum" not in shared_names()[""]
    assert tf.compat.v1.math.reduce_sum is tf.compat.v1.reduce_sum
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.math\.in_top_5"):
        tf.compat.v1.math.in_top_5  # noqa: B018
    with pytest.raises(AttributeError, match=r"compat\.v1\.nonsense"):
        tf.compat.v1.nonsense  # noqa: B018


def test_a_namespace_lists_what_it_has():
    for space in (tf.compat.v1.bitwise, tf.compat.v1.sets, tf.compat.v1.io.gfile):
        assert dir(space)
        assert all(hasattr(space, name) for name in dir(space))


def test_names_with_the_same_arguments_are_those_of_tf():
    assert tf.compat.v1.VariableAggregation is tf.VariableAggregation
    assert tf.compat.v1.nn.ctc_loss_v2 is tf.nn.ctc_loss
    assert tf.compat.v1.distribute.MirroredStrategy is tf.distribute.MirroredStrategy
    assert tf.compat.v1.experimental.ExtensionType is tf.experimental.ExtensionType
    numbers = tf.compat.v1.data.experimental.Counter(3, 2).take(3)
    assert [int(x) for x in numbers] == [3, 5, 7]
