"""Raw operations."""

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.base.export import RAW_OPS


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
    with pytest.raises(TypeError, match="x"):
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


def test_every_operation_has_tensorflows_parameters_and_reads_all_of_them():
    from gradtape._src.raw.signatures import raw_signature

    names = [n for n in dir(tf.raw_ops) if not n.startswith("_")]
    for name in names:
        op = RAW_OPS[name]
        signature = raw_signature(name)
        assert inspect.signature(getattr(tf.raw_ops, name)) == signature
        here = inspect.signature(op.function).parameters
        given = [n for n in signature.parameters if n not in op.ignored]
        unread = [n for n in given if op.renamed.get(n, n) not in here]
        assert not unread or any(p.kind is p.VAR_KEYWORD for p in here.values()), (name, unread)
        assert op.ignored | set(op.renamed) <= set(signature.parameters), name


def test_the_order_and_defaults_of_parameters():
    def parameters(name):
        return str(inspect.signature(getattr(tf.raw_ops, name)))

    assert parameters("Sum") == "(input, axis, keep_dims=False, name=None)"
    assert parameters("Cast") == "(x, DstT, Truncate=False, name=None)"
    assert parameters("LRN").startswith("(input, depth_radius=5, bias=1, alpha=1, beta=0.5")
    assert "epsilon=0.0001" in parameters("FusedBatchNormV3")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tf.raw_ops.Sum(input=[1.0]), r"Sum\(\) missing required argument 'axis'"),
        (lambda: tf.raw_ops.Sum(input=[1.0], axis=0, keepdims=True), "unexpected argument 'keep"),
        (lambda: tf.raw_ops.MatMul(b=[[1.0]]), "'a': tf.raw_ops.MatMul"),
    ],
)
def test_missing_and_unknown_arguments(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_shapes_that_do_not_broadcast_are_unequal_if_it_is_asked():
    both = {"x": [1, 2], "y": [1, 2, 3]}
    assert not tf.raw_ops.Equal(**both, incompatible_shape_error=False)
    assert tf.raw_ops.NotEqual(**both, incompatible_shape_error=False)
    equal = tf.raw_ops.Equal(x=[1, 2], y=[[1], [2]], incompatible_shape_error=False)
    assert equal.numpy().tolist() == [[True, False], [False, True]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.raw_ops.Equal(**both)


@pytest.mark.parametrize(
    ("source", "target", "rounded", "cut"),
    [
        ("float32", "bfloat16", [2.0, 3.140625, np.inf], [1.9921875, 3.140625, np.inf]),
        ("float32", "float16", [1.9990234375, 3.140625, np.inf], [1.998046875, 3.140625, np.inf]),
        ("float64", "float32", [1.999, np.float32(np.pi), np.inf], [1.999, 3.1415925, np.inf]),
    ],
)
def test_casts_that_truncate(source, target, rounded, cut):
    x = tf.constant([1.999, np.pi, np.inf], source)
    for truncate, expected in ((False, rounded), (True, cut)):
        y = tf.raw_ops.Cast(x=x, DstT=tf.as_dtype(target), Truncate=truncate)
        assert y.dtype == target
        np.testing.assert_allclose(np.asarray(y, np.float64), expected, rtol=1e-7)


def test_explicit_paddings_of_a_depthwise_convolution():
    image = tf.reshape(tf.range(9.0), (1, 3, 3, 1))
    y = tf.raw_ops.DepthwiseConv2dNative(
        input=image,
        filter=tf.ones((2, 2, 1, 1)),
        strides=[1, 1, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 1, 1, 0, 0],
    )
    assert y[0, :, :, 0].numpy().tolist() == [[0, 1, 3, 2], [3, 8, 12, 7], [9, 20, 24, 13]]


@pytest.mark.parametrize("op", ["Conv2D", "DepthwiseConv2dNative"])
def test_explicit_paddings_of_convolutions_are_converted_alike(op):
    run = getattr(tf.raw_ops, op)
    given = {"input": tf.ones((1, 3, 3, 1)), "filter": tf.ones((2, 2, 1, 1)), "strides": [1] * 4}
    pads = {"padding": b"EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 1, 1, 0, 0]}
    assert run(**given, **pads).shape == (1, 3, 4, 1)
    for wrong, text in (((), "4 pairs, got 0"), ([0] * 5, "do not fit"), ([1] * 10, "got 5")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(**given, padding="EXPLICIT", explicit_paddings=wrong)


def test_a_template_of_strings_has_tensorflows_default():
    assert tf.raw_ops.StringFormat(inputs=[tf.constant([1, 2])]) == b"[1 2]"


def test_several_results_have_the_names_of_the_definition():
    made = tf.raw_ops.RaggedRange(starts=0, limits=2, deltas=1)
    assert made._fields == ("rt_nested_splits", "rt_dense_values")


def test_numbers_get_the_default_dtype():
    assert tf.raw_ops.LeakyReluGrad(gradients=1, features=True).dtype is tf.float32


def test_a_tensor_stands_for_its_rows():
    made = tf.raw_ops.ConcatV2(values=tf.ones([2, 3]), axis=0)
    assert made.shape == [6]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.raw_ops.LinSpace(start=1, stop=2, num=2),
        lambda: tf.raw_ops.SigmoidGrad(y=tf.ones([2]), dy=tf.ones([])),
        lambda: tf.raw_ops.TridiagonalSolve(diagonals=tf.ones([2, 3]), rhs=tf.ones([3, 1])),
    ],
)
def test_what_a_kernel_refuses_is_invalid(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_complex_singular_values_have_the_dtype_of_the_matrices():
    made = tf.raw_ops.Svd(input=tf.constant([[1j, 0], [0, 2]], tf.complex64))
    assert made.s.dtype is tf.complex64
    assert len(tf.raw_ops.Svd(input=tf.ones([2, 2]), compute_uv=False)) == 3
