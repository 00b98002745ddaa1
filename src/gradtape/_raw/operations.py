"""TensorFlow's raw operations: the same functions, by keyword arguments of the raw names alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any as Anything

from gradtape._ops import (
    activations,
    arithmetic,
    buckets,
    casting,
    comparison,
    complexes,
    creation,
    cumulative,
    elementary,
    image,
    image_projection,
    indexing,
    linalg,
    losses,
    matmul,
    moving,
    normalization,
    padding,
    quantization,
    reduction,
    scatter,
    segment,
    select,
    shaping,
    sorting,
    special,
)
from gradtape._ops.results import named


def _raw(op: str, function: Callable[..., Anything], **names: str) -> Callable[..., Anything]:
    """`function` as the raw operation `op`; `names` are those of its arguments that differ."""

    def run(*args: Anything, **kwargs: Anything) -> Anything:
        if args:
            raise TypeError(
                f"{op} only takes keyword args. Please pass these args as kwargs instead: "
                f"tf.raw_ops.{op}(name=value)."
            )
        given = {names.get(key, key): value for key, value in kwargs.items()}
        return named(op, function(**given))

    functools.update_wrapper(run, function)
    run.__name__ = run.__qualname__ = op
    return run


Abs = _raw("Abs", arithmetic.abs)
Acos = _raw("Acos", elementary.acos)
Acosh = _raw("Acosh", elementary.acosh)
Add = _raw("Add", arithmetic.add)
AddN = _raw("AddN", arithmetic.add_n)
AddV2 = _raw("AddV2", arithmetic.add)
AdjustContrastv2 = _raw("AdjustContrastv2", image.adjust_contrast)
All = _raw("All", reduction.reduce_all, input="input_tensor", keep_dims="keepdims")
Any = _raw("Any", reduction.reduce_any, input="input_tensor", keep_dims="keepdims")
ArgMax = _raw("ArgMax", reduction.argmax, dimension="axis")
ArgMin = _raw("ArgMin", reduction.argmin, dimension="axis")
Asin = _raw("Asin", elementary.asin)
Asinh = _raw("Asinh", elementary.asinh)
Atan = _raw("Atan", elementary.atan)
Atan2 = _raw("Atan2", elementary.atan2)
Atanh = _raw("Atanh", elementary.atanh)
BatchMatMulV2 = _raw(
    "BatchMatMulV2", matmul.matmul, x="a", y="b", adj_x="adjoint_a", adj_y="adjoint_b"
)
BiasAdd = _raw("BiasAdd", normalization.bias_add)
BitwiseAnd = _raw("BitwiseAnd", comparison.bitwise_and)
BitwiseOr = _raw("BitwiseOr", comparison.bitwise_or)
BitwiseXor = _raw("BitwiseXor", comparison.bitwise_xor)
BroadcastTo = _raw("BroadcastTo", shaping.broadcast_to)
Bucketize = _raw("Bucketize", buckets.bucketize)
Cast = _raw("Cast", casting.cast, DstT="dtype")
Ceil = _raw("Ceil", elementary.ceil)
Cholesky = _raw("Cholesky", linalg.cholesky)
ClipByValue = _raw("ClipByValue", select.clip_by_value)
ConcatV2 = _raw("ConcatV2", shaping.concat)
Conj = _raw("Conj", complexes.conj, input="x")
Cos = _raw("Cos", elementary.cos)
Cosh = _raw("Cosh", elementary.cosh)
Cumprod = _raw("Cumprod", cumulative.cumprod)
Cumsum = _raw("Cumsum", cumulative.cumsum)
Digamma = _raw("Digamma", special.digamma)
DivNoNan = _raw("DivNoNan", arithmetic.divide_no_nan)
Elu = _raw("Elu", activations.elu)
Equal = _raw("Equal", comparison.equal)
Erf = _raw("Erf", special.erf)
Erfc = _raw("Erfc", special.erfc)
Erfinv = _raw("Erfinv", special.erfinv)
Exp = _raw("Exp", elementary.exp)
ExpandDims = _raw("ExpandDims", shaping.expand_dims)
Expm1 = _raw("Expm1", elementary.expm1)
FakeQuantWithMinMaxArgs = _raw("FakeQuantWithMinMaxArgs", quantization.fake_quant_with_min_max_args)
FakeQuantWithMinMaxVars = _raw("FakeQuantWithMinMaxVars", quantization.fake_quant_with_min_max_vars)
FakeQuantWithMinMaxVarsPerChannel = _raw(
    "FakeQuantWithMinMaxVarsPerChannel", quantization.fake_quant_with_min_max_vars_per_channel
)
Fill = _raw("Fill", creation.fill)
Floor = _raw("Floor", elementary.floor)
FloorDiv = _raw("FloorDiv", arithmetic.floordiv)
FloorMod = _raw("FloorMod", arithmetic.floormod)
GatherNd = _raw("GatherNd", scatter.gather_nd)
GatherV2 = _raw("GatherV2", scatter.gather)
Greater = _raw("Greater", comparison.greater)
GreaterEqual = _raw("GreaterEqual", comparison.greater_equal)
Identity = _raw("Identity", shaping.identity)
Igamma = _raw("Igamma", special.igamma)
Igammac = _raw("Igammac", special.igammac)
ImageProjectiveTransformV3 = _raw(
    "ImageProjectiveTransformV3", image_projection.image_projective_transform
)
Invert = _raw("Invert", comparison.invert)
IsFinite = _raw("IsFinite", comparison.is_finite)
IsInf = _raw("IsInf", comparison.is_inf)
IsNan = _raw("IsNan", comparison.is_nan)
L2Loss = _raw("L2Loss", losses.l2_loss)
LeakyRelu = _raw("LeakyRelu", activations.leaky_relu)
LeftShift = _raw("LeftShift", comparison.left_shift)
Less = _raw("Less", comparison.less)
LessEqual = _raw("LessEqual", comparison.less_equal)
Lgamma = _raw("Lgamma", special.lgamma)
Log = _raw("Log", elementary.log)
Log1p = _raw("Log1p", elementary.log1p)
LogSoftmax = _raw("LogSoftmax", activations.log_softmax)
LogicalAnd = _raw("LogicalAnd", comparison.logical_and)
LogicalNot = _raw("LogicalNot", comparison.logical_not)
LogicalOr = _raw("LogicalOr", comparison.logical_or)
MatMul = _raw("MatMul", matmul.matmul)
MatrixDeterminant = _raw("MatrixDeterminant", linalg.det)
MatrixInverse = _raw("MatrixInverse", linalg.inv)
MatrixSolve = _raw("MatrixSolve", linalg.solve)
Max = _raw("Max", reduction.reduce_max, input="input_tensor", keep_dims="keepdims")
Maximum = _raw("Maximum", select.maximum)
Mean = _raw("Mean", reduction.reduce_mean, input="input_tensor", keep_dims="keepdims")
Min = _raw("Min", reduction.reduce_min, input="input_tensor", keep_dims="keepdims")
Minimum = _raw("Minimum", select.minimum)
Mul = _raw("Mul", arithmetic.multiply)
MulNoNan = _raw("MulNoNan", arithmetic.multiply_no_nan)
Neg = _raw("Neg", arithmetic.negative)
NotEqual = _raw("NotEqual", comparison.not_equal)
OneHot = _raw("OneHot", creation.one_hot)
OnesLike = _raw("OnesLike", creation.ones_like, x="input")
Pack = _raw("Pack", shaping.stack)
Pad = _raw("Pad", padding.pad, input="tensor")
PadV2 = _raw("PadV2", padding.pad, input="tensor")
Polygamma = _raw("Polygamma", special.polygamma)
Pow = _raw("Pow", arithmetic.pow)
Prod = _raw("Prod", reduction.reduce_prod, input="input_tensor", keep_dims="keepdims")
Range = _raw("Range", creation.range)
Rank = _raw("Rank", creation.rank)
RealDiv = _raw("RealDiv", arithmetic.realdiv)
Reciprocal = _raw("Reciprocal", arithmetic.reciprocal)
Relu = _raw("Relu", activations.relu)
Relu6 = _raw("Relu6", activations.relu6)
Reshape = _raw("Reshape", shaping.reshape)
ReverseV2 = _raw("ReverseV2", moving.reverse)
RightShift = _raw("RightShift", comparison.right_shift)
Rint = _raw("Rint", elementary.rint)
Roll = _raw("Roll", moving.roll)
Round = _raw("Round", elementary.round)
Rsqrt = _raw("Rsqrt", elementary.rsqrt)
ScatterNd = _raw("ScatterNd", scatter.scatter_nd)
SelectV2 = _raw("SelectV2", select.where, t="x", e="y")
Selu = _raw("Selu", activations.selu)
Shape = _raw("Shape", creation.shape)
Sigmoid = _raw("Sigmoid", elementary.sigmoid)
Sign = _raw("Sign", arithmetic.sign)
Sin = _raw("Sin", elementary.sin)
Sinh = _raw("Sinh", elementary.sinh)
Size = _raw("Size", creation.size)
Slice = _raw("Slice", indexing.slice_, input="input_")
Softmax = _raw("Softmax", activations.softmax)
Softplus = _raw("Softplus", activations.softplus)
Softsign = _raw("Softsign", activations.softsign)
Sqrt = _raw("Sqrt", elementary.sqrt)
Square = _raw("Square", arithmetic.square)
SquaredDifference = _raw("SquaredDifference", arithmetic.squared_difference)
StopGradient = _raw("StopGradient", casting.stop_gradient)
Sub = _raw("Sub", arithmetic.subtract)
Sum = _raw("Sum", reduction.reduce_sum, input="input_tensor", keep_dims="keepdims")
Tan = _raw("Tan", elementary.tan)
Tanh = _raw("Tanh", elementary.tanh)
TensorScatterUpdate = _raw("TensorScatterUpdate", scatter.raw_tensor_scatter_update)
Tile = _raw("Tile", shaping.tile)
TopKV2 = _raw("TopKV2", sorting.top_k)
Transpose = _raw("Transpose", shaping.transpose, x="a")
TruncateDiv = _raw("TruncateDiv", arithmetic.truncatediv)
TruncateMod = _raw("TruncateMod", arithmetic.truncatemod)
UniqueV2 = _raw("UniqueV2", buckets.unique_along)
UniqueWithCountsV2 = _raw("UniqueWithCountsV2", buckets.unique_along_with_counts)
Unpack = _raw("Unpack", shaping.unstack)
UnsortedSegmentSum = _raw("UnsortedSegmentSum", segment.unsorted_segment_sum)
Where = _raw("Where", select.where)
Xdivy = _raw("Xdivy", special.xdivy)
Xlog1py = _raw("Xlog1py", special.xlog1py)
Xlogy = _raw("Xlogy", special.xlogy)
ZerosLike = _raw("ZerosLike", creation.zeros_like, x="input")
Zeta = _raw("Zeta", special.zeta)
