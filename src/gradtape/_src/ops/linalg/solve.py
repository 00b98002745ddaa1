"""Solving linear systems, inverses and determinants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import INEXACT, general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import (
    aligned,
    conjugate,
    reduce_sum_p,
    reshape_p,
    transpose_p,
    unbroadcast,
    with_axis,
)
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.elementwise.complex_numbers import real_p
from gradtape._src.ops.elementwise.exponential import log_p
from gradtape._src.ops.linalg import lapack
from gradtape._src.ops.linalg.diagonals import (
    band_part_p,
    diag_part_p,
    need_matrix,
    set_diag_p,
    square_matrix,
    trace_p,
)
from gradtape._src.ops.linalg.matmul import adjoint, matmul_p


def guarded(
    run: Callable[..., Any], name: str, message: str = "Input is not invertible."
) -> Callable[..., Any]:
    """Wraps a LAPACK call so that its failure raises TensorFlow's exception."""

    def guard(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except np.linalg.LinAlgError:
            raise InvalidArgumentError(None, None, f"{message} [Op:{name}]") from None

    return guard


_np_inv = guarded(lapack.inv, "MatrixInverse")
_np_solve = guarded(lapack.solve, "MatrixSolve", "Input matrix is not invertible.")


def _expand(g: Any) -> Any:
    """Converts numbers, one for each matrix, to matrices of one element."""
    return reshape_p(g, shape=(*shape_of(g), 1, 1))


# Inverse and determinant.


def _inv(x: Any) -> Any:
    return _np_inv(x)


def _inv_vjp(g: Any, out: Any) -> Any:
    back = adjoint(out)
    return -matmul_p(back, matmul_p(g, back))


inv_p: Bound = general(
    "MatrixInverse",
    _inv,
    {"x": _inv_vjp},
    jvps={"x": lambda t, out: -matmul_p(out, matmul_p(t, out))},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=lambda x: jnp.linalg.inv(x),
)


def _det(x: Any) -> Any:
    return lapack.det(x)


det_p: Bound = general(
    "MatrixDeterminant",
    _det,
    {"x": lambda g, x, out: _expand(g * conjugate(out)) * inv_p(adjoint(x))},
    jvps={"x": lambda t, x, out: out * trace_p(matmul_p(inv_p(x), t))},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=lambda x: jnp.linalg.det(x),
)


def _slogdet(x: Any) -> Any:
    sign, size = lapack.slogdet(x)
    return sign, size.astype(x.dtype)


def _slogdet_xla(x: Any) -> Any:
    sign, size = jnp.linalg.slogdet(x)
    return sign, size.astype(x.dtype)


slogdet_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "LogMatrixDeterminant",
        _slogdet,
        # As in TensorFlow, the sign is treated as a constant (which it is for real matrices).
        {"x": lambda g, x: _expand(g[1]) * inv_p(adjoint(x))},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        traits=Traits(hazard=Hazard.LOGARITHM),
        xla=_slogdet_xla,
    ),
)

# Systems of equations.


def _solve(matrix: Any, rhs: Any, *, adjoint: bool) -> Any:
    if adjoint:
        matrix = np.conjugate(np.swapaxes(matrix, -1, -2))
    return _np_solve(matrix, rhs)


def _solve_xla(matrix: Any, rhs: Any, *, adjoint: bool) -> Any:
    if adjoint:
        matrix = jnp.conj(jnp.swapaxes(matrix, -1, -2))
    return jnp.linalg.solve(*_stacks_xla(matrix, rhs))


def _stacks_xla(matrix: Any, rhs: Any) -> tuple[Any, Any]:
    """Broadcasts the leading axes of two arrays."""
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    return (
        jnp.broadcast_to(matrix, (*lead, *matrix.shape[-2:])),
        jnp.broadcast_to(rhs, (*lead, *rhs.shape[-2:])),
    )


def _solve_matrix_vjp(g: Any, matrix: Any, out: Any, adjoint: bool) -> Any:
    return _matrix_cotangent(solve_p(matrix, g, adjoint=not adjoint), out, adjoint)


