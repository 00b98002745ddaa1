"""The operations that random programs are made of.

Each takes the module that plays TensorFlow, so that one table serves both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

Shape = tuple[int, ...]


def nothing(random: Random, *shapes: Shape) -> dict[str, Any]:
    """No parameters: the operation takes any shapes."""
    return {}


@dataclass(frozen=True)
class Operation:
    """One entry of the table.

    Attributes:
      name: The name in a program's listing.
      call: `(tf, *inputs, **parameters) -> tensor`.
      arity: The number of inputs.
      draw: Random parameters for inputs of some shapes; None if the shapes do not fit.
      order: The highest derivative that TensorFlow gets right.
    """

    name: str
    call: Callable[..., Any]
    arity: int = 1
    draw: Callable[..., dict[str, Any] | None] = nothing
    order: int = 2


def broadcasting(random: Random, a: Shape, b: Shape) -> dict[str, Any] | None:
    """Fits where two shapes broadcast."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return {} if all(1 in pair or pair[0] == pair[1] for pair in pairs) else None


def some_axis(random: Random, shape: Shape) -> dict[str, Any] | None:
    """One axis."""
    return {"axis": random.randrange(-len(shape), len(shape))} if shape else None


def some_axes(random: Random, shape: Shape) -> dict[str, Any] | None:
    """No, one or several axes to reduce."""
    axes = [None, *range(-len(shape), len(shape))]
    chosen: Any = random.choice(axes)
    if len(shape) > 1 and random.random() < 0.3:
        chosen = sorted(random.sample(range(len(shape)), 2))
    return {"axis": chosen, "keepdims": random.random() < 0.5}


def some_permutation(random: Random, shape: Shape) -> dict[str, Any]:
    """A permutation of the axes."""
    return {"perm": random.sample(range(len(shape)), len(shape))}


