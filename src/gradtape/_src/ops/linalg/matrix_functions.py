"""Functions of matrices: exponential, square root, pseudoinverse, rank, least squares, products."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About, FailedPreconditionError, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.optional_dtypes import float_limits
from gradtape._src.compute.jax_modules import jax_linalg, jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, known, shown_shape
from gradtape._src.declare.general import INEXACT, dtype_of_value, general, shape_of
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import (
    concat_p,
    conjugate,
    merged,
    reduce_sum_p,
    reshape_p,
    slice_p,
    with_axis,
    zeros,
)
from gradtape._src.declare.xla_kernels import HostKernel
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import greater_p
from gradtape._src.ops.linalg import lapack
from gradtape._src.ops.linalg.decompositions import singular_values_p
from gradtape._src.ops.linalg.diagonals import identity_like, need_matrix, square_matrix
from gradtape._src.ops.linalg.matmul import adjoint, matmul_p
from gradtape._src.ops.linalg.solve import cholesky_p, triangular_solve_p
from gradtape._src.ops.reduce.extremes import reduce_max_p


def _each(run: Any, x: Any) -> Any:
    """Returns a function of stacks that applies a function to each matrix."""
    if x.ndim == 2:
        return run(x)
    flat = merged(x, 2)
    return np.stack([run(matrix) for matrix in flat]).reshape(x.shape) if len(flat) else x


def _derivative(run: Any, x: Any, t: Any) -> Any:
    """Returns the derivative of a function of matrices at `x` in the direction `t`.

    It is the upper right block of the function's value at [[x, t], [0, x]] (Higham, "Functions of
    Matrices", 2008, theorem 3.6).
    """
    n = shape_of(x)[-1]
    none = zeros(shape_of(x), dtype_of_value(x))
    whole = concat_p(concat_p(x, t, axis=-1), concat_p(none, x, axis=-1), axis=-2)
    lead = shape_of(x)[:-2]
    start = (0,) * len(lead)
    return slice_p(run(whole), begin=(*start, 0, n), end=(*lead, n, 2 * n))


def _matrix_function(name: str, kernel: Any, xla: Any) -> Bound:
    run: Bound = general(
        name,
        kernel,
        {"x": lambda g, x: _derivative(run, adjoint(x), g)},
        jvps={"x": lambda t, x: _derivative(run, x, t)},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        xla=xla,
    )
    return run


def _expm(x: Any) -> Any:
    return lapack.expm(x).astype(x.dtype, copy=False) if x.size else x


def _sqrtm(x: Any) -> Any:
    return _each(lambda matrix: _of_kind(lapack.sqrtm(matrix), x.dtype), x)


def _of_kind(value: Any, dtype: Any) -> Any:
    """Converts a result to the input's dtype.

    Complex results of real inputs become NaN.
    """
    if np.iscomplexobj(value) and dtype.kind != "c":
        real = np.abs(value.imag).max() <= 1e-6 * np.abs(value).max()
        value = value.real if real else np.full_like(value.real, np.nan)
    return value.astype(dtype, copy=False)


expm_p = _matrix_function("MatrixExponential", _expm, lambda x: jax_linalg.expm(x))
sqrtm_p = _matrix_function("MatrixSquareRoot", _sqrtm, HostKernel(_sqrtm))


def _logm(x: Any) -> Any:
    if not x.size:
        return x.copy()
    return _each(lambda matrix: lapack.logm(matrix).astype(x.dtype, copy=False), x)


_logm_p = opaque("MatrixLogarithm", _logm, HostKernel(_logm))


def _pinv(x: Any, *, rcond: Any) -> Any:
    return lapack.pinv(x, rcond).astype(x.dtype, copy=False)


def _pinv_xla(x: Any, *, rcond: Any) -> Any:
    return jnp.linalg.pinv(x, rtol=rcond).astype(x.dtype)


def _pinv_vjp(g: Any, x: Any, out: Any) -> Any:
    """Returns the vjp by Golub and Pereyra, "The differentiation of pseudo-inverses" (1973)."""
    p, ph, gh = out, adjoint(out), adjoint(g)
    outside_rows = gh - matmul_p(x, matmul_p(p, gh))  # (I - A P) G^H
    inside_rows = matmul_p(matmul_p(outside_rows, p), ph)
    outside_columns = gh - matmul_p(gh, matmul_p(p, x))  # G^H (I - P A)
    inside_columns = matmul_p(ph, matmul_p(p, outside_columns))
    return inside_rows + inside_columns - matmul_p(ph, matmul_p(g, ph))


pinv_p: Bound = general(
    "MatrixPseudoinverse",
    _pinv,
    {"x": _pinv_vjp},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=_pinv_xla,
)


def _cross(x: Any, y: Any) -> Any:
    return np.cross(x, y)


cross_p: Bound = general(
    "Cross",
    _cross,
    {
        "x": lambda g, y: cross_p(conjugate(y), g),
        "y": lambda g, x: cross_p(g, conjugate(x)),
    },
    linear=["x", "y"],
    batching=lambda size, batched, inputs, params: cross_p(*with_axis(size, batched, inputs)),
    same=slice(0, 2),
    xla=lambda x, y: jnp.cross(x, y),
)


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Tensor:
    """Returns the exponential of each matrix.

    Args:
      input: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n).

    Raises:
      InvalidArgumentError: A matrix is not square.
    """
    return expm_p(square_matrix(input, "MatrixExponential"))


@export("matrix_square_root", "linalg.sqrtm")
@raw_op("MatrixSquareRoot")
def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Returns the principal square root of each matrix.

    Args:
      input: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n); NaN for real matrices whose root is not real.

    Raises:
      InvalidArgumentError: A matrix is not square.
    """
    return sqrtm_p(square_matrix(input, "MatrixSquareRoot"))


