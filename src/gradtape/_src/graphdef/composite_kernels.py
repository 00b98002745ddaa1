"""Kernels for ragged and sparse tensors, whose components are separate inputs in graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.files import serialized
from gradtape._src.graphdef.array_kernels import Flow, Stack
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.powers import sqrt
from gradtape._src.ops.raw.variant_handles import handle_of, handles_of, held_by
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.ops.reduce.segment import unsorted_segment_sum
from gradtape._src.ops.sparse import algebra, functions, sets
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.edit_distance import edit_distance
from gradtape._src.text.ngrams import ngrams


def _parts(x: Any) -> list[Any]:
    """Returns the parts of a sparse tensor, in TensorFlow's order."""
    return [x.indices, x.values, x.dense_shape]


def _sparse(values: list[Any]) -> list[Any]:
    """Makes sparse tensors from a list of their components."""
    return [SparseTensor(*values[k : k + 3]) for k in range(0, len(values) - 2, 3)]


@maker("StringNGrams")
def _ngrams(node: Node) -> Kernel:
    attributes = node.attributes
    widths, padding = attributes["ngram_widths"], int(attributes["pad_width"])
    pads = (attributes.text("left_pad"), attributes.text("right_pad"))
    given: dict[str, Any] = {
        "separator": attributes.text("separator"),
        "pad_values": None if padding == 0 else pads,
        "padding_width": padding if padding > 0 else None,
        "preserve_short_sequences": bool(attributes["preserve_short_sequences"]),
    }

    def run(values: list[Any]) -> list[Any]:
        rows = RaggedTensor.from_row_splits(values[0], values[1], validate=False)
        found: Any = ngrams(rows, list(map(int, widths)), **given)
        return [found.values, found.row_splits]

    return run


@maker("EditDistance")
def _edit_distance(node: Node) -> Kernel:
    normalize = bool(node.attributes["normalize"])

    def run(values: list[Any]) -> list[Any]:
        first, second = _sparse(values)
        return [edit_distance(first, second, normalize)]

    return run


_SETS: dict[str, Callable[..., SparseTensor]] = {
    "a-b": sets.difference,
    "b-a": lambda a, b: sets.difference(a, b, aminusb=False),
    "intersection": sets.intersection,
    "union": sets.union,
}


@maker("DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation")
def _set_operation(node: Node) -> Kernel:
    function = _SETS[node.attributes.text("set_operation")]
    dense = sum(x.name in ("set1", "set2") for x in node.definition.inputs)

    def run(values: list[Any]) -> list[Any]:
        return _parts(function(*values[:dense], *_sparse(values[dense:])))

    return run


@kernel("SetSize")
def _set_size(values: list[Any]) -> list[Any]:
    return [sets.size(SparseTensor(*values))]


# Ragged tensors as variants: each is an object with the values, and the splits of each dimension.


class RaggedVariant:
    """A ragged tensor, or with no splits a tensor.

    Args:
      splits: The row splits, the outer ones first.
      values: The values.
    """

    __slots__ = ("splits", "values")

    def __init__(self, splits: Sequence[Any], values: Any) -> None:
        self.splits, self.values = list(splits), values

    def contents(self) -> list[Any]:
        """Returns the tensors of which the ragged tensor consists."""
        return [*self.splits, self.values]


def _ragged(handles: Any) -> list[RaggedVariant]:
    """Returns the ragged tensors that a tensor holds; those that are not set are left out.

    Raises:
      InvalidArgumentError: The tensor holds other objects.
    """
    held = [x for x in held_by(handles) or [handles] if x is not None]
    if not all(isinstance(x, RaggedVariant) for x in held):
        raise invalid("Input Variant element doesn't hold a RaggedTensorVariant", About.VALUES)
    return held


@maker("Shape")
def _shape(node: Node) -> Kernel:
    of_tensors, kind = raw_kernel(node), node.attributes["out_type"]

    def run(values: list[Any]) -> list[Any]:
        if not isinstance(values[0], (Flow, Stack)):
            return list(of_tensors(values))
        return [convert_to_tensor(np.array([], kind.np_dtype))]

    return run


