"""More raw operations: images, linear algebra, transforms, and gradients of functions by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._core.convert import tensor
from gradtape._core.tensor import Tensor
from gradtape._ops import (
    activations,
    arithmetic,
    banded,
    bessel,
    casting,
    complexes,
    conv_public,
    counting,
    creation,
    cumulative,
    einsum,
    elementary,
    embedding,
    fft,
    image_boxes,
    image_color,
    image_resize,
    indexing,
    linalg,
    linalg_decomp,
    linalg_diag,
    linalg_functions,
    losses,
    math_rest,
    matmul,
    morphology,
    moving,
    normalization,
    padding,
    pooling,
    reduction,
    scatter,
    segment,
    select,
    shaping,
    sorting,
    sparse_functions,
    special,
)
from gradtape._ops.families import count, reduce_sum_p, shape_of
from gradtape._ops.opaque import opaque
from gradtape._raw.operations import _raw as _declared
from gradtape._text import strings

_SCALE, _SCALE_ALPHA = 1.0507009873554805, 1.7580993408473766
_DEVICE = ("use_cudnn_on_gpu", "explicit_paddings")


def _raw(op: str, function: Callable[..., Any], *drop: str, **names: str) -> Callable[..., Any]:
    """Declares a raw operation, leaving out the attributes `drop`, which say nothing here."""

    def run(**given: Any) -> Any:
        if given.get("padding") == "EXPLICIT":
            pads = np.reshape(given["explicit_paddings"], (-1, 2)).tolist()
            given["padding"] = pads
        return function(**{k: v for k, v in given.items() if k not in drop})

    run.__doc__ = function.__doc__
    return _declared(op, run, **names)


def _derivative(
    op: str, name: str, partial: Callable[..., Any], gradient: str = "gradients"
) -> Callable[..., Any]:
    """The gradient of an elementwise function: that of its result times its derivative."""

    def run(**given: Any) -> Any:
        g = tensor(given[gradient])
        return g * partial(tensor(given[name]), **{k: v for k, v in given.items() if k == "alpha"})

    run.__doc__ = f"The gradient of {op.removesuffix('Grad')}, in terms of `{name}`."
    return _declared(op, run)


def _select(condition: Any, x: Any, y: Any, name: str | None = None) -> Tensor:
    """Elements, or rows where the condition is a vector, of one of two tensors of one shape."""
    c, a = tensor(condition), tensor(x)
    ranks = len(shape_of(c)), len(shape_of(a))
    if ranks[0] == 1 and ranks[1] > 1:
        c = shaping.reshape(c, [-1, *[1] * (ranks[1] - 1)])
    return select.where(c, a, y)  # type: ignore[no-any-return]


def _bias_add_grad(out_backprop: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """The gradient of BiasAdd by the bias: the sum along all axes but that of the channels."""
    g = tensor(out_backprop)
    rank = len(shape_of(g))
    channel = 1 if data_format.startswith("NC") else rank - 1
    axes = tuple(a - rank for a in range(rank) if a != channel)
    return reduce_sum_p(g, axis=axes, keepdims=False)  # type: ignore[no-any-return]


def _concat(concat_dim: Any, values: Any, name: str | None = None) -> Tensor:
    """Tensors one after the other along an axis."""
    return shaping.concat(values, concat_dim)  # type: ignore[no-any-return]


def _split(axis: Any, value: Any, num_split: Any, name: str | None = None) -> list[Tensor]:
    """Equal parts of a tensor along an axis."""
    return shaping.split(value, num_split, axis)  # type: ignore[no-any-return]


def _split_v(
    value: Any, size_splits: Any, axis: Any, num_split: Any, name: str | None = None
) -> list[Tensor]:
    """Parts of given lengths of a tensor along an axis."""
    return shaping.split(value, tensor(size_splits), axis, num_split)  # type: ignore[no-any-return]


def _squeeze(input: Any, axis: Any = (), name: str | None = None) -> Tensor:
    """A tensor without axes of length one: all of them where none is named."""
    return shaping.squeeze(input, list(axis) or None)  # type: ignore[no-any-return]


def _einsum(inputs: Any, equation: str, name: str | None = None) -> Tensor:
    """The sum of products that an equation describes.

    Unlike `tf.einsum`, a label that stands several times in the result makes a diagonal.
    """
    left, arrow, out = equation.replace(" ", "").partition("->")
    labels = out.replace("...", "")
    once = "".join(dict.fromkeys(labels))
    if once == labels or "..." in out.replace("...", "", 1):
        return einsum.einsum(equation, *inputs)
    y: Any = einsum.einsum(f"{left}{arrow}{'...' if '...' in out else ''}{once}", *inputs)
    dots = [f".{k}" for k in range(len(shape_of(y)) - len(once))]
    axes = [*dots, *once]
    for c in once:
        for _ in range(labels.count(c) - 1):
            place = axes.index(c)
            axes.append(axes.pop(place))
            y = linalg_diag.diag(shaping.transpose(y, _to_the_end(place, len(axes))))
            axes.append(c)
    order = []
    for c in out.replace("...", ".").replace(".", "\0"):
        for name_of_axis in dots if c == "\0" else [c]:
            place = axes.index(name_of_axis)
            axes[place] = ""
            order.append(place)
    return shaping.transpose(y, order)


def _to_the_end(place: int, rank: int) -> list[int]:
    """The permutation that moves an axis behind all others."""
    return [*(k for k in range(rank) if k != place), place]


def _eigh(input: Any, compute_v: bool = True, name: str | None = None) -> Any:
    """The eigenvalues and, unless `compute_v` is False, eigenvectors of self-adjoint matrices."""
    if compute_v:
        return linalg_decomp.eigh(input)
    return linalg_decomp.eigvalsh(input), Tensor(np.zeros(0, tensor(input)._value.dtype))


def _tridiagonal_matmul(
    superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any, name: str | None = None
) -> Tensor:
    """The product of a matrix of three diagonals, each of shape (..., 1, n), and another."""
    rows = shaping.concat([superdiag, maindiag, subdiag], -2)
    return banded.tridiagonal_matmul(rows, rhs)


def _dilation2d(
    input: Any, filter: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Grey dilation of images."""
    return morphology.dilation2d(input, filter, strides, padding, "NHWC", rates)


