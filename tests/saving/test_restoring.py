"""Values that wait for objects that come late."""

import pytest
from checkpointed_model import Model, values

import gradtape as tf


def test_values_wait_for_what_comes_late(tmp_path):
    path = tf.train.Checkpoint(model=Model()).write(tmp_path / "m")
    late = tf.Module()
    late.many = []
    status = tf.train.Checkpoint(model=late).read(path)
    late.many.append(tf.Variable(0.0))
    late.many += ["no part", tf.Variable(0.0)]
    late.named = {"inner": {}}
    late.named["a/b.c"] = tf.Variable(0)
    late.named["inner"]["x"] = tf.Variable([0.0])
    late.pair = (tf.Variable(0.0),)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).model.w"):
        status.assert_consumed()
    late.w = tf.Variable(tf.zeros([2, 2]))
    late.text = tf.Variable(["", "", ""])
    status.assert_consumed()
    assert values(late) == values(Model())
    late.w = tf.Variable(tf.zeros([2, 2]))
    assert not late.w.numpy().any()  # what was restored once is not restored again


def test_late_variables_of_another_shape(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "v")
    late = tf.train.Checkpoint()
    late.read(path).expect_partial()
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(2,\) when attempting"):
        late.v = tf.Variable([0.0])


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1.0, 2.0, 3.0], ValueError, r"with shape \(2,\) .* variable with shape \(3,\) and name"),
        ([1, 2], tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original"),
    ],
)
def test_all_or_nothing(tmp_path, bad, error, message):
    x = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(a=x, c=tf.Variable([5.0, 6.0])).write(tmp_path / "x")
    a, c = tf.Variable([0.0, 0.0]), tf.Variable(bad)
    with pytest.raises(error, match=message):
        tf.train.Checkpoint(a=a, c=c).read(path)
    assert (a.numpy().tolist(), c.numpy().tolist()) == ([0.0, 0.0], bad)
