"""Less common functions of `tf.math` and of the root."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import as_dtype, float32, int32
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, integer, invalid, known
from gradtape._src.declare.eager_only import outside
from gradtape._src.declare.families import pad_p, shape_of, transpose_p
from gradtape._src.ops.array.gather_rows import add_rows_p
from gradtape._src.ops.array.shaping import broadcast_to, concat, identity, reshape
from gradtape._src.ops.array.slicing import getitem
from gradtape._src.ops.array.sorting import top_k
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.types.sparse_tensor import SparseTensor


class ApproxTopK(NamedTuple):
    """What `approx_max_k` gives."""

    values: Tensor
    indices: Tensor


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The greatest elements along an axis; exact, as on TensorFlow's CPU.

    Args:
      operand: A floating tensor.
      k: How many.
      reduction_dimension: The axis.
      recall_target: Accepted for compatibility: all are found.
      reduction_input_size_override: Accepted for compatibility.
      aggregate_to_topk: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The elements in falling order, and their places, int32.

    Raises:
      InvalidArgumentError: The axis is out of range, or there are not as many elements.
    """
    return _best(tensor(operand), k, reduction_dimension, 1)


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The least elements along an axis in rising order; arguments as `approx_max_k`."""
    return _best(tensor(operand), k, reduction_dimension, -1)


def _best(x: Tensor, k: Any, axis: int, sign: int) -> ApproxTopK:
    rank = len(shape_of(x))
    at = axis_index(axis, rank, "ApproxTopK", "reduction_dimension {axis} is out of range")
    swap = list(range(rank))
    swap[at], swap[-1] = swap[-1], swap[at]
    turned = transpose_p(x, perm=tuple(swap))
    values, places = top_k(turned if sign > 0 else -turned, k)
    values = values if sign > 0 else -values
    return ApproxTopK(*(transpose_p(y, perm=tuple(swap)) for y in (values, places)))


def _unknown_confusion(
    labels: Any, predictions: Any, num_classes: Any, weights: Any, dtype: Any
) -> Tensor:
    """The confusion matrix of labels whose values nobody knows yet."""
    n, kind = integer(num_classes, "confusion_matrix", "num_classes"), as_dtype(dtype).np_dtype
    wide = np.dtype(np.int64)
    pair = [reshape(cast_p(tensor(v), dtype=wide), [-1]) for v in (labels, predictions)]
    counts = Tensor(np.ones(1, kind)) if weights is None else cast_p(tensor(weights), dtype=kind)
    each = broadcast_to(reshape(counts, [-1]), shape_of(pair[0]))
    return reshape(add_rows_p(each, pair[0] * n + pair[1], count=n * n), [n, n])


@export("math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Counts how often each class was taken for each other.

    Args:
      labels: The true classes, an integer vector.
      predictions: The classes predicted, a vector of the same length.
      num_classes: The number of classes; the greatest of them plus one unless given.
      weights: What each counts for; one unless given.
      dtype: The dtype of the counts.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (num_classes, num_classes): rows are true classes, columns predicted ones.

    Raises:
      InvalidArgumentError: A class is negative or too great, or the lengths differ.
    """
    if num_classes is not None and not all(map(known, map(tensor, (labels, predictions)))):
        return _unknown_confusion(labels, predictions, num_classes, weights, dtype)
    pair = [np.asarray(tensor(v)._numpy()) for v in (labels, predictions)]
    most = max(v.ndim for v in pair)
    pair = [np.squeeze(v, -1) if v.ndim == most > 1 and v.shape[-1] == 1 else v for v in pair]
    names = ("labels", "predictions")
    for what, values in zip(names, pair, strict=True):
        if (values < 0).any():
            raise invalid(f"`{what}` contains negative values: {values.tolist()}")
    if pair[0].shape != pair[1].shape:
        raise invalid(
            f"Shapes of all inputs must match: labels {list(pair[0].shape)} != predictions "
            f"{list(pair[1].shape)}"
        )
    if num_classes is None:
        n = int(max((int(v.max()) for v in pair if v.size), default=-1)) + 1
    else:
        n = integer(num_classes, "confusion_matrix", "num_classes")
        for what, values in zip(names, pair, strict=True):
            if (values >= n).any():
                raise invalid(f"`{what}` out of bound: {values.tolist()} for {n} classes")
    kind = as_dtype(dtype).np_dtype
    out = np.zeros((n, n), kind)
    counts = 1 if weights is None else np.asarray(convert_to_tensor(weights)._numpy()).astype(kind)
    if np.ndim(counts) and np.shape(counts) != pair[0].shape:
        raise invalid(f"`weights` has shape {np.shape(counts)}, `predictions` {pair[0].shape}")
    np.add.at(out, tuple(v.astype(np.int64) for v in pair), counts)
    return Tensor(out)


def _neighbours(x: Any) -> tuple[Any, Any]:
    flat = np.asarray(tensor(x)._numpy()).ravel()
    return flat[1:], flat[:-1]


