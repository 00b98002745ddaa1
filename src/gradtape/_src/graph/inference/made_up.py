"""Values that are made up for symbols, to find out what an operation gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import Size, atoms, evaluated, sizes_in
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


class Trial(NamedTuple):
    """Says how values are made up once.

    Attributes:
      number: Of what integers consist; None for 0, 1, 2 and so on.
      text: Of what strings consist.
      lengths: The unknown lengths, by name.
      spread: How rows and elements are distributed: 0 evenly, 1 at the beginning, 2 at the end.
    """

    number: int | None
    text: bytes
    lengths: dict[str, int]
    spread: int


_NUMBERS = (1, 2, 0, None, 3)
_TEXTS = (b"", b"a b", b"1", b"a bc d", b"2")


def trials(sizes: Sequence[Size], texts: Sequence[bytes] | None = None) -> Iterator[Trial]:
    """Trials that differ in values and in unknown lengths.

    Args:
      sizes: The unknown lengths.
      texts: What strings may be.
    """
    names = sorted({name for size in sizes for name in atoms(size.code)})
    for turn, (number, text) in enumerate(zip(_NUMBERS, cycle(texts or _TEXTS), strict=False)):
        known = {name: 3 + turn + 2 * i for i, name in enumerate(names)}
        yield Trial(number, text, known, turn % 3)


def unknown_in(structure: Any) -> list[Size]:
    """The unknown lengths of the symbols in a structure."""
    flat = nest.flatten(structure, expand_composites=True)
    held = [getattr(x, "_value", None) for x in flat]
    found = {s.code: s for x in held if type(x) is Symbol for s in sizes_in(x.shape)}
    return list(found.values())


def made_up(x: Any, trial: Trial) -> Any:
    """A leaf of an argument with values that are made up for its symbols."""
    if isinstance(x, RaggedTensor) and _is_symbolic(x):
        return _ragged(x, trial)
    if isinstance(x, SparseTensor) and _is_symbolic(x):
        return _sparse(x, trial)
    if isinstance(x, Variable):
        return Tensor(_array(tuple(x.shape), x.dtype.np_dtype, trial))
    if type(x) is Tensor and type(x._value) is Symbol:
        return Tensor(_array(evaluated(x._value.shape, trial.lengths), x._value.np_dtype, trial))
    return x


def _is_symbolic(x: Any) -> bool:
    flat = nest.flatten(x, expand_composites=True)
    return any(type(y) is Tensor and type(y._value) is Symbol for y in flat)


def _array(shape: Any, dtype: np.dtype[Any], trial: Trial) -> Any:
    count = np.arange(prod(shape)).reshape(shape)
    if dtype.kind == "O":
        texts = np.empty(shape, object)
        texts.fill(trial.text)  # which keeps zero bytes at the end
        return texts
    if dtype.kind == "b":
        return np.asarray(_some(shape, trial) if trial.spread else np.ones(shape, bool))[()]
    if dtype.kind in "iu":
        whole = count if trial.number is None else np.full(shape, trial.number)
        return whole.astype(dtype)[()]
    numbers = np.where(_some(shape, trial), 0, count * 0.25 + 0.5)
    return numbers.astype(dtype)[()]


def _some(shape: Any, trial: Trial) -> Any:
    """Some places of an array: none, or about half of them without an order."""
    return np.random.default_rng(trial.spread).random(shape) < (0.5 if trial.spread else 0)


def _ragged(x: RaggedTensor, trial: Trial) -> RaggedTensor:
    values, splits = made_up(x.values, trial), x.row_splits
    held: Any = splits._value
    if type(held) is Symbol:
        count = evaluated(held.shape, trial.lengths)[0]
        total = int(values.nrows()) if isinstance(values, RaggedTensor) else len(values)
        ends = np.linspace(0, total, count).astype(held.np_dtype)
        if trial.spread:
            ends[1:-1] = 0 if trial.spread == 1 else total
        splits = Tensor(ends)
    return RaggedTensor(values, splits, None)


def _sparse(x: SparseTensor, trial: Trial) -> SparseTensor:
    held: Any = x.dense_shape._value
    rank = x.indices._value.shape[1]
    extents = np.full(rank, 4 + trial.spread) if type(held) is Symbol else np.asarray(held)
    count = evaluated(x.indices._value.shape, trial.lengths)[0]
    last = max(int(prod(extents)) - 1, 0)
    places = np.linspace(0, last, count).astype(int) if not trial.spread else np.arange(count)
    if trial.spread == 2:
        places += max(last + 1 - count, 0)
    indices = np.stack(np.unravel_index(places, extents), axis=1).astype(np.int64)
    values = x.values
    if type(values._value) is Symbol:
        values = Tensor(_array((count,), values._value.np_dtype, trial))
    return SparseTensor(Tensor(indices), values, Tensor(extents.astype(np.int64)))