def some_rows(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Indices along an axis."""
    if not shape:
        return None
    axis = random.randrange(len(shape))
    return {"axis": axis, "indices": [random.randrange(shape[axis]) for _ in range(3)]}


def some_slice(random: Random, shape: Shape) -> dict[str, Any] | None:
    """A slice for each axis, with steps of either sign."""
    if not shape:
        return None
    slices = []
    for n in shape:
        begin, end = sorted((random.randint(0, n - 1), random.randint(1, n)))
        backwards = slice(None, None, -1)
        slices.append(random.choice([slice(begin, max(end, begin + 1)), backwards, slice(None)]))
    return {"index": tuple(slices)}


def some_padding(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Zeros, or mirrored elements, around."""
    if not shape or min(shape) < 2 or max(shape) > 6:
        return None
    mode = random.choice(["CONSTANT", "SYMMETRIC", "REFLECT"])
    return {
        "paddings": [[1, random.randint(0, 1)] for _ in shape],
        "mode": mode,
    }


def matrix(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Fits matrices and stacks of them."""
    return {} if len(shape) >= 2 else None


def not_scalar(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Fits all but scalars."""
    return {} if shape else None


def products(random: Random, a: Shape, b: Shape) -> dict[str, Any] | None:
    """Fits matrices whose product exists, perhaps with one of them transposed."""
    if len(a) < 2 or len(a) != len(b) or a[:-2] != b[:-2]:
        return None
    ways = [
        {"transpose_a": p, "transpose_b": q}
        for p in (False, True)
        for q in (False, True)
        if a[-2 if p else -1] == b[-1 if q else -2]
    ]
    return random.choice(ways) if ways else None


def same_but_one_axis(random: Random, a: Shape, b: Shape) -> dict[str, Any] | None:
    """Fits shapes that can be concatenated."""
    if not a or len(a) != len(b):
        return None
    axes = [k for k in range(len(a)) if a[:k] + a[k + 1 :] == b[:k] + b[k + 1 :]]
    return {"axis": random.choice(axes)} if axes else None


def pictures(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Fits a batch of small pictures, and chooses how to go over them."""
    if len(shape) != 3 or min(shape) < 2 or max(shape) > 6:
        return None
    return {"padding": random.choice(["SAME", "VALID"]), "strides": random.choice([1, 2])}


def same_rows(random: Random, a: Shape, b: Shape) -> dict[str, Any] | None:
    """Fits equal shapes of rank one or more."""
    return {} if a == b and a else None


def segments(random: Random, shape: Shape) -> dict[str, Any] | None:
    """A segment for each row."""
    return {"ids": sorted(random.choices(range(3), k=shape[0]))} if shape else None


def same_shape(random: Random, *shapes: Shape) -> dict[str, Any] | None:
    """Fits equal shapes."""
    return {"axis": random.randint(0, len(shapes[0]))} if len(set(shapes)) == 1 else None


def few_elements(random: Random, shape: Shape) -> dict[str, Any] | None:
    """Fits a small value."""
    return {"times": [random.randint(1, 2) for _ in shape]} if shape and max(shape) < 5 else None


def unary(name: str, call: Callable[..., Any]) -> Operation:
    """An operation of one input of any shape."""
    return Operation(name, call)


def reduction(name: str, call: Callable[..., Any]) -> Operation:
    """An operation that takes `axis` and `keepdims`."""
    return Operation(name, lambda tf, x, **p: call(tf)(x, **p), 1, some_axes)


def along(name: str, call: Callable[..., Any]) -> Operation:
    """An operation along one axis."""
    return Operation(name, call, 1, some_axis)


def pair(name: str, call: Callable[..., Any]) -> Operation:
    """An operation of two inputs that broadcast."""
    return Operation(name, call, 2, broadcasting)


def definite(tf: Any, x: Any) -> Any:
    """A positive definite matrix made of any."""
    return tf.matmul(x, x, transpose_b=True) + tf.eye(x.shape[-2], dtype=x.dtype)


def gram(tf: Any, x: Any) -> Any:
    """The square matrix of the products of the columns."""
    return tf.matmul(x, x, transpose_a=True)


def spread(tf: Any, x: Any) -> Any:
    """A positive definite matrix with eigenvalues well apart."""
    n = x.shape[-2]
    small = 0.1 * tf.matmul(tf.tanh(x), tf.tanh(x), transpose_b=True)
    return small + tf.cast(np.diag(np.arange(1.0, n + 1)), x.dtype)


def cross_entropy(tf: Any, x: Any, y: Any) -> Any:
    """The cross entropy of two values broadcast to one shape."""
    labels = tf.sigmoid(y) + 0.0 * x
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, x + 0.0 * y)


KERNEL = np.array([0.5, -1.0, 2.0, 0.3, -0.7, 0.2, 1.1, 0.4, -0.6]).reshape(3, 3, 1, 1)
TAPS = KERNEL.reshape(3, 3, 1)

OPERATIONS = [
    # Elementwise; what has a domain gets a value inside it.
    unary("exp", lambda tf, x: tf.exp(tf.tanh(x))),
    unary("expm1", lambda tf, x: tf.math.expm1(tf.tanh(x))),
    unary("log", lambda tf, x: tf.math.log(1.0 + x * x)),
    unary("log1p", lambda tf, x: tf.math.log1p(x * x)),
    unary("sqrt", lambda tf, x: tf.sqrt(0.5 + x * x)),
    unary("rsqrt", lambda tf, x: tf.math.rsqrt(0.5 + x * x)),
    unary("reciprocal", lambda tf, x: tf.math.reciprocal(1.5 + tf.sin(x))),
    unary("square", lambda tf, x: tf.square(x)),
    unary("abs", lambda tf, x: tf.abs(x)),
    unary("sign", lambda tf, x: tf.sign(x) * x),
    unary("floor", lambda tf, x: x - tf.floor(x)),
    unary("round", lambda tf, x: x * tf.round(x)),
    unary("sin", lambda tf, x: tf.sin(x)),
    unary("cos", lambda tf, x: tf.cos(x)),
    unary("tan", lambda tf, x: tf.tan(tf.tanh(x))),
    unary("asin", lambda tf, x: tf.asin(0.9 * tf.tanh(x))),
    unary("acos", lambda tf, x: tf.acos(0.9 * tf.tanh(x))),
    unary("atan", lambda tf, x: tf.atan(x)),
    unary("sinh", lambda tf, x: tf.sinh(tf.tanh(x))),
    unary("cosh", lambda tf, x: tf.cosh(tf.tanh(x))),
    unary("tanh", lambda tf, x: tf.tanh(x)),
    unary("asinh", lambda tf, x: tf.asinh(x)),
    unary("acosh", lambda tf, x: tf.acosh(1.5 + x * x)),
    unary("atanh", lambda tf, x: tf.atanh(0.9 * tf.tanh(x))),
    unary("erf", lambda tf, x: tf.math.erf(x)),
    unary("erfc", lambda tf, x: tf.math.erfc(x)),
    unary("lgamma", lambda tf, x: tf.math.lgamma(0.5 + x * x)),
    unary("digamma", lambda tf, x: tf.math.digamma(1.5 + x * x)),
    unary("sigmoid", lambda tf, x: tf.sigmoid(x)),
    unary("log_sigmoid", lambda tf, x: tf.math.log_sigmoid(x)),
    unary("softplus", lambda tf, x: tf.nn.softplus(x)),
    unary("softsign", lambda tf, x: tf.nn.softsign(x)),
    unary("relu", lambda tf, x: tf.nn.relu(x)),
    unary("relu6", lambda tf, x: tf.nn.relu6(4.0 * x)),
    unary("leaky_relu", lambda tf, x: tf.nn.leaky_relu(x)),
    unary("elu", lambda tf, x: tf.nn.elu(x)),
    unary("selu", lambda tf, x: tf.nn.selu(x)),
    unary("gelu", lambda tf, x: tf.nn.gelu(x)),
    unary("silu", lambda tf, x: tf.nn.silu(x)),
    unary("pow 3", lambda tf, x: x**3.0),
    unary("x / 3", lambda tf, x: x / 3.0),
    unary("2 - x", lambda tf, x: 2.0 - x),
    unary("clip", lambda tf, x: tf.clip_by_value(x, -0.5, 0.8)),
    unary("clip_by_norm", lambda tf, x: tf.clip_by_norm(x, 1.5)),
    unary("stop_gradient", lambda tf, x: tf.stop_gradient(x) * x),
    unary("identity", lambda tf, x: tf.identity(x)),
    unary(
        "complex",
        lambda tf, x: tf.cast(
            tf.math.real(tf.exp(tf.cast(tf.tanh(x), tf.complex128) * 1j)), x.dtype
        ),
    ),
    unary("cast", lambda tf, x: tf.cast(tf.cast(x * x, tf.float32), x.dtype)),
    unary("where", lambda tf, x: tf.where(x > 0.0, x * x, tf.sin(x))),
    unary("zeros_like", lambda tf, x: x + tf.ones_like(x) - tf.zeros_like(x)),
    # Two inputs.
    pair("add", lambda tf, x, y: x + y),
    pair("sub", lambda tf, x, y: x - y),
    pair("mul", lambda tf, x, y: x * y),
    pair("div", lambda tf, x, y: x / (1.0 + y * y)),
    pair("div_no_nan", lambda tf, x, y: tf.math.divide_no_nan(x, tf.nn.relu(y))),
    pair("maximum", lambda tf, x, y: tf.maximum(x, y)),
    pair("minimum", lambda tf, x, y: tf.minimum(x, y)),
    pair("squared_difference", lambda tf, x, y: tf.math.squared_difference(x, y)),
    pair("pow", lambda tf, x, y: tf.pow(0.5 + tf.sigmoid(x), y)),
    pair("atan2", lambda tf, x, y: tf.atan2(x, 2.0 + tf.sin(y))),
    pair("floormod", lambda tf, x, y: tf.math.floormod(x, 1.0 + y * y)),
    pair("xlogy", lambda tf, x, y: tf.math.xlogy(x, 0.5 + y * y)),
    pair("xlog1py", lambda tf, x, y: tf.math.xlog1py(x, y * y)),
    pair("where 2", lambda tf, x, y: tf.where(x > y, x, y * 2.0)),
    # Reductions.
    reduction("reduce_sum", lambda tf: tf.reduce_sum),
    reduction("reduce_mean", lambda tf: tf.reduce_mean),
    reduction("reduce_prod", lambda tf: tf.reduce_prod),
    reduction("reduce_max", lambda tf: tf.reduce_max),
    reduction("reduce_min", lambda tf: tf.reduce_min),
    reduction("reduce_logsumexp", lambda tf: tf.reduce_logsumexp),
    reduction("reduce_variance", lambda tf: tf.math.reduce_variance),
    reduction("reduce_euclidean_norm", lambda tf: tf.math.reduce_euclidean_norm),
    Operation("norm", lambda tf, x, **p: tf.norm(x + 0.1, **p), 1, some_axes),
    Operation(
        "reduce_std", lambda tf, x, **p: tf.math.reduce_std(tf.stack([x, x + 1.0]), axis=0), 1
    ),
    # Along an axis.
    along("softmax", lambda tf, x, axis: tf.nn.softmax(x, axis)),
    along("log_softmax", lambda tf, x, axis: tf.nn.log_softmax(x, axis)),
    along("cumsum", lambda tf, x, axis: tf.cumsum(x, axis)),
    along("cumsum back", lambda tf, x, axis: tf.cumsum(x, axis, exclusive=True, reverse=True)),
    along("cumprod", lambda tf, x, axis: tf.math.cumprod(x, axis)),
    Operation(  # TensorFlow's rule forgets the elements whose gradient is zero
        "cumulative_logsumexp",
        lambda tf, x, axis: tf.math.cumulative_logsumexp(x, axis),
        1,
        some_axis,
        order=1,
    ),
    along("reverse", lambda tf, x, axis: tf.reverse(x, [axis])),
    along("roll", lambda tf, x, axis: tf.roll(x, 1, axis)),
    along("sort", lambda tf, x, axis: tf.sort(x, axis)),
    along("l2_normalize", lambda tf, x, axis: tf.math.l2_normalize(x, axis)),
    along("repeat", lambda tf, x, axis: tf.repeat(x, 2, axis) if x.shape[axis] < 4 else x),
    along("split", lambda tf, x, axis: tf.split(x, [1, x.shape[axis] - 1], axis)[0]),
    along("unstack", lambda tf, x, axis: tf.unstack(x, axis=axis)[-1]),
    # Shapes.
    Operation("reshape", lambda tf, x: tf.reshape(x, [-1])),
    Operation("expand_dims", lambda tf, x, axis: tf.expand_dims(x, axis), 1, some_axis),
    Operation("squeeze", lambda tf, x: tf.squeeze(x)),
    Operation("transpose", lambda tf, x, perm: tf.transpose(x, perm), 1, some_permutation),
    Operation(
        "gather", lambda tf, x, axis, indices: tf.gather(x, indices, axis=axis), 1, some_rows
    ),
    Operation("slice", lambda tf, x, index: x[index], 1, some_slice),
    Operation("pad", lambda tf, x, paddings, mode: tf.pad(x, paddings, mode), 1, some_padding),
    Operation("tile", lambda tf, x, times: tf.tile(x, times), 1, few_elements),
    Operation("concat", lambda tf, x, y, axis: tf.concat([x, y], axis), 2, same_but_one_axis),
    Operation("stack", lambda tf, x, y, axis: tf.stack([x, y], axis), 2, same_shape),
    Operation("add_n", lambda tf, x, y, axis: tf.add_n([x, y, x]), 2, same_shape),
    # Matrices.
    Operation("matmul", lambda tf, x, y, **p: tf.matmul(x, y, **p), 2, products),
    Operation("gram", lambda tf, x: tf.matmul(x, x, transpose_a=True), 1, matrix),
    Operation("einsum", lambda tf, x: tf.einsum("...ij,...kj->...ik", x, tf.sin(x)), 1, matrix),
    Operation("tensordot", lambda tf, x: tf.tensordot(x, x, [[0], [0]]), 1, not_scalar),
    Operation("trace", lambda tf, x: tf.linalg.trace(x), 1, matrix),
    Operation("diag_part", lambda tf, x: tf.linalg.diag_part(x), 1, matrix),
    Operation("diag", lambda tf, x: tf.linalg.diag(x), 1, not_scalar),
    Operation("band_part", lambda tf, x: tf.linalg.band_part(x, -1, 0), 1, matrix),
    Operation("det", lambda tf, x: tf.linalg.det(definite(tf, tf.tanh(x))), 1, matrix),
    Operation("logdet", lambda tf, x: tf.linalg.logdet(definite(tf, x)), 1, matrix),
    Operation("inv", lambda tf, x: tf.linalg.inv(definite(tf, x)), 1, matrix),
    Operation("cholesky", lambda tf, x: tf.linalg.cholesky(definite(tf, x)), 1, matrix),
    Operation("solve", lambda tf, x: tf.linalg.solve(definite(tf, x), x), 1, matrix),
    Operation("eigvalsh", lambda tf, x: tf.linalg.eigvalsh(spread(tf, x)), 1, matrix),
    Operation(
        "singular values", lambda tf, x: tf.linalg.svd(spread(tf, x), compute_uv=False), 1, matrix
    ),
    Operation(
        "triangular_solve", lambda tf, x: tf.linalg.triangular_solve(definite(tf, x), x), 1, matrix
    ),
    Operation("matvec", lambda tf, x: tf.linalg.matvec(x, x[..., 0, :]), 1, matrix),
    Operation("set_diag", lambda tf, x: tf.linalg.set_diag(gram(tf, x), x[..., 0, :]), 1, matrix),
    # Look-ups and segments.
    Operation(
        "gather_nd", lambda tf, x: tf.gather_nd(x, [[0], [0], [x.shape[0] - 1]]), 1, not_scalar
    ),
    Operation("segment_sum", lambda tf, x, ids: tf.math.segment_sum(x, ids), 1, segments),
    Operation("segment_mean", lambda tf, x, ids: tf.math.segment_mean(x, ids), 1, segments),
    Operation("segment_max", lambda tf, x, ids: tf.math.segment_max(x, ids), 1, segments),
    Operation(
        "unsorted_segment_sum",
        lambda tf, x, ids: tf.math.unsorted_segment_sum(x, ids[::-1], 4),
        1,
        segments,
    ),
    Operation("scatter_nd", lambda tf, x: tf.scatter_nd([[1]], x[None], [3, *x.shape])),
    Operation(
        "scatter_update",
        lambda tf, x: tf.tensor_scatter_nd_update(x, [[0]], x[-1:] * 2.0),
        1,
        not_scalar,
    ),
    Operation(
        "scatter_add", lambda tf, x: tf.tensor_scatter_nd_add(x, [[0]], x[-1:] * 2.0), 1, not_scalar
    ),
    Operation("top_k", lambda tf, x: tf.math.top_k(x, 1).values, 1, not_scalar),
    Operation(
        "boolean_mask", lambda tf, x: tf.boolean_mask(x, np.arange(x.shape[0]) != 1), 1, not_scalar
    ),
    # Networks.
    Operation(
        "conv2d",
        lambda tf, x, padding, strides: tf.nn.conv2d(
            x[..., None], tf.cast(KERNEL, x.dtype), strides, padding
        )[..., 0],
        1,
        pictures,
    ),
    Operation(
        "conv1d",
        lambda tf, x, padding, strides: tf.nn.conv1d(
            tf.tile(x[:, :, :1], [1, 1, 2]),
            tf.cast(np.concatenate([TAPS, TAPS[::-1]], 1)[:, :2], x.dtype),
            strides,
            padding,
        ),
        1,
        pictures,
    ),
    Operation(
        "max_pool",
        lambda tf, x, padding, strides: tf.nn.max_pool2d(x[..., None], 2, strides, padding)[..., 0],
        1,
        pictures,
    ),
    Operation(
        "avg_pool",
        lambda tf, x, padding, strides: tf.nn.avg_pool2d(x[..., None], 2, strides, padding)[..., 0],
        1,
        pictures,
    ),
    Operation(
        "moments", lambda tf, x, **p: tf.add_n(list(tf.nn.moments(x, p["axis"] or 0))), 1, some_axis
    ),
    pair("sigmoid_cross_entropy", lambda tf, x, y: cross_entropy(tf, x, y)),
    Operation(  # TensorFlow's rule forgets the labels in the gradient's gradient
        "softmax_cross_entropy",
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x),
        2,
        same_rows,
        order=1,
    ),
    Operation(
        "softmax_cross_entropy with constants",
        lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(
            tf.fill(x.shape, tf.cast(0.3, x.dtype)), x
        ),
        1,
        not_scalar,
    ),
    Operation(
        "sparse_softmax_cross_entropy",
        lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(
            np.zeros(x.shape[:-1], int), x
        ),
        1,
        not_scalar,
    ),
    # Spectra.
    Operation(
        "fft",
        lambda tf, x: tf.abs(tf.signal.fft(tf.cast(x, tf.complex128)) + (3 + 1j)),
        1,
        not_scalar,
    ),
    Operation("rfft", lambda tf, x: tf.math.real(tf.signal.rfft(x)), 1, not_scalar),
]
BY_NAME = {operation.name: operation for operation in OPERATIONS}
