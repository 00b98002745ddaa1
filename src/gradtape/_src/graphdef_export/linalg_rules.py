"""Rules for operations on matrices and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule


@rule("MatMul")
def _matmul(p: Part, x: Value, y: Value) -> Any:
    return p.op("MatMul" if x.rank == y.rank == 2 else "BatchMatMulV2", x, y)


@rule("MatMulAdjointX")
def _matmul_adjoint_x(p: Part, x: Value, y: Value) -> Any:
    if _are_real_matrices(x, y):
        return p.op("MatMul", x, y, transpose_a=True)
    return p.op("BatchMatMulV2", x, y, adj_x=True)


@rule("MatMulAdjointY")
def _matmul_adjoint_y(p: Part, x: Value, y: Value) -> Any:
    if _are_real_matrices(x, y):
        return p.op("MatMul", x, y, transpose_b=True)
    return p.op("BatchMatMulV2", x, y, adj_y=True)


def _are_real_matrices(x: Value, y: Value) -> bool:
    """Whether both operands are real matrices, whose adjoints are their transposes."""
    return x.rank == y.rank == 2 and not x.dtype.startswith("complex")


@rule("Einsum")
def _einsum(p: Part, x: Value, y: Value, *, spec: Any) -> Any:
    letters = dict.fromkeys("".join(spec))
    table = {
        c: chr(ord("a") + i) if i < 26 else chr(ord("A") + i - 26) for i, c in enumerate(letters)
    }
    a, b, o = ("".join(table[c] for c in part) for part in spec)
    return p.op("Einsum", [x, y], equation=f"{a},{b}->{o}")


@rule(
    "MatrixInverse", "MatrixDeterminant", "Cholesky", "MatrixSquareRoot", "MatrixLogarithm", "Cross"
)
def _by_name(p: Part, *xs: Value) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, *xs)


@rule("LogMatrixDeterminant")
def _log_determinant(p: Part, x: Value) -> Any:
    return p.op("LogMatrixDeterminant", x)


@rule("MatrixSolve")
def _solve(p: Part, matrix: Value, rhs: Value, *, adjoint: bool) -> Any:
    return p.op("MatrixSolve", *_same_lead(p, matrix, rhs), adjoint=adjoint)


@rule("MatrixTriangularSolve")
def _triangular_solve(p: Part, matrix: Value, rhs: Value, *, lower: bool, adjoint: bool) -> Any:
    return p.op("MatrixTriangularSolve", matrix, rhs, lower=lower, adjoint=adjoint)


def _same_lead(p: Part, matrix: Value, rhs: Value) -> list[Value]:
    """Broadcasts stacks of matrices to the same leading axes."""
    lead = p.outputs[0].shape[:-2]
    found = []
    for x in (matrix, rhs):
        assert x.shape is not None
        wanted = [*lead, *x.shape[-2:]]
        found.append(x if list(x.shape) == wanted else p.op("BroadcastTo", x, p.ints(wanted)))
    return found


@rule("MatrixBandPart")
def _band_part(p: Part, x: Value, *, lower: int, upper: int) -> Any:
    return p.op("MatrixBandPart", x, p.const(lower, "int32"), p.const(upper, "int32"))


@rule("MatrixDiagPartV3")
def _diag_part(p: Part, x: Value, *, k: int) -> Any:
    return p.op("MatrixDiagPartV3", x, p.const(k, "int32"), p.like(0, x))


@rule("MatrixDiagV3")
def _diag(p: Part, d: Value, *, k: int, rows: Any, cols: Any) -> Any:
    if d.shape is not None and rows == cols == d.shape[-1] + abs(k):
        rows = cols = -1  # TensorFlow's default: the smallest square matrix
    return p.op(
        "MatrixDiagV3", d, p.const(k, "int32"), p.number(rows), p.number(cols), p.like(0, d)
    )


@rule("MatrixSetDiagV3")
def _set_diag(p: Part, x: Value, d: Value, *, k: int) -> Any:
    return p.op("MatrixSetDiagV3", x, d, p.const(k, "int32"))


@rule("Qr")
def _qr(p: Part, x: Value, *, full_matrices: bool) -> Any:
    return p.op("Qr", x, full_matrices=full_matrices)


@rule("Svd")
def _svd(p: Part, x: Value, *, full_matrices: bool) -> Any:
    return p.op("Svd", x, full_matrices=full_matrices)


@rule("SingularValues")
def _singular_values(p: Part, x: Value) -> Any:
    return p.op("Svd", x, compute_uv=False)[0]


@rule("MatrixPseudoinverse")
def _pseudoinverse(p: Part, x: Value, *, rcond: Any) -> Any:
    values, u, v = p.op("Svd", x)
    top = p.op("Max", values, p.const([-1], "int32"), keep_dims=True)
    least = p.const(np.asarray(rcond)[..., None], values.dtype)
    kept = p.op("Greater", values, p.op("Mul", top, least))
    inverse = p.op("SelectV2", kept, p.op("Reciprocal", values), p.like(0, values))
    scaled = p.op("Mul", v, p.op("ExpandDims", p.cast(inverse, x.dtype), p.const(-2, "int32")))
    return p.op("BatchMatMulV2", scaled, u, adj_y=True)


@rule("SelfAdjointEigV2")
def _eigh(p: Part, x: Value) -> Any:
    return p.op("SelfAdjointEigV2", x)


@rule("SelfAdjointEigenvalues")
def _eigvalsh(p: Part, x: Value) -> Any:
    values = p.op("SelfAdjointEigV2", x, compute_v=False)[0]
    return p.cast(values, dtype_name(p.outputs[0].np_dtype))


@rule("Eig")
def _eig(p: Part, x: Value) -> Any:
    return p.op("Eig", x, Tout=dtype_name(p.outputs[0].np_dtype))


@rule("Eigenvalues")
def _eigvals(p: Part, x: Value) -> Any:
    return p.op("Eig", x, compute_v=False, Tout=dtype_name(p.outputs[0].np_dtype))[0]


@rule("TridiagonalSolve")
def _tridiagonal_solve(p: Part, diagonals: Value, rhs: Value, *, pivoting: bool) -> Any:
    return p.op("TridiagonalSolve", diagonals, rhs, partial_pivoting=pivoting)


@rule("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")
def _fft(p: Part, x: Value) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, x)


_RANKS = {1: "", 2: "2D", 3: "3D"}


@rule("RFFT")
def _rfft(p: Part, x: Value, *, lengths: Any) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    return p.op("RFFT" + _RANKS[len(lengths)], x, p.ints(lengths), Tcomplex=kind)


@rule("IRFFT")
def _irfft(p: Part, x: Value, *, lengths: Any) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    return p.op("IRFFT" + _RANKS[len(lengths)], x, p.ints(lengths), Treal=kind)


@rule("DCT")
def _dct(p: Part, x: Value, *, kind: int) -> Any:
    """Computes the cosine transform as a product with its matrix."""
    assert p.node is not None
    assert x.shape is not None
    n = x.shape[-1]
    if not isinstance(n, int):
        raise p.unknown("a transform of unknown length")
    matrix = p.node.primitive.kernel(np.eye(n, dtype=np.float64), kind=kind)
    flat = p.reshaped(x, (-1, n))
    return p.reshaped(p.op("MatMul", flat, p.const(matrix, x.dtype)), x.shape)


@rule("Lu")
def _lu(p: Part, x: Value, *, index: Any) -> Any:
    return p.op("Lu", x, output_idx_type=dtype_name(index))
