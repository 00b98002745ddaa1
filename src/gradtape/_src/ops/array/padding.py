"""Pads tensors, and moves blocks of elements between the spatial, batch and depth axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.errors import NotFoundError
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    integers,
    invalid,
    shown_shape,
    sizes,
)
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import dtype_of_value, general, shape_of
from gradtape._src.declare.graph_operations import New, deferrable, graph_operation
from gradtape._src.declare.structural import (
    count,
    pad_p,
    reduce_sum_p,
    reshape_p,
    slice_p,
    transpose_p,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.xla_kernels import pad_xla
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.index_errors import failing

Lengths = tuple[int, ...]


def _pad_value(x: Any, value: Any, *, before: Lengths, after: Lengths) -> Any:
    shape = tuple(b + n + a for b, n, a in zip(before, x.shape, after, strict=True))
    out = np.full(shape, value, x.dtype)
    out[tuple(slice(b, b + n) for b, n in zip(before, x.shape, strict=True))] = x
    return out


def _padding_mask(shape: Lengths, before: Lengths, after: Lengths, dtype: Any) -> Any:
    """Returns an array that is one in the padding and zero elsewhere."""
    return _pad_value(np.zeros(shape, dtype), 1, before=before, after=after)


def _inside(g: Any, x_shape: Lengths, before: Lengths) -> Any:
    end = tuple(b + n for b, n in zip(before, x_shape, strict=True))
    return slice_p(g, begin=before, end=end)


def _value_vjp(g: Any, x_shape: Lengths, before: Lengths, after: Lengths) -> Any:
    g = g * _padding_mask(x_shape, before, after, dtype_of_value(g))
    return reduce_sum_p(g, axis=tuple(range(-len(before), 0)), keepdims=False)


def _pad_value_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    x, value = inputs
    before, after = params["before"], params["after"]
    if not batched[1]:
        return pad_value_p(x, value, before=(0, *before), after=(0, *after))
    shape = shape_of(x)[1:] if batched[0] else shape_of(x)
    ring = _padding_mask(shape, before, after, dtype_of_value(x))
    value = reshape_p(value, shape=(size, *(1,) * len(shape)))
    if batched[0]:
        before, after = (0, *before), (0, *after)
    return pad_p(x, before=before, after=after) + value * ring


pad_value_p: Bound = general(
    "PadV2",
    _pad_value,
    {"x": lambda g, x_shape, before: _inside(g, x_shape, before), "value": _value_vjp},
    jvps={
        "x": lambda t, before, after: pad_p(t, before=before, after=after),
        "value": lambda t, x_shape, before, after: pad_value_p(
            np.zeros(x_shape, dtype_of_value(t)), t, before=before, after=after
        ),
    },
    batching=_pad_value_batch,
    xla=pad_xla,
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("pad")
@deferrable
@raw_op("PadV2", input="tensor")
@raw_op("Pad", input="tensor")
@raw_op("MirrorPad", input="tensor")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """Pads each axis before and after its elements.

    Args:
      tensor: A tensor.
      paddings: The numbers of elements before and after, of shape (rank, 2).
      mode: "CONSTANT", "REFLECT" (mirrors without repeating the edge element) or "SYMMETRIC"
        (mirrors and repeats the edge element), in upper or lower case.
      constant_values: The value to pad with, a scalar; the gradient flows to it.
      name: Accepted for compatibility.

    Returns:
      A tensor of the rank and dtype of `tensor`, whose axes are longer by the paddings.

    Raises:
      InvalidArgumentError: `paddings` is not of shape (rank, 2), or a number in it is negative or
        too large for mirroring.
      ValueError: The mode is unknown.

    >>> tf.pad([[1, 2]], [[1, 0], [0, 1]]).numpy()
    array([[0, 0, 0],
           [1, 2, 0]], dtype=int32)
    >>> tf.pad([1, 2, 3], [[2, 0]], mode="REFLECT").numpy()
    array([3, 2, 1, 2, 3], dtype=int32)
    """
    x = convert_to_tensor(tensor)
    kind = str(mode).upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {kind}"
        )
    op = "Pad" if kind == "CONSTANT" else "MirrorPad"
    widths = integers(paddings, op, "paddings")
    shape = shape_of(x)
    if not shape and not widths.size:
        return reshape_p(x, shape=())
    if widths.ndim != 2 or widths.shape[1] != 2:
        raise invalid(
            f"paddings must be a matrix with 2 columns: {shown_shape(widths.shape)} [Op:{op}]"
        )
    if len(widths) != len(shape):
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{shown_shape(widths.shape)} {shown_shape(shape)} [Op:{op}]"
        )
    if np.any(widths < 0):
        b, a = widths[np.argmax(np.any(widths < 0, axis=1))]
        raise invalid(f"Paddings must be non-negative: {b} {a} [Op:{op}]")
    before, after = tuple(widths[:, 0].tolist()), tuple(widths[:, 1].tolist())
    if kind != "CONSTANT":
        return _mirrored(x, before, after, kind)
    if type(constant_values) in (int, float) and constant_values == 0:
        if x.dtype is string:
            return pad_value_p(x, Tensor(np.array(b"", object)), before=before, after=after)
        return pad_p(x, before=before, after=after)
    value = convert_to_tensor(constant_values, x.dtype)
    return pad_value_p(x, reshape_p(value, shape=()), before=before, after=after)


def _mirrored(x: Tensor, before: Lengths, after: Lengths, kind: str) -> Tensor:
    edge = kind == "SYMMETRIC"
    shape = shape_of(x)
    for n, b, a in zip(shape, before, after, strict=True):
        if max(a, b) > n - (not edge):
            rule = "no greater than" if edge else "less than"
            message = (
                f"paddings must be {rule} the dimension size: {b}, {a} "
                f"{'greater' if edge else 'not less'} than {n} [Op:MirrorPad]"
            )
            wide = [b + n + a for n, b, a in zip(shape, before, after, strict=True)]
            return failing("MirrorPad", x, message, wide)
    for axis, (n, b, a) in enumerate(zip(shape, before, after, strict=True)):
        if a or b:
            rows = np.pad(np.arange(n), (b, a), "symmetric" if edge else "reflect")
            x = gather_p(x, Tensor(rows), axis=axis, batch_dims=0)
    return x


# Blocks of the spatial axes.


def _vector(value: Any, op: str, what: str) -> Lengths:
    return tuple(integers(value, op, what).reshape(-1).tolist())


@export("space_to_batch_nd")
@raw_op("SpaceToBatchND")
def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pads the spatial axes, and moves blocks of them into the batch axis.

    Args:
      input: A tensor of shape (batch, *spatial, ...).
      block_shape: The lengths of a block, one for each spatial axis.
      paddings: The number of zeros before and after each spatial axis, of shape (len(block_shape),
        2).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch * product of the blocks, *spatial / block, ...).

    Raises:
      InvalidArgumentError: A padded length is not divisible by its block.
    """
    x = tensor(input)
    block = _vector(block_shape, "SpaceToBatchND", "block_shape")
    widths = integers(paddings, "SpaceToBatchND", "paddings").reshape(-1, 2)
    m, shape = len(block), shape_of(x)
    rest = (0,) * (len(shape) - m - 1)
    x = pad_p(
        x, before=(0, *widths[:, 0].tolist(), *rest), after=(0, *widths[:, 1].tolist(), *rest)
    )
    shape = shape_of(x)
    for i, (n, b) in enumerate(zip(shape[1 : m + 1], block, strict=True)):
        if n % b:
            raise invalid(
                f"padded_shape[{i}]={n} is not divisible by block_shape[{i}]={b} "
                "[Op:SpaceToBatchND]"
            )
    inner = [n // b for n, b in zip(shape[1 : m + 1], block, strict=True)]
    pairs = [k for pair in zip(inner, block, strict=True) for k in pair]
    x = reshape_p(x, shape=(shape[0], *pairs, *shape[m + 1 :]))
    order = (
        *range(2, 2 * m + 1, 2),
        0,
        *range(1, 2 * m, 2),
        *range(2 * m + 1, 2 * m + 1 + len(rest)),
    )
    x = transpose_p(x, perm=order)
    return reshape_p(x, shape=(count(block) * shape[0], *inner, *shape[m + 1 :]))


@export("space_to_batch", "nn.space_to_batch")
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Moves blocks of the spatial axes into the batch axis.

    Args:
      input: A tensor of shape (batch, *spatial, ...).
      block_shape: The lengths of a block, one for each spatial axis.
      paddings: The number of zeros before and after each spatial axis, of shape (len(block_shape),
        2).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch * product of blocks, *shorter spatial axes, ...).

    Raises:
      InvalidArgumentError: A padded axis is not divisible by its block.
    """
    return space_to_batch_nd(input, block_shape, paddings, name)


@export("batch_to_space")
@raw_op("BatchToSpaceND")
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Undoes `space_to_batch`.

    Args:
      input: A tensor of shape (batch, *spatial, ...).
      block_shape: The lengths of a block, one for each spatial axis.
      crops: The numbers of elements to crop from the result, of shape (len(block_shape), 2).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch / product of blocks, *longer spatial axes, ...).

    Raises:
      InvalidArgumentError: The length of the batch axis is not divisible by the product of
        `block_shape`, or the crops are longer than an axis.
    """
    x = tensor(input)
    block = _vector(block_shape, "BatchToSpaceND", "block_shape")
    cut = integers(crops, "BatchToSpaceND", "crops").reshape(-1, 2).tolist()
    m, shape = len(block), shape_of(x)
    if shape[0] % count(block):
        raise invalid(
            f"Input batch dimension ({shape[0]}) is not divisible by product of block sizes "
            f"({count(block)}) [Op:BatchToSpaceND]"
        )
    batch, rest = shape[0] // count(block), shape[m + 1 :]
    x = reshape_p(x, shape=(*block, batch, *shape[1:]))
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    x = transpose_p(x, perm=(*order, *range(2 * m + 1, 2 * m + 1 + len(rest))))
    full = [n * b for n, b in zip(shape[1 : m + 1], block, strict=True)]
    x = reshape_p(x, shape=(batch, *full, *rest))
    for i, (n, (b, a)) in enumerate(zip(full, cut, strict=True)):
        if b + a > n:
            raise invalid(
                f"cropped_shape[{i}]={n - b - a} must be non-negative [Op:BatchToSpaceND]"
            )
    begin = (0, *(b for b, _ in cut), *(0 for _ in rest))
    end = (batch, *(n - a for n, (_, a) in zip(full, cut, strict=True)), *rest)
    return slice_p(x, begin=begin, end=end)


