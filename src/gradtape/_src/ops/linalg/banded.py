"""Banded matrices: products, systems of equations, eigenvalues."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import INEXACT, general, shape_of
from gradtape._src.declare.structural import (
    concat_p,
    conjugate,
    merged,
    pad_p,
    reduce_sum_p,
    reshape_p,
    slice_p,
    unbroadcast,
    with_axis,
)
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.elementwise.complex_numbers import real
from gradtape._src.ops.linalg import lapack
from gradtape._src.ops.linalg.decompositions import eigh, eigvalsh
from gradtape._src.ops.linalg.diagonals import adjoint, diag, diag_part
from gradtape._src.ops.linalg.solve import triangular_solve

# Compact form: three rows, which are the superdiagonal, the main diagonal and the subdiagonal. Row
# i of the matrix is (below[i], main[i], above[i]); above[-1] and below[0] lie outside of it.


def _cut(x: Any, axis: int, begin: int, end: int) -> Any:
    shape = shape_of(x)
    at = axis % len(shape)
    starts = tuple(begin if i == at else 0 for i in range(len(shape)))
    return slice_p(x, begin=starts, end=(*shape[:at], end, *shape[at + 1 :]))


def _moved(x: Any, axis: int, by: int) -> Any:
    """Returns an array whose element i is `x[i + by]`, or zero if that is out of range."""
    shape = shape_of(x)
    at = axis % len(shape)
    n = shape[at]
    if not n:
        return x
    before = tuple(-by if i == at and by < 0 else 0 for i in range(len(shape)))
    after = tuple(by if i == at and by > 0 else 0 for i in range(len(shape)))
    kept = _cut(x, axis, max(by, 0), n + min(by, 0))
    return pad_p(kept, before=before, after=after)


def _row(diagonals: Any, k: int) -> Any:
    """Returns one of the diagonals as a column, which multiplies the rows of a right-hand side."""
    shape = shape_of(diagonals)
    return reshape_p(_cut(diagonals, -2, k, k + 1), shape=(*shape[:-2], shape[-1], 1))


def _product(diagonals: Any, rhs: Any) -> Any:
    above, main, below = (_row(diagonals, k) for k in range(3))
    return above * _moved(rhs, -2, 1) + main * rhs + below * _moved(rhs, -2, -1)


def _flipped(diagonals: Any) -> Any:
    """Returns the conjugate transpose of a matrix, in compact form."""
    above, main, below = (_cut(diagonals, -2, k, k + 1) for k in range(3))
    rows = concat_p(_moved(below, -1, 1), main, _moved(above, -1, -1), axis=-2)
    return conjugate(rows)


def _solve(diagonals: Any, rhs: Any, *, pivoting: bool) -> Any:
    lead = np.broadcast_shapes(diagonals.shape[:-2], rhs.shape[:-2])
    n = diagonals.shape[-1]
    bands = np.zeros(diagonals.shape, diagonals.dtype)
    bands[..., 0, 1:] = diagonals[..., 0, : n - 1]
    bands[..., 1, :] = diagonals[..., 1, :]
    bands[..., 2, : n - 1] = diagonals[..., 2, 1:]
    if not lead:
        pairs = [(bands, rhs)]
    else:
        stacked = merged(np.broadcast_to(bands, (*lead, 3, n)), 2)
        sides = merged(np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])), 2)
        pairs = list(zip(stacked, sides, strict=True))
    if not n or not rhs.shape[-1] or 0 in lead:
        return np.zeros((*lead, *rhs.shape[-2:]), rhs.dtype)
    try:
        found = [lapack.solve_tridiagonal(a, b) if n > 1 else b / _pivot(a[1]) for a, b in pairs]
    except np.linalg.LinAlgError:
        raise invalid(
            "The first element of diagonals is zero. [Op:TridiagonalSolve] (a matrix is singular)",
            About.VALUES,
        ) from None
    out = np.stack(found).reshape(*lead, *rhs.shape[-2:])
    return out.astype(rhs.dtype, copy=False)


def _solve_xla(diagonals: Any, rhs: Any, *, pivoting: bool) -> Any:
    lead = np.broadcast_shapes(diagonals.shape[:-2], rhs.shape[:-2])
    d = jnp.broadcast_to(diagonals, (*lead, *diagonals.shape[-2:]))
    b = jnp.broadcast_to(rhs, (*lead, *rhs.shape[-2:]))
    above, below = d[..., 0, :].at[..., -1].set(0), d[..., 2, :].at[..., 0].set(0)
    return lax.linalg.tridiagonal_solve(below, d[..., 1, :], above, b)


def _pivot(main: Any) -> Any:
    if not main.all():
        raise np.linalg.LinAlgError
    return main


def _solve_diagonals_vjp(g: Any, diagonals: Any, out: Any, pivoting: bool) -> Any:
    back = tridiagonal_solve_p(_flipped(diagonals), g, pivoting=pivoting)
    x = conjugate(out)
    shape = shape_of(out)
    parts = [
        reshape_p(
            -reduce_sum_p(back * y, axis=(-1,), keepdims=False), shape=(*shape[:-2], 1, shape[-2])
        )
        for y in (_moved(x, -2, 1), x, _moved(x, -2, -1))
    ]
    whole = concat_p(*parts, axis=-2)
    return unbroadcast(whole, shape_of(whole), shape_of(diagonals))


def _solve_rhs_vjp(g: Any, diagonals: Any, rhs_shape: Any, pivoting: bool) -> Any:
    back = tridiagonal_solve_p(_flipped(diagonals), g, pivoting=pivoting)
    return unbroadcast(back, shape_of(back), rhs_shape)


def _solve_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    diagonals, rhs = with_axis(size, batched, inputs)
    rank = max(len(shape_of(diagonals)), len(shape_of(rhs)))
    diagonals, rhs = (
        reshape_p(x, shape=(size, *(1,) * (rank - len(shape_of(x))), *shape_of(x)[1:]))
        for x in (diagonals, rhs)
    )
    return tridiagonal_solve_p(diagonals, rhs, **params)


tridiagonal_solve_p: Bound = general(
    "TridiagonalSolve",
    _solve,
    {"diagonals": _solve_diagonals_vjp, "rhs": _solve_rhs_vjp},
    jvps={
        "diagonals": lambda t, diagonals, out, pivoting: (
            -tridiagonal_solve_p(diagonals, _product(t, out), pivoting=pivoting)
        ),
    },
    linear=["rhs"],
    batching=_solve_batch,
    dtypes=INEXACT,
    same=slice(0, 2),
    xla=_solve_xla,
)


def _compact(diagonals: Any, form: str, op: str) -> Tensor:
    """Returns the three diagonals as rows of one tensor."""
    if form == "compact":
        x = tensor(diagonals)
        if len(shape_of(x)) < 2 or not may_be_equal(shape_of(x)[-2:-1], (3,)):
            is_value = op == "tridiagonal_solve" and len(shape_of(x)) >= 2
            raise (ValueError if is_value else invalid)(
                f"`diagonals` must have shape (..., 3, n) in the compact form, got shape {x.shape} "
                f"[Op:{op}]"
            )
        return x
    if form == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (tensor(d) for d in diagonals)
        n = shape_of(main)[-1]
        if shape_of(above)[-1] == n - 1 and op == "tridiagonal_solve":
            above = pad_p(above, before=_ends(above, 0), after=_ends(above, 1))
        if shape_of(below)[-1] == n - 1 and op == "tridiagonal_solve":
            below = pad_p(below, before=_ends(below, 1), after=_ends(below, 0))
        if not shape_of(above) == shape_of(main) == shape_of(below):
            raise invalid(
                f"Invalid superdiagonal shape. [Op:{op}] (the diagonals have shapes "
                f"{above.shape}, {main.shape} and {below.shape})"
            )
        return stack([above, main, below], axis=-2)
    if form == "matrix":
        m = tensor(diagonals)
        shape = shape_of(m)
        if len(shape) < 2 or not may_be_equal(shape[-1:], shape[-2:-1]):
            raise ValueError(
                f"Expected last two dimensions of diagonals to be the same, got {m.shape}"
            )
        return diag_part(m, k=(-1, 1), align="LEFT_RIGHT")
    raise ValueError(f"Unrecognized diagonals_format: {form}")


def _ends(x: Any, n: int) -> tuple[int, ...]:
    return (*(0,) * (len(shape_of(x)) - 1), n)


@export("linalg.tridiagonal_solve")
@takes(partial_pivoting="bool", perturb_singular="bool")
@raw_op("TridiagonalSolve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves systems of linear equations with tridiagonal matrices.

    Args:
      diagonals: In the form "compact", a tensor of shape (..., 3, n) with the superdiagonal, the
        main diagonal and the subdiagonal; the last element of the superdiagonal and the first of
        the subdiagonal are ignored. In the form "sequence", a list of the three diagonals. In the
        form "matrix", a tensor of shape (..., n, n).
      rhs: A tensor of the same dtype and shape (..., n, k), or (..., n) for a single right-hand
        side.
      diagonals_format: The form of the diagonals.
      transpose_rhs: Whether `rhs` is of shape (..., k, n).
      conjugate_rhs: Whether to conjugate `rhs`.
      name: Accepted for compatibility.
      partial_pivoting: Accepted for compatibility: partial pivoting is always used.
      perturb_singular: Must be False, as on TensorFlow's CPU.

    Returns:
      A tensor of the shape of `rhs`, not transposed.

    Raises:
      ValueError: `diagonals_format` is unknown, or a shape is not valid.
      InvalidArgumentError: A matrix is singular.
    """
    if perturb_singular:
        raise NotImplementedError("tridiagonal_solve: perturb_singular is supported only on GPUs")
    d = _compact(diagonals, diagonals_format, "tridiagonal_solve")
    b = convert_to_tensor(rhs, dtype_hint=d.dtype)
    vector = len(shape_of(b)) == len(shape_of(d)) - 1
    if vector:
        if transpose_rhs:
            raise ValueError("tridiagonal_solve: a vector `rhs` can't be transposed")
        b = reshape_p(b, shape=(*shape_of(b), 1))
    elif transpose_rhs:
        b = adjoint(b) if conjugate_rhs else adjoint(conjugate(b))
    if conjugate_rhs and not (transpose_rhs and not vector):
        b = conjugate(b)
    if len(shape_of(b)) < 2 or not may_be_equal(shape_of(b)[-2:-1], shape_of(d)[-1:]):
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got "
            f"{shape_of(d)[-1]} and {shown_shape(shape_of(b))}"
        )
    out = tridiagonal_solve_p(d, b, pivoting=bool(partial_pivoting))
    return reshape_p(out, shape=shape_of(out)[:-1]) if vector else out


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Returns the products of tridiagonal and dense matrices.

    Args:
      diagonals: The diagonals, as for `tridiagonal_solve`. In the form "sequence", all three have
        length n.
      rhs: A tensor of the same dtype and shape (..., n, k).
      diagonals_format: "compact", "sequence" or "matrix".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      ValueError: `diagonals_format` is unknown. InvalidArgumentError: The shapes are incompatible.
    """
    d = _compact(diagonals, diagonals_format, "TridiagonalMatMul")
    b = convert_to_tensor(rhs, dtype_hint=d.dtype)
    if len(shape_of(b)) != len(shape_of(d)):
        raise invalid(
            f"All input tensors must have the same rank. [Op:TridiagonalMatMul] (`rhs` of shape "
            f"{b.shape} for diagonals of shape {d.shape})"
        )
    if not may_be_equal(shape_of(b)[-2:-1], shape_of(d)[-1:]):
        raise invalid(
            f"Invalid superdiagonal shape. [Op:TridiagonalMatMul] (`rhs` has {shape_of(b)[-2]} "
            f"rows, the matrix {shape_of(d)[-1]} columns)"
        )
    out: Tensor = _product(d, b)
    return out


@raw_op("TridiagonalMatMul")
def _raw_tridiagonal_matmul(
    superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any, name: str | None = None
) -> Tensor:
    """Returns the product of a tridiagonal matrix, given as three diagonals, and `rhs`."""
    rows = concat([superdiag, maindiag, subdiag], -2)
    return tridiagonal_matmul(rows, rhs)


@export("linalg.banded_triangular_solve")
@takes(lower="bool", adjoint="bool")
@raw_op("BandedTriangularSolve", matrix="bands")
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations with banded triangular matrices.

    Args:
      bands: A tensor of shape (..., diagonals, n), from the highest diagonal to the lowest;
        diagonals below the main one are aligned to the end of the row, those above it to the
        beginning. The rest of a row is unused.
      rhs: A tensor of the same dtype and shape (..., n, k).
      lower: Whether the matrices are lower triangular, so that the main diagonal is the first band.
      adjoint: Whether to solve with their conjugate transposes.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, k).

    Raises:
      InvalidArgumentError: The shapes are incompatible, or a matrix is singular.
    """
    x = tensor(bands)
    b = convert_to_tensor(rhs, dtype_hint=x.dtype)
    op = "BandedTriangularSolve"
    for k, given in enumerate((x, b)):
        if len(shape_of(given)) < 2:
            rank = len(shape_of(given))
            raise invalid(f"In[{k}] ndims must be >= 2: {rank} [Op:{op}]")
    count, n = shape_of(x)[-2:]
    if shape_of(b)[-2] != n:
        raise invalid(
            f"In[0] mismatch In[1] shape: {n} vs. {shape_of(b)[-2]}: "
            f"{shown_shape(shape_of(x))} {shown_shape(shape_of(b))} [Op:{op}]"
        )
    if isinstance(x._value, np.ndarray) and not x._value[..., 0 if lower else -1, :].all():
        raise invalid(f"Input matrix is not invertible. [Op:{op}]", About.VALUES)
    low, high = (1 - count, 0) if lower else (0, count - 1)
    matrix = diag(x, k=(low, high) if count > 1 else 0, align="LEFT_RIGHT")
    if count == 1:
        matrix = diag(reshape_p(x, shape=(*shape_of(x)[:-2], n)))
    return triangular_solve(matrix, b, lower, adjoint)


