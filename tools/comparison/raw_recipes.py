"""Working arguments of raw operations that the names of their parameters do not determine."""

from __future__ import annotations

from comparison.values import Spec, array, dtype_of, made_by, plain, sequence

IMAGES = array(shape=(2, 6, 6, 3), fill="positive")
POOLED = array(shape=(2, 3, 3, 3), seed=2)
SAME = plain("SAME")
ONES = plain([1, 1, 1, 1])
TWOS = plain([1, 2, 2, 1])
VOLUMES = array(shape=(1, 3, 3, 3, 2))
FILTER_3D = array(shape=(2, 2, 2, 2, 2), seed=1)
ONES_3D = plain([1, 1, 1, 1, 1])
FILTER = array(shape=(2, 2, 3, 2), seed=1)
DEPTHWISE = array(shape=(2, 2, 3, 1), seed=1)
ROUND = array(shape=(2, 2, 3), seed=1)
CHANNELS = array(shape=(3,), fill="positive")
BOXES = array(shape=(2, 4), fill="positive")
SCORES = array(shape=(2,), fill="positive")
PLACES = plain([[0, 1], [2, 0]])
OTHER_PLACES = plain([[0, 1], [1, 2]])
HELD = array(shape=(2,))
SHAPE = plain([3, 3])
DENSE = array(shape=(3, 3), seed=3)
TEXT = array("string", (3,))
STARTS, ENDS, STEPS = plain([0, 1]), plain([2, 3]), plain([1, 1])
KEY, COUNTER = plain([5]), plain([1, 2])

INT64 = dtype_of("int64")
QUANTIZED = made_by("bitcast", array("uint8", (2, 3), "counting"), dtype_of("quint8"))
CROSSED = {
    "indices": sequence([made_by("constant", plain([[0, 0], [1, 0]]), INT64)]),
    "values": sequence([array("string", (2,))]),
    "shapes": sequence([made_by("constant", plain([2, 1]), INT64)]),
    "dense_inputs": sequence([array("string", (2, 1))]),
}
LSTM = {
    "x": array(shape=(3, 2, 3)),
    "cs_prev": array(shape=(2, 2)),
    "h_prev": array(shape=(2, 2)),
    "w": array(shape=(5, 8)),
    "wci": array(shape=(2,)),
    "wcf": array(shape=(2,)),
    "wco": array(shape=(2,)),
    "b": array(shape=(8,)),
}


def _sparse(prefix: str, *, last: str = "shape") -> dict[str, Spec]:
    """Returns the components of a sparse matrix as arguments with a prefix."""
    return {f"{prefix}indices": PLACES, f"{prefix}values": HELD, f"{prefix}{last}": SHAPE}


def _draws(**more: Spec) -> list[dict[str, Spec]]:
    """Returns the arguments of an operation that draws by a key, a counter and an algorithm."""
    return [{"shape": plain([2, 3]), "key": KEY, "counter": COUNTER, "alg": plain(1), **more}]


def _pooled(space: int, **more: Spec) -> list[dict[str, Spec]]:
    """Returns the arguments of pooling, or of its gradient."""
    window = plain([1, *[2] * space, 1])
    return [{**more, "ksize": window, "strides": window, "padding": SAME}]