def _matrix_cotangent(rhs_cotangent: Any, out: Any, of_adjoint: bool) -> Any:
    """Returns the cotangent of a system's matrix; it was solved with the matrix or its adjoint."""
    if of_adjoint:
        return -matmul_p(out, adjoint(rhs_cotangent))
    return -matmul_p(rhs_cotangent, adjoint(out))


def _solve_matrix_jvp(t: Any, matrix: Any, out: Any, adjoint: bool) -> Any:
    return -solve_p(matrix, matmul_p(_adjoint_if(t, adjoint), out), adjoint=adjoint)


def _adjoint_if(x: Any, condition: bool) -> Any:
    return adjoint(x) if condition else x


def _solve_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    return _fold_columns(solve_p, size, batched, inputs, params)


def _fold_columns(run: Any, size: int, batched: Any, inputs: Any, params: Any) -> Any:
    """Merges the examples into columns of the right-hand side if they share one matrix."""
    matrix, rhs = inputs
    if batched[0]:
        return run(*with_axis(size, batched, inputs), **params)
    shape = shape_of(rhs)[1:]
    if len(shape) != len(shape_of(matrix)):
        return run(matrix, rhs, **params)
    rank = len(shape)
    wide = transpose_p(rhs, perm=(*range(1, rank), 0, rank))
    wide = reshape_p(wide, shape=(*shape[:-1], size * shape[-1]))
    out = run(matrix, wide, **params)
    out = reshape_p(out, shape=(*shape_of(out)[:-1], size, shape[-1]))
    return transpose_p(out, perm=(rank - 1, *range(rank - 1), rank))


solve_p: Bound = general(
    "MatrixSolve",
    _solve,
    {
        "matrix": _solve_matrix_vjp,
        "rhs": lambda g, matrix, adjoint: solve_p(matrix, g, adjoint=not adjoint),
    },
    jvps={"matrix": _solve_matrix_jvp},
    linear=["rhs"],
    batching=_solve_batch,
    dtypes=INEXACT,
    same=slice(0, 2),
    xla=_solve_xla,
)


def _triangular_solve(matrix: Any, rhs: Any, *, lower: bool, adjoint: bool) -> Any:
    if not np.diagonal(matrix, 0, -2, -1).all():
        return _substituted(matrix, rhs, lower, adjoint)
    if matrix.ndim == rhs.ndim == 2 and matrix.size:
        out = lapack.solve_triangular(matrix, rhs, lower=lower, trans="C" if adjoint else 0)
        return out.astype(rhs.dtype, copy=False)
    part = np.tril(matrix) if lower else np.triu(matrix)
    return _solve(part, rhs, adjoint=adjoint)


