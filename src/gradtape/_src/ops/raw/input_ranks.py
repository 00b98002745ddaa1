"""The ranks that the inputs of raw operations must have, where the public function takes more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of

MORE = 255  # TensorFlow's tensors have at most 254 axes

RANKS: Mapping[str, Mapping[str, tuple[int, int]]] = {
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
