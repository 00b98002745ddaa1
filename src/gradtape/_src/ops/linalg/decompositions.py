"""Decompositions of matrices: QR, LU, singular values, eigenvalues."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from gradtape._src.base.dtypes import int32
from gradtape._src.base.error_messages import unsupported
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.formulas import number
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import index_dtype
from gradtape._src.declare.attributes import attribute, takes
from gradtape._src.declare.general import COMPLEX, INEXACT, dtype_of_value, general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import concat_p, reshape_p, slice_p
from gradtape._src.ops.elementwise.complex_numbers import complex_p, imag_p, real_p
from gradtape._src.ops.linalg import lapack
from gradtape._src.ops.linalg.diagonals import (
    band_part_p,
    diag_p,
    diag_part_p,
    need_matrix,
    square_matrix,
)
from gradtape._src.ops.linalg.matmul import adjoint, matmul_p
from gradtape._src.ops.linalg.solve import guarded, halve_diagonal, solve_p, triangular_solve_p


def _is_complex(x: Any) -> bool:
    return dtype_of_value(x).type in COMPLEX


def _like(x: Any, matrix: Any) -> Any:
    """Casts real numbers to the dtype of a matrix, which may be complex."""
    return complex_p(x, x * 0) if _is_complex(matrix) else x


def _column(s: Any) -> Any:
    return reshape_p(s, shape=(*shape_of(s), 1))


def _row(s: Any) -> Any:
    shape = shape_of(s)
    return reshape_p(s, shape=(*shape[:-1], 1, shape[-1]))


def _safe_reciprocal(x: Any) -> Any:
    """Returns 1/x, and 0 at 0: TensorFlow's factor for equal values in derivatives."""
    # This is the smallest positive number of float16.
    least = 6e-8 if dtype_of_value(x) == np.float16 else 1e-20
    return x / (x * x + number(least, x))


def _reciprocal_differences(s: Any) -> Any:
    """Returns 1 / (s_j - s_i), and 0 on the diagonal, where the derivative is 0, too."""
    n = shape_of(s)[-1]
    others = 1 - np.eye(n, dtype=dtype_of_value(s))
    return _safe_reciprocal(_row(s) - _column(s)) * others


def _diagonal(s: Any) -> Any:
    n = shape_of(s)[-1]
    return diag_p(s, k=0, rows=n, cols=n)


def _columns(x: Any, begin: int, end: int) -> Any:
    lead = shape_of(x)[:-1]
    return slice_p(x, begin=(*(0,) * len(lead), begin), end=(*lead, end))


# QR.


def _qr(x: Any, *, full_matrices: bool) -> Any:
    q, r = lapack.qr(x, "complete" if full_matrices else "reduced")
    return q, r


def _qr_xla(x: Any, *, full_matrices: bool) -> Any:
    q, r = jnp.linalg.qr(x, "complete" if full_matrices else "reduced")
    return q, r


def _qr_vjp(g: Any, x: Any, out: Any, full_matrices: bool) -> Any:
    (gq, gr), (q, r) = g, out
    m, n = shape_of(x)[-2:]
    if m >= n:
        if full_matrices and m != n:
            raise NotImplementedError(
                "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
                f"r.shape={shape_of(r)} with nrows={m} and ncols={n} (use full_matrices=False)"
            )
        return _deep_qr_vjp(gq, gr, q, r)
    # [X Y] = Q [U V]: X = Q U is square, and V = Q^H Y.
    y = _columns(x, m, n)
    gv = _columns(gr, m, n)
    gx = _deep_qr_vjp(gq + matmul_p(y, adjoint(gv)), _columns(gr, 0, m), q, _columns(r, 0, m))
    return concat_p(gx, matmul_p(q, gv), axis=-1)


def _deep_qr_vjp(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    """Returns the cotangent of a matrix with at least as many rows as columns.

    Walter and Lehmann, "On evaluating higher-order derivatives of the QR decomposition" (2010).
    """
    inner = matmul_p(r, adjoint(gr)) - matmul_p(adjoint(gq), q)
    half = halve_diagonal(band_part_p(inner, lower=-1, upper=0))
    rows = gq + matmul_p(q, half + adjoint(half))
    return adjoint(triangular_solve_p(r, adjoint(rows), lower=False, adjoint=False))


qr_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "Qr",
        _qr,
        {"x": _qr_vjp},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        xla=_qr_xla,
    ),
)


class Qr(NamedTuple):
    """The result of `qr`."""

    q: Tensor
    r: Tensor


