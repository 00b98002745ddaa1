"""Computes Jacobians by one vectorized pass over a tape's records, backward or forward."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradtape._src.autodiff.arguments import pushed
from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.autodiff.walk import pull_back
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.primitive import Record
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.declare.structural import (
    broadcast_to_p,
    concat_p,
    count,
    reshape_p,
    slice_p,
    transpose_p,
)
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.ops.array.row_sums import to_dense
from gradtape._src.ops.elementwise.casting import cast_p

CHUNK_BYTES = 1 << 25
"""The size that the largest intermediate result of a vectorized pass should not exceed."""


def full(
    records: Sequence[Record], y: Any, sources: Sequence[Any], at_once: int | None = None
) -> list[Any]:
    """Returns for each source a tensor of shape `y.shape + source.shape`, or None."""
    if not y.dtype.differentiable:
        return [None] * len(sources)
    shape = tuple(y._value.shape)
    rows = count(shape)
    columns = sum(count(x._value.shape) for x in sources)
    if columns < rows and have_jvps(records, [y, *sources]):
        return _forward(records, y, sources)
    found = backward(records, y, _Units(rows, shape, y), sources, at_once)
    return [
        None if j is None else _finish(j, (*shape, *x._value.shape))
        for j, x in zip(found, sources, strict=True)
    ]


def by_example(
    records: Sequence[Record], y: Any, x: Any, at_once: int | None = None
) -> Tensor | None:
    """Returns a tensor of shape `y.shape + x.shape[1:]`, or None if unconnected."""
    if not y.dtype.differentiable:
        return None
    batch, *outs = y._value.shape
    ins = x._value.shape[1:]
    if count(ins) < count(outs) and have_jvps(records, [y, x]):
        seed = _Units(count(ins), ins, x, batch)[:]
        found = pushed_forward(records, {x._id: seed}, count(ins)).get(y._id)
        to = len(outs) + 1
    else:
        (found,) = backward(records, y, _Units(count(outs), outs, y, batch), [x], at_once)
        to = 1
    if found is None:
        return None
    return _finish(_moved(_of_dtype(found, x), 0, to), (batch, *outs, *ins))


class _Units:
    """The unit vectors of a space, in a given shape; each is made when it is requested."""

    def __init__(self, n: int, shape: Sequence[int], like: Any, batch: Any = None) -> None:
        self._n, self._shape, self._batch = n, tuple(shape), batch
        self._dtype = like._value.dtype

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, key: slice) -> Any:
        start, stop, _ = key.indices(self._n)
        units = np.eye(stop - start, self._n, start, dtype=self._dtype)
        if self._batch is None:
            return units.reshape(stop - start, *self._shape)
        units = units.reshape(stop - start, 1, *self._shape)
        shape = (stop - start, self._batch, *self._shape)
        if type(self._batch) is Size:
            return broadcast_to_p(Tensor(units), shape=shape)._value
        return np.broadcast_to(units, shape)


def have_jvps(records: Sequence[Record], ends: Sequence[Any]) -> bool:
    """Whether a forward pass can be used; complex gradients are defined by the backward pass."""
    if any(x._value.dtype.kind == "c" for x in ends):
        return False
    return all(plan.jvp is not None for plan, *_ in records)


def backward(
    records: Sequence[Record],
    y: Any,
    seed: Any,
    sources: Sequence[Any],
    at_once: int | None = None,
) -> list[Any]:
    """Pulls a batch of cotangents back, in chunks of bounded size; one result per source.

    Args:
      records: The records between sources and target.
      y: The target.
      seed: The cotangents, along the first axis of an array (or of an object that is sliced like an
        array).
      sources: Tensors or variables.
      at_once: The maximum number of cotangents to pull back together, which bounds the memory.
    """
    if at_once is not None and at_once < 1:
        raise ValueError(f"parallel_iterations must be a positive integer, got {at_once}")
    rows = min(_rows_per_chunk(records, y), at_once or len(seed) or 1)
    parts = [
        _backward_once(records, y, seed[at : at + rows], sources)
        for at in range(0, max(1, len(seed)), rows)
    ]
    if len(parts) == 1:
        return parts[0]
    return [
        None if column[0] is None else concat_p(*column, axis=-len(shape_of(column[0])))
        for column in zip(*parts, strict=True)
    ]


def _rows_per_chunk(records: Sequence[Record], y: Any) -> int:
    """Returns how many cotangents to pull back together, so that the memory stays bounded."""
    sizes = [count(x._value.shape) for _, _, _, saved, _ in records for x in saved]
    known = [n for n in (count(y._value.shape), *sizes) if type(n) is int]
    row = int(y._value.dtype.itemsize) * max(known, default=1)
    return max(1, CHUNK_BYTES // max(1, row))


def _backward_once(
    records: Sequence[Record], y: Any, seed: Any, sources: Sequence[Any]
) -> list[Any]:
    """Pulls some of the cotangents back; the results are values below the vectorizer."""
    vectorizer = Vectorizer(seed.shape[0])
    wanted = [x._id for x in sources]
    with pushed(vectorizer):
        g = vectorizer.wrap(_below(seed))
        found = pull_back(list(records), {y._id: g}, wanted, raw=False)
        kept = {i: found[i] for i in wanted if i in found}
        dense = {i: to_dense(d) if type(d) is IndexedSlices else d for i, d in kept.items()}
    return [_inner(dense[x._id], vectorizer, x) if x._id in dense else None for x in sources]


def _below(value: Any) -> Any:
    """Returns a raw value in the form that the innermost vectorizer holds."""
    return Tensor(value) if len(STACK.recorders) > 1 else value


def _inner(d: Any, vectorizer: Vectorizer, x: Any) -> Any:
    """Returns the batch in a value; a value that all examples share is repeated."""
    value = d._value if type(d) is Tensor else d
    if type(value) is Batch and value.owner is vectorizer:
        return value.inner
    d = d if STACK.recorders else value
    return broadcast_to_p(d, shape=(vectorizer.size, *shape_of(d)))


def pushed_forward(records: Sequence[Record], seeds: dict[int, Any], size: int) -> dict[int, Any]:
    """Pushes batches of tangents forward; the results are values below the vectorizer."""
    vectorizer = Vectorizer(size)
    with pushed(vectorizer):
        tangents = {i: vectorizer.wrap(_below(seed)) for i, seed in seeds.items()}
        found = push_forward(records, tangents)
    return {i: _inner(t, vectorizer, None) for i, t in found.items()}


def _forward(records: Sequence[Record], y: Any, sources: Sequence[Any]) -> list[Any]:
    shape = tuple(y._value.shape)
    sizes = [count(x._value.shape) for x in sources]
    total = sum(sizes)
    seeds, at = {}, 0
    for x, n in zip(sources, sizes, strict=True):
        block = np.zeros((total, n), x._value.dtype)
        block[at : at + n] = np.eye(n)
        seeds[x._id] = block.reshape(total, *x._value.shape)
        at += n
    pushed = pushed_forward(records, seeds, total).get(y._id)
    results: list[Any] = []
    at = 0
    reached = _reached(records, y)
    for x, n in zip(sources, sizes, strict=True):
        if pushed is None or x._id not in reached:
            results.append(None)
        else:
            part = _of_dtype(slice_p(pushed, begin=(at,), end=(at + n,)), x)
            results.append(_finish(_moved(part, 0, len(shape)), (*shape, *x._value.shape)))
        at += n
    return results


def _of_dtype(d: Any, x: Any) -> Any:
    """Casts a derivative to the source's dtype, which may differ from the target's."""
    dtype = x._value.dtype
    return d if dtype_of_value(d) == dtype else cast_p(d, dtype=dtype)


def _reached(records: Sequence[Record], y: Any) -> set[int]:
    """Returns the ids of the values on which `y` depends."""
    reached = {y._id}
    for _, out, ids, _, _ in reversed(records):
        if not reached.isdisjoint(out if type(out) is tuple else (out,)):
            reached.update(ids)
    return reached


def _moved(x: Any, source: int, to: int) -> Any:
    """Returns `x` with one axis moved to another position."""
    axes = [a for a in range(len(shape_of(x))) if a != source]
    axes.insert(to, source)
    return transpose_p(x, perm=tuple(axes))


def _finish(j: Any, shape: Sequence[int]) -> Tensor:
    j = reshape_p(j, shape=tuple(shape))
    return j if type(j) is Tensor else Tensor(j)


def push_forward(records: Iterable[Record], tangents: dict[int, Any]) -> dict[int, Any]:
    """Carries tangents, by id, from inputs to outputs; all plans must have a `jvp`."""
    for plan, out, ids, saved, static in records:
        given = [tangents.get(i) if i else None for i in ids]
        if all(t is None for t in given):
            continue
        assert plan.jvp is not None
        t = plan.jvp(given, saved, static)
        tangents.update(zip(out, t, strict=True) if type(out) is tuple else ((out, t),))
    return tangents


wrappable("pull_back")(sys.modules[__name__])
