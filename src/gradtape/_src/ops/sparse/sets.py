"""Operations on sets, which are the rows along the last axis of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.ops.types.sparse_tensor import SparseTensor

_KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "string")
Row = dict[tuple[int, ...], list[Any]]


def _as_rows(x: Any, name: str) -> tuple[Row, tuple[int, ...]]:
    """Returns the elements of each set by the set's index, and the shape without the last axis."""
    if isinstance(x, SparseTensor):
        shape = tuple(np.asarray(x.dense_shape._numpy()).tolist())
        places = np.asarray(x.indices._numpy()).tolist()
        pairs: Iterator[Any] = zip(places, np.asarray(x.values._numpy()).tolist(), strict=True)
        kind = x.dtype
    else:
        values = np.asarray(x._numpy())
        shape = values.shape
        pairs = zip(np.ndindex(*shape), values.ravel().tolist(), strict=True)
        kind = x.dtype
    if kind.name not in _KINDS:
        raise TypeError(
            f"{name!r} has invalid dtype `{kind!r}` not in supported dtypes: {', '.join(_KINDS)}"
        )
    if len(shape) < 2:
        raise invalid(
            f"Shape {list(shape)} has rank {len(shape)} < 2 [Op:DenseToDenseSetOperation] (a set "
            f"is a row: add an axis)"
        )
    rows: Row = {}
    for place, value in pairs:
        rows.setdefault(tuple(place[:-1]), []).append(value)
    return rows, shape[:-1]


def _combined(a: Any, b: Any, combine: Callable[[set[Any], set[Any]], set[Any]]) -> SparseTensor:
    x = a if isinstance(a, SparseTensor) else tensor(a)
    y = b if isinstance(b, SparseTensor) else tensor(b)
    if x.dtype is not y.dtype:
        raise TypeError(f"Types don't match, {x.dtype!r} vs {y.dtype!r}.")
    (left, lead), (right, other) = _as_rows(x, "a"), _as_rows(y, "b")
    if lead != other:
        raise invalid(
            f"Mismatched shapes {list(lead)} vs {list(other)} [Op:DenseToDenseSetOperation] (all "
            f"but the last axis must agree)"
        )
    places: list[tuple[int, ...]] = []
    values: list[Any] = []
    longest = 0
    for place in sorted(left.keys() | right.keys()):
        found = sorted(combine(set(left.get(place, ())), set(right.get(place, ()))))
        longest = max(longest, len(found))
        places += [(*place, i) for i in range(len(found))]
        values += found
    return SparseTensor(
        np.array(places, np.int64).reshape(-1, len(lead) + 1),
        convert_to_tensor(np.array(values, x.dtype.np_dtype)),
        np.array([*lead, longest], np.int64),
    )


@export("sets.intersection")
@takes(validate_indices="bool")
@deferrable
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that are in both of two sets, in each row.

    Args:
      a: A tensor or SparseTensor of integers or strings, whose last axis holds sets.
      b: A tensor or SparseTensor of the same dtype and, except for the last axis, the same shape.
      validate_indices: Accepted for compatibility.

    Returns:
      A SparseTensor with the elements of each set in ascending order.

    Raises:
      TypeError: The dtypes differ, or are neither integers nor strings.
      InvalidArgumentError: The shapes are incompatible.
    """
    return _combined(a, b, lambda x, y: x & y)


@export("sets.union")
@takes(validate_indices="bool")
@deferrable
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Finds the elements that are in either of two sets.

    Args:
      a: A tensor or SparseTensor of integers or strings, whose last axis holds sets.
      b: A tensor or SparseTensor of the same dtype and, except for the last axis, the same shape.
      validate_indices: Accepted for compatibility.

    Returns:
      A SparseTensor with the elements of each set in ascending order.

    Raises:
      TypeError: The dtypes differ, or are neither integers nor strings.
      InvalidArgumentError: The shapes are incompatible.
    """
    return _combined(a, b, lambda x, y: x | y)


@export("sets.difference")
@takes(validate_indices="bool")
@deferrable
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Finds the elements that are in one set, but not in another.

    Args:
      a: A tensor or SparseTensor, whose last axis holds sets.
      b: A tensor or SparseTensor of the same dtype and, except for the last axis, the same shape.
      aminusb: If true, the elements of `a` that are not in `b`; otherwise, those of `b` that are
        not in `a`.
      validate_indices: Accepted for compatibility.

    Returns:
      A SparseTensor with the elements of each set in ascending order.

    Raises:
      TypeError: The dtypes differ, or are neither integers nor strings.
      InvalidArgumentError: The shapes are incompatible.
    """
    return _combined(a, b, lambda x, y: x - y if aminusb else y - x)


@export("sets.size")
@takes(validate_indices="bool")
@deferrable
def size(a: Any, validate_indices: bool = True) -> Tensor:
    """Counts the distinct elements of each row.

    Args:
      a: A SparseTensor, whose last axis holds sets.
      validate_indices: Whether to check the order of the indices.

    Returns:
      An int32 tensor without the last axis.

    Raises:
      TypeError: `a` is not a SparseTensor.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    rows, lead = _as_rows(a, "a")
    out = np.zeros(lead, np.int32)
    for place, values in rows.items():
        out[place] = len(set(values))
    return Tensor(out)
