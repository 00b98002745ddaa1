"""Named tuples, which TensorFlow returns for operations with several outputs."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the classes are made on first use, one for each operation
    from gradtape._src.core.tensor import Tensor

    class AccidentalHits(NamedTuple):
        indices: Tensor
        ids: Tensor
        weights: Tensor

    class BroadcastAxes(NamedTuple):
        r0: Tensor
        r1: Tensor

    class Candidates(NamedTuple):
        sampled_candidates: Tensor
        true_expected_count: Tensor
        sampled_expected_count: Tensor

    class DistortedBox(NamedTuple):
        begin: Tensor
        size: Tensor
        bboxes: Tensor

    class FractionalPool(NamedTuple):
        output: Tensor
        row_pooling_sequence: Tensor
        col_pooling_sequence: Tensor

    class PoolWithPlaces(NamedTuple):
        output: Tensor
        argmax: Tensor


_CANDIDATES = ("sampled_candidates", "true_expected_count", "sampled_expected_count")
FIELDS = {
    "AllCandidateSampler": _CANDIDATES,
    "BroadcastGradientArgs": ("r0", "r1"),
    "ComputeAccidentalHits": ("indices", "ids", "weights"),
    "Eig": ("e", "v"),
    "FixedUnigramCandidateSampler": _CANDIDATES,
    "FractionalAvgPool": ("output", "row_pooling_sequence", "col_pooling_sequence"),
    "FractionalMaxPool": ("output", "row_pooling_sequence", "col_pooling_sequence"),
    "LearnedUnigramCandidateSampler": _CANDIDATES,
    "LogMatrixDeterminant": ("sign", "log_abs_determinant"),
    "LogUniformCandidateSampler": _CANDIDATES,
    "Lu": ("lu", "p"),
    "MaxPoolWithArgmax": ("output", "argmax"),
    "Qr": ("q", "r"),
    "SampleDistortedBoundingBoxV2": ("begin", "size", "bboxes"),
    "SelfAdjointEigV2": ("e", "v"),
    "SoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "SparseSoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "StatelessSampleDistortedBoundingBox": ("begin", "size", "bboxes"),
    "Svd": ("s", "u", "v"),
    "TopK": ("values", "indices"),
    "TopKV2": ("values", "indices"),
    "UniformCandidateSampler": _CANDIDATES,
    "Unique": ("y", "idx"),
    "UniqueV2": ("y", "idx"),
    "UniqueWithCounts": ("y", "idx", "count"),
    "UniqueWithCountsV2": ("y", "idx", "count"),
}
"""The names of an operation's outputs, as in its definition."""

_made: dict[str, Any] = {}


def named(op: str, values: Any, fields: tuple[str, ...] = ()) -> Any:
    """Converts an operation's outputs to its named tuple; returns other values unchanged.

    Args:
      op: The operation.
      values: The results of its function.
      fields: The names of its outputs, for an operation that is not in the table.
    """
    if len(fields) > 1:
        FIELDS.setdefault(op, fields)
    if op not in FIELDS or not isinstance(values, (tuple, list)) or type(values).__name__ == op:
        return values
    return __getattr__(op)(*values)


def __getattr__(name: str) -> Any:
    """Returns the class of an operation's results; pickle looks it up here."""
    if name not in FIELDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _made:
        fields = FIELDS[name]
        made = namedtuple(name, fields, module=__name__)  # type: ignore[misc]  # noqa: PYI024
        _made[name] = made
    return _made[name]
