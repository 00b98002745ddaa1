"""Counting: occurrences of integers, histograms, confusion matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int32, int64
from gradtape._src.base.error_messages import allocated, mismatch
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import (
    index_dtype,
    integer,
    invalid,
    known,
    scalar,
)
from gradtape._src.declare.attributes import attribute
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, deferrable, graph_operation
from gradtape._src.declare.structural import broadcast_to_p, count, reshape_p
from gradtape._src.ops.array.row_sums import add_rows_p
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast, cast_p
from gradtape._src.ops.elementwise.selection import minimum_p


def _limit(value: Any) -> int | None:
    if value is None:
        return None
    return scalar(convert_to_tensor(value, int32), "DenseBincount", "minlength or maxlength")


def number_of_bins(size: Any, op: str) -> int:
    """Returns the number of bins of a raw operation that counts.

    Raises:
      InvalidArgumentError: `size` is not a scalar, or is negative.
    """
    given = convert_to_tensor(size)
    if given._value.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {given._value.ndim} [Op:{op}]")
    if (n := integer(given, op, "size")) < 0:
        raise invalid(f"size ({n}) must be non-negative [Op:{op}]")
    return n


def _count_dtype(dtype: Any) -> DType:
    return int32 if dtype is None else as_dtype(dtype)


def check_binary(binary_output: Any, weights: Any) -> None:
    """Raises ValueError if `binary_output` is true and weights are given."""
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )


def _unknown_counts(x: Tensor, weights: Any, n: int, dtype: Any, binary: bool) -> Tensor:
    """Counts integers whose values are not known yet, in a known number of bins."""
    flat = reshape_p(cast_p(x, dtype=np.dtype(np.int64)), shape=(-1,))
    if weights is None:
        kind = _count_dtype(dtype).np_dtype
        each = broadcast_to_p(Tensor(kind.type(1)), shape=shape_of(flat))
    else:
        each = reshape_p(convert_to_tensor(weights), shape=shape_of(flat))
    out = add_rows_p(each, flat, count=n)
    return minimum_p(out, Tensor(out._value.dtype.type(1))) if binary else out


def _counts_result(
    new: New,
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    check_binary(binary_output, weights)
    rows = shape_of(tensor(arr))[:-1] if axis == -1 else ()
    kind = _count_dtype(dtype) if weights is None else convert_to_tensor(weights).dtype
    return new([*rows, None], kind)


@export("math.bincount")
@graph_operation("DenseBincount", _counts_result)
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts the occurrences of each integer.

    Args:
      arr: A tensor of non-negative integers.
      weights: The weight of each element, of the shape of `arr`; the result has the dtype of the
        weights.
      minlength: The minimum length of the result.
      maxlength: The maximum length of the result; integers that do not fit are not counted.
      dtype: The dtype of the counts. None means int32.
      name: Accepted for compatibility.
      axis: If it is None or 0, all of `arr` is counted together; if -1, each row separately.
      binary_output: If true, the result is 1 for each integer that occurs, instead of the count;
        not with `weights`.

    Returns:
      A tensor of counts, or of sums of weights, of shape (n,), or (batch, n) with `axis=-1`.

    Raises:
      InvalidArgumentError: An integer is negative, or the shapes differ.
      ValueError: `axis` is not None, 0 or -1, or `binary_output` is true and `weights` are given.

    >>> tf.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    check_binary(binary_output, weights)
    least, most = _limit(minlength), _limit(maxlength)
    if not known(tensor(arr)) and axis != -1 and least is not None and least == most:
        return _unknown_counts(tensor(arr), weights, least, dtype, binary_output)
    if tensor(arr)._value.dtype.kind not in "iu":
        arr = cast_p(tensor(arr), dtype=np.dtype(np.int32))
    attribute("bool", "binary_output", binary_output)
    values = np.asarray(tensor(arr)._numpy())
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if np.any(values < 0):
        raise invalid("Input arr must be non-negative! [Op:DenseBincount]", About.VALUES)
    rows = values.reshape(1, -1) if axis != -1 or values.ndim < 2 else values
    given = None
    out_dtype = _count_dtype(dtype).np_dtype
    if weights is not None:
        given = np.asarray(convert_to_tensor(weights)._numpy())
        if given.shape != values.shape:
            raise invalid(
                f"`weights` must be the same shape as `arr` or a length-0 `Tensor`: "
                f"{given.shape} and {values.shape} [Op:DenseBincount]"
            )
        out_dtype, given = given.dtype, given.reshape(rows.shape)
    n = int(values.max()) + 1 if values.size else 0
    n = max(n, least or 0)
    n = n if most is None else min(n, most)
    out = np.zeros((len(rows), n), out_dtype)
    for i, row in enumerate(rows):
        kept = row < n
        if binary_output:
            out[i, row[kept]] = 1
        else:
            np.add.at(out[i], row[kept], 1 if given is None else given[i][kept])
    return Tensor(out if rows is values and values.ndim > 1 else out[0])


def _bins(values: Any, value_range: Any, nbins: Any) -> tuple[Any, int]:
    x = tensor(values)
    n = scalar(nbins, "HistogramFixedWidth", "nbins")
    bounds = convert_to_tensor(value_range, dtype_hint=x.dtype)
    if bounds.dtype is not x.dtype:
        raise mismatch("Sub", 1, x.dtype, bounds.dtype)
    if tuple(shape_of(bounds)) != (2,):
        raise invalid(f"`value_range` must have shape (2,), got {bounds.shape} [Op:Sub]")
    low, high = np.asarray(bounds._numpy())
    if n <= 0:
        raise invalid(f"nbins should be a positive number, but got {n} [Op:HistogramFixedWidth]")
    if not low < high:
        raise invalid(
            f"value_range should satisfy value_range[0] < value_range[1], but got [{low}, {high}]"
            " [Op:HistogramFixedWidth]",
            About.VALUES,
        )
    scaled = (np.asarray(x._numpy()).astype(np.float64) - low) / (float(high) - float(low))
    return np.clip(np.floor(scaled * n), 0, n - 1).astype(np.int64), n


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Finds the bin that each value falls into when a range is divided into bins of equal width.

    Args:
      values: A real tensor.
      value_range: The range, of shape (2,). Values outside of it are counted in the first or last
        bin.
      nbins: The number of bins.
      dtype: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The index of each value's bin: an int32 tensor of the shape of `values`.

    Raises:
      InvalidArgumentError: The range is empty, or the number of bins is not positive.

    >>> tf.histogram_fixed_width_bins([0.1, 0.6, 7.0], [0.0, 1.0], nbins=2).numpy()
    array([0, 1, 1], dtype=int32)
    """
    places, _ = _bins(values, value_range, nbins)
    return Tensor(places.astype(np.int32)[()])


