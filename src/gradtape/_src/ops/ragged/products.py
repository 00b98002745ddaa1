"""Products of matrices of different sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.linalg import matmul as dense
from gradtape._src.ops.ragged.construction import as_ragged
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Numbers = np.ndarray[Any, Any]
_UNKNOWN = -1
"""The width of a ragged matrix that has no rows."""


class _Matrices(NamedTuple):
    """Matrices that are padded to one size.

    Attributes:
      padded: The matrices, a tensor of rank 3.
      heights: The number of rows of each matrix, without padding.
      widths: The number of columns of each matrix, without padding; `_UNKNOWN` if it can't be
        determined.
      height: The number of rows if it is the same for all matrices by the static shape, else None.
      width: The number of columns if it is the same for all matrices by the static shape, else
        None.
    """

    padded: Tensor
    heights: Numbers
    widths: Numbers
    height: int | None
    width: int | None

    def transposed(self) -> _Matrices:
        return _Matrices(self.padded, self.widths, self.heights, self.width, self.height)


def _matrices(x: Tensor | RaggedTensor, transpose: bool) -> _Matrices:
    count = x.shape.as_list()[0]
    if isinstance(x, Tensor):
        n, m = shape_of(x)[1:]
        made = _Matrices(x, np.full(count, n), np.full(count, m), n, m)
        return made.transposed() if transpose else made
    splits = x._splits()
    heights = np.diff(splits)
    inner = x.values
    if isinstance(inner, RaggedTensor):
        lengths = np.diff(inner._splits())
        first = np.append(lengths, _UNKNOWN)[splits[:-1]]
        widths = np.where(heights > 0, first, _UNKNOWN)
        if not np.array_equal(np.repeat(widths, heights), lengths):
            raise invalid(
                "The matrices in `a` and `b` may not be ragged in their innermost dimension: the "
                f"rows of one have lengths {lengths.tolist()} [Op:RaggedMatMul]",
                About.VALUES,
            )
    else:
        widths = np.full(len(heights), shape_of(inner)[1])
    _, height, width = x.shape.as_list()
    made = _Matrices(x.to_tensor(), heights, widths, height, width)
    return made.transposed() if transpose else made


@implements(dense.matmul, {"a": RaggedTensor}, {"b": RaggedTensor})
@with_fed_values
def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    x, y = (v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in (a, b))
    for which, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(f"Only one of transpose_{which} and adjoint_{which} can be True.")
    if x.dtype is not y.dtype:
        raise ValueError(
            f"`a` and `b` must have the same dtype. Got {x.dtype.name} and {y.dtype.name}."
        )
    if len(x.shape) != len(y.shape):
        raise ValueError(
            f"`a` and `b` must have the same rank. Got {len(x.shape)} and {len(y.shape)}."
        )
    flags = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "adjoint_a": adjoint_a,
        "adjoint_b": adjoint_b,
        "output_type": output_type,
    }
    return _product(x, y, flags)


def _product(x: Any, y: Any, flags: dict[str, Any]) -> Tensor | RaggedTensor:
    rank = len(x.shape)
    if rank == 2:
        return dense.matmul(_one_matrix(x), _one_matrix(y), **flags)
    if rank == 3:
        return _products(x, y, flags)
    outer, other = as_ragged(x), as_ragged(y)
    if not np.array_equal(outer._splits(), other._splits()):
        raise invalid(
            "matmul: `a` and `b` must have the same outer rows [Op:RaggedMatMul]", About.VALUES
        )
    made = _product(outer.values, other.values, flags)
    uniform = outer._uniform if other._uniform is None else other._uniform
    return outer.with_values(made)._with_length(uniform)


def _one_matrix(x: Any) -> Tensor:
    if not isinstance(x, RaggedTensor):
        whole: Tensor = x
        return whole
    if len(set(np.diff(x._splits()).tolist())) > 1:
        raise invalid(
            "The matrices in `a` and `b` may not be ragged in their innermost dimension: row "
            f"lengths are {np.diff(x._splits()).tolist()} [Op:RaggedMatMul]",
            About.VALUES,
        )
    return x.to_tensor()


def _products(x: Any, y: Any, flags: dict[str, Any]) -> RaggedTensor:
    a = _matrices(x, flags["transpose_a"] or flags["adjoint_a"])
    b = _matrices(y, flags["transpose_b"] or flags["adjoint_b"])
    if len(a.heights) != len(b.heights):
        raise ValueError(f"Dimensions {len(a.heights)} and {len(b.heights)} are not compatible")
    unfit = (a.widths != b.heights) & (a.widths != _UNKNOWN) & (b.heights != _UNKNOWN)
    if unfit.any():
        i = int(np.flatnonzero(unfit)[0])
        raise invalid(
            f"Matrix size-incompatible: In[0]: [{a.heights[i]},{a.widths[i]}], In[1]: "
            f"[{b.heights[i]},{b.widths[i]}] (matrices {i} of `a` and `b`) [Op:RaggedMatMul]",
            About.VALUES,
        )
    whole = dense.matmul(a.padded, b.padded, **flags)
    count, n, m = shape_of(whole)
    heights, widths = np.maximum(a.heights, 0), np.maximum(b.widths, 0)
    owner = np.repeat(np.arange(count), heights)
    splits = np.concatenate([[0], np.cumsum(heights)])
    places = owner * n + np.arange(len(owner)) - splits[owner]
    kind = next(v for v in (x, y) if isinstance(v, RaggedTensor)).row_splits._value.dtype
    if b.width is not None:
        rows = gather_p(
            reshape_p(whole, shape=(count * n, m)), Tensor(places), axis=0, batch_dims=0
        )
        return RaggedTensor(rows, Tensor(splits.astype(kind)), a.height)
    lengths = widths[owner]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(len(owner)), lengths)
    spots = places[row] * m + np.arange(len(row)) - ends[row]
    flat = gather_p(reshape_p(whole, shape=(count * n * m,)), Tensor(spots), axis=0, batch_dims=0)
    inner = RaggedTensor(flat, Tensor(ends.astype(kind)))
    return RaggedTensor(inner, Tensor(splits.astype(kind)), a.height)
