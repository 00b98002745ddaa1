"""Functions of matrices, as programs for matrices of unknown sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.optional_dtypes import float_limits
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graphdef_export.composed.call_programs import call_program
from gradtape._src.ops.array.creation import ones_like
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.sorting import argsort
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.linalg import lu_solving, matrix_functions
from gradtape._src.ops.linalg.decompositions import svd
from gradtape._src.ops.linalg.diagonals import band_part, set_diag
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.linalg.solve import cholesky_solve, triangular_solve
from gradtape._src.ops.reduce.extremes import reduce_max
from gradtape._src.ops.reduce.reductions import reduce_sum


def _least(x: Tensor, s: Tensor, factor: float) -> Tensor:
    """Returns the singular value up to which others count as zero."""
    longest = cast(reduce_max(shape(x)[-2:]), s.dtype)
    limit = factor * float(float_limits(s.dtype.np_dtype).eps)
    return longest * limit * reduce_max(s, -1, keepdims=True)


@call_program(matrix_functions.pinv)
def pseudo_inverse(a: Any, rcond: Any, validate_args: bool, name: str | None = None) -> Tensor:
    """Returns the Moore-Penrose inverse, from the singular value decomposition."""
    x = convert_to_tensor(a)
    s, u, v = svd(x)
    if rcond is None:
        least = _least(x, s, 10.0)
    else:
        least = convert_to_tensor(rcond, s.dtype)[..., None] * reduce_max(s, -1, keepdims=True)
    scale = where(s > least, s, cast(np.inf, s.dtype))
    return matmul(v / cast(scale, v.dtype)[..., None, :], u, adjoint_b=True)


@call_program(matrix_functions.matrix_rank)
def rank(a: Any, tol: Any, validate_args: bool, name: str | None = None) -> Tensor:
    """Returns the number of singular values that are not nearly zero."""
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    least = _least(x, s, 1.0) if tol is None else convert_to_tensor(tol, s.dtype)[..., None]
    return reduce_sum(cast(s > least, "int32"), -1)


# The factors of `linalg.lu`, with the permutation of the rows.


def _rows(x: Tensor, places: Tensor) -> Tensor:
    """Returns the rows of matrices in another order."""
    return gather(x, places, axis=-2, batch_dims=places._value.ndim - 1)


@call_program(lu_solving.lu_reconstruct, axes={"lower_upper": "nn", "perm": "n"})
def product_of_factors(
    lower_upper: Any, perm: Any, validate_args: bool, name: str | None = None
) -> Tensor:
    """Returns the matrices that have these factors."""
    x = convert_to_tensor(lower_upper)
    lower = set_diag(band_part(x, -1, 0), ones_like(x[..., 0]))
    return _rows(matmul(lower, band_part(x, 0, -1)), argsort(perm))


@call_program(lu_solving.lu_solve, axes={"lower_upper": "nn", "perm": "n", "rhs": "nk"})
def solution(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool, name: str | None = None
) -> Tensor:
    """Returns the solutions of systems of linear equations."""
    x, b = convert_to_tensor(lower_upper), convert_to_tensor(rhs)
    half = triangular_solve(set_diag(x, ones_like(x[..., 0])), _rows(b, convert_to_tensor(perm)))
    return triangular_solve(x, half, lower=False)


@call_program(lu_solving.lu_matrix_inverse, axes={"lower_upper": "nn", "perm": "n"})
def inverse(lower_upper: Any, perm: Any, validate_args: bool, name: str | None = None) -> Tensor:
    """Returns the inverses of matrices."""
    x = convert_to_tensor(lower_upper)
    identity = set_diag(x * 0, ones_like(x[..., 0]))
    return solution(x, perm, identity, validate_args)


@call_program(cholesky_solve, axes={"chol": "nn", "rhs": "nk"})
def solution_by_factor(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Returns the solutions of systems whose matrices have these Cholesky factors."""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)