@export("histogram_fixed_width")
@raw_op("HistogramFixedWidth", differentiable=False)
@deferrable
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Counts the values in each of several bins of equal width.

    Args:
      values: A real tensor.
      value_range: The range, of shape (2,). Values outside of it are counted in the first or last
        bin.
      nbins: The number of bins.
      dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      The counts: a vector of `nbins` elements of dtype `dtype`.

    Raises:
      InvalidArgumentError: The range is empty, or the number of bins is not positive.

    >>> tf.histogram_fixed_width([0.0, 1.5, 2.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([1, 1, 1, 0, 1], dtype=int32)
    """
    if not isinstance(value_range, (TensorLike, np.ndarray)):
        values = tensor(values)
        value_range = convert_to_tensor(value_range, values.dtype)
    places, n = _bins(values, value_range, nbins)
    counts = allocated("HistogramFixedWidth", (n,), np.bincount, places.reshape(-1), None, n)
    return Tensor(counts.astype(index_dtype(dtype, int32, "HistogramFixedWidth", "dtype").np_dtype))


def _unknown_confusion(
    labels: Any, predictions: Any, num_classes: Any, weights: Any, dtype: Any
) -> Tensor:
    """Returns the confusion matrix of labels whose values are not known yet."""
    n, kind = integer(num_classes, "confusion_matrix", "num_classes"), _count_dtype(dtype).np_dtype
    wide = np.dtype(np.int64)
    pair = [reshape(cast_p(tensor(v), dtype=wide), [-1]) for v in (labels, predictions)]
    counts = Tensor(np.ones(1, kind)) if weights is None else cast_p(tensor(weights), dtype=kind)
    each = broadcast_to_p(reshape(counts, [-1]), shape=shape_of(pair[0]))
    return reshape(add_rows_p(each, pair[0] * n + pair[1], count=n * n), [n, n])


@export("math.confusion_matrix")
@deferrable
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Counts how often each pair of a true and a predicted class occurs.

    Args:
      labels: The true classes, an integer vector.
      predictions: The predicted classes, a vector of the same length.
      num_classes: The number of classes. Defaults to the greatest class plus one.
      weights: The weight of each pair. Defaults to 1.
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
            raise invalid(f"`{what}` contains negative values: {values.tolist()}", About.VALUES)
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
                raise invalid(
                    f"`{what}` out of bound: {values.tolist()} for {n} classes", About.VALUES
                )
    kind = as_dtype(int64 if dtype is None and weights is None else dtype).np_dtype
    out = np.zeros((n, n), kind)
    counts = 1 if weights is None else np.asarray(convert_to_tensor(weights)._numpy()).astype(kind)
    if np.ndim(counts) and np.shape(counts) != pair[0].shape:
        raise invalid(
            f"`weights` must have shape {pair[0].shape}, as `predictions`, got {np.shape(counts)}"
        )
    np.add.at(out, tuple(v.astype(np.int64) for v in pair), counts)
    return Tensor(out)


@raw_op("DenseBincount", differentiable=False)
def _dense_bincount(
    input: Any, size: Any, weights: Any, binary_output: bool = False, name: str | None = None
) -> Tensor:
    """Counts the integers below `size` in each row of a matrix."""
    w, size = tensor(weights), number_of_bins(size, "DenseBincount")
    rows = -1 if len(shape_of(tensor(input))) > 1 else 0
    given = w if count(shape_of(w)) and not binary_output else None
    out = bincount(input, given, size, size, w.dtype, axis=rows, binary_output=binary_output)
    return cast(out, w.dtype)
