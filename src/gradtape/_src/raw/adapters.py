"""Raw operations whose arguments differ from those of every public function."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.families import reduce_sum_p, shape_of
from gradtape._src.declare.registered import opaque
from gradtape._src.ops.array import creation, joining, shaping
from gradtape._src.ops.elementwise import division
from gradtape._src.ops.linalg import (
    banded,
    decompositions,
    diagonals,
    einsum,
)
from gradtape._src.ops.nn import (
    activations,
    convolution_api,
    losses,
    morphology,
    pooling,
)


def _paddings(padding: Any, explicit_paddings: Any) -> Any:
    """A raw operation's padding as public functions take it: pairs of numbers if explicit."""
    if padding in ("EXPLICIT", b"EXPLICIT"):
        return np.reshape(explicit_paddings, (-1, 2)).tolist()
    return padding


@raw_op("Conv2D")
def _conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolution of images."""
    pads = _paddings(padding, explicit_paddings)
    return convolution_api.conv2d(input, filter, strides, pads, data_format, dilations)


@raw_op("MaxPool")
def _max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The greatest value of each window of images."""
    return pooling.max_pool2d(
        input, ksize, strides, _paddings(padding, explicit_paddings), data_format
    )


@raw_op("BiasAddGrad")
def _bias_add_grad(out_backprop: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """The gradient of BiasAdd by the bias: the sum along all axes but that of the channels."""
    g = tensor(out_backprop)
    rank = len(shape_of(g))
    channel = 1 if data_format.startswith("NC") else rank - 1
    axes = tuple(a - rank for a in range(rank) if a != channel)
    return reduce_sum_p(g, axis=axes, keepdims=False)  # type: ignore[no-any-return]


@raw_op("Einsum")
def _einsum(inputs: Any, equation: str, name: str | None = None) -> Tensor:
    """The sum of products that an equation describes.

    Unlike `tf.einsum`, a label that stands several times in the result makes a diagonal.
    """
    left, arrow, out = equation.replace(" ", "").partition("->")
    labels = out.replace("...", "")
    once = "".join(dict.fromkeys(labels))
    if once == labels or "..." in out.replace("...", "", 1):
        return einsum.einsum(equation, *inputs)
    y: Any = einsum.einsum(f"{left}{arrow}{'...' if '...' in out else ''}{once}", *inputs)
    dots = [f".{k}" for k in range(len(shape_of(y)) - len(once))]
    axes = [*dots, *once]
    for c in once:
        for _ in range(labels.count(c) - 1):
            place = axes.index(c)
            axes.append(axes.pop(place))
            y = diagonals.diag(shaping.transpose(y, _to_the_end(place, len(axes))))
            axes.append(c)
    order = []
    for c in out.replace("...", ".").replace(".", "\0"):
        for name_of_axis in dots if c == "\0" else [c]:
            place = axes.index(name_of_axis)
            axes[place] = ""
            order.append(place)
    return shaping.transpose(y, order)


def _to_the_end(place: int, rank: int) -> list[int]:
    """The permutation that moves an axis behind all others."""
    return [*(k for k in range(rank) if k != place), place]


@raw_op("SelfAdjointEigV2")
def _eigh(input: Any, compute_v: bool = True, name: str | None = None) -> Any:
    """The eigenvalues and, unless `compute_v` is False, eigenvectors of self-adjoint matrices."""
    if compute_v:
        return decompositions.eigh(input)
    return decompositions.eigvalsh(input), Tensor(np.zeros(0, tensor(input)._value.dtype))


@raw_op("TridiagonalMatMul")
def _tridiagonal_matmul(
    superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any, name: str | None = None
) -> Tensor:
    """The product of a matrix of three diagonals, each of shape (..., 1, n), and another."""
    rows = joining.concat([superdiag, maindiag, subdiag], -2)
    return banded.tridiagonal_matmul(rows, rhs)


@raw_op("Dilation2D")
def _dilation2d(
    input: Any, filter: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Grey dilation of images."""
    return morphology.dilation2d(input, filter, strides, padding, "NHWC", rates)


@raw_op("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(features: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The cross entropy of labels and logits, and its gradient by the logits."""
    loss = losses.softmax_cross_entropy_with_logits(labels=labels, logits=features)
    return loss, activations.softmax(features) - tensor(labels)


@raw_op("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(features: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The cross entropy of class numbers and logits, and its gradient by the logits."""
    x = tensor(features)
    loss = losses.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    ones = creation.one_hot(labels, shape_of(x)[-1], dtype=x.dtype)
    return loss, activations.softmax(x) - ones


@raw_op("DepthwiseConv2dNative")
def _depthwise(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolution of each channel by itself."""
    spatial = list(dilations)[2:] if data_format == "NCHW" else list(dilations)[1:3]
    return convolution_api.depthwise_conv2d(input, filter, strides, padding, data_format, spatial)


@raw_op("Div")
def _div(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient, cut towards zero for integers."""
    a = tensor(x)
    return (division.truncatediv if a.dtype.is_integer else division.realdiv)(a, y)


_prevented_p = opaque("PreventGradient", lambda x: x)


@raw_op("PreventGradient")
def _prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The input, whose gradient is refused with a LookupError."""
    return _prevented_p(tensor(input))  # type: ignore[no-any-return]
