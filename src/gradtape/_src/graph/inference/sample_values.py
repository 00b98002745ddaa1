"""Sample values for symbols, from which the specs of an operation's results are inferred."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import (
    Size,
    UnknownRank,
    atoms,
    evaluated,
    sizes_in,
)
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

Unknown = Size | UnknownRank


class Sample(NamedTuple):
    """Determines the sample values of one run.

    Attributes:
      number: The value of integers; None for 0, 1, 2 and so on.
      step: The difference between the integers of an argument and those of the next one.
      text: The value of strings.
      lengths: The unknown lengths and shapes, by name.
      spread: The distribution of rows and elements: 0 evenly, 1 at the beginning, 2 at the end. For
        2, numbers are random, from 0 to 1.
      is_fitting: Whether it is one of `fitting_samples`.
    """

    number: int | None
    step: int
    text: bytes
    lengths: dict[str, Any]
    spread: int
    is_fitting: bool = False


_NUMBERS: tuple[tuple[int | None, int], ...] = (
    *((1, 0), (2, 1), (0, 0), (None, 0), (3, 0)),
    (-1, 0),
)
"""The numbers and steps. A step tells `x[i:j]` from an empty slice; -1 is the last axis."""
_TEXTS = (b"", b"a b", b"1", b"a bc d", b"2")


def samples(
    sizes: Sequence[Unknown], texts: Sequence[bytes] | None = None, alike: bool = False
) -> Iterator[Sample]:
    """Yields samples that differ in values and in unknown lengths and shapes.

    Args:
      sizes: The unknown lengths and shapes.
      texts: Possible values of strings.
      alike: Whether all unknown lengths are the same.
    """
    names = sorted({name for size in sizes for name in atoms(size.code)})
    turns = zip(_NUMBERS, cycle(texts or _TEXTS), cycle(_SHAPES), strict=False)
    for turn, ((number, step), text, shape) in enumerate(turns):
        known = {
            name: shape if name.startswith("r") else 3 + turn if alike else _length(turn, i)
            for i, name in enumerate(names)
        }
        yield Sample(number, step, text, known, turn % 3, alike)


_LENGTHS = (
    (11, 6, 7, 9, 10, 5),
    (7, 9, 8, 6, 11, 3),
    (10, 4, 9, 3, 6, 8),
    (9, 3, 10, 5, 8, 6),
    (3, 7, 5, 10, 9, 11),
    (8, 10, 3, 11, 4, 7),
)
"""The lengths for each run. Over all runs, no length is a linear function of another one."""


def _length(turn: int, i: int) -> int:
    """Returns the value in a run of the unknown length with number `i`."""
    again, column = divmod(i, len(_LENGTHS[0]))
    return _LENGTHS[turn][column] + 9 * again * (turn + 1)


_SHAPES = ((4,), (6, 2), (), (3, 4, 8), (12, 12))
"""The samples of a shape of unknown rank; matrices are tall, wide or square."""


def fitting_samples(sizes: Sequence[Unknown], structure: Any) -> Iterator[Sample]:
    """Yields samples whose lengths, shapes and numbers occur in the arguments of an operation.

    Args:
      sizes: The unknown lengths and shapes.
      structure: The arguments.
    """
    yield from samples(sizes, alike=True)
    names = {name for size in sizes for name in atoms(size.code)}
    shapes = fitting_shapes(structure, names)
    asked = {x for x in nest.flatten(structure) if type(x) is int and 0 < x < _LONG}
    lengths = sorted(asked | {n for shape in shapes for n in shape} | {1, 12, 60})
    tried: list[tuple[int | None, int, tuple[int, ...]]]
    tried = [(n, n, shape) for n, shape in zip(lengths, cycle(shapes), strict=False)]
    tried += [(None, n, shape) for _, n, shape in tried]
    tried += [(1, lengths[-1], shape) for shape in shapes]
    for number, n, shape in tried[:_MOST]:
        known = {name: shape if name.startswith("r") else n for name in names}
        yield Sample(number, 0, b"", known, 2 if number is None else 0, True)
    known = {name: shapes[0] if name.startswith("r") else 12 for name in names}
    yield from [Sample(0, step, b"", known, 0, True) for step in (6, 12, 60)]


def independent_samples(sizes: Sequence[Unknown], structure: Any) -> Iterator[Sample]:
    """Yields samples in which each unknown length and shape is drawn apart from the others.

    Args:
      sizes: The unknown lengths and shapes.
      structure: The arguments of an operation.
    """
    drawn = np.random.default_rng(3)
    names = sorted({name for size in sizes for name in atoms(size.code)})
    asked = {x for x in nest.flatten(structure) if type(x) is int and 0 < x < _LONG}
    various = [*fitting_shapes(structure, names), *_SHAPES, *_USUAL_SHAPES]
    lengths = sorted({*asked, 1, 2, 3, 4, 5, 6, 7, 9})
    for turn in range(_DRAWN if names else 0):
        n = int(drawn.integers(1, 5))
        shapes = [(n,) * rank for rank in range(5)] if turn % 3 else various
        known = {
            name: shapes[drawn.integers(len(shapes))]
            if name.startswith("r")
            else lengths[drawn.integers(len(lengths))]
            for name in names
        }
        number, step = _NUMBERS[turn % len(_NUMBERS)]
        yield Sample(number, step, _TEXTS[turn % len(_TEXTS)], known, turn % 3)


_USUAL_SHAPES = (
    (3,),
    (2, 4),
    (3, 3),
    (2, 3, 3),
    (6, 6, 3),
    (2, 4, 4, 1),
    (2, 6, 6, 3),
    (3, 3, 3, 2),
    (2, 2, 2, 2),
    (2, 4, 4, 4, 2),
    (2, 2, 2, 2, 2),
)
"""More shapes: of images, filters and volumes."""
_DRAWN = 600
_LONG = 1 << 10
_MOST = 40
_MOST_ELEMENTS = 1 << 20


def unknown_in(structure: Any) -> list[Unknown]:
    """Returns the unknown lengths and shapes of the symbols in a structure."""
    flat = nest.flatten(structure, expand_composites=True)
    held = [getattr(x, "_value", None) for x in flat]
    symbols = [x for x in held if type(x) is Symbol]
    lengths = [s for x in symbols for s in (*sizes_in(x.shape), *_sizes_among(x.elements))]
    return list({s.code: s for s in lengths}.values())


def _sizes_among(elements: Any) -> list[Unknown]:
    return [] if elements is None else [n for n in elements.ravel() if type(n) is Size]


def numbers_in(structure: Any) -> set[int]:
    """Returns the integers and known lengths in a structure."""
    flat = nest.flatten(structure, expand_composites=True)
    shapes = [getattr(getattr(x, "_value", None), "shape", ()) for x in flat]
    known = [n for shape in shapes if type(shape) is not UnknownRank for n in shape]
    return {n for n in (*flat, *known) if type(n) is int}


def fitting_shapes(structure: Any, names: Iterable[str]) -> list[tuple[int, ...]]:
    """Returns shapes that may fit the tensors of a structure."""
    found: dict[tuple[int, ...], None] = {(12,): None}
    values = dict.fromkeys(names, 6)
    for x in nest.flatten(structure, expand_composites=True):
        own = getattr(getattr(x, "_value", None), "shape", None)
        if own is None or type(own) is UnknownRank or not own:
            continue
        own = evaluated(own, values)
        near = (own, (2, *own), own[:-1], own[1:], own[:-2] + own[:-3:-1], (3, *own[:1]))
        found.update(dict.fromkeys(near))
    return list(found)


def sample_value(x: Any, sample: Sample, place: int = 0) -> Any:
    """Returns a leaf of an argument with sample values in place of symbols.

    Args:
      x: The leaf.
      sample: The sample.
      place: The index of the leaf among all of the call's arguments.
    """
    if isinstance(x, RaggedTensor) and _is_symbolic(x):
        return _ragged(x, sample)
    if isinstance(x, SparseTensor) and _is_symbolic(x):
        return _sparse(x, sample)
    if type(x) is Tensor and type(x._value) is Symbol:
        if sample.step and sample.number is not None:
            sample = sample._replace(number=sample.number + place * sample.step)
        return Tensor(_array(evaluated(x._value.shape, sample.lengths), x._value.np_dtype, sample))
    return x


def _is_symbolic(x: Any) -> bool:
    flat = nest.flatten(x, expand_composites=True)
    return any(type(y) is Tensor and type(y._value) is Symbol for y in flat)


def _array(shape: Any, dtype: np.dtype[Any], sample: Sample) -> Any:
    if prod(shape) > _MOST_ELEMENTS:
        raise ValueError("the sample would take too much memory")
    count = np.arange(prod(shape)).reshape(shape)
    if dtype.kind == "O":
        texts = np.empty(shape, object)
        texts.fill(sample.text)  # dtype object keeps trailing zero bytes
        return texts
    if dtype.kind == "b":
        return np.asarray(_some(shape, sample) if sample.spread else np.ones(shape, bool))[()]
    if dtype.kind in "iu":
        whole = count if sample.number is None else np.full(shape, sample.number)
        return whole.astype(dtype)[()]
    if sample.spread == 2:
        return np.random.default_rng(2).random(shape).astype(dtype)[()]
    numbers = np.where(_some(shape, sample), 0, count * 0.25 + 0.5)
    return numbers.astype(dtype)[()]


def _some(shape: Any, sample: Sample) -> Any:
    """Returns a mask of an array's elements: none, or about half of them, scattered."""
    return np.random.default_rng(sample.spread).random(shape) < (0.5 if sample.spread else 0)