@export("linalg.qr")
@takes(full_matrices="bool")
@raw_op("Qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Returns the QR decomposition of each matrix, with an upper triangular R.

    Args:
      input: A tensor of shape (..., m, n).
      full_matrices: Whether q is square.
      name: Accepted for compatibility.

    Returns:
      `q` of shape (..., m, k) and `r` of shape (..., k, n), with k = min(m, n), or m for full
      matrices.

    Raises:
      InvalidArgumentError: `input` is not a matrix.
      NotImplementedError: When the gradient is computed with full matrices and m > n.

    >>> q, r = tf.linalg.qr([[2.0, 1.0], [0.0, 3.0]])
    >>> np.abs(tf.matmul(q, r)).round(3)
    array([[2., 1.],
           [0., 3.]], dtype=float32)
    """
    x = tensor(input)
    need_matrix(x, "Qr")
    return Qr(*qr_p(x, full_matrices=bool(full_matrices)))


# The LU decomposition, which TensorFlow does not differentiate.


def _lu(x: Any, *, index: Any) -> Any:
    if not x.size:
        return x, np.zeros(x.shape[:-1], index)
    if x.ndim > 2:
        return tuple(map(np.stack, zip(*[_lu(m, index=index) for m in x], strict=True)))
    packed, swaps = lapack.lu_factor(x)
    order = np.arange(x.shape[-1], dtype=index)
    for i, j in enumerate(swaps):
        order[[i, j]] = order[[j, i]]
    return packed, order


def _lu_xla(x: Any, *, index: Any) -> Any:
    packed, _, order = lax.linalg.lu(x)
    return packed, order.astype(index)


_lu_p = opaque("Lu", _lu, xla=_lu_xla)


class Lu(NamedTuple):
    """The result of `lu`."""

    lu: Tensor
    p: Tensor


@export("linalg.lu")
@raw_op("Lu")
def lu(input: Any, output_idx_type: Any = np.int32, name: str | None = None) -> Lu:
    """Returns the LU decomposition of each matrix, with rows exchanged.

    Args:
      input: A tensor of shape (..., n, n).
      output_idx_type: The dtype of the permutation, int32 or int64.
      name: Accepted for compatibility.

    Returns:
      `lu` of shape (..., n, n), which holds both triangular factors, and `p` of shape (..., n): row
      i of the factors' product is row p[i] of the input.

    Raises:
      InvalidArgumentError: A matrix is not square.
      LookupError: When the gradient is computed, which TensorFlow does not define.

    >>> lower_upper, p = tf.linalg.lu([[1.0, 2.0], [3.0, 4.0]])
    >>> p.numpy()
    array([1, 0], dtype=int32)
    """
    x = square_matrix(input, "Lu")
    if x.dtype.as_numpy_dtype not in INEXACT:
        raise unsupported("Lu", INEXACT, x.dtype)
    return Lu(*_lu_p(x, index=index_dtype(output_idx_type, int32, "Lu").np_dtype))


# Singular values.


def _svd(x: Any, *, full_matrices: bool) -> Any:
    u, s, vh = lapack.svd(x, full_matrices)
    return s, u, np.conjugate(np.swapaxes(vh, -1, -2))


def _svd_xla(x: Any, *, full_matrices: bool) -> Any:
    u, s, vh = jnp.linalg.svd(x, full_matrices)
    return s, u, jnp.conj(jnp.swapaxes(vh, -1, -2))


def _singular_values(x: Any) -> Any:
    return lapack.svd(x, compute_uv=False)


def _svd_vjp(g: Any, x: Any, out: Any, full_matrices: bool) -> Any:
    """Returns the cotangent of the matrix.

    Townsend, "Differentiating the singular value decomposition" (2016); for complex matrices Wan
    and Zhang, arXiv:1909.02659.
    """
    (gs, gu, gv), (s, u, v) = g, out
    m, n = shape_of(x)[-2:]
    k = min(m, n)
    if full_matrices and abs(m - n) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={m} and n={n} (use full_matrices=False)"
        )
    spare_u = spare_v = None
    if full_matrices and m != n:
        spare_u = (_columns(u, k, m), _columns(gu, k, m)) if m > n else None
        spare_v = (_columns(v, k, n), _columns(gv, k, n)) if n > m else None
        u, v, gu, gv = (_columns(matrix, 0, k) for matrix in (u, v, gu, gv))
    sc = _like(s, u)
    f = _like(_reciprocal_differences(s * s), u)
    uu, vv = matmul_p(adjoint(u), gu), matmul_p(adjoint(v), gv)
    inner = _diagonal(_like(gs, u))
    inner = inner + f * (uu - adjoint(uu)) * _row(sc) + _column(sc) * (f * (vv - adjoint(vv)))
    inverse = _like(_safe_reciprocal(s), u)
    if _is_complex(u):
        phase = diag_part_p(uu - adjoint(uu), k=0) * inverse / 2
        inner = inner + _diagonal(phase)
    total = matmul_p(matmul_p(u, inner), adjoint(v))
    if m > k:
        rest = _across(u, gu, spare_u) * _row(inverse)
        total = total + matmul_p(rest, adjoint(v))
    if n > k:
        rest = _across(v, gv, spare_v) * _row(inverse)
        total = total + matmul_p(u, adjoint(rest))
    return total


def _across(u: Any, gu: Any, spare: Any) -> Any:
    """Returns the part of a cotangent outside the span of the vectors.

    If the remaining vector is an output, too, the contribution of its cotangent is subtracted.
    """
    rest = gu - matmul_p(u, matmul_p(adjoint(u), gu))
    if spare is None:
        return rest
    vector, g = spare
    return rest - matmul_p(vector, matmul_p(adjoint(g), u))


svd_p: BoundOutputs[tuple[Tensor, Tensor, Tensor]] = several(
    3,
    general(
        "Svd",
        _svd,
        {"x": _svd_vjp},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        xla=_svd_xla,
    ),
)


def _singular_values_vjp(g: Any, x: Any) -> Any:
    _, u, v = svd_p(x, full_matrices=False)
    return matmul_p(u * _row(_like(g, u)), adjoint(v))


singular_values_p: Bound = general(
    "SingularValues",
    _singular_values,
    {"x": _singular_values_vjp},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=lambda x: jnp.linalg.svd(x, compute_uv=False),
)


@overload
def svd(
    tensor: Any,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: Any, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> Tensor: ...
@overload
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor, Tensor]: ...
@export("linalg.svd")
@takes(full_matrices="bool")
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: Any = True, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """Returns the singular value decomposition u @ diag(s) @ adjoint(v) of each matrix.

    Args:
      tensor: A tensor of shape (..., m, n).
      full_matrices: Whether u and v are square.
      compute_uv: Whether to compute u and v.
      name: Accepted for compatibility.

    Returns:
      `s` of shape (..., k), in descending order, `u` of shape (..., m, k) and `v` of shape
      (..., n, k), where k = min(m, n); or `s` alone.

    Raises:
      InvalidArgumentError: `tensor` is not a matrix.

    >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]])
    >>> s.numpy()
    array([4., 3.], dtype=float32)
    """
    x = _tensor(tensor)
    need_matrix(x, "Svd")
    if compute_uv is None or not attribute("bool", "compute_uv", compute_uv):
        return singular_values_p(x)
    return svd_p(x, full_matrices=bool(full_matrices))


_tensor = tensor

_np_eigh = guarded(lapack.eigh, "SelfAdjointEigV2", "Self-adjoint eigen decomposition failed.")


def _eigh(x: Any) -> Any:
    e, v = _np_eigh(x)
    return e.astype(x.dtype, copy=False), v


def _eigh_xla(x: Any) -> Any:
    e, v = jnp.linalg.eigh(x, symmetrize_input=False)
    return e.astype(x.dtype), v


def _lower_half(full: Any) -> Any:
    """Adds the upper triangle of a cotangent to the lower one, the only one that is read."""
    return halve_diagonal(band_part_p(full + adjoint(full), lower=-1, upper=0))


def _eigh_vjp(g: Any, out: Any) -> Any:
    (ge, gv), (e, v) = g, out
    f = _reciprocal_differences(e)
    inner = _diagonal(ge) + f * matmul_p(adjoint(v), gv)
    return _lower_half(matmul_p(matmul_p(v, inner), adjoint(v)))


eigh_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "SelfAdjointEigV2",
        _eigh,
        {"x": _eigh_vjp},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        xla=_eigh_xla,
    ),
)


def _eigvalsh(x: Any) -> Any:
    return lapack.eigvalsh(x).astype(x.dtype, copy=False)


def _eigvalsh_xla(x: Any) -> Any:
    return jnp.linalg.eigvalsh(x, symmetrize_input=False).astype(x.dtype)


def _eigvalsh_vjp(g: Any, x: Any) -> Any:
    _, v = eigh_p(x)
    return _lower_half(matmul_p(v * _row(g), adjoint(v)))


eigvalsh_p: Bound = general(
    "SelfAdjointEigenvalues",
    _eigvalsh,
    {"x": _eigvalsh_vjp},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=_eigvalsh_xla,
)


@export("linalg.eigh")
def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns the eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
      tensor: A tensor of shape (..., n, n); only the lower triangle is read.
      name: Accepted for compatibility.

    Returns:
      The eigenvalues, of shape (..., n), in ascending order, and the eigenvectors as columns, of
      shape (..., n, n).

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> e, v = tf.linalg.eigh([[2.0, 0.0], [0.0, 3.0]])
    >>> e.numpy()
    array([2., 3.], dtype=float32)
    """
    return eigh_p(square_matrix(tensor, "SelfAdjointEigV2"))