def _substituted(matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> Any:
    """Substitutes row by row, which gives infinities for singular matrices."""
    if adjoint:
        matrix, lower = np.conjugate(np.swapaxes(matrix, -1, -2)), not lower
    n = matrix.shape[-1]
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.zeros((*lead, *rhs.shape[-2:]), rhs.dtype)
    with np.errstate(all="ignore"):
        for i in range(n) if lower else range(n - 1, -1, -1):
            known = slice(i) if lower else slice(i + 1, n)
            row = matrix[..., i : i + 1, known]
            rest = rhs[..., i, :] - (row @ out[..., known, :])[..., 0, :]
            out[..., i, :] = rest / matrix[..., i, i, None]
    return out


def _triangular_solve_xla(matrix: Any, rhs: Any, *, lower: bool, adjoint: bool) -> Any:
    matrix, rhs = _stacks_xla(matrix, rhs)
    return lax.linalg.triangular_solve(
        matrix, rhs, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint
    )


def _triangular_matrix_vjp(g: Any, matrix: Any, out: Any, lower: bool, adjoint: bool) -> Any:
    back = triangular_solve_p(matrix, g, lower=lower, adjoint=not adjoint)
    full = _matrix_cotangent(back, out, adjoint)
    own = shape_of(matrix)
    return _triangle(unbroadcast(full, shape_of(full), own), lower)


def _triangle(x: Any, lower: bool) -> Any:
    return band_part_p(x, lower=-1, upper=0) if lower else band_part_p(x, lower=0, upper=-1)


def _triangular_matrix_jvp(t: Any, matrix: Any, out: Any, lower: bool, adjoint: bool) -> Any:
    part = matmul_p(_adjoint_if(_triangle(t, lower), adjoint), out)
    return -triangular_solve_p(matrix, part, lower=lower, adjoint=adjoint)


def _triangular_rhs_vjp(g: Any, matrix: Any, rhs_shape: Any, lower: bool, adjoint: bool) -> Any:
    back = triangular_solve_p(matrix, g, lower=lower, adjoint=not adjoint)
    return unbroadcast(back, shape_of(back), rhs_shape)


def _triangular_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    return _fold_columns(triangular_solve_p, size, batched, aligned(size, batched, inputs), params)


triangular_solve_p: Bound = general(
    "MatrixTriangularSolve",
    _triangular_solve,
    {"matrix": _triangular_matrix_vjp, "rhs": _triangular_rhs_vjp},
    jvps={"matrix": _triangular_matrix_jvp},
    linear=["rhs"],
    batching=_triangular_batch,
    dtypes=INEXACT,
    same=slice(0, 2),
    xla=_triangular_solve_xla,
)

# The Cholesky decomposition.


def _cholesky(x: Any) -> Any:
    try:
        return lapack.cholesky(x)
    except np.linalg.LinAlgError:
        if x.ndim > 2:
            return np.stack([_cholesky(matrix) for matrix in x])
        return np.tril(np.full_like(x, np.nan))  # as in TensorFlow, which does not raise an error


def halve_diagonal(x: Any) -> Tensor:
    """Halves the diagonal of matrices."""
    return set_diag_p(x, diag_part_p(x, k=0) / 2, k=0)


def _cholesky_vjp(g: Any, out: Any) -> Any:
    """Returns the vjp by Murray, "Differentiation of the Cholesky decomposition" (2016), eqs.

    9, 10.
    """
    middle = band_part_p(halve_diagonal(matmul_p(adjoint(out), g)), lower=-1, upper=0)
    left = triangular_solve_p(out, middle, lower=True, adjoint=True)
    right = triangular_solve_p(out, adjoint(left), lower=True, adjoint=True)
    full = adjoint(right)
    return (full + adjoint(full)) / 2


def _cholesky_jvp(t: Any, out: Any) -> Any:
    t = (t + adjoint(t)) / 2
    inner = triangular_solve_p(out, t, lower=True, adjoint=False)
    inner = adjoint(triangular_solve_p(out, adjoint(inner), lower=True, adjoint=False))
    return matmul_p(out, band_part_p(halve_diagonal(inner), lower=-1, upper=0))


cholesky_p: Bound = general(
    "Cholesky",
    _cholesky,
    {"x": _cholesky_vjp},
    jvps={"x": _cholesky_jvp},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=lambda x: jnp.linalg.cholesky(x, symmetrize_input=False),
)

# The public functions.


@export("linalg.inv")
@takes(adjoint="bool")
@raw_op("MatrixInverse")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Returns the inverse of each matrix.

    Args:
      input: A tensor of shape (..., n, n).
      adjoint: Whether to invert the conjugate transpose instead.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n).

    Raises:
      InvalidArgumentError: A matrix is not square, or singular.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    x = square_matrix(input, "MatrixInverse")
    return inv_p(_adjoint_if(x, adjoint))


@export("linalg.det")
@raw_op("MatrixDeterminant")
def det(input: Any, name: str | None = None) -> Tensor:
    """Returns the determinant of each matrix.

    Args:
      input: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (...).

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> tf.linalg.det([[2.0, 1.0], [0.0, 4.0]]).numpy()
    np.float32(8.0)
    """
    return det_p(square_matrix(input, "MatrixDeterminant"))


class LogMatrixDeterminant(NamedTuple):
    """The result of `slogdet`."""

    sign: Tensor
    log_abs_determinant: Tensor