@export("math.is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element is less than the one before it, in the order of rows."""
    after, before = _neighbours(x)
    return Tensor(np.bool_((after >= before).all()))


@export("math.is_strictly_increasing")
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element is greater than the one before it, in the order of rows."""
    after, before = _neighbours(x)
    return Tensor(np.bool_((after > before).all()))


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial, by Horner's rule.

    Args:
      coeffs: A list of coefficients, that of the highest power first.
      x: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `x` and the coefficients.

    Raises:
      ValueError: `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    at = tensor(x)
    if not coeffs:
        return Tensor(np.zeros_like(np.asarray(at._numpy()))[()])
    given = [convert_to_tensor(c, dtype_hint=at.dtype) for c in coeffs]
    out: Any = given[0]
    for c in given[1:]:
        out = c + out * at
    return out  # type: ignore[no-any-return]


@export("math.sobol_sample")
@raw_op("SobolSample", differentiable=False)
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence, which fill a cube evenly.

    Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections" (2008).

    Args:
      dim: The number of dimensions.
      num_results: How many points.
      skip: How many of the first to leave out.
      dtype: float32 or float64.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (num_results, dim) of numbers in [0, 1).

    Raises:
      InvalidArgumentError: A number is less than one.
    """
    from scipy.stats import qmc

    d, n, first = (integer(v, "SobolSample", "dim") for v in (dim, num_results, skip))
    for what, value in (("dim", d), ("num_results", n)):
        if value < 1:
            raise invalid(f"{what} must be at least one [Op:SobolSample]")
    engine = qmc.Sobol(d, scramble=False, bits=32)
    engine.fast_forward(first + 1)  # the sequence begins with zeros, which are left out
    return Tensor(engine.random(n).astype(as_dtype(dtype).np_dtype))


@export("unravel_index")
@raw_op("UnravelIndex", differentiable=False)
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The places in an array of flat places.

    Args:
      indices: An integer scalar or vector.
      dims: The shape of the array, an integer vector.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (axes,) or (axes, n).

    Raises:
      InvalidArgumentError: A place is out of range, or `dims` no vector.
    """
    at = tensor(indices)
    shape = np.asarray(convert_to_tensor(dims, dtype_hint=at.dtype)._numpy())
    flat = np.asarray(at._numpy())
    if shape.ndim != 1 or flat.ndim > 1:
        raise invalid(
            f"The indices can only be scalar or 1-D, and dims 1-D, got shapes "
            f"{list(flat.shape)} and {list(shape.shape)} [Op:UnravelIndex]"
        )
    if flat.size and (flat.min() < 0 or flat.max() >= shape.prod()):
        raise invalid("index is out of bound as with dims [Op:UnravelIndex]")
    return Tensor(np.stack(np.unravel_index(flat, tuple(shape))).astype(flat.dtype))


@export("edit_distance")
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """How many insertions, deletions and replacements make one sequence of another.

    Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals" (1966).

    Args:
      hypothesis: A SparseTensor, its last axis sequences.
      truth: Another of the same rank.
      normalize: Whether to divide by the length of the truth.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of the shape without the last axis; inf where only the truth is empty.

    Raises:
      TypeError: An argument is no SparseTensor.
    """
    for what, x in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(x, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor.")
    lead = np.maximum(
        *(np.asarray(x.dense_shape._numpy())[:-1].astype(np.int64) for x in (hypothesis, truth))
    )
    made, true = _sequences(hypothesis), _sequences(truth)
    out = np.zeros(tuple(lead), np.float32)
    for place in made.keys() | true.keys():
        left, right = made.get(place, []), true.get(place, [])
        steps = _distance(left, right)
        if normalize:
            out[place] = steps / len(right) if right else np.inf
        else:
            out[place] = steps
    return Tensor(out)


def _sequences(x: SparseTensor) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    places = np.asarray(x.indices._numpy()).tolist()
    for place, value in zip(places, np.asarray(x.values._numpy()).tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _distance(a: list[Any], b: list[Any]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


@export("extract_volume_patches")
@raw_op("ExtractVolumePatches")
def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """The windows of volumes, each laid out in the channels.

    Args:
      input: A tensor of shape (batch, planes, rows, columns, channels).
      ksizes: The window, [1, planes, rows, columns, 1].
      strides: How far it moves on, in the same form.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new planes, new rows, new columns, window * channels).

    Raises:
      InvalidArgumentError: An argument is malformed, or the window larger than the volume.
    """
    x = tensor(input)
    window, steps = ([int(n) for n in np.ravel(v)] for v in (ksizes, strides))
    if len(shape_of(x)) != 5 or len(window) != 5 or len(steps) != 5:
        raise invalid(
            f"input must be 5-dimensional, ksizes and strides of five numbers: got shape "
            f"{x.shape}, {window} and {steps} [Op:ExtractVolumePatches]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid(f"padding must be SAME or VALID, got {padding!r} [Op:ExtractVolumePatches]")
    space, k, s = shape_of(x)[1:4], window[1:4], steps[1:4]
    if padding == "SAME":
        out = [-(-n // m) for n, m in zip(space, s, strict=True)]
        gaps = [max((o - 1) * m + w - n, 0) for o, m, w, n in zip(out, s, k, space, strict=True)]
        before = (0, *(g // 2 for g in gaps), 0)
        after = (0, *(g - g // 2 for g in gaps), 0)
        x = pad_p(x, before=before, after=after)
    else:
        out = [(n - w) // m + 1 for n, m, w in zip(space, s, k, strict=True)]
        if min(out) < 1:
            raise invalid(f"window {k} is larger than {list(space)} [Op:ExtractVolumePatches]")
    parts = []
    for at in np.ndindex(*k):
        spans = [slice(i, i + (o - 1) * m + 1, m) for i, o, m in zip(at, out, s, strict=True)]
        parts.append(getitem(x, (slice(None), *spans)))
    return concat(parts, -1)  # type: ignore[no-any-return]


@export("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The input itself, which a program promises not to change."""
    return identity(input)  # type: ignore[no-any-return]


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a tensor has no value yet: False, except inside a compiled function."""
    value = getattr(tensor, "_value", None)
    return value is not None and not isinstance(value, (np.ndarray, np.generic))


@export("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """The seconds since the beginning of 1970, a float64 scalar."""
    outside("tf.timestamp")
    return Tensor(np.float64(time.time()))