@export("linalg.logm")
@raw_op("MatrixLogarithm")
def logm(input: Any, name: str | None = None) -> Tensor:
    """Returns the principal logarithm of each matrix.

    Args:
      input: A complex tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, n).

    Raises:
      InvalidArgumentError: A matrix is not square or not complex.
      LookupError: When the gradient is computed, which TensorFlow does not define.
    """
    x = square_matrix(input, "MatrixLogarithm")
    if not x.dtype.is_complex:
        raise invalid(
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            f"complex64, complex128 [Op:MatrixLogarithm] (tf.cast the input to one of them)",
            About.DTYPES,
        )
    return _logm_p(x)


@export("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Returns the Moore-Penrose pseudoinverse of each matrix.

    Args:
      a: A tensor of shape (..., m, n).
      rcond: Singular values below this fraction of the largest one count as zero. Defaults to
        10 * max(m, n) * eps, where eps is the precision of the dtype.
      validate_args: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, m).

    Raises:
      TypeError: The dtype is not floating.
      ValueError: `a` is not a matrix.

    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 4.0]]).numpy().round(4)
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    x = tensor(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError("Input `a` must have `float`-like `dtype` (saw int32).")
    if len(shape_of(x)) < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {len(shape_of(x))}).")
    if rcond is None:
        rcond = 10.0 * max(x._value.shape[-2:]) * float_limits(x._value.dtype).eps
    return pinv_p(x, rcond=np.asarray(rcond))


def _unknown_rank(x: Any, tol: Any) -> Tensor:
    """Returns the rank of symbolic matrices."""
    s = singular_values_p(x)
    if tol is None:
        eps = float(float_limits(s._value.dtype).eps) * max(shape_of(x)[-2:])
        least = reduce_max_p(s, axis=(-1,), keepdims=True) * eps
    else:
        given = cast_p(tensor(tol), dtype=dtype_of_value(s))
        least = reshape_p(given, shape=(*shape_of(given), 1))
    above = cast_p(greater_p(s, least), dtype=np.dtype(np.int32))
    return reduce_sum_p(above, axis=(-1,), keepdims=False)


def _broadcast_together(*arrays: Any) -> bool:
    try:
        np.broadcast_shapes(*(np.shape(a) for a in arrays))
    except ValueError:
        return False
    return True