@maker("RaggedTensorToVariant")
def _to_variant(node: Node) -> Kernel:
    in_rows = bool(node.attributes["batched_input"])

    def run(values: list[Any]) -> list[Any]:
        *splits, inner = map(convert_to_tensor, values)
        if not in_rows:
            return [handle_of(RaggedVariant(splits, inner))]
        if not splits:
            return [handles_of([RaggedVariant([], x) for x in inner])]
        places = splits[0]._numpy().tolist()
        return [handles_of([_row(splits[1:], inner, *ends) for ends in pairwise(places)])]

    return run


def _row(splits: Sequence[Any], values: Any, start: int, stop: int) -> RaggedVariant:
    """Returns the rows from one index to another as a ragged tensor of its own."""
    own = []
    for each in splits:
        part = each[start : stop + 1]
        own.append(part - part[0])
        start, stop = (int(n) for n in (each[start], each[stop]))
    return RaggedVariant(own, values[start:stop])


@maker("RaggedTensorFromVariant")
def _from_variant(node: Node) -> Kernel:
    rank, dtype = int(node.attributes["output_ragged_rank"]), node.attributes["Tvalues"]
    kind = node.attributes["Tsplits"]

    def run(values: list[Any]) -> list[Any]:
        found = _ragged(values[0])
        if values[0].shape.rank == 0:
            return found[0].contents()
        if not found:
            return [*[zeros([1], kind)] * rank, zeros([0], dtype)]
        return _joined(found, kind)

    return run


def _joined(rows: Sequence[RaggedVariant], kind: Any) -> list[Any]:
    """Returns the splits and values of a ragged tensor with the given rows."""
    lengths = [len(x.splits[0]) - 1 if x.splits else len(x.values) for x in rows]
    outer = np.cumsum([0, *lengths])
    inner = []
    for parts in zip(*[x.splits for x in rows], strict=True):
        sizes = [int(part[-1]) for part in parts]
        moved = [part[1:] + n for part, n in zip(parts, np.cumsum([0, *sizes]), strict=False)]
        inner.append(concat([parts[0][:1], *moved], 0))
    return [cast(convert_to_tensor(outer), kind), *inner, concat([x.values for x in rows], 0)]


@maker("RaggedTensorToVariantGradient")
def _of_variant(node: Node) -> Kernel:
    dtype = node.attributes["Tvalues"]

    def run(values: list[Any]) -> list[Any]:
        given, _, shape = values
        parts = [x.values for x in _ragged(given)]
        if not parts:
            return [zeros(shape, dtype)]
        whole = concat([part if part.shape.rank else part[None] for part in parts], 0)
        return [reshape(whole, shape)]

    return run


# Sparse tensors.


@maker("SparseSplit")
def _split(node: Node) -> Kernel:
    count = int(node.attributes["num_split"])

    def run(values: list[Any]) -> list[Any]:
        axis = int(convert_to_tensor(values[0])._numpy())
        found = [_parts(x) for x in functions.split(SparseTensor(*values[1:]), count, axis)]
        return [part for column in zip(*found, strict=True) for part in column]

    return run


@kernel("SparseSparseMaximum")
def _maximum(values: list[Any]) -> list[Any]:
    first, second = _sparse(values)
    return _parts(algebra.maximum(first, second))[:2]


@kernel("SparseSparseMinimum")
def _minimum(values: list[Any]) -> list[Any]:
    first, second = _sparse(values)
    return _parts(algebra.minimum(first, second))[:2]


def _counting(node: Node, held_as: Callable[[Any, list[Any]], Any]) -> Kernel:
    """Returns the kernel that counts integers.

    Args:
      node: The node.
      held_as: A function that makes a tensor or sparse tensor from values and their row indices.
    """
    attributes = node.attributes
    least, most = (int(attributes[key]) for key in ("minlength", "maxlength"))
    limits = None if least < 0 else least, None if most < 0 else most
    binary, dtype = bool(attributes["binary_output"]), attributes["output_type"]
    place = [x.name for x in node.definition.inputs].index("values")

    def run(values: list[Any]) -> list[Any]:
        *given, weights = values
        integers = given.pop(place)
        held = None if shape_of(weights) == (0,) else held_as(weights, given)
        counted = functions.bincount(
            held_as(integers, given), held, -1, *limits, binary_output=binary
        )
        return [counted.indices, cast(counted.values, dtype), counted.dense_shape]

    return run


