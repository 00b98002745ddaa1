"""Matrices: products, einsum, diagonals, systems, decompositions, functions, norms."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from gradtape._src.ops.elementwise.complex_numbers import imag_p, real_p
from gradtape._src.ops.linalg import decompositions as dec
from gradtape._src.ops.linalg import diagonals as d
from gradtape._src.ops.linalg import matrix_functions as fun
from gradtape._src.ops.linalg import solve as la
from gradtape._src.ops.linalg.einsum import einsum
from gradtape._src.ops.linalg.matmul import (
    adjoint,
    matmul,
    matmul_adjoint_x_p,
    matmul_adjoint_y_p,
    matmul_p,
    matvec,
    tensordot,
)
from gradtape._src.ops.linalg.norms import norm

from .base import Sample

_rng = np.random.default_rng(5)


def _r(*shape):
    return _rng.standard_normal(shape)


def _c(*shape):
    return _r(*shape) + 1j * _r(*shape)


def _regular(*shape):
    """Well-conditioned square matrices with separate singular values."""
    q, _ = np.linalg.qr(_r(*shape))
    p, _ = np.linalg.qr(_r(*shape))
    return q * np.linspace(1, 2.5, shape[-1]) @ p


def _positive(x):
    """A positive definite matrix of any matrix."""
    return matmul_p(x, adjoint(x)) + np.eye(x.shape[-1], dtype=x.dtype.as_numpy_dtype)


def _np_positive(x):
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(x.shape[-1])


A, B = _regular(3, 3), _r(3, 2)
STACK, STACK_B = _regular(2, 3, 3), _r(2, 3, 2)
COMPLEX, COMPLEX_B = _c(3, 3) + 2 * np.eye(3), _c(3, 2)
TALL, WIDE = _regular(4, 4)[:, :2].copy(), _regular(4, 4)[:2].copy()
SYMMETRIC = np.diag([1.0, 2.5, 4.0]) + 0.1 * (A + A.T)


def _einsum(equation, *inputs):
    return Sample(
        "Einsum",
        lambda *xs: einsum(equation, *xs),
        inputs,
        lambda *xs: np.einsum(equation, *xs),
        equation,
    )


def _sizes(parts):
    """Returns the parts of complex results that do not depend on the choice of a phase."""
    return [real_p(x) * real_p(x) + imag_p(x) * imag_p(x) for x in parts]


def turned(x):
    """The adjoint of each matrix."""
    return np.ascontiguousarray(np.conj(np.swapaxes(x, -1, -2)))


SAMPLES = [
    Sample("MatMul", matmul_p, (A, B), np.matmul),
    Sample("MatMul", matmul_p, (STACK, B), np.matmul, "stack by one"),
    Sample("MatMul", matmul_p, (A, STACK_B), np.matmul, "one by stack"),
    Sample("MatMul", matmul_p, (STACK[:, None], _r(1, 2, 3, 2)), np.matmul, "broadcast"),
    Sample("MatMul", matmul_p, (COMPLEX, COMPLEX_B), np.matmul, "complex"),
    Sample(
        "MatMul",
        lambda x, y: matmul(x, y, transpose_a=True, adjoint_b=True),
        (B, A),
        lambda x, y: x.T @ y.T,
        "transposed",
    ),
    *(
        Sample(
            f"MatMulAdjoint{which.upper()}",
            product,
            (turned(a), b) if which == "x" else (a, turned(b)),
            lambda x, y, which=which: (
                np.matmul(turned(x), y) if which == "x" else np.matmul(x, turned(y))
            ),
            name,
        )
        for which, product in (("x", matmul_adjoint_x_p), ("y", matmul_adjoint_y_p))
        for name, a, b in (
            ("", A, B),
            ("stack by one", STACK, B),
            ("one by stack", A, STACK_B),
            ("broadcast", STACK[:, None], _r(1, 2, 3, 2)),
            ("complex", COMPLEX, COMPLEX_B),
        )
    ),
    Sample("MatMul", matvec, (STACK, _r(3)), lambda x, y: x @ y, "matvec"),
    Sample(
        "MatMul",
        lambda x, y: tensordot(x, y, [[0, 2], [1, 0]]),
        (_r(2, 3, 4), _r(4, 2, 2)),
        lambda x, y: np.tensordot(x, y, [[0, 2], [1, 0]]),
        "tensordot",
    ),
    _einsum("ij,jk->ik", A, B),
    _einsum("bij,bjk->bki", STACK, STACK_B),
    _einsum("bi,bi->b", _r(2, 3), _r(2, 3)),
    _einsum("i,j->ji", _r(2), _r(3)),
    _einsum("ij,ij->", A, A.T.copy()),
    _einsum("bxby->bxy", _r(2, 3, 2, 2)),
    _einsum("...ij,...jk->...ik", _r(2, 1, 2, 3), _r(4, 3, 2)),
    _einsum("ij,jk,kl->il", A, B, _r(2, 2)),
    _einsum("bi,bj,ij->b", _r(2, 3), _r(2, 2), _r(3, 2)),
    _einsum("aab,bcc->ca", _r(2, 2, 3), _r(3, 2, 2)),
    _einsum("bij,jk->bik", _c(2, 2, 3), _c(3, 2)),
    Sample("MatrixDiagPartV3", lambda x: d.diag_part(x, k=1), (_r(2, 3, 4),)),
    Sample("MatrixDiagPartV3", lambda x: d.diag_part(x, k=(-1, 1)), (_r(3, 4),), None, "band"),
    Sample("MatrixDiagV3", lambda x: d.diag(x, k=-1), (_r(2, 3),)),
    Sample("MatrixDiagV3", lambda x: d.diag(x, k=(-1, 1)), (_r(3, 3),), None, "band"),
    Sample("MatrixSetDiagV3", d.set_diag, (STACK, _r(2, 3))),
    Sample("MatrixBandPart", lambda x: d.band_part(x, 1, 0), (STACK,)),
    Sample("MatrixInverse", la.inv, (A,), np.linalg.inv),
    Sample("MatrixInverse", la.inv, (STACK,), np.linalg.inv, "stack"),
    Sample("MatrixInverse", la.inv, (COMPLEX,), np.linalg.inv, "complex"),
    Sample("MatrixDeterminant", la.det, (A,), np.linalg.det),
    Sample("MatrixDeterminant", la.det, (STACK,), np.linalg.det, "stack"),
    Sample("MatrixDeterminant", la.det, (COMPLEX,), np.linalg.det, "complex"),
    Sample("LogMatrixDeterminant", lambda x: la.slogdet(x)[1], (STACK,)),
    Sample("MatrixSolve", la.solve, (A, B), np.linalg.solve),
    Sample("MatrixSolve", la.solve, (STACK, STACK_B), np.linalg.solve, "stack"),
    Sample("MatrixSolve", lambda a, b: la.solve(a, b, adjoint=True), (A, B), None, "adjoint"),
    Sample("MatrixSolve", la.solve, (COMPLEX, COMPLEX_B), np.linalg.solve, "complex"),
    Sample("MatrixTriangularSolve", la.triangular_solve, (A + 2 * np.eye(3), B)),
    Sample(
        "MatrixTriangularSolve",
        lambda a, b: la.triangular_solve(a, b, lower=False, adjoint=True),
        (STACK + 2 * np.eye(3), STACK_B),
        None,
        "upper adjoint",
    ),
    Sample(
        "MatrixTriangularSolve",
        la.triangular_solve,
        (A + 2 * np.eye(3), STACK_B),
        None,
        "broadcast",
    ),
    Sample(
        "Cholesky",
        lambda x: la.cholesky(_positive(x)),
        (A,),
        lambda x: np.linalg.cholesky(_np_positive(x)),
    ),
    Sample("Cholesky", lambda x: la.cholesky(_positive(x)), (STACK,), None, "stack"),
    Sample("Cholesky", lambda x: la.cholesky(_positive(x)), (COMPLEX,), None, "complex"),
    Sample("Qr", dec.qr, (A,), lambda x: tuple(np.linalg.qr(x))),
    Sample("Qr", dec.qr, (TALL,), lambda x: tuple(np.linalg.qr(x)), "tall"),
    Sample("Qr", dec.qr, (WIDE,), lambda x: tuple(np.linalg.qr(x)), "wide"),
    Sample("Qr", dec.qr, (STACK,), None, "stack"),
    Sample("Qr", dec.qr, (COMPLEX,), None, "complex"),
    Sample("Svd", dec.svd, (A,)),
    Sample("Svd", dec.svd, (TALL,), None, "tall"),
    Sample("Svd", dec.svd, (WIDE,), None, "wide"),
    Sample("Svd", lambda x: dec.svd(x, full_matrices=True), (_r(3, 2),), None, "full"),
    Sample("Svd", lambda x: _sizes(dec.svd(x)[1:]), (COMPLEX,), None, "complex"),
    Sample(
        "SingularValues",
        lambda x: dec.svd(x, compute_uv=False),
        (STACK,),
        lambda x: np.linalg.svd(x, compute_uv=False),
    ),
    Sample("SelfAdjointEigV2", dec.eigh, (SYMMETRIC,), lambda x: tuple(np.linalg.eigh(x))),
    Sample("SelfAdjointEigenvalues", dec.eigvalsh, (SYMMETRIC,), np.linalg.eigvalsh),
    Sample("Eigenvalues", dec.eigvals, (COMPLEX,), np.linalg.eigvals),
    Sample("Eig", lambda x: _sizes(dec.eig(x)[1:]), (COMPLEX,)),
    Sample("MatrixExponential", fun.expm, (A,), scipy.linalg.expm),
    Sample("MatrixExponential", fun.expm, (STACK,), scipy.linalg.expm, "stack"),
    Sample("MatrixSquareRoot", lambda x: fun.sqrtm(_positive(x)), (_r(2, 2),)),
    Sample("MatrixPseudoinverse", fun.pinv, (TALL,), np.linalg.pinv),
    Sample("MatrixPseudoinverse", fun.pinv, (WIDE,), np.linalg.pinv, "wide"),
    Sample("Cross", fun.cross, (_r(2, 3), _r(2, 3)), np.cross),
    Sample("Cholesky", fun.lstsq, (TALL, _r(4, 1)), None, "lstsq"),
    *[
        Sample(
            "EuclideanNorm",
            lambda x, p=p: norm(x, p, (0, 1)),
            (A,),
            lambda x, p=p: np.linalg.norm(x, "fro" if p == "euclidean" else p),
            f"of a matrix, {p}",
        )
        for p in ("euclidean", 1, 2, np.inf)
    ],
    *[
        Sample(
            "EuclideanNorm",
            lambda x, p=p: norm(x, p, 1),
            (A,),
            lambda x, p=p: np.linalg.norm(x, p, 1),
            f"of vectors, {p}",
        )
        for p in (1, 2, 3, np.inf)
    ],
]
