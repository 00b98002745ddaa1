"""Solves systems of equations and computes inverses with the factors of `linalg.lu`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import broadcast_to_p, merged, reshape_p
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.linalg.diagonals import band_part, identity_like, set_diag
from gradtape._src.ops.linalg.matmul import matmul_p
from gradtape._src.ops.linalg.solve import triangular_solve_p


def _factors(lower_upper: Any, perm: Any, validate_args: bool) -> tuple[Tensor, Any]:
    """Returns the packed factors, and the permutation as an array.

    Raises:
      ValueError: The shapes are incompatible.
      InvalidArgumentError: `validate_args` is True and `perm` is not a permutation.
    """
    x = tensor(lower_upper)
    rows = np.asarray(tensor(perm)._numpy())
    shape = shape_of(x)
    if len(shape) < 2:
        raise ValueError("`lower_upper` must have at least 2 dimensions.")
    if rows.ndim < 1:
        raise ValueError("`perm` must have at least 1 dimension.")
    if shape[-1] != shape[-2]:
        raise ValueError("`lower_upper` must be square.")
    if rows.ndim != len(shape) - 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if rows.shape[-1] != shape[-1]:
        raise ValueError("`lower_upper` must have as many rows as `perm` has elements.")
    if validate_args and (np.sort(rows, -1) != np.arange(shape[-1])).any():
        raise invalid(
            f"perm {rows.tolist()} is not a permutation [Op:InvertPermutation]", About.VALUES
        )
    return x, rows


def _rows(x: Any, places: Any) -> Tensor:
    """Permutes the rows of each matrix of a stack."""
    lead = shape_of(x)[:-2]
    n = places.shape[-1]
    if places.ndim == 1:
        return gather_p(x, Tensor(places), axis=len(lead), batch_dims=0)
    flat = reshape_p(x, shape=(-1, *shape_of(x)[-2:]))
    wide = merged(np.broadcast_to(places, (*lead, n)), 1)
    out = gather_p(flat, Tensor(wide), axis=1, batch_dims=1)
    return reshape_p(out, shape=(*lead, n, shape_of(x)[-1]))


@export("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the matrices with the given LU factors, which `linalg.lu` computes.

    Args:
      lower_upper: The packed factors, a tensor of shape (..., n, n).
      perm: The permutation of the rows, an integer tensor of shape (..., n).
      validate_args: Whether to check that `perm` is a permutation.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n).

    Raises:
      ValueError: The shapes are incompatible.
      InvalidArgumentError: `perm` is not a permutation.
    """
    x, places = _factors(lower_upper, perm, validate_args)
    ones = np.ones(shape_of(x)[:-1], x._value.dtype)
    lower = set_diag(band_part(x, -1, 0), Tensor(ones))
    return _rows(matmul_p(lower, band_part(x, 0, -1)), np.argsort(places, -1))


@export("linalg.lu_solve")
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations, given the LU factors of the matrices.

    Args:
      lower_upper: The packed factors, a tensor of shape (..., n, n).
      perm: The permutation of the rows, an integer tensor of shape (..., n).
      rhs: A tensor of the same dtype and shape (..., n, k).
      validate_args: Whether to check that `perm` is a permutation.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      ValueError: The shapes are incompatible.
      InvalidArgumentError: `perm` is not a permutation.
    """
    x, places = _factors(lower_upper, perm, validate_args)
    b = convert_to_tensor(rhs, dtype_hint=x.dtype)
    if len(shape_of(b)) < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    if shape_of(b)[-2] != shape_of(x)[-1]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    lead = broadcast_shapes(shape_of(x)[:-2], shape_of(b)[:-2])
    b = _rows(broadcast_to_p(b, shape=(*lead, *shape_of(b)[-2:])), places)
    ones = np.ones(shape_of(x)[:-1], x._value.dtype)
    half = triangular_solve_p(set_diag(x, Tensor(ones)), b, lower=True, adjoint=False)
    return triangular_solve_p(x, half, lower=False, adjoint=False)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the inverses of matrices, given their LU factors; see `lu_solve`.

    Args:
      lower_upper: The packed factors, a tensor of shape (..., n, n).
      perm: The permutation of the rows, an integer tensor of shape (..., n).
      validate_args: Whether to check that `perm` is a permutation.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n).
    """
    x, _ = _factors(lower_upper, perm, validate_args)
    return lu_solve(x, perm, Tensor(identity_like(x)), validate_args)