@export("linalg.matrix_rank")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the rank of each matrix: the number of singular values above a tolerance.

    Args:
      a: A tensor of shape (..., m, n).
      tol: Singular values up to this tolerance count as zero. Defaults to the largest singular
        value times max(m, n) * eps, where eps is the precision of the dtype.
      validate_args: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of shape (...).

    Raises:
      TypeError: The dtype is not floating.
      ValueError: `a` is not a matrix.

    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)
    """
    x = tensor(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError("Input `a` must have `float`-like `dtype` (saw int32).")
    if len(shape_of(x)) < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {len(shape_of(x))}).")
    if not known(x):
        return _unknown_rank(x, tol)
    s = np.asarray(singular_values_p(x._value))
    if tol is None:
        eps = float_limits(s.dtype).eps
        tol = eps * max(x._value.shape[-2:]) * s.max(-1, keepdims=True, initial=0)
    else:
        tol = np.asarray(tensor(tol)._value)
        if not _broadcast_together(s, tol):
            raise invalid(
                f"Incompatible shapes: {shown_shape(s.shape)} vs. {shown_shape(tol.shape)} "
                "[Op:Greater] (`tol` must broadcast against the singular values)"
            )
    return Tensor((s > tol).sum(-1).astype(np.int32))


@export("linalg.cross")
@raw_op("Cross")
def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Returns the cross products of vectors of three elements.

    Args:
      a: A tensor of shape (..., 3).
      b: A tensor of the same dtype and shape.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., 3).

    Raises:
      InvalidArgumentError: The shapes differ.
      FailedPreconditionError: The vectors have another length than 3.

    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    x = tensor(a)
    y = convert_to_tensor(b, dtype_hint=x.dtype)
    shapes = x._value.shape, y._value.shape
    if shapes[0] != shapes[1]:
        differ = f"{list(shapes[0])} and {list(shapes[1])} differ [Op:Cross]"
        raise invalid(f"Both inputs must be of same shape: {differ}")
    if shapes[0][-1:] != (3,):
        kind = FailedPreconditionError if shapes[0] else InvalidArgumentError
        raise kind(
            None,
            None,
            f"Cross-products are only defined for 3-element vectors of one shape: got "
            f"{list(shapes[0])} and {list(shapes[1])} [Op:Cross]",
        )
    return cross_p(x, y)


@export("linalg.lstsq")
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solves linear least squares problems: finds the x that minimizes |matrix @ x - rhs|.

    If there are several solutions, the one of least norm is returned. TensorFlow's `fast` method
    uses the normal equations.

    Args:
      matrix: A tensor of shape (..., m, n).
      rhs: A tensor of the same dtype and shape (..., m, k).
      l2_regularizer: The factor of |x|², which is added to the minimized function.
      fast: False to use the pseudoinverse, which is exact also for rank-deficient matrices.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      InvalidArgumentError: An input is not a matrix.

    >>> tf.linalg.lstsq([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[1.0], [2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    a = tensor(matrix)
    b = convert_to_tensor(rhs, dtype_hint=a.dtype)
    need_matrix(a, "MatrixSolveLs")
    need_matrix(b, "MatrixSolveLs")
    if not fast:
        return matmul_p(pinv(a), b)
    ah = adjoint(a)
    m, n = a._value.shape[-2:]
    if m >= n:
        out: Tensor = _normal(matmul_p(ah, a), matmul_p(ah, b), l2_regularizer)
        return out
    return matmul_p(ah, _normal(matmul_p(a, ah), b, l2_regularizer))


def _normal(gram: Any, rhs: Any, l2: Any) -> Any:
    if isinstance(l2, (Tensor, np.ndarray)) or l2:
        gram = gram + convert_to_tensor(l2, gram.dtype) * Tensor(identity_like(gram))
    chol = cholesky_p(gram)
    half = triangular_solve_p(chol, rhs, lower=True, adjoint=False)
    return triangular_solve_p(chol, half, lower=True, adjoint=True)