RAW_RECIPES: dict[str, list[dict[str, Spec]]] = {
    "AvgPool3D": _pooled(3, input=VOLUMES),
    "AvgPool3DGrad": _pooled(
        3, orig_input_shape=plain([1, 3, 3, 3, 2]), grad=array(shape=(1, 2, 2, 2, 2))
    ),
    "AvgPoolGrad": _pooled(2, orig_input_shape=plain([2, 6, 6, 3]), grad=POOLED),
    "BatchToSpaceND": [
        {
            "input": array(shape=(4, 1, 1, 1)),
            "block_shape": plain([2, 2]),
            "crops": plain([[0, 0], [0, 0]]),
        }
    ],
    "CTCGreedyDecoder": [{"inputs": array(shape=(4, 1, 3)), "sequence_length": plain([4])}],
    "CTCBeamSearchDecoder": [
        {
            "inputs": array(shape=(4, 1, 3)),
            "sequence_length": plain([4]),
            "beam_width": plain(4),
            "top_paths": plain(1),
        }
    ],
    "CTCLoss": [
        {
            "inputs": array(shape=(4, 1, 3)),
            "labels_indices": plain([[0, 0]]),
            "labels_values": plain([1]),
            "sequence_length": plain([4]),
        }
    ],
    "CombinedNonMaxSuppression": [
        {
            "boxes": array(shape=(1, 2, 1, 4), fill="positive"),
            "scores": array(shape=(1, 2, 1), fill="positive"),
            "max_output_size_per_class": plain(2),
            "max_total_size": plain(2),
            "iou_threshold": plain(0.5),
            "score_threshold": plain(0.0),
        }
    ],
    "Conv2DBackpropFilter": [
        {
            "input": IMAGES,
            "filter_sizes": plain([2, 2, 3, 2]),
            "out_backprop": array(shape=(2, 6, 6, 2), seed=2),
            "strides": ONES,
            "padding": SAME,
        }
    ],
    "Conv2DBackpropInput": [
        {
            "input_sizes": plain([2, 6, 6, 3]),
            "filter": FILTER,
            "out_backprop": array(shape=(2, 6, 6, 2), seed=2),
            "strides": ONES,
            "padding": SAME,
        }
    ],
    "Conv3D": [{"input": VOLUMES, "filter": FILTER_3D, "strides": ONES_3D, "padding": SAME}],
    "Conv3DBackpropFilterV2": [
        {
            "input": VOLUMES,
            "filter_sizes": plain([2, 2, 2, 2, 2]),
            "out_backprop": VOLUMES,
            "strides": ONES_3D,
            "padding": SAME,
        }
    ],
    "Conv3DBackpropInputV2": [
        {
            "input_sizes": plain([1, 3, 3, 3, 2]),
            "filter": FILTER_3D,
            "out_backprop": VOLUMES,
            "strides": ONES_3D,
            "padding": SAME,
        }
    ],
    "CropAndResize": [
        {"image": IMAGES, "boxes": BOXES, "box_ind": plain([0, 1]), "crop_size": plain([3, 4])}
    ],
    "CropAndResizeGradImage": [
        {
            "grads": array(shape=(2, 3, 4, 3)),
            "boxes": BOXES,
            "box_ind": plain([0, 1]),
            "image_size": plain([2, 6, 6, 3]),
            "T": dtype_of("float32"),
        }
    ],
    "DataFormatVecPermute": [{"x": plain([1, 2, 3, 4])}],
    "DepthToSpace": [{"input": array(shape=(2, 2, 2, 4)), "block_size": plain(2)}],
    "DepthwiseConv2dNativeBackpropFilter": [
        {
            "input": IMAGES,
            "filter_sizes": plain([2, 2, 3, 1]),
            "out_backprop": array(shape=(2, 6, 6, 3), seed=2),
            "strides": ONES,
            "padding": SAME,
        }
    ],
    "DepthwiseConv2dNativeBackpropInput": [
        {
            "input_sizes": plain([2, 6, 6, 3]),
            "filter": DEPTHWISE,
            "out_backprop": array(shape=(2, 6, 6, 3), seed=2),
            "strides": ONES,
            "padding": SAME,
        }
    ],
    "Dilation2D": [
        {"input": IMAGES, "filter": ROUND, "strides": ONES, "rates": ONES, "padding": SAME}
    ],
    **{
        f"Dilation2DBackprop{what}": [
            {
                "input": IMAGES,
                "filter": ROUND,
                "out_backprop": array(shape=(2, 6, 6, 3), seed=2),
                "strides": ONES,
                "rates": ONES,
                "padding": SAME,
            }
        ]
        for what in ("Filter", "Input")
    },
    "DrawBoundingBoxes": [{"images": IMAGES, "boxes": array(shape=(2, 1, 4), fill="positive")}],
    "DrawBoundingBoxesV2": [
        {
            "images": IMAGES,
            "boxes": array(shape=(2, 1, 4), fill="positive"),
            "colors": array(shape=(1, 3), fill="positive"),
        }
    ],
    **{
        f"ExtractGlimpse{version}": [
            {
                "input": IMAGES,
                "size": plain([3, 3]),
                "offsets": array(shape=(2, 2), fill="positive"),
                "uniform_noise": plain(False),
                "noise": plain("zero"),
            }
        ]
        for version in ("", "V2")
    },
    "ExtractImagePatches": [
        {"images": IMAGES, "ksizes": TWOS, "strides": TWOS, "rates": ONES, "padding": SAME}
    ],
    "ExtractVolumePatches": [
        {
            "input": VOLUMES,
            "ksizes": plain([1, 2, 2, 2, 1]),
            "strides": ONES_3D,
            "padding": SAME,
        }
    ],
    "FakeQuantWithMinMaxVarsPerChannel": [
        {"inputs": array(), "min": plain([-1.0, -1.0, -1.0]), "max": plain([1.0, 2.0, 3.0])}
    ],
    "FakeQuantWithMinMaxVarsPerChannelGradient": [
        {
            "gradients": array(seed=3),
            "inputs": array(),
            "min": plain([-1.0, -1.0, -1.0]),
            "max": plain([1.0, 2.0, 3.0]),
        }
    ],
    "Fingerprint": [{"data": array("int32", fill="counting"), "method": plain("farmhash64")}],
    **{
        f"FusedBatchNorm{version}": [
            {
                "x": IMAGES,
                "scale": CHANNELS,
                "offset": CHANNELS,
                "mean": CHANNELS,
                "variance": CHANNELS,
                "is_training": plain(training),
            }
            for training in (False, True)
        ]
        for version in ("", "V2", "V3")
    },
    **{
        f"FusedBatchNormGrad{version}": [
            {
                "y_backprop": array(shape=(2, 6, 6, 3), seed=2),
                "x": IMAGES,
                "scale": CHANNELS,
                "reserve_space_1": CHANNELS,
                "reserve_space_2": CHANNELS,
                **({"reserve_space_3": CHANNELS} if version == "V3" else {}),
                "is_training": plain(False),
            }
        ]
        for version in ("", "V2", "V3")
    },
    "GRUBlockCell": [
        {
            "x": array(shape=(2, 3)),
            "h_prev": array(shape=(2, 2)),
            "w_ru": array(shape=(5, 4)),
            "w_c": array(shape=(5, 2)),
            "b_ru": array(shape=(4,)),
            "b_c": array(shape=(2,)),
        }
    ],
    **{
        f"RFFT{axes}": [
            {
                "input": array(shape=(2, 4, 4, 4)),
                "fft_length": plain([4] * count),
                "Tcomplex": dtype_of("complex64"),
            }
        ]
        for axes, count in (("", 1), ("2D", 2), ("3D", 3))
    },
    **{
        f"IRFFT{axes}": [
            {
                "input": array("complex64", (2, 4, 4, 3)),
                "fft_length": plain([4] * count),
                "Treal": dtype_of("float32"),
            }
        ]
        for axes, count in (("", 1), ("2D", 2), ("3D", 3))
    },
    "ImageProjectiveTransformV3": [
        {
            "images": IMAGES,
            "transforms": plain([[1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.0]]),
            "output_shape": plain([5, 6]),
            "fill_value": plain(0.0),
            "interpolation": plain("BILINEAR"),
        }
    ],
    "InvertPermutation": [{"x": plain([2, 0, 1])}],
    "LRNGrad": [
        {
            "input_grads": IMAGES,
            "input_image": IMAGES,
            "output_image": made_by("nn.local_response_normalization", IMAGES),
        }
    ],
    "LSTMBlockCell": [
        {
            "x": array(shape=(2, 3)),
            "cs_prev": array(shape=(2, 2)),
            "h_prev": array(shape=(2, 2)),
            "w": array(shape=(5, 8)),
            "wci": array(shape=(2,)),
            "wcf": array(shape=(2,)),
            "wco": array(shape=(2,)),
            "b": array(shape=(8,)),
        }
    ],
    **{
        f"MatrixDiag{version}": [
            {
                "diagonal": array(shape=(2, 3)),
                "k": plain(0),
                "num_rows": plain(-1),
                "num_cols": plain(-1),
                "padding_value": plain(0.0),
            }
        ]
        for version in ("V2", "V3")
    },
    "MatrixLogarithm": [{"input": array("complex64", (3, 3), "spd")}],
    "MaxPool3D": _pooled(3, input=VOLUMES),
    "MaxPool3DGrad": _pooled(
        3,
        orig_input=VOLUMES,
        orig_output=made_by("nn.max_pool3d", VOLUMES, plain(2), plain(2), SAME),
        grad=array(shape=(1, 2, 2, 2, 2), seed=2),
    ),
    **{
        f"MaxPoolGrad{version}": _pooled(
            2,
            orig_input=IMAGES,
            orig_output=made_by("nn.max_pool2d", IMAGES, plain(2), plain(2), SAME),
            grad=POOLED,
        )
        for version in ("", "V2")
    },
    **{
        f"NonMaxSuppressionV{version}": [
            {
                "boxes": BOXES,
                "scores": SCORES,
                "max_output_size": plain(2),
                "iou_threshold": plain(0.5),
                "score_threshold": plain(0.0),
                **({"soft_nms_sigma": plain(0.0)} if version == 5 else {}),
            }
        ]
        for version in (3, 4, 5)
    },
    "NonMaxSuppressionWithOverlaps": [
        {
            "overlaps": array(shape=(2, 2), fill="positive"),
            "scores": SCORES,
            "max_output_size": plain(2),
            "overlap_threshold": plain(0.5),
            "score_threshold": plain(0.0),
        }
    ],
    "RaggedBincount": [
        {
            "splits": array("int64", (3,), "counting"),
            "values": array("int32", (2,), "index"),
            "size": plain(3),
            "weights": plain([1.0, 2.0]),
        }
    ],
    "RaggedGather": [
        {
            "params_nested_splits": sequence([array("int64", (4,), "counting")]),
            "params_dense_values": array(shape=(3,)),
            "indices": plain([2, 0]),
            "OUTPUT_RAGGED_RANK": plain(1),
        }
    ],
    "RaggedTensorToSparse": [
        {
            "rt_nested_splits": sequence([array("int64", (4,), "counting")]),
            "rt_dense_values": array(shape=(3,)),
        }
    ],
    "RandomIndexShuffle": [
        {
            "index": array("int32", (2,), "counting"),
            "seed": array("int32", (3,), "counting"),
            "max_index": array("int32", (), "sorted"),
        }
    ],
    "ReduceJoin": [{"inputs": array("string"), "reduction_indices": plain([1])}],
    "ScaleAndTranslate": [
        {
            "images": IMAGES,
            "size": plain([3, 4]),
            "scale": plain([0.5, 0.7]),
            "translation": plain([0.0, 0.5]),
        }
    ],
    **{
        f"Segment{what}V2": [
            {"data": array(), "segment_ids": plain([0, 1]), "num_segments": plain(3)}
        ]
        for what in ("Prod", "Sum")
    },
    "SpaceToBatchND": [
        {"input": IMAGES, "block_shape": plain([2, 2]), "paddings": plain([[0, 0], [0, 0]])}
    ],
    "SparseAdd": [
        {
            **_sparse("a_"),
            **_sparse("b_"),
            "b_indices": OTHER_PLACES,
            "thresh": plain(0.0),
        }
    ],
    "SparseBincount": [
        {
            "indices": plain([[0, 0], [1, 1]]),
            "values": array("int32", (2,), "index"),
            "dense_shape": plain([2, 3]),
            "size": plain(3),
            "weights": plain([1.0, 2.0]),
        }
    ],
    "CholeskyGrad": [
        {"l": array(shape=(3, 3), fill="lower"), "grad": array(shape=(3, 3), fill="lower", seed=2)}
    ],
    "ScatterNdNonAliasingAdd": [
        {
            "input": array(),
            "indices": array("int32", (2, 1), "counting"),
            "updates": array(seed=2),
        }
    ],
    "Dequantize": [{"input": QUANTIZED, "min_range": plain(-2.0), "max_range": plain(2.0)}],
    "QuantizedConcat": [
        {
            "concat_dim": plain(0),
            "values": sequence([QUANTIZED, QUANTIZED]),
            "input_mins": plain([-1.0, -2.0]),
            "input_maxes": plain([1.0, 2.0]),
        }
    ],
    "RaggedCross": [
        {
            "ragged_values": sequence([TEXT]),
            "ragged_row_splits": sequence([made_by("constant", plain([0, 1, 3]), INT64)]),
            "sparse_indices": plain([]),
            "sparse_values": plain([]),
            "sparse_shape": plain([]),
            "dense_inputs": sequence([array("string", (2, 1))]),
            "input_order": plain("RD"),
            "hashed_output": plain(False),
            "num_buckets": plain(0),
            "hash_key": plain(0),
            "out_values_type": dtype_of("string"),
            "out_row_splits_type": INT64,
        }
    ],
    "RaggedTensorToTensor": [
        {
            "shape": plain([2, 3]),
            "values": array(shape=(3,)),
            "default_value": plain(0.0),
            "row_partition_tensors": sequence([made_by("constant", plain([0, 1, 3]), INT64)]),
            "row_partition_types": plain(["ROW_SPLITS"]),
        }
    ],
    "SparseCross": [
        {
            **CROSSED,
            "hashed_output": plain(False),
            "num_buckets": plain(0),
            "hash_key": plain(0),
            "out_type": dtype_of("string"),
            "internal_type": dtype_of("string"),
        }
    ],
    "SparseCrossV2": [{**CROSSED, "sep": plain("_")}],
    "BlockLSTM": [{**LSTM, "seq_len_max": made_by("constant", plain(3), INT64)}],
    "BlockLSTMV2": [{**LSTM, "seq_len_max": made_by("constant", plain(3), INT64)}],
    "SparseConcat": [
        {
            "indices": sequence([PLACES, PLACES]),
            "values": sequence([HELD, HELD]),
            "shapes": sequence([SHAPE, SHAPE]),
            "concat_dim": plain(0),
        }
    ],
    **{
        f"SparseDenseCwise{what}": [{**_sparse("sp_"), "dense": DENSE}]
        for what in ("Add", "Div", "Mul")
    },
    "SparseFillEmptyRows": [{**_sparse("", last="dense_shape"), "default_value": plain(1.0)}],
    **{
        f"SparseReduce{what}": [{**_sparse("input_"), "reduction_axes": plain([0])}]
        for what in ("Max", "MaxSparse", "Sum", "SumSparse")
    },
    "SparseReorder": [_sparse("input_")],
    "SparseReshape": [{"input_indices": PLACES, "input_shape": SHAPE, "new_shape": plain([9])}],
    "SparseSlice": [{**_sparse(""), "start": plain([0, 1]), "size": plain([2, 2])}],
    "SparseSoftmax": [_sparse("sp_")],
    "SparseTensorDenseAdd": [{**_sparse("a_"), "b": DENSE}],
    "SparseTensorDenseMatMul": [{**_sparse("a_"), "b": DENSE}],
    "SplitV": [
        {
            "value": array(),
            "size_splits": plain([1, 2]),
            "axis": plain(1),
            "num_split": plain(2),
        }
    ],
    "StatelessRandomGammaV3": _draws(alpha=plain(0.5)),
    "StatelessRandomNormalV2": _draws(),
    "StatelessRandomUniformFullIntV2": _draws(),
    "StatelessRandomUniformIntV2": _draws(minval=plain(0), maxval=plain(9)),
    "StatelessRandomUniformV2": _draws(),
    "StatelessTruncatedNormalV2": _draws(),
    "StatelessShuffle": [{"value": array(), "key": KEY, "counter": COUNTER, "alg": plain(1)}],
    "StridedSliceGrad": [
        {
            "shape": plain([2, 3]),
            "begin": STARTS,
            "end": ENDS,
            "strides": STEPS,
            "dy": array(shape=(2, 2)),
        }
    ],
    "StringFormat": [{"inputs": sequence([array()]), "template": plain("a %s b")}],
    "StringToHashBucketStrong": [{"input": TEXT, "num_buckets": plain(5), "key": plain([1, 2])}],
    "StringToNumber": [{"string_tensor": plain(["1.5", "2"])}],
    "Substr": [{"input": TEXT, "pos": plain(0), "len": plain(1)}],
    "TensorStridedSliceUpdate": [
        {
            "input": array(),
            "begin": STARTS,
            "end": ENDS,
            "strides": STEPS,
            "value": array(shape=(2, 2)),
        }
    ],
    "TridiagonalMatMul": [
        {
            "superdiag": array(shape=(1, 3)),
            "maindiag": array(shape=(1, 3), seed=1),
            "subdiag": array(shape=(1, 3), seed=2),
            "rhs": array(shape=(3, 2)),
        }
    ],
    "UnicodeDecode": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "UnicodeDecodeWithOffsets": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "UnicodeEncode": [
        {
            "input_values": plain([97, 98]),
            "input_splits": array("int64", (3,), "counting"),
            "output_encoding": plain("UTF-8"),
        }
    ],
    "UnicodeTranscode": [
        {
            "input": TEXT,
            "input_encoding": plain("UTF-8"),
            "output_encoding": plain("UTF-16-BE"),
        }
    ],
    "UnsortedSegmentJoin": [
        {"inputs": TEXT, "segment_ids": plain([0, 0, 1]), "num_segments": plain(2)}
    ],
    "QuantizeV2": [
        {
            "input": array(),
            "min_range": plain(-1.0),
            "max_range": plain(1.0),
            "T": dtype_of("quint8"),
        }
    ],
}
