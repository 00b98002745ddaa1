"""Stacks of matrices and vectors: their shapes, products and systems of equations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, cast

from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import Lengths, broadcast_shapes, lengths
from gradtape._src.ops.array.shaping import broadcast_to, expand_dims, reshape, transpose
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.control.assertions import assert_equal, assert_less
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.arithmetic import add, multiply
from gradtape._src.ops.elementwise.complex_numbers import conj, imag
from gradtape._src.ops.linalg.diagonals import adjoint as adjoint_of
from gradtape._src.ops.linalg.solve import solve, triangular_solve

Sizes = tuple[Any, ...]
"""The lengths of axes: integers, or `Size`s if they are known only when a graph runs."""


def kept(x: Any, name: str) -> Tensor:
    """Returns a parameter of an operator: a variable unchanged, any other value as a tensor."""
    return cast("Tensor", x) if isinstance(x, Variable) else convert_to_tensor(x, name=name)


def static(sizes: Sizes) -> TensorShape:
    """Returns a shape as programs see it, with None for lengths unknown until a graph runs."""
    known = lengths(sizes)
    return known.known() if isinstance(known, Lengths) else TensorShape.of(known)


def as_vector(sizes: Sizes) -> Tensor:
    """Returns lengths, of which some may be unknown until a graph runs, as a vector of int32."""
    return shape(broadcast_to(convert_to_tensor(False), sizes))  # broadcasting needs no memory


def need_rank(x: Any, rank: int, name: str) -> None:
    """Raises ValueError unless a parameter has at least `rank` axes."""
    if len(x.shape) < rank:
        raise ValueError(
            f"Argument {name} must have at least {rank} dimension{'s' if rank > 1 else ''}, got "
            f"shape {tuple(x.shape)}"
        )


def flipped(x: Any, flip: bool) -> Tensor:
    """Returns the conjugate transposes of matrices if `flip` is true, otherwise the matrices."""
    return adjoint_of(x) if flip else tensor(x)


def conjugated(x: Any, conjugate: bool) -> Tensor:
    """Returns the conjugates of numbers if `conjugate` is true and they are complex."""
    out = tensor(x)
    return conj(out) if conjugate and out.dtype.is_complex else out


def column(x: Any) -> Tensor:
    """Converts vectors to matrices of one column, or numbers to vectors of one element."""
    return expand_dims(x, -1)


def with_batch(x: Any, batch: Sizes, rank: int = 2) -> Tensor:
    """Returns a stack of tensors whose leading axes are broadcast with others.

    Args:
      x: A tensor of shape (..., *item).
      batch: Other leading axes.
      rank: The number of the axes of an item.
    """
    x = tensor(x)
    sizes = shape_of(x)
    cut = len(sizes) - rank
    try:
        wanted = (*broadcast_shapes(sizes[:cut], batch), *sizes[cut:])
    except ValueError:
        raise invalid(
            f"the leading axes of a stack of shape {tuple(sizes)} must broadcast against "
            f"{tuple(batch)}",
        ) from None
    return x if wanted == tuple(sizes) else broadcast_to(x, wanted)


def _folded(matrix: Tensor, rhs: Tensor) -> bool:
    """Whether all systems of a stack have the same matrix."""
    return len(shape_of(matrix)) == 2 < len(shape_of(rhs))


def solved(matrix: Any, rhs: Any, adjoint: bool = False) -> Tensor:
    """Solves systems of equations; leading axes broadcast.

    A single matrix is factored once for the whole stack of right sides.

    Args:
      matrix: A tensor of shape (..., n, n).
      rhs: A tensor of shape (..., n, k).
      adjoint: Whether to solve with the conjugate transposes.
    """
    matrix, rhs = tensor(matrix), tensor(rhs)
    if _folded(matrix, rhs):
        sizes = shape_of(rhs)
        rank = len(sizes)
        front = (rank - 2, *range(rank - 2), rank - 1)
        wide = transpose(rhs, front)
        out = solve(matrix, reshape(wide, (sizes[-2], -1)), adjoint=adjoint)
        back = (*range(1, rank - 1), 0, rank - 1)
        return transpose(reshape(out, (sizes[-2], *sizes[:-2], sizes[-1])), back)
    return solve(
        with_batch(matrix, shape_of(rhs)[:-2]),
        with_batch(rhs, shape_of(matrix)[:-2]),
        adjoint=adjoint,
    )


def triangular_solved(matrix: Any, rhs: Any, adjoint: bool = False) -> Tensor:
    """Solves systems of equations with lower triangular matrices; leading axes broadcast."""
    matrix, rhs = tensor(matrix), tensor(rhs)
    return triangular_solve(
        with_batch(matrix, shape_of(rhs)[:-2]),
        with_batch(rhs, shape_of(matrix)[:-2]),
        adjoint=adjoint,
    )


def total(terms: Iterable[Tensor]) -> Tensor:
    """Returns the sum of tensors, with broadcasting."""
    return reduce(add, terms)


def product(factors: Iterable[Tensor]) -> Tensor:
    """Returns the elementwise product of tensors, with broadcasting."""
    return reduce(multiply, factors)


def assert_no_zeros(x: Any, message: str) -> None:
    """Raises InvalidArgumentError if a number is zero."""
    size = absolute(x)
    assert_less(size * 0, size, message=message)


def assert_real(x: Any, message: str) -> None:
    """Raises InvalidArgumentError if an element of `x` has a nonzero imaginary part."""
    if tensor(x).dtype.is_complex:
        part = imag(x)
        assert_equal(part * 0, part, message=message)