def _depth_input(input: Any, data_format: str, op: str) -> Tensor:
    x = tensor(input)
    if data_format != "NHWC":
        raise NotFoundError(
            None, None, f"{op}: on the CPU `data_format` must be 'NHWC', got {data_format!r}"
        )
    if x.ndim != 4:
        raise invalid(f"Input rank should be: 4 instead of: {x.ndim} [Op:{op}]")
    return x


@export("nn.space_to_depth")
@takes(block_size="int")
@raw_op("SpaceToDepth")
def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Moves blocks of the height and width axes into the depth axis.

    Args:
      input: A tensor of shape (batch, height, width, depth).
      block_size: The height and width of a block.
      data_format: "NHWC".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, height / b, width / b, depth * b * b).

    Raises:
      InvalidArgumentError: Height or width is not divisible by the block size.

    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), (1, 2, 2, 1)), 2).numpy()
    array([[[[0, 1, 2, 3]]]], dtype=int32)
    """
    x = _depth_input(input, data_format, "SpaceToDepth")
    n, h, w, c = shape_of(x)
    b = int(block_size)
    if h % b or w % b:
        raise invalid(
            f"Image width {w} and height {h} should be divisible by block_size: {b} "
            "[Op:SpaceToDepth]"
        )
    x = reshape_p(x, shape=(n, h // b, b, w // b, b, c))
    x = transpose_p(x, perm=(0, 1, 3, 2, 4, 5))
    return reshape_p(x, shape=(n, h // b, w // b, b * b * c))


@export("nn.depth_to_space")
@takes(block_size="int")
@raw_op("DepthToSpace")
def depth_to_space(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Undoes `space_to_depth`: moves parts of the depth axis into height and width.

    Args:
      input: A tensor of shape (batch, height, width, depth).
      block_size: The height and width of a block.
      data_format: "NHWC".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, height * b, width * b, depth / (b * b)), where b is the block size.

    Raises:
      InvalidArgumentError: The depth is not divisible by the square of the block size.

    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), (1, 1, 1, 4)), 2).numpy()[0, :, :, 0]
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    x = _depth_input(input, data_format, "DepthToSpace")
    n, h, w, c = shape_of(x)
    b = int(block_size)
    if c % (b * b):
        raise invalid(
            f"Input depth dimension {c} should be divisible by: {b * b} [Op:DepthToSpace]"
        )
    x = reshape_p(x, shape=(n, h, w, b, b, c // (b * b)))
    x = transpose_p(x, perm=(0, 1, 3, 2, 4, 5))
    return reshape_p(x, shape=(n, h * b, w * b, c // (b * b)))


def _paddings_result(
    new: New, input_shape: Any, block_shape: Any, base_paddings: Any = None, name: Any = None
) -> tuple[Tensor, Tensor]:
    n = shape_of(tensor(block_shape))[0]
    return new([n, 2], np.int32), new([n, 2], np.int32)


@export("required_space_to_batch_paddings")
@graph_operation("RequiredSpaceToBatchPaddings", _paddings_result)
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes paddings that make lengths divisible by block lengths, and crops that undo them.

    Args:
      input_shape: The lengths, of shape (n,).
      block_shape: The lengths of a block, of shape (n,).
      base_paddings: The minimum paddings, of shape (n, 2).
      name: Accepted for compatibility.

    Returns:
      Paddings and crops, both of shape (n, 2).
    """
    lengths = np.array(sizes(input_shape, "SpaceToBatchND"), np.int32)
    block = np.array(sizes(block_shape, "SpaceToBatchND"), np.int32)
    base = np.zeros((len(block), 2), np.int32)
    if base_paddings is not None:
        base = np.asarray(tensor(base_paddings)._numpy()).astype(np.int32)
    total = lengths + base.sum(1, dtype=np.int32)
    extra = (block - total % block) % block
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return Tensor(paddings), Tensor(crops)
