"""Raw operations."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.raw_ops.Add(x=1, y=2), 3),
        (lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[2.0]], transpose_b=True), [[2.0]]),
        (lambda: tf.raw_ops.Sum(input=[[1.0, 2.0]], axis=1, keep_dims=True), [[3.0]]),
        (lambda: tf.raw_ops.Cast(x=[1.5], DstT=tf.int32), [1]),
        (lambda: tf.raw_ops.Transpose(x=[[1, 2]], perm=[1, 0]), [[1], [2]]),
        (lambda: tf.raw_ops.SelectV2(condition=[True, False], t=1, e=2), [1, 2]),
        (lambda: tf.raw_ops.ArgMax(input=[1, 3], dimension=0), 1),
        (lambda: tf.raw_ops.Relu(features=[-1.0, 1.0]), [0.0, 1.0]),
        (lambda: tf.raw_ops.ConcatV2(values=[[1], [2]], axis=0, name="both"), [1, 2]),
    ],
)
def test_values(call, expected):
    np.testing.assert_array_equal(call(), expected)


def test_gradients():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Square(x=x)
    assert tape.gradient(y, x) == 4.0


def test_arguments_have_names():
    with pytest.raises(TypeError, match="Sin only takes keyword args"):
        tf.raw_ops.Sin(1.0)
    with pytest.raises(TypeError, match="y"):
        tf.raw_ops.Sin(y=1.0)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.raw_ops.ReluGrad(gradients=[1.0, 2.0], features=[-1.0, 1.0]), [0, 2]),
        (lambda: tf.raw_ops.SigmoidGrad(y=[0.5], dy=[4.0]), [1]),
        (lambda: tf.raw_ops.SqrtGrad(y=[2.0], dy=[4.0]), [1]),
        (lambda: tf.raw_ops.BiasAddGrad(out_backprop=[[1.0, 2.0], [3.0, 4.0]]), [4, 6]),
        (
            lambda: tf.raw_ops.Select(condition=[True, False], x=[[1], [2]], y=[[3], [4]]),
            [[1], [4]],
        ),
        (lambda: tf.raw_ops.Concat(concat_dim=0, values=[[1], [2]]), [1, 2]),
        (lambda: tf.raw_ops.Div(x=[7, -7], y=[2, 2]), [3, -3]),
        (lambda: tf.raw_ops.Squeeze(input=[[[1, 2]]], axis=[0]), [[1, 2]]),
        (lambda: tf.raw_ops.UpperBound(sorted_inputs=[[1, 2, 2]], values=[[2]]), [[3]]),
        (lambda: tf.raw_ops.Einsum(inputs=[[1, 2], [3, 4]], equation="i,i->"), 11),
        (lambda: tf.raw_ops.Split(axis=0, value=[1, 2], num_split=2)[1], [2]),
        (
            lambda: tf.raw_ops.SoftmaxCrossEntropyWithLogits(
                features=[[0.0, 0.0]], labels=[[1.0, 0.0]]
            )[1],
            [[-0.5, 0.5]],
        ),
    ],
)
def test_more_values(call, expected):
    np.testing.assert_array_equal(call(), expected)


def test_attributes_of_devices_are_taken():
    x, k = tf.ones((1, 3, 3, 1)), tf.ones((2, 2, 1, 1))
    given = {"input": x, "filter": k, "strides": [1, 1, 1, 1], "use_cudnn_on_gpu": True}
    assert np.sum(tf.raw_ops.Conv2D(padding="VALID", explicit_paddings=[], **given)) == 16
    pads = [0, 0, 1, 0, 0, 0, 0, 0]
    wide = tf.raw_ops.Conv2D(padding="EXPLICIT", explicit_paddings=pads, **given)
    assert wide.shape == (1, 3, 2, 1)


def test_a_prevented_gradient_is_refused():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.PreventGradient(input=x)
    with pytest.raises(LookupError, match="explicitly disabled"):
        tape.gradient(y, x)


def test_which_operations_have_gradients():
    assert tf.autodiff.has_gradient("SigmoidGrad")
    assert tf.autodiff.has_gradient("Conv2D")
    assert not tf.autodiff.has_gradient("Shape")
    assert not tf.autodiff.has_gradient("Lu")  # TensorFlow raises a LookupError
    with pytest.raises(KeyError, match="NoSuchOp"):
        tf.autodiff.has_gradient("NoSuchOp")
    names = [n for n in dir(tf.raw_ops) if not n.startswith("_")]
    assert len(names) > 290
    for name in names:
        assert tf.autodiff.has_gradient(name) in (True, False)


def test_the_page_of_operations_is_what_the_tool_writes():
    tool = Path(__file__).parents[2] / "tools" / "list_raw_ops.py"
    spec = importlib.util.spec_from_file_location("list_raw_ops", tool)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page()