@maker("DenseCountSparseOutput")
def _count_dense(node: Node) -> Kernel:
    return _counting(node, lambda values, _: values)


@maker("SparseCountSparseOutput")
def _count_sparse(node: Node) -> Kernel:
    return _counting(node, lambda values, rows: SparseTensor(rows[0], values, rows[1]))


@maker("RaggedCountSparseOutput")
def _count_ragged(node: Node) -> Kernel:
    def held_as(values: Any, rows: list[Any]) -> Any:
        return RaggedTensor.from_row_splits(values, rows[0], validate=False).to_sparse()

    return _counting(node, held_as)


# Gradients, which a graph contains if it was saved after differentiation.


@kernel("SparseAddGrad")
def _add_gradient(values: list[Any]) -> list[Any]:
    gradient, *places, whole = values
    return [_found(gradient, whole, of_one) for of_one in places]


@kernel("SparseSliceGrad")
def _slice_gradient(values: list[Any]) -> list[Any]:
    gradient, whole, start, part = values
    return [_found(gradient, part + cast(start, part.dtype), whole)]


def _found(gradient: Any, places: Any, wanted: Any) -> Tensor:
    """Returns the rows of a gradient at the wanted indices, with zeros for missing indices."""
    same = reduce_sum(cast(wanted[:, None] != places[None], gradient.dtype), 2) == 0
    return reduce_sum(cast(same, gradient.dtype) * gradient[None], 1)


@kernel("SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad")
def _fill_gradient(values: list[Any]) -> list[Any]:
    places, gradient = values
    taken = gather(gradient, places)
    return [taken, reduce_sum(gradient) - reduce_sum(taken)]


@kernel("SparseSegmentSumGrad")
def _sum_gradient(values: list[Any]) -> list[Any]:
    return [_spread(values, 0)]


@kernel("SparseSegmentMeanGrad")
def _mean_gradient(values: list[Any]) -> list[Any]:
    return [_spread(values, 2)]


@kernel("SparseSegmentSqrtNGrad")
def _root_gradient(values: list[Any]) -> list[Any]:
    return [_spread(values, 1)]


def _spread(values: list[Any], power: int) -> Tensor:
    """Copies each segment's gradient to its rows, divided by a power of √(number of rows)."""
    gradient, indices, segments, count = values
    rows = gather(gradient, segments)
    if power:
        ones = cast(reshape(segments, [-1]) >= 0, gradient.dtype)
        sizes = gather(unsorted_segment_sum(ones, segments, shape_of(gradient)[0]), segments)
        below = sizes if power == 2 else sqrt(sizes)
        rows /= reshape(below, [-1] + [1] * (len(shape_of(rows)) - 1))
    return unsorted_segment_sum(rows, indices, count)


# Serialized tensors, which are strings.


@maker("SerializeSparse")
def _serialize(node: Node) -> Kernel:
    _only_strings(node, "out_type")
    return lambda values: [serialized.serialize_sparse(SparseTensor(*values))]


@maker("SerializeManySparse")
def _serialize_many(node: Node) -> Kernel:
    _only_strings(node, "out_type")
    return lambda values: [serialized.serialize_many_sparse(SparseTensor(*values))]


@maker("DeserializeManySparse")
def _deserialize_many(node: Node) -> Kernel:
    dtype = node.attributes["dtype"]
    return lambda values: _parts(serialized.deserialize_many_sparse(values[0], dtype))


def _only_strings(node: Node, attribute: str) -> None:
    if node.attributes[attribute].name != "string":
        raise Unsupported("tensors as variants are not supported")