@overload
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: Literal[True] = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Tensor: ...
@overload
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: Literal[False],
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]: ...
@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Returns the eigenvalues, and eigenvectors, of a self-adjoint tridiagonal matrix.

    Args:
      alpha: The main diagonal, a tensor of shape (n,). Only its real part is used.
      beta: The diagonal above it, a tensor of the same dtype and shape (n - 1,).
      eigvals_only: Whether to omit the eigenvectors.
      select: "a" for all eigenvalues, "i" for those with indices from `select_range[0]` to
        `select_range[1]`, "v" for those with values from `select_range[0]` to `select_range[1]`.
        Both ends are included.
      select_range: The range for "i" and "v".
      tol: Accepted for compatibility: the eigenvalues are as exact as the dtype allows.
      name: Accepted for compatibility.

    Returns:
      The eigenvalues in ascending order. If `eigvals_only` is False, also the eigenvectors as
      columns.

    Raises:
      ValueError: `select` is unknown.
      InvalidArgumentError: The range is empty or not valid, or the shapes do not fit.
      TypeError: `select_range` is missing.
    """
    a = tensor(alpha)
    b = convert_to_tensor(beta, dtype_hint=a.dtype)
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    if len(shape_of(a)) != 1 or shape_of(b) != (shape_of(a)[0] - 1,):
        raise invalid(
            f"Incompatible shapes: alpha {shown_shape(shape_of(a))} and beta "
            f"{shown_shape(shape_of(b))}, which must be one shorter [Op:eigh_tridiagonal]"
        )
    low, high = _select_range(select, select_range)
    matrix = diag(_real_part(a)) + diag(conjugate(b), k=-1)  # Only the lower triangle is read.
    if eigvals_only:
        e, v = eigvalsh(matrix), None
    else:
        e, v = eigh(matrix)
    e = real(e) if e.dtype.is_complex else e
    first, last = 0, shape_of(e)[0]
    if select == "i":
        if low < 0 or high >= last:
            raise invalid(
                f"select_range [{low}, {high}] must lie within [0, {last - 1}], the numbers of the "
                "eigenvalues [Op:eigh_tridiagonal]"
            )
        first, last = int(low), int(high) + 1
    elif select == "v":
        known = e._numpy()
        first, last = (int(np.searchsorted(known, low)), int(np.searchsorted(known, high, "right")))
    e = slice_p(e, begin=(first,), end=(last,))
    return e if v is None else (e, _cut(v, -1, first, last))


def _select_range(select: str, select_range: Any) -> tuple[Any, Any]:
    if select == "a":
        return None, None
    if select_range is None:
        raise TypeError(f"select_range must be a pair of numbers for select={select!r}, got None")
    low, high = (tensor(r)._numpy() for r in select_range)
    if select == "i" and low > high:
        raise invalid(f"Got empty index range in select_range. [{low}, {high}]", About.VALUES)
    if select == "v" and low >= high:
        raise invalid(f"Got empty interval in select_range. [{low}, {high}]", About.VALUES)
    return low, high


def _real_part(x: Tensor) -> Any:
    return (x + conjugate(x)) / 2 if x.dtype.is_complex else x