def _cross_entropy(features: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The cross entropy of labels and logits, and its gradient by the logits."""
    loss = losses.softmax_cross_entropy_with_logits(labels=labels, logits=features)
    return loss, activations.softmax(features) - tensor(labels)


def _sparse_cross_entropy(features: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The cross entropy of class numbers and logits, and its gradient by the logits."""
    x = tensor(features)
    loss = losses.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    ones = creation.one_hot(labels, shape_of(x)[-1], dtype=x.dtype)
    return loss, activations.softmax(x) - ones


def _lower_bound(
    sorted_inputs: Any, values: Any, out_type: Any = np.int32, name: str | None = None
) -> Tensor:
    """Where each value belongs in sorted rows, before equal ones."""
    return sorting.searchsorted(sorted_inputs, values, "left", out_type)


def _upper_bound(
    sorted_inputs: Any, values: Any, out_type: Any = np.int32, name: str | None = None
) -> Tensor:
    """Where each value belongs in sorted rows, after equal ones."""
    return sorting.searchsorted(sorted_inputs, values, "right", out_type)


def _conjugate_transpose(x: Any, perm: Any, name: str | None = None) -> Tensor:
    """The complex conjugate with its axes in another order."""
    return shaping.transpose(x, perm, conjugate=True)


def _dense_bincount(
    input: Any, size: Any, weights: Any, binary_output: bool = False, name: str | None = None
) -> Tensor:
    """How often each integer below `size` occurs, in each row of a matrix."""
    w = tensor(weights)
    rows = -1 if len(shape_of(tensor(input))) > 1 else 0
    given = w if count(shape_of(w)) else None
    out = counting.bincount(
        input, given, size, size, w.dtype, axis=rows, binary_output=binary_output
    )
    return casting.cast(out, w.dtype)  # type: ignore[no-any-return]


def _depthwise(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolution of each channel by itself."""
    spatial = list(dilations)[2:] if data_format == "NCHW" else list(dilations)[1:3]
    return conv_public.depthwise_conv2d(input, filter, strides, padding, data_format, spatial)


def _div(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient, cut towards zero for integers."""
    a = tensor(x)
    return (arithmetic.truncatediv if a.dtype.is_integer else arithmetic.realdiv)(a, y)


_prevented_p = opaque("PreventGradient", lambda x: x)


def _prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The input, whose gradient is refused with a LookupError."""
    return _prevented_p(tensor(input))  # type: ignore[no-any-return]


AdjustHue = _raw("AdjustHue", image_color.adjust_hue, images="image")
AdjustSaturation = _raw(
    "AdjustSaturation", image_color.adjust_saturation, images="image", scale="saturation_factor"
)
Angle = _raw("Angle", complexes.angle, "Tout")
AvgPool = _raw("AvgPool", pooling.avg_pool2d, value="input")
AvgPool3D = _raw("AvgPool3D", pooling.avg_pool3d)
BandedTriangularSolve = _raw(
    "BandedTriangularSolve", banded.banded_triangular_solve, matrix="bands"
)
BatchMatMul = _raw(
    "BatchMatMul",
    matmul.matmul,
    "grad_x",
    "grad_y",
    x="a",
    y="b",
    adj_x="adjoint_a",
    adj_y="adjoint_b",
)
BatchMatMulV3 = _raw(
    "BatchMatMulV3",
    matmul.matmul,
    "Tout",
    "grad_x",
    "grad_y",
    x="a",
    y="b",
    adj_x="adjoint_a",
    adj_y="adjoint_b",
)
BatchToSpaceND = _raw("BatchToSpaceND", padding.batch_to_space)
BesselI0 = _raw("BesselI0", bessel.bessel_i0)
BesselI0e = _raw("BesselI0e", bessel.bessel_i0e)
BesselI1 = _raw("BesselI1", bessel.bessel_i1)
BesselI1e = _raw("BesselI1e", bessel.bessel_i1e)
BesselJ0 = _raw("BesselJ0", bessel.bessel_j0)
BesselJ1 = _raw("BesselJ1", bessel.bessel_j1)
BesselK0 = _raw("BesselK0", bessel.bessel_k0)
BesselK0e = _raw("BesselK0e", bessel.bessel_k0e)
BesselK1 = _raw("BesselK1", bessel.bessel_k1)
BesselK1e = _raw("BesselK1e", bessel.bessel_k1e)
BesselY0 = _raw("BesselY0", bessel.bessel_y0)
BesselY1 = _raw("BesselY1", bessel.bessel_y1)
Betainc = _raw("Betainc", special.betainc)
BiasAddGrad = _raw("BiasAddGrad", _bias_add_grad)
Bitcast = _raw("Bitcast", casting.bitcast)
CheckNumerics = _raw("CheckNumerics", casting.check_numerics)
Complex = _raw("Complex", complexes.complex, "Tout")
ComplexAbs = _raw("ComplexAbs", arithmetic.abs, "Tout")
Concat = _raw("Concat", _concat)
ConjugateTranspose = _raw("ConjugateTranspose", _conjugate_transpose)
Conv2D = _raw("Conv2D", conv_public.conv2d, *_DEVICE, filter="filters")
Conv3D = _raw("Conv3D", conv_public.conv3d, filter="filters")
CropAndResize = _raw("CropAndResize", image_resize.crop_and_resize, box_ind="box_indices")
Cross = _raw("Cross", linalg_functions.cross)
CumulativeLogsumexp = _raw("CumulativeLogsumexp", cumulative.cumulative_logsumexp)
Dawsn = _raw("Dawsn", bessel.dawsn)
DenseBincount = _raw("DenseBincount", _dense_bincount)
DepthToSpace = _raw("DepthToSpace", padding.depth_to_space)
DepthwiseConv2dNative = _raw("DepthwiseConv2dNative", _depthwise)
Diag = _raw("Diag", linalg_diag.tensor_diag)
DiagPart = _raw("DiagPart", linalg_diag.tensor_diag_part)
Dilation2D = _raw("Dilation2D", _dilation2d)
Div = _raw("Div", _div)
DrawBoundingBoxesV2 = _raw("DrawBoundingBoxesV2", image_boxes.draw_bounding_boxes)
DynamicPartition = _raw("DynamicPartition", scatter.dynamic_partition)
DynamicStitch = _raw("DynamicStitch", scatter.dynamic_stitch)
Einsum = _raw("Einsum", _einsum)
EluGrad = _derivative(
    "EluGrad",
    "outputs",
    lambda out: select.where(out < 0, out + 1, creation.ones_like(out)),
    "gradients",
)
EnsureShape = _raw("EnsureShape", casting.ensure_shape, input="x")
EuclideanNorm = _raw(
    "EuclideanNorm", reduction.reduce_euclidean_norm, input="input_tensor", keep_dims="keepdims"
)
Expint = _raw("Expint", bessel.expint)
ExtractImagePatches = _raw("ExtractImagePatches", pooling.extract_patches, ksizes="sizes")
ExtractVolumePatches = _raw("ExtractVolumePatches", math_rest.extract_volume_patches)
FFT = _raw("FFT", fft.fft)
FFT2D = _raw("FFT2D", fft.fft2d)
FFT3D = _raw("FFT3D", fft.fft3d)
FresnelCos = _raw("FresnelCos", bessel.fresnel_cos)
FresnelSin = _raw("FresnelSin", bessel.fresnel_sin)
Gather = _raw("Gather", scatter.gather)
HSVToRGB = _raw("HSVToRGB", image_color.hsv_to_rgb)
HistogramFixedWidth = _raw("HistogramFixedWidth", counting.histogram_fixed_width)
IFFT = _raw("IFFT", fft.ifft)
IFFT2D = _raw("IFFT2D", fft.ifft2d)
IFFT3D = _raw("IFFT3D", fft.ifft3d)
IRFFT = _raw("IRFFT", fft.irfft, "Treal", input="input_tensor")
IRFFT2D = _raw("IRFFT2D", fft.irfft2d, "Treal", input="input_tensor")
IdentityN = _raw("IdentityN", shaping.identity_n)
Imag = _raw("Imag", complexes.imag, "Tout")
InTopKV2 = _raw("InTopKV2", embedding.in_top_k)
Inv = _raw("Inv", arithmetic.reciprocal)
InvGrad = _derivative("InvGrad", "y", lambda y: -y * y, "dy")
InvertPermutation = _raw("InvertPermutation", sorting.invert_permutation)
LRN = _raw("LRN", normalization.local_response_normalization)
LeakyReluGrad = _derivative(
    "LeakyReluGrad",
    "features",
    lambda x, alpha=0.2: select.where(x > 0, creation.ones_like(x), alpha * creation.ones_like(x)),
    "gradients",
)
LinSpace = _raw("LinSpace", creation.linspace)
LogMatrixDeterminant = _raw("LogMatrixDeterminant", linalg.slogdet)
LowerBound = _raw("LowerBound", _lower_bound)
Lu = _raw("Lu", linalg_decomp.lu)
MatrixBandPart = _raw("MatrixBandPart", linalg_diag.band_part)
MatrixDiag = _raw("MatrixDiag", linalg_diag.diag)
MatrixDiagPart = _raw("MatrixDiagPart", linalg_diag.diag_part)
MatrixDiagPartV3 = _raw("MatrixDiagPartV3", linalg_diag.diag_part)
MatrixDiagV3 = _raw("MatrixDiagV3", linalg_diag.diag)
MatrixLogarithm = _raw("MatrixLogarithm", linalg_functions.logm)
MatrixSetDiag = _raw("MatrixSetDiag", linalg_diag.set_diag)
MatrixSetDiagV3 = _raw("MatrixSetDiagV3", linalg_diag.set_diag)
MatrixSquareRoot = _raw("MatrixSquareRoot", linalg_functions.sqrtm)
MatrixTriangularSolve = _raw("MatrixTriangularSolve", linalg.triangular_solve)
MaxPool = _raw("MaxPool", pooling.max_pool2d, "explicit_paddings")
MaxPool3D = _raw("MaxPool3D", pooling.max_pool3d)
MaxPoolWithArgmax = _raw(
    "MaxPoolWithArgmax", morphology.max_pool_with_argmax, Targmax="output_dtype"
)
MirrorPad = _raw("MirrorPad", padding.pad, input="tensor")
Ndtri = _raw("Ndtri", special.ndtri)
NextAfter = _raw("NextAfter", arithmetic.nextafter)
NonMaxSuppressionV3 = _raw("NonMaxSuppressionV3", image_boxes.non_max_suppression)
ParallelDynamicStitch = _raw("ParallelDynamicStitch", scatter.dynamic_stitch)
PreventGradient = _raw("PreventGradient", _prevent_gradient)
Qr = _raw("Qr", linalg_decomp.qr)
RFFT = _raw("RFFT", fft.rfft, "Tcomplex", input="input_tensor")
RFFT2D = _raw("RFFT2D", fft.rfft2d, "Tcomplex", input="input_tensor")
RGBToHSV = _raw("RGBToHSV", image_color.rgb_to_hsv)
Real = _raw("Real", complexes.real, "Tout")
ReciprocalGrad = _derivative("ReciprocalGrad", "y", lambda y: -y * y, "dy")
Relu6Grad = _derivative(
    "Relu6Grad", "features", lambda x: casting.cast((x > 0) & (x < 6), x.dtype), "gradients"
)
ReluGrad = _derivative("ReluGrad", "features", lambda x: casting.cast(x > 0, x.dtype), "gradients")
ReverseSequence = _raw(
    "ReverseSequence", moving.reverse_sequence, seq_dim="seq_axis", batch_dim="batch_axis"
)
RsqrtGrad = _derivative("RsqrtGrad", "y", lambda y: -0.5 * y * y * y, "dy")
SegmentMax = _raw("SegmentMax", segment.segment_max)
SegmentMean = _raw("SegmentMean", segment.segment_mean)
SegmentMin = _raw("SegmentMin", segment.segment_min)
SegmentProd = _raw("SegmentProd", segment.segment_prod)
SegmentSum = _raw("SegmentSum", segment.segment_sum)
Select = _raw("Select", _select)
SelfAdjointEigV2 = _raw("SelfAdjointEigV2", _eigh)
SeluGrad = _derivative(
    "SeluGrad",
    "outputs",
    lambda out: select.where(out < 0, out + _SCALE_ALPHA, _SCALE * creation.ones_like(out)),
    "gradients",
)
ShapeN = _raw("ShapeN", creation.shape_n)
SigmoidGrad = _derivative("SigmoidGrad", "y", lambda y: y * (1 - y), "dy")
SobolSample = _raw("SobolSample", math_rest.sobol_sample)
SoftmaxCrossEntropyWithLogits = _raw("SoftmaxCrossEntropyWithLogits", _cross_entropy)
SoftplusGrad = _derivative("SoftplusGrad", "features", lambda x: elementary.sigmoid(x), "gradients")
SoftsignGrad = _derivative(
    "SoftsignGrad", "features", lambda x: 1 / (1 + arithmetic.abs(x)) ** 2, "gradients"
)
SpaceToBatchND = _raw("SpaceToBatchND", padding.space_to_batch_nd)
SpaceToDepth = _raw("SpaceToDepth", padding.space_to_depth)
SparseSegmentMean = _raw("SparseSegmentMean", sparse_functions.sparse_segment_mean)
SparseSegmentSqrtN = _raw("SparseSegmentSqrtN", sparse_functions.sparse_segment_sqrt_n)
SparseSegmentSum = _raw("SparseSegmentSum", sparse_functions.sparse_segment_sum)
SparseSegmentSumWithNumSegments = _raw(
    "SparseSegmentSumWithNumSegments", sparse_functions.sparse_segment_sum
)
SparseSoftmaxCrossEntropyWithLogits = _raw(
    "SparseSoftmaxCrossEntropyWithLogits", _sparse_cross_entropy
)
Spence = _raw("Spence", bessel.spence)
Split = _raw("Split", _split)
SplitV = _raw("SplitV", _split_v)
SqrtGrad = _derivative("SqrtGrad", "y", lambda y: 0.5 / y, "dy")
Squeeze = _raw("Squeeze", _squeeze)
StridedSlice = _raw("StridedSlice", indexing.strided_slice, input="input_")
StringJoin = _raw("StringJoin", strings.join)
Svd = _raw("Svd", linalg_decomp.svd, input="tensor")
TanhGrad = _derivative("TanhGrad", "y", lambda y: 1 - y * y, "dy")
TensorScatterAdd = _raw("TensorScatterAdd", scatter.tensor_scatter_nd_add, "bad_indices_policy")
TensorScatterMax = _raw("TensorScatterMax", scatter.tensor_scatter_nd_max, "bad_indices_policy")
TensorScatterMin = _raw("TensorScatterMin", scatter.tensor_scatter_nd_min, "bad_indices_policy")
TensorScatterSub = _raw("TensorScatterSub", scatter.tensor_scatter_nd_sub, "bad_indices_policy")
TopK = _raw("TopK", sorting.top_k)
TridiagonalMatMul = _raw("TridiagonalMatMul", _tridiagonal_matmul)
TridiagonalSolve = _raw("TridiagonalSolve", banded.tridiagonal_solve)
Unique = _raw("Unique", sorting.unique)
UniqueWithCounts = _raw("UniqueWithCounts", sorting.unique_with_counts)
UnravelIndex = _raw("UnravelIndex", math_rest.unravel_index)
UnsortedSegmentMax = _raw("UnsortedSegmentMax", segment.unsorted_segment_max)
UnsortedSegmentMin = _raw("UnsortedSegmentMin", segment.unsorted_segment_min)
UnsortedSegmentProd = _raw("UnsortedSegmentProd", segment.unsorted_segment_prod)
UpperBound = _raw("UpperBound", _upper_bound)
