"""What XLA computes for linear algebra, transforms, convolution and losses; needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg

from gradtape._src.declare.xla_kernels import wide
from gradtape._src.ops.linalg.einsum import _equation
from gradtape._src.ops.linalg.matmul import _unfit
from gradtape._src.ops.linalg.matrix_functions import _logm, _sqrtm
from gradtape._src.ops.nn.convolution import Geometry, inner

Kernel = Callable[..., Any]
_EXACT = lax.Precision.HIGHEST


def _matmul(x: Any, y: Any) -> Any:
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        raise _unfit(x.shape, y.shape)
    return jnp.matmul(x, y, precision=_EXACT)


def _adjoint(x: Any) -> Any:
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def _stacks(matrix: Any, rhs: Any) -> tuple[Any, Any]:
    """Both with the same leading axes."""
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    return (
        jnp.broadcast_to(matrix, (*lead, *matrix.shape[-2:])),
        jnp.broadcast_to(rhs, (*lead, *rhs.shape[-2:])),
    )


def _solve(matrix: Any, rhs: Any, *, adjoint: bool) -> Any:
    return jnp.linalg.solve(*_stacks(_adjoint(matrix) if adjoint else matrix, rhs))


def _triangular_solve(matrix: Any, rhs: Any, *, lower: bool, adjoint: bool) -> Any:
    matrix, rhs = _stacks(matrix, rhs)
    return lax.linalg.triangular_solve(
        matrix, rhs, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint
    )


def _slogdet(x: Any) -> Any:
    sign, size = jnp.linalg.slogdet(x)
    return sign, size.astype(x.dtype)


def _svd(x: Any, *, full_matrices: bool) -> Any:
    u, s, vh = jnp.linalg.svd(x, full_matrices)
    return s, u, _adjoint(vh)


def _qr(x: Any, *, full_matrices: bool) -> Any:
    q, r = jnp.linalg.qr(x, "complete" if full_matrices else "reduced")
    return q, r


def _eigh(x: Any) -> Any:
    e, v = jnp.linalg.eigh(x, symmetrize_input=False)
    return e.astype(x.dtype), v


def _lu(x: Any, *, index: Any) -> Any:
    packed, _, order = lax.linalg.lu(x)
    return packed, order.astype(index)


def _diag(d: Any, *, k: int, rows: int, cols: int) -> Any:
    i = np.arange(d.shape[-1])
    out = jnp.zeros((*d.shape[:-1], rows, cols), d.dtype)
    return out.at[..., i - min(k, 0), i + max(k, 0)].set(d)


def _set_diag(x: Any, d: Any, *, k: int) -> Any:
    i = np.arange(d.shape[-1])
    return jnp.asarray(x).at[..., i - min(k, 0), i + max(k, 0)].set(d)


def _band_part(x: Any, *, lower: int, upper: int) -> Any:
    rows, cols = x.shape[-2:]
    i, j = np.indices((rows, cols), sparse=True)
    below, above = (lower if lower >= 0 else rows), (upper if upper >= 0 else cols)
    return jnp.where((i - j <= below) & (j - i <= above), x, x.dtype.type(0))


def _expm(x: Any) -> Any:
    return linalg.expm(x)


def _pinv(x: Any, *, rcond: Any) -> Any:
    return jnp.linalg.pinv(x, rtol=rcond).astype(x.dtype)


def _general_eig(x: Any, *, vectors: bool) -> list[Any]:
    """As NumPy does it, in double precision."""
    wide = x.astype(np.result_type(x.dtype, np.float64))
    found = lax.linalg.eig(
        wide, compute_left_eigenvectors=False, compute_right_eigenvectors=vectors
    )
    kind = np.result_type(x.dtype, np.complex64)
    return [part.astype(kind) for part in found]


def _eig(x: Any) -> tuple[Any, Any]:
    e, v = _general_eig(x, vectors=True)
    return e, v


def _eigvals(x: Any) -> Any:
    return _general_eig(x, vectors=False)[0]


def _host(kernel: Kernel) -> Kernel:
    """A kernel of SciPy's that the program calls while it runs, for what XLA lacks."""

    def run(x: Any) -> Any:
        def call(value: Any) -> Any:
            return np.asarray(kernel(np.asarray(value)))

        return jax.pure_callback(call, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    return run


# Transforms.


def _axes(n: int) -> tuple[int, ...]:
    return tuple(range(-n, 0))


def _rfft(x: Any, *, lengths: tuple[int, ...]) -> Any:
    return jnp.fft.rfftn(x, lengths, _axes(len(lengths)))


def _irfft(x: Any, *, lengths: tuple[int, ...]) -> Any:
    return jnp.fft.irfftn(x, lengths, _axes(len(lengths)))


def _fft(name: str, n: int) -> Kernel:
    run = getattr(jnp.fft, name)
    return lambda x: run(x, axes=_axes(n)).astype(x.dtype)


# Convolution: images (batch, *space, channels), filters (*window, channels per group, outputs).


def _numbers(n: int, x: str = "N{}C", w: str = "{}IO", out: str = "N{}C") -> tuple[str, str, str]:
    space = "DHW"[-n:] if n <= 3 else "ABDEFGHJKL"[:n]
    return x.format(space), w.format(space), out.format(space)


def _conv(x: Any, w: Any, *, geometry: Geometry, groups: int) -> Any:
    return lax.conv_general_dilated(
        x,
        w,
        geometry.strides,
        geometry.pads,
        rhs_dilation=geometry.dilations,
        dimension_numbers=_numbers(len(geometry.space)),
        feature_group_count=groups,
        precision=_EXACT,
    )


def _conv_input(g: Any, w: Any, *, geometry: Geometry, groups: int) -> Any:
    n = len(geometry.space)
    spread = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads = []
    for size, (lo, _), reach, s, o in zip(
        geometry.space, geometry.pads, spread, geometry.strides, geometry.out, strict=True
    ):
        before = reach - lo
        pads.append((before, size + reach - ((o - 1) * s + 1) - before))
    *window, c, outputs = w.shape
    w = jnp.flip(w, tuple(range(n)))
    w = w.reshape(*window, c, groups, outputs // groups)
    w = jnp.moveaxis(w, n + 2, n).reshape(*window, outputs // groups, c, groups)
    w = jnp.swapaxes(w, -1, -2).reshape(*window, outputs // groups, groups * c)
    return lax.conv_general_dilated(
        g,
        w,
        (1,) * n,
        pads,
        lhs_dilation=geometry.strides,
        rhs_dilation=geometry.dilations,
        dimension_numbers=_numbers(n),
        feature_group_count=groups,
        precision=_EXACT,
    )


def _conv_filter(x: Any, g: Any, *, geometry: Geometry, groups: int) -> Any:
    n = len(geometry.space)
    pads = []
    for size, (lo, _), k, d, s, o in zip(
        geometry.space,
        geometry.pads,
        geometry.window,
        geometry.dilations,
        geometry.strides,
        geometry.out,
        strict=True,
    ):
        pads.append((lo, (k - 1) * d + (o - 1) * s + 1 - size - lo))
    return lax.conv_general_dilated(
        x,
        g,
        geometry.dilations,
        pads,
        rhs_dilation=geometry.strides,
        dimension_numbers=_numbers(n, "C{}N", "I{}O", "{}NC"),
        batch_group_count=groups,
        precision=_EXACT,
    )


# Pooling, by the slices of the image that lie at each place of the window.


def _padded(x: Any, geometry: Geometry, fill: Any) -> Any:
    pads = [(0, 0, 0), *((lo, hi, 0) for lo, hi in geometry.pads), (0, 0, 0)]
    return lax.pad(x, x.dtype.type(fill), pads)


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _slices(x: Any, geometry: Geometry) -> list[Any]:
    return [x[(slice(None), *at)] for at in geometry.offsets()]


def _max_pool(x: Any, *, geometry: Geometry) -> Any:
    out, *rest = _slices(_padded(x, geometry, _lowest(x.dtype)), geometry)
    for part in rest:
        out = jnp.maximum(out, part)
    return out


def _places(x: Any, *, geometry: Geometry) -> Any:
    full = _padded(x, geometry, _lowest(x.dtype))
    numbers = np.full(geometry.padded, -1, np.int64)
    space = geometry.space
    numbers[inner(geometry)[1:]] = np.arange(int(np.prod(space))).reshape(space)
    best: Any = None
    for part, at in zip(_slices(full, geometry), geometry.offsets(), strict=True):
        where = jnp.asarray(numbers[at])[None, ..., None]
        if best is None:
            best, place = part, jnp.broadcast_to(where, part.shape)
            continue
        better = (part > best) | (place < 0)
        best, place = jnp.where(better, part, best), jnp.where(better, where, place)
    return place


def _pick(x: Any, place: Any, *, space: tuple[int, ...]) -> Any:
    flat = x.reshape(x.shape[0], -1, x.shape[-1])
    found = place.reshape(x.shape[0], -1, x.shape[-1])
    return jnp.take_along_axis(flat, found, 1).reshape(place.shape)


def _put(g: Any, place: Any, *, space: tuple[int, ...]) -> Any:
    batch, channels = g.shape[0], g.shape[-1]
    out = jnp.zeros((batch, int(np.prod(space)), channels), g.dtype)
    at = place.reshape(batch, -1, channels)
    rows, lanes = np.arange(batch)[:, None, None], np.arange(channels)
    out = out.at[rows, at, lanes].add(g.reshape(batch, -1, channels))
    return out.reshape(batch, *space, channels)


def _pool_shares(geometry: Geometry, dtype: Any) -> Any:
    ones = np.zeros((1, *geometry.padded, 1))
    ones[inner(geometry)] = 1
    total = np.sum([ones[(slice(None), *at)] for at in geometry.offsets()], 0)
    return np.asarray(1 / total, dtype)


@wide
def _avg_pool(x: Any, *, geometry: Geometry) -> Any:
    parts = _slices(_padded(x, geometry, 0), geometry)
    return sum(parts[1:], parts[0]) * _pool_shares(geometry, x.dtype)


def _spread(parts: Any, geometry: Geometry) -> Any:
    """Adds each part to the slices of the image that lie at its place of the window."""
    out = jnp.zeros((parts[0].shape[0], *geometry.padded, parts[0].shape[-1]), parts[0].dtype)
    for part, at in zip(parts, geometry.offsets(), strict=True):
        out = out.at[(slice(None), *at)].add(part)
    return out[inner(geometry)]


@wide
def _avg_pool_grad(g: Any, *, geometry: Geometry) -> Any:
    share = g * _pool_shares(geometry, g.dtype)
    return _spread([share] * len(geometry.offsets()), geometry)


def _patches(x: Any, *, geometry: Geometry) -> Any:
    return jnp.concatenate(_slices(_padded(x, geometry, 0), geometry), -1)


@wide
def _unpatch(g: Any, *, geometry: Geometry) -> Any:
    return _spread(jnp.split(g, len(geometry.offsets()), -1), geometry)


# Losses.


@wide
def _softmax(x: Any, *, axis: int) -> Any:
    return jax.nn.softmax(x, axis)


@wide
def _log_softmax(x: Any, *, axis: int) -> Any:
    return jax.nn.log_softmax(x, axis)


def _log_sum_exp(logits: Any) -> tuple[Any, Any, Any]:
    top = jnp.max(logits, -1, keepdims=True, initial=-np.inf)
    shifted = logits - top
    return shifted, jnp.log(jnp.sum(jnp.exp(shifted), -1, keepdims=True)), top


def _sparse_cross_entropy(logits: Any, labels: Any) -> tuple[Any, Any, Any]:
    if logits.dtype.itemsize == 2:
        loss, lse, top = _sparse_cross_entropy(logits.astype(np.float32), labels)
        kind = logits.dtype
        return loss.astype(kind), lse.astype(kind), top.astype(kind)
    shifted, lse, top = _log_sum_exp(logits)
    hit = labels[..., None] == np.arange(logits.shape[-1], dtype=np.int32)
    at_label = jnp.sum(jnp.where(hit, shifted, logits.dtype.type(0)), -1)
    wrong = (labels < 0) | (labels >= logits.shape[-1])
    loss = jnp.where(wrong, logits.dtype.type(np.nan), lse[..., 0] - at_label)
    return loss, lse[..., 0], top[..., 0]


@wide
def _cross_entropy(labels: Any, logits: Any) -> tuple[Any, Any, Any]:
    shifted, lse, top = _log_sum_exp(logits)
    return jnp.sum((lse - shifted) * labels, -1), lse[..., 0], top[..., 0]


@wide
def _l2_loss(x: Any) -> Any:
    return jnp.sum(x * x) / x.dtype.type(2)


KERNELS: dict[str, Kernel] = {
    "AvgPool": _avg_pool,
    "AvgPoolGrad": _avg_pool_grad,
    "Cholesky": lambda x: jnp.linalg.cholesky(x, symmetrize_input=False),
    "Conv2D": _conv,
    "Conv2DBackpropFilter": _conv_filter,
    "Conv2DBackpropInput": _conv_input,
    "Cross": jnp.cross,
    "Eig": _eig,
    "Eigenvalues": _eigvals,
    "Einsum": lambda x, y, *, spec: jnp.einsum(_equation(spec), x, y, precision=_EXACT),
    "ExtractImagePatches": _patches,
    "ExtractImagePatchesGrad": _unpatch,
    "FFT": _fft("fftn", 1),
    "FFT2D": _fft("fftn", 2),
    "FFT3D": _fft("fftn", 3),
    "IFFT": _fft("ifftn", 1),
    "IFFT2D": _fft("ifftn", 2),
    "IFFT3D": _fft("ifftn", 3),
    "IRFFT": _irfft,
    "L2Loss": _l2_loss,
    "LogMatrixDeterminant": _slogdet,
    "LogSoftmax": _log_softmax,
    "Lu": _lu,
    "MatMul": _matmul,
    "MatrixBandPart": _band_part,
    "MatrixDeterminant": jnp.linalg.det,
    "MatrixDiagPartV3": lambda x, *, k: jnp.diagonal(x, k, -2, -1),
    "MatrixDiagV3": _diag,
    "MatrixExponential": _expm,
    "MatrixInverse": jnp.linalg.inv,
    "MatrixPseudoinverse": _pinv,
    "MatrixSetDiagV3": _set_diag,
    "MatrixSolve": _solve,
    "MatrixLogarithm": _host(_logm),
    "MatrixSquareRoot": _host(_sqrtm),
    "MatrixTriangularSolve": _triangular_solve,
    "MaxPool": _max_pool,
    "MaxPoolGrad": _put,
    "MaxPoolGradGrad": _pick,
    "MaxPoolPlaces": _places,
    "PassBeside": lambda g, x: g,
    "Qr": _qr,
    "RFFT": _rfft,
    "SelfAdjointEigV2": _eigh,
    "SelfAdjointEigenvalues": lambda x: jnp.linalg.eigvalsh(x, symmetrize_input=False).astype(
        x.dtype
    ),
    "SingularValues": lambda x: jnp.linalg.svd(x, compute_uv=False),
    "Softmax": _softmax,
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "Svd": _svd,
}