@export("linalg.slogdet")
@raw_op("LogMatrixDeterminant")
def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """Returns the sign and the logarithm of the absolute value of each determinant.

    Args:
      input: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      Two tensors of shape (...), `sign` and `log_abs_determinant`.

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> sign, log_abs = tf.linalg.slogdet([[1.0, 0.0], [0.0, -1.0]])
    >>> sign.numpy(), log_abs.numpy()
    (np.float32(-1.0), np.float32(0.0))
    """
    return LogMatrixDeterminant(*slogdet_p(square_matrix(input, "LogMatrixDeterminant")))


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Returns the logarithm of the determinant of positive definite matrices.

    Args:
      matrix: A tensor of shape (..., n, n), Hermitian positive definite.
      name: Accepted for compatibility.

    Returns:
      A real tensor of shape (...); NaN for matrices that are not positive definite.

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(0.0)
    """
    chol = cholesky_p(square_matrix(matrix, "Cholesky"))
    logs = log_p(diag_part_p(chol, k=0))
    logs = real_p(logs) if logs.dtype.is_complex else logs
    return 2.0 * reduce_sum_p(logs, axis=(-1,), keepdims=False)


def _same_rows(matrix: Tensor, rhs: Tensor, name: str) -> None:
    try:
        need_matrix(matrix, name, square=True)
        if len(rhs._value.shape) == 1:
            raise invalid(
                f"Input tensor must have rank >= 2, got shape {list(rhs._value.shape)} [Op:{name}] "
                "(the right-hand side is a vector, but must be a matrix of columns: use rhs[:, "
                "tf.newaxis], and result[:, 0] to get a vector)",
            )
        need_matrix(rhs, name)
        a, b = matrix._value.shape, rhs._value.shape
        if not may_be_equal(a[-1:], b[-2:-1]):
            raise invalid(
                f"Input matrix and right-hand side must have the same number of rows, got "
                f"{list(a)} and {list(b)} [Op:{name}]",
            )
    except Exception as error:
        shorten(error)
        raise


@export("linalg.solve")
@takes(adjoint="bool")
@raw_op("MatrixSolve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves systems of linear equations, matrix @ x = rhs.

    Args:
      matrix: A tensor of shape (..., n, n).
      rhs: A tensor of the same dtype and shape (..., n, k).
      adjoint: Whether to solve with the conjugate transposes of the matrices.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      InvalidArgumentError: The shapes do not match, or a matrix is singular.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    a = tensor(matrix)
    b = convert_to_tensor(rhs, dtype_hint=a.dtype)
    _same_rows(a, b, "MatrixSolve")
    if not may_be_equal(a._value.shape[:-2], b._value.shape[:-2]):
        raise invalid(
            f"All input tensors must have the same outer dimensions, got {list(a.shape)} and "
            f"{list(b.shape)} [Op:MatrixSolve]",
        )
    return solve_p(a, b, adjoint=bool(adjoint))


@export("linalg.triangular_solve")
@takes(lower="bool", adjoint="bool")
@raw_op("MatrixTriangularSolve")
def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations with triangular matrices; leading axes broadcast.

    Args:
      matrix: A tensor of shape (..., n, n); its other triangle is ignored.
      rhs: A tensor of the same dtype and shape (..., n, k).
      lower: Whether the matrices are lower triangular.
      adjoint: Whether to solve with their conjugate transposes.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      InvalidArgumentError: The shapes do not match.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    a = tensor(matrix)
    b = convert_to_tensor(rhs, dtype_hint=a.dtype)
    _same_rows(a, b, "MatrixTriangularSolve")
    return triangular_solve_p(a, b, lower=bool(lower), adjoint=bool(adjoint))


@export("linalg.cholesky")
@raw_op("Cholesky")
def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Returns the Cholesky factor of each matrix.

    Args:
      input: A tensor of shape (..., n, n), Hermitian positive definite. Only the lower triangle is
        read.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n); NaN for matrices that are not positive definite.

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return cholesky_p(square_matrix(input, "Cholesky"))


@export("linalg.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Solves A @ x = rhs, given the Cholesky decomposition of A.

    Args:
      chol: A tensor of shape (..., n, n), from `cholesky`.
      rhs: A tensor of the same dtype and shape (..., n, k).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      InvalidArgumentError: The shapes do not match.

    >>> factor = tf.linalg.cholesky([[4.0, 0.0], [0.0, 1.0]])
    >>> tf.linalg.cholesky_solve(factor, [[4.0], [3.0]]).numpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    half = triangular_solve(chol, rhs)
    return triangular_solve(chol, half, adjoint=True)
