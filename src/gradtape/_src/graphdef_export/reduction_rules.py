"""Rules for reductions and running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.graphdef_export.array_rules import along
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule


def axes(p: Part, axis: Any) -> Value:
    """Returns axes as an input of an operation."""
    return p.const(np.array(axis, np.int32).reshape(-1), "int32")


@rule("Sum", "Prod", "Mean", "Max", "Min", "All", "Any", "EuclideanNorm")
def _reduce(p: Part, x: Value, *, axis: Any, keepdims: bool) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, x, axes(p, axis), keep_dims=keepdims)


@rule("CountNonzero")
def _count_nonzero(p: Part, x: Value, *, axis: Any, keepdims: bool, dtype: Any) -> Any:
    found = p.cast(p.op("NotEqual", x, p.like(b"" if x.dtype == "string" else 0, x)), dtype)
    return p.op("Sum", found, axes(p, axis), keep_dims=keepdims)


@rule("ZeroFraction")
def _zero_fraction(p: Part, x: Value) -> Any:
    zero = p.cast(p.op("Equal", x, p.like(0, x)), dtype_name(p.outputs[0].np_dtype))
    return p.op("Mean", zero, axes(p, range(x.rank)))


@rule("ArgMax", "ArgMin")
def _arg(p: Part, x: Value, *, axis: int, dtype: Any) -> Any:
    assert p.node is not None
    kind = dtype_name(dtype)
    known = kind if kind in ("int32", "int64") else "int64"
    found = p.op(p.node.primitive.name, x, p.const(along(x.rank, axis), "int32"), output_type=known)
    return p.cast(found, kind)


def _top(p: Part, x: Value, axis: Any) -> Any:
    top = p.op("Max", x, axes(p, axis), keep_dims=True)
    return p.op("StopGradient", p.op("SelectV2", p.op("IsFinite", top), top, p.like(0, top)))


@rule("ReduceLogSumExp")
def _log_sum_exp(p: Part, x: Value, *, axis: Any, keepdims: bool) -> Any:
    top = _top(p, x, axis)
    powers = p.op("Exp", p.op("Sub", x, top))
    out = p.op("AddV2", p.op("Log", p.op("Sum", powers, axes(p, axis), keep_dims=True)), top)
    if keepdims:
        return out
    return p.op("Squeeze", out, squeeze_dims=list(axis)) if len(axis) else out


@rule("SoftmaxAlongAxes")
def _softmax_along(p: Part, x: Value, *, axis: Any) -> Any:
    powers = p.op("Exp", p.op("Sub", x, _top(p, x, axis)))
    return p.op("RealDiv", powers, p.op("Sum", powers, axes(p, axis), keep_dims=True))


@rule("Cumsum", "Cumprod")
def _running(p: Part, x: Value, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    assert p.node is not None
    at = p.const(along(x.rank, axis), "int32")
    return p.op(p.node.primitive.name, x, at, exclusive=exclusive, reverse=reverse)


@rule("CumulativeLogsumexp")
def _running_log_sum(p: Part, x: Value, *, axis: int, reverse: bool) -> Any:
    at = p.const(along(x.rank, axis), "int32")
    return p.op("CumulativeLogsumexp", x, at, reverse=reverse)


@rule("Shift")
def _shift(p: Part, x: Value, *, axis: int, reverse: bool) -> Any:
    assert x.shape is not None
    place, rank = along(x.rank, axis), x.rank
    begin, size = [0] * rank, [-1] * rank
    begin[place] = int(reverse)
    size[place] = x.shape[place] - 1
    kept = p.op("Slice", x, p.ints(begin), p.ints(size))
    pads = np.zeros((rank, 2), np.int32)
    pads[place, int(reverse)] = 1
    return p.op("Pad", kept, p.const(pads, "int32"))


@rule("RunningPeaks")
def _peaks(p: Part, x: Value, *, axis: int, reverse: bool) -> Any:
    """Returns the running maximum m, found by comparing all pairs, and exp(m[i - 1] - m[i])."""
    assert x.shape is not None
    place, rank = along(x.rank, axis), x.rank
    perm = [*[i for i in range(rank) if i != place], place]
    zero, last = p.const(0, "int32"), p.const(-1, "int32")
    numbers = p.op("Range", zero, p.number(x.shape[place]), p.const(1, "int32"))
    below = "GreaterEqual" if reverse else "LessEqual"
    mask = p.op(below, numbers, p.op("ExpandDims", numbers, last))
    rows = p.op("ExpandDims", p.transposed(x, perm), p.const(-2, "int32"))
    peak = p.op("Max", p.op("SelectV2", mask, rows, p.like(-np.inf, x)), p.const([-1], "int32"))
    back = np.argsort(perm).tolist()
    peak = p.transposed(peak.of_shape([x.shape[i] for i in perm]), back)
    peak = p.op("SelectV2", p.op("IsFinite", peak), peak, p.like(0, peak)).of_shape(x.shape)
    before = _shift(p, peak, axis=axis, reverse=reverse)
    return peak, p.op("Exp", p.op("Minimum", p.op("Sub", before, peak), p.like(0, peak)))


@rule("SegmentOthers")
def _others(p: Part, x: Value, ids: Value, *, n: Any) -> Any:
    """Returns for each row the product of all other rows in its segment; compares all pairs."""
    assert x.shape is not None
    zero, one = p.const(0, "int32"), p.const(1, "int32")
    numbers = p.op("Range", zero, p.number(x.shape[0]), one)
    pairs = [
        p.op(kind, p.op("ExpandDims", values, one), p.op("ExpandDims", values, zero))
        for kind, values in (("Equal", ids), ("NotEqual", numbers))
    ]
    shape = p.op("ConcatV2", [p.op("Shape", pairs[0]), p.const([1] * (x.rank - 1), "int32")], zero)
    same = p.op("Reshape", p.op("LogicalAnd", *pairs), shape)
    factors = p.op("SelectV2", same, p.op("ExpandDims", x, zero), p.like(1, x))
    out = p.op("Prod", factors, p.const([1], "int32"))
    shape = p.op("ConcatV2", [p.op("Shape", ids), p.const([1] * (x.rank - 1), "int32")], zero)
    kept = p.op("Reshape", p.op("GreaterEqual", ids, p.like(0, ids)), shape)
    return p.op("SelectV2", kept, out, p.like(0, out))


@rule("LinearRecurrence")
def _recurrence(p: Part, a: Value, b: Value, *, axis: int, reverse: bool) -> Any:
    """Computes a recurrence of known length n in log2(n) steps, each over the whole array."""
    shape = p.outputs[0].shape
    place, rank = along(len(shape), axis), len(shape)
    n = shape[place]
    if not isinstance(n, int):
        raise p.unknown("a recurrence along an axis of unknown length")
    a, r = (p.op("BroadcastTo", x, p.ints(shape)) for x in (a, b))
    step = 1
    while step < n:
        pads = np.zeros((rank, 2), np.int32)
        pads[place, 1 if reverse else 0] = step
        moved = [_moved(p, x, place, rank, n, step, reverse, pads) for x in (r, a)]
        r = p.op("AddV2", r, p.op("Mul", a, moved[0]))
        a = p.op("Mul", a, moved[1])
        step *= 2
    return r


def _moved(
    p: Part, x: Value, place: int, rank: int, n: int, step: int, reverse: bool, pads: Any
) -> Any:
    begin, size = [0] * rank, [-1] * rank
    begin[place], size[place] = (step if reverse else 0), n - step
    return p.op("Pad", p.op("Slice", x, p.ints(begin), p.ints(size)), p.const(pads, "int32"))


# Softmax and cross entropies.


def _with_last(p: Part, operation: str, x: Value, axis: int) -> Any:
    """Applies an operation along `axis`, although it supports only the last axis."""
    rank, place = x.rank, along(x.rank, axis)
    if place == rank - 1:
        return p.op(operation, x)
    perm = list(range(rank))
    perm[place], perm[-1] = perm[-1], perm[place]
    return p.transposed(p.op(operation, p.transposed(x, perm)), perm)


@rule("Softmax", "LogSoftmax")
def _softmax(p: Part, x: Value, *, axis: int) -> Any:
    assert p.node is not None
    return _with_last(p, p.node.primitive.name, x, axis)


def _log_sum_and_top(p: Part, logits: Value) -> tuple[Any, Any]:
    """Returns log(sum(exp(logits - max))) and max, the maximum of the logits."""
    top = p.op("Max", logits, p.const([-1], "int32"))
    spread = p.op("ExpandDims", top, p.const(-1, "int32"))
    powers = p.op("Exp", p.op("Sub", logits, spread))
    return p.op("Log", p.op("Sum", powers, p.const([-1], "int32"))), top


def _used(p: Part, place: int) -> bool:
    return p.outputs[place] in p.used


@rule("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(p: Part, logits: Value, labels: Value) -> Any:
    assert logits.shape is not None
    flat = p.reshaped(logits, (-1, logits.shape[-1]))
    kind = labels.dtype if labels.dtype in ("int32", "int64") else "int32"
    numbers = p.reshaped(p.cast(labels, kind), (-1,))
    loss, _ = p.op("SparseSoftmaxCrossEntropyWithLogits", flat, numbers)
    loss = p.reshaped(loss, labels.shape or ())
    rest = _log_sum_and_top(p, logits) if _used(p, 1) or _used(p, 2) else (loss, loss)
    return loss, *rest


@rule("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(p: Part, labels: Value, logits: Value) -> Any:
    assert logits.shape is not None
    shape = p.outputs[0].shape
    full = [*shape, logits.shape[-1]]
    labels, logits = (
        p.op("BroadcastTo", x, p.ints(full)) if x.shape != tuple(full) else x
        for x in (labels, logits)
    )
    flat = [p.reshaped(x, (-1, full[-1])) for x in (logits, labels)]
    loss = p.reshaped(p.op("SoftmaxCrossEntropyWithLogits", *flat)[0], shape)
    rest = _log_sum_and_top(p, logits) if _used(p, 1) or _used(p, 2) else (loss, loss)
    return loss, *rest


@rule("L2Loss")
def _l2_loss(p: Part, x: Value) -> Any:
    return p.op("L2Loss", x)


@rule("IsotonicSegments")
def _segments(p: Part, x: Value) -> Any:
    assert x.shape is not None
    rows = p.reshaped(x, (-1, x.shape[-1]))
    _, segments = p.op("IsotonicRegression", rows, output_dtype=x.dtype)
    return p.reshaped(segments, x.shape)
