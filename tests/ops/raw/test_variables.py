"""Raw operations on the handles of variables; the numbers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops


def test_values_are_read_with_derivatives_and_assigned():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(R.ReadVariableOp(resource=v.handle, dtype=tf.float32) ** 2)
    assert tape.gradient(y, v).numpy().tolist() == [2, 4]
    R.AssignVariableOp(resource=v.handle, value=[5.0, 6.0])
    R.AssignAddVariableOp(resource=v.handle, value=[1.0, 1.0])
    R.AssignSubVariableOp(resource=v.handle, value=[0.0, 2.0])
    assert v.numpy().tolist() == [6, 5]
    assert R.VariableShape(input=v.handle, out_type=tf.int64).numpy().tolist() == [2]
    assert R.VarIsInitializedOp(resource=v.handle).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected int32 got float"):
        R.ReadVariableOp(resource=v.handle, dtype=tf.int32)


def test_rows_are_gathered():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    found = R.ResourceGather(resource=v.handle, indices=[1], dtype=tf.float32)
    assert found.numpy().tolist() == [[3, 4]]
    batch = R.ResourceGather(resource=v.handle, indices=[[1], [0]], dtype=tf.float32, batch_dims=1)
    assert batch.numpy().tolist() == [[2], [3]]
    found = R.ResourceGatherNd(resource=v.handle, indices=[[1, 0]], dtype=tf.float32)
    assert found.numpy().tolist() == [3]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Add", [[1, 1], [4, 3]]),
        ("Sub", [[1, 1], [0, -1]]),
        ("Mul", [[1, 1], [4, 2]]),
        ("Div", [[1, 1], [1, 0.5]]),
        ("Max", [[1, 1], [2, 2]]),
        ("Min", [[1, 1], [2, 1]]),
        ("Update", [[1, 1], [2, 2]]),
    ],
)
def test_rows_change(name, wanted):
    v = tf.Variable([[1.0, 1.0], [2.0, 1.0]])
    operation = getattr(R, f"ResourceScatter{name}")
    assert operation(resource=v.handle, indices=[1], updates=2.0) is None
    np.testing.assert_array_equal(v, wanted)
    again = tf.Variable([[1.0, 1.0], [2.0, 1.0]])
    operation(resource=again.handle, indices=[1], updates=[[2.0, 2.0]])
    np.testing.assert_array_equal(again, wanted)


@pytest.mark.parametrize(
    ("name", "wanted"), [("Add", 6), ("Sub", -4), ("Max", 5), ("Min", 1), ("Update", 5)]
)
def test_elements_change(name, wanted):
    v = tf.Variable([1.0, 1.0])
    getattr(R, f"ResourceScatterNd{name}")(ref=v.handle, indices=[[1]], updates=[5.0])
    assert v.numpy().tolist() == [1, wanted]


def test_a_slice_is_replaced():
    v = tf.Variable([1.0, 2.0, 3.0])
    R.ResourceStridedSliceAssign(
        ref=v.handle, begin=[1], end=[0], strides=[1], value=[8.0, 9.0], end_mask=1
    )
    assert v.numpy().tolist() == [1, 8, 9]


@pytest.mark.parametrize(
    ("handle", "error"),
    [
        (None, ValueError),
        (tf.int32, ValueError),
        ("word", TypeError),
        (2, TypeError),
        ([1.5], TypeError),
        (tf.constant(1.0), tf.errors.InvalidArgumentError),
    ],
)
def test_what_is_no_handle_is_refused(handle, error):
    for run in (
        lambda: tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32),
        lambda: tf.raw_ops.AssignAddVariableOp(resource=handle, value=1.0),
        lambda: tf.raw_ops.ResourceApplyGradientDescent(var=handle, alpha=1.0, delta=1.0),
    ):
        with pytest.raises(error):
            run()