def _ragged(x: RaggedTensor, sample: Sample) -> RaggedTensor:
    values, splits = sample_value(x.values, sample), x.row_splits
    held: Any = splits._value
    if type(held) is Symbol:
        count = evaluated(held.shape, sample.lengths)[0]
        total = int(values.nrows()) if isinstance(values, RaggedTensor) else len(values)
        ends = np.linspace(0, total, count).astype(held.np_dtype)
        if sample.spread:
            ends[1:-1] = 0 if sample.spread == 1 else total
        splits = Tensor(ends)
    return RaggedTensor(values, splits, None)


def _sparse(x: SparseTensor, sample: Sample) -> SparseTensor:
    held: Any = x.dense_shape._value
    _, rank = evaluated(x.indices._value.shape, sample.lengths)
    extents = np.full(rank, 4 + sample.spread) if type(held) is Symbol else np.asarray(held)
    if type(held) is Symbol and held.elements is not None:
        extents = np.array(evaluated(held.elements.tolist(), sample.lengths))
    count = evaluated(x.indices._value.shape, sample.lengths)[0]
    last = max(int(prod(extents)) - 1, 0)
    if sample.spread and count <= last + 1:
        places = np.arange(count) + (last + 1 - count if sample.spread == 2 else 0)
    else:  # the last rows have no elements if `spread` is 1
        places = np.linspace(0, last // 2 if sample.spread == 1 else last, count).astype(int)
    indices = np.stack(np.unravel_index(places, extents), axis=1).astype(np.int64)
    values = x.values
    if type(values._value) is Symbol:
        values = Tensor(_array((count,), values._value.np_dtype, sample))
    return SparseTensor(Tensor(indices), values, Tensor(extents.astype(np.int64)))
