"""Which raw operations have gradients."""

from __future__ import annotations

from gradtape._ops.families import REGISTRY
from gradtape._ops.opaque import Opaque, registered
from gradtape._raw import further
from gradtape._raw import operations as raw

_WITHOUT = frozenset(
    (
        "Bucketize",
        "DenseBincount",
        "HistogramFixedWidth",
        "InvertPermutation",
        "LinSpace",
        "LowerBound",
        "NonMaxSuppressionV3",
        "OnesLike",
        "Range",
        "Rank",
        "Shape",
        "ShapeN",
        "Size",
        "SobolSample",
        "Unique",
        "UniqueV2",
        "UniqueWithCounts",
        "UniqueWithCountsV2",
        "UnravelIndex",
        "UpperBound",
        "ZerosLike",
    )
)
"""Raw operations made of others, or that count and look up: their gradient is None."""


def has_gradient(op_type: str) -> bool:
    """Whether a raw operation has a gradient.

    Where not, a tape gives None, or raises a LookupError where TensorFlow does.

    Args:
      op_type: Its name, as in `tf.raw_ops` or in the error "gradient registry has no entry for".

    Raises:
      KeyError: There is no operation of this name.

    >>> from gradtape import autodiff
    >>> autodiff.has_gradient("MatMul"), autodiff.has_gradient("Equal")
    (True, False)
    """
    if op_type in REGISTRY:
        primitive = REGISTRY[op_type]
        if isinstance(primitive, Opaque):
            return registered(op_type)
        return bool(primitive.tracked)
    if hasattr(raw, op_type) or hasattr(further, op_type):
        return op_type not in _WITHOUT
    raise KeyError(f"there is no operation named {op_type!r}; dir(tf.raw_ops) lists them")
