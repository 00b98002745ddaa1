"""The ranks that the inputs of raw operations must have, where the public function takes more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of

MORE = 255  # TensorFlow's tensors have at most 254 axes

_SCALAR, _VECTOR, _MATRIX, _IMAGES, _VOLUMES = ((n, n) for n in (0, 1, 2, 4, 5))
_BOXES = {"boxes": _MATRIX, "scores": _VECTOR, "max_output_size": _SCALAR}
_THRESHOLDS = {"iou_threshold": _SCALAR, "score_threshold": _SCALAR}
_DRAWN = {"shape": _VECTOR, "key": _VECTOR, "counter": _VECTOR, "alg": _SCALAR}
_CHANNELS = dict.fromkeys(("scale", "offset", "mean", "variance"), _VECTOR)
_STATISTICS = dict.fromkeys(("scale", "reserve_space_1", "reserve_space_2"), _VECTOR)
_CELL = {
    **dict.fromkeys(("x", "cs_prev", "h_prev", "w"), _MATRIX),
    **dict.fromkeys(("wci", "wcf", "wco", "b"), _VECTOR),
}

_STATES = dict.fromkeys(("i", "cs", "f", "o", "ci", "co"), _MATRIX)
_BLOCK = {**_CELL, "x": (3, 3), "seq_len_max": _SCALAR}
_BLOCK_STATES = dict.fromkeys(("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"), (3, 3))

RANKS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "AvgPoolGrad": {"orig_input_shape": _VECTOR, "grad": _IMAGES},
    "AvgPool3DGrad": {"orig_input_shape": _VECTOR, "grad": _VOLUMES},
    "BlockLSTM": _BLOCK,
    "BlockLSTMV2": _BLOCK,
    "BlockLSTMGrad": {**_BLOCK, **_BLOCK_STATES},
    "BlockLSTMGradV2": {**_BLOCK, **_BLOCK_STATES},
    "CTCBeamSearchDecoder": {"inputs": (3, 3), "sequence_length": _VECTOR},
    "CTCGreedyDecoder": {"inputs": (3, 3), "sequence_length": _VECTOR},
    "CombinedNonMaxSuppression": {
        "boxes": _IMAGES,
        "scores": (3, 3),
        "max_output_size_per_class": _SCALAR,
        "max_total_size": _SCALAR,
        **_THRESHOLDS,
    },
    "CropAndResize": {"image": _IMAGES, "boxes": _MATRIX, "box_ind": _VECTOR, "crop_size": _VECTOR},
    "Diag": {"diagonal": (1, MORE)},
    "Dilation2D": {"input": _IMAGES, "filter": (3, 3)},
    "Dilation2DBackpropFilter": {"input": _IMAGES, "filter": (3, 3), "out_backprop": _IMAGES},
    "Dilation2DBackpropInput": {"input": _IMAGES, "filter": (3, 3), "out_backprop": _IMAGES},
    "DrawBoundingBoxes": {"images": _IMAGES, "boxes": (3, 3)},
    "DrawBoundingBoxesV2": {"images": _IMAGES, "boxes": (3, 3), "colors": _MATRIX},
    "Empty": {"shape": _VECTOR},
    "ExtractGlimpse": {"input": _IMAGES, "size": _VECTOR, "offsets": _MATRIX},
    "ExtractGlimpseV2": {"input": _IMAGES, "size": _VECTOR, "offsets": _MATRIX},
    "FusedBatchNorm": {"x": _IMAGES, **_CHANNELS},
    "FusedBatchNormV2": {"x": _IMAGES, **_CHANNELS},
    "FusedBatchNormV3": {"x": (4, 5), **_CHANNELS},
    "FusedBatchNormGrad": {"y_backprop": _IMAGES, "x": _IMAGES, **_STATISTICS},
    "FusedBatchNormGradV2": {"y_backprop": _IMAGES, "x": _IMAGES, **_STATISTICS},
    "FusedBatchNormGradV3": {"y_backprop": (4, 5), "x": (4, 5), **_STATISTICS},
    "GRUBlockCell": {
        **dict.fromkeys(("x", "h_prev", "w_ru", "w_c"), _MATRIX),
        "b_ru": _VECTOR,
        "b_c": _VECTOR,
    },
    "GRUBlockCellGrad": {
        **dict.fromkeys(("x", "h_prev", "w_ru", "w_c", "r", "u", "c", "d_h"), _MATRIX),
        "b_ru": _VECTOR,
        "b_c": _VECTOR,
    },
    "HistogramFixedWidth": {"value_range": _VECTOR, "nbins": _SCALAR},
    "LRNGrad": {"input_grads": _IMAGES, "input_image": _IMAGES, "output_image": _IMAGES},
    "LSTMBlockCell": _CELL,
    "LSTMBlockCellGrad": {**_CELL, **_STATES, "cs_grad": _MATRIX, "h_grad": _MATRIX},
    "MaxPoolGrad": {"orig_input": _IMAGES, "orig_output": _IMAGES, "grad": _IMAGES},
    "MaxPoolGradV2": {
        "orig_input": _IMAGES,
        "orig_output": _IMAGES,
        "grad": _IMAGES,
        "ksize": _VECTOR,
        "strides": _VECTOR,
    },
    "MaxPool3DGrad": {"orig_input": _VOLUMES, "orig_output": _VOLUMES, "grad": _VOLUMES},
    "NonMaxSuppressionV3": {**_BOXES, **_THRESHOLDS},
    "NonMaxSuppressionV4": {**_BOXES, **_THRESHOLDS},
    "NonMaxSuppressionV5": {**_BOXES, **_THRESHOLDS, "soft_nms_sigma": _SCALAR},
    "NonMaxSuppressionWithOverlaps": {
        "overlaps": _MATRIX,
        "scores": _VECTOR,
        "max_output_size": _SCALAR,
        "overlap_threshold": _SCALAR,
        "score_threshold": _SCALAR,
    },
    "RFFT": {"input": (1, MORE), "fft_length": _VECTOR},
    "IRFFT": {"input": (1, MORE), "fft_length": _VECTOR},
    **{
        f"{inverse}RFFT{n}D": {"input": (n, MORE), "fft_length": _VECTOR}
        for inverse in ("", "I")
        for n in (2, 3)
    },
    "RaggedBincount": {"splits": _VECTOR, "size": _SCALAR},
    "ResizeBicubic": {"images": _IMAGES, "size": _VECTOR},
    "ResizeBicubicGrad": {"grads": _IMAGES, "original_image": _IMAGES},
    "ResizeBilinear": {"images": _IMAGES, "size": _VECTOR},
    "ResizeBilinearGrad": {"grads": _IMAGES, "original_image": _IMAGES},
    "ScaleAndTranslate": {
        "images": _IMAGES,
        "size": _VECTOR,
        "scale": _VECTOR,
        "translation": _VECTOR,
    },
    "SparseReshape": {"input_indices": _MATRIX, "input_shape": _VECTOR, "new_shape": _VECTOR},
    **{
        f"Stateless{what}V2": _DRAWN
        for what in (
            *("RandomNormal", "RandomUniform", "RandomUniformFullInt", "RandomUniformInt"),
            "TruncatedNormal",
        )
    },
    "ArgMax": {"dimension": (0, 0)},
    "ArgMin": {"dimension": (0, 0)},
    "BiasAddGrad": {"out_backprop": (2, MORE)},
    "BroadcastArgs": {"s0": (1, 1), "s1": (1, 1)},
    "BroadcastGradientArgs": {"s0": (1, 1), "s1": (1, 1)},
    "LinSpace": {"start": (0, 0), "stop": (0, 0), "num": (0, 0)},
    "ListDiff": {"x": (1, 1), "y": (1, 1)},
    "LowerBound": {"sorted_inputs": (2, 2), "values": (2, 2)},
    "MatrixDiagPartV2": {"padding_value": (0, 0)},
    "MatrixDiagPartV3": {"padding_value": (0, 0)},
    "NonMaxSuppressionV2": {"iou_threshold": (0, 0)},
    "OneHot": {"depth": (0, 0), "on_value": (0, 0), "off_value": (0, 0)},
    "QuantizeAndDequantizeV3": {"num_bits": (0, 0)},
    "ResizeArea": {"images": (4, 4), "size": (1, 1)},
    "ResizeNearestNeighbor": {"images": (4, 4), "size": (1, 1)},
    "UpperBound": {"sorted_inputs": (2, 2), "values": (2, 2)},
}
"""The least and the greatest rank of inputs, by the names of the operation and of the input."""


def check_ranks(op: str, given: Mapping[str, Any]) -> None:
    """Raises InvalidArgumentError if an input of a raw operation has a wrong rank.

    Args:
      op: The operation's name.
      given: The inputs, by their names.
    """
    for name, (least, most) in RANKS.get(op, {}).items():
        shape = shape_of(convert_to_tensor(given[name]))
        if not least <= len(shape) <= most:
            wanted = f"{least}" if least == most else f"at least {least}"
            raise invalid(f"{name} must have rank {wanted}{shown_shape(shape)} [Op:{op}]")