@export("linalg.eigvalsh")
def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Returns the eigenvalues of self-adjoint matrices.

    Args:
      tensor: A tensor of shape (..., n, n); only the lower triangle is read.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n), in ascending order.

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 3.0]]).numpy()
    array([2., 3.], dtype=float32)
    """
    return eigvalsh_p(square_matrix(tensor, "SelfAdjointEigV2"))


_np_eig = guarded(lapack.eig, "Eig", "Eigen decomposition was not successful.")


def _complex_of(x: Any) -> np.dtype[Any]:
    return np.result_type(x.dtype, np.complex64)


def _eig(x: Any) -> Any:
    e, v = _np_eig(x)
    kind = _complex_of(x)
    return e.astype(kind, copy=False), v.astype(kind, copy=False)


def _eig_xla(x: Any) -> Any:
    e, v = _general_eig_xla(x, vectors=True)
    return e, v


def _general_eig_xla(x: Any, *, vectors: bool) -> list[Any]:
    """Returns eigenvalues and eigenvectors, computed in double precision as in NumPy."""
    wide = x.astype(np.result_type(x.dtype, np.float64))
    found = lax.linalg.eig(
        wide, compute_left_eigenvectors=False, compute_right_eigenvectors=vectors
    )
    return [part.astype(_complex_of(x)) for part in found]


def _as_input(full: Any, x: Any) -> Any:
    return full if _is_complex(x) else real_p(full)


def _eig_vjp(g: Any, x: Any, out: Any) -> Any:
    """Returns the cotangent of the matrix by arXiv:1701.00392 (Boeddeker et al.), section 4.18."""
    (ge, gv), (e, v) = g, out
    vh = adjoint(v)
    apart = _row(e) - _column(e)
    size = real_p(apart) * real_p(apart) + imag_p(apart) * imag_p(apart)
    others = 1 - np.eye(shape_of(e)[-1], dtype=dtype_of_value(e))
    size = size + 1e-20
    f = apart / complex_p(size, size * 0) * others  # the conjugate of the reciprocal
    turned = matmul_p(vh, gv)
    own = real_p(diag_part_p(turned, k=0))
    lengths = matmul_p(vh, v) * _row(complex_p(own, own * 0))
    inner = _diagonal(ge) + f * (turned - lengths)
    return _as_input(solve_p(vh, matmul_p(inner, vh), adjoint=False), x)


eig_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "Eig",
        _eig,
        {"x": _eig_vjp},
        batching="leading",
        dtypes=INEXACT,
        same=slice(0, 1),
        xla=_eig_xla,
    ),
)


def _eigvals(x: Any) -> Any:
    return lapack.eigvals(x).astype(_complex_of(x), copy=False)


def _eigvals_vjp(g: Any, x: Any) -> Any:
    _, v = eig_p(x)
    vh = adjoint(v)
    return _as_input(solve_p(vh, _column(g) * vh, adjoint=False), x)


eigvals_p: Bound = general(
    "Eigenvalues",
    _eigvals,
    {"x": _eigvals_vjp},
    batching="leading",
    dtypes=INEXACT,
    same=slice(0, 1),
    xla=lambda x: _general_eig_xla(x, vectors=False)[0],
)


@export("eig", "linalg.eig")
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns the eigenvalues and eigenvectors of matrices.

    Args:
      tensor: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      The eigenvalues, of shape (..., n), and the eigenvectors as columns, of shape (..., n, n),
      both complex.

    Raises:
      InvalidArgumentError: A matrix is not square.

    >>> e, v = tf.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> sorted(e.numpy().imag.tolist())
    [-1.0, 1.0]
    """
    return eig_p(square_matrix(tensor, "Eig"))


@export("eigvals", "linalg.eigvals")
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Returns the eigenvalues of matrices.

    Args:
      tensor: A tensor of shape (..., n, n).
      name: Accepted for compatibility.

    Returns:
      A complex tensor of shape (..., n).

    Raises:
      InvalidArgumentError: A matrix is not square.
    """
    return eigvals_p(square_matrix(tensor, "Eig"))
