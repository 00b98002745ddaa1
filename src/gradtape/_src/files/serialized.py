"""`tf.io`: examples written as JSON, sparse tensors as strings, and graphs as files."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, int64, string
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.graph_operations import New, graph_operation, of_shape
from gradtape._src.declare.unknown_sizes import NeedsSize
from gradtape._src.files import gfile
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.damaged_input import SIGNS, explained
from gradtape._src.files.paths import local
from gradtape._src.files.tensors import make_ndarray, make_tensor_proto, packed
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.values import each, strings, texts

Array = np.ndarray[Any, Any]
_PARTS = 3  # the strings of a sparse tensor: indices, values, shape
_SHOWN = 200  # the maximum number of characters of a message of the JSON parser


@export("io.decode_json_example")
def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Converts examples from JSON to serialized `Example` messages.

    Args:
      json_examples: Strings of JSON, a tensor of any shape.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the same shape, for `parse_example`.

    Raises:
      InvalidArgumentError: A string is not the JSON of an example.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [3]}}}}}'
    >>> data = tf.io.decode_json_example(text)
    >>> tf.io.parse_single_example(data, {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy()
    np.int64(3)
    """

    def decode(text: bytes) -> bytes:
        from google.protobuf import json_format

        try:
            if not text.lstrip().startswith(b"{"):
                raise ValueError("an object in braces was expected")
            example: protos.Example = json_format.Parse(text, protos.Example())
        except (json_format.ParseError, *SIGNS) as error:
            raise invalid(
                f"Error while parsing JSON: {explained(error)[:_SHOWN]} [Op:DecodeJSONExample]",
                About.VALUES,
            ) from None
        return example.SerializeToString(deterministic=True)

    return each(decode, json_examples, "DecodeJSONExample")


def _check_sparse(sp_input: Any, out_type: Any) -> None:
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(sp_input).__name__}")
    if as_dtype(out_type) is not string:
        raise invalid(f"out_type must be tf.string, got {as_dtype(out_type).name}", About.VALUES)


def _packed(*parts: Array | Tensor) -> list[bytes]:
    messages = [make_tensor_proto(part) for part in parts]
    for message in messages:  # TensorFlow's kernel packs strings here, unlike elsewhere
        if message.string_val:
            message.tensor_content = packed(np.array(message.string_val, object))
            message.ClearField("string_val")
    return [message.SerializeToString() for message in messages]


@export("io.serialize_sparse")
@graph_operation("SerializeSparse", of_shape((_PARTS,), string))
def serialize_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Tensor:
    """Returns a sparse tensor as three strings, for `deserialize_many_sparse`.

    Args:
      sp_input: The sparse tensor.
      out_type: The dtype of the result, which must be tf.string.
      name: Accepted for compatibility.

    Returns:
      A vector of serialized `TensorProto` messages: the indices, the values and the shape.

    Raises:
      TypeError: `sp_input` is not a sparse tensor.
    """
    _check_sparse(sp_input, out_type)
    parts = _packed(sp_input.indices, sp_input.values, sp_input.dense_shape)
    return strings(parts, [_PARTS])


@export("io.serialize_many_sparse")
@graph_operation("SerializeManySparse", of_shape((None, _PARTS), string))
def serialize_many_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Tensor:
    """Returns the slices of a sparse tensor along its first axis as three strings each.

    Args:
      sp_input: A sparse tensor with at least two axes.
      out_type: The dtype of the result, which must be tf.string.
      name: Accepted for compatibility.

    Returns:
      A table with a row for each slice, as `serialize_sparse` gives it.

    Raises:
      TypeError: `sp_input` is not a sparse tensor.
      InvalidArgumentError: The tensor has fewer than two axes.
    """
    _check_sparse(sp_input, out_type)
    indices, shape = np.asarray(sp_input.indices._value), np.asarray(sp_input.dense_shape._value)
    if len(shape) < 2:
        raise invalid(
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)} "
            "[Op:SerializeManySparse]"
        )
    values = np.asarray(sp_input.values._value)
    order = np.argsort(indices[:, 0], kind="stable")
    cuts = np.searchsorted(indices[order, 0], np.arange(int(shape[0]) + 1))
    parts = []
    for start, stop in pairwise(cuts):
        here = order[start:stop]
        parts += _packed(indices[here, 1:], Tensor(values[here]), shape[1:])
    return strings(parts, [int(shape[0]), _PARTS])


def _sparse_result(
    new: New, serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    if rank is None:
        raise NeedsSize("the number of axes depends on the contents of the strings")
    whole = rank + 1
    parts = new((None, whole), int64), new((None,), as_dtype(dtype)), new((whole,), int64)
    return SparseTensor(*parts)


@export("io.deserialize_many_sparse")
@graph_operation("DeserializeManySparse", _sparse_result)
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Joins sparse tensors that are given as strings along a new first axis.

    Args:
      serialized_sparse: A table with three strings in a row, as `serialize_many_sparse` makes it.
      dtype: The type of the values.
      rank: The number of axes of each of the sparse tensors, if it is known.
      name: Accepted for compatibility.

    Returns:
      A sparse tensor whose extents are the largest extents of the joined tensors.

    Raises:
      InvalidArgumentError: The strings are not sparse tensors of this dtype, or their ranks differ.
      ValueError: The rank of the tensors differs from `rank`.
    """
    table = texts(serialized_sparse, "DeserializeSparse")._value
    if table.ndim != 2 or table.shape[1] != _PARTS or not len(table):
        raise invalid(
            "Serialized sparse should be a table with rows of 3 strings, at least one of them, got "
            f"the shape {list(table.shape)} [Op:DeserializeManySparse]",
            About.VALUES,
        )
    wanted = as_dtype(dtype)
    rows = [_unpacked(row, place, wanted) for place, row in enumerate(table)]
    axes = {len(shape) for _, _, shape in rows}
    if len(axes) > 1:
        raise invalid(
            "Inconsistent rank across SparseTensors: the ranks are "
            f"{[len(shape) for _, _, shape in rows][:20]} [Op:DeserializeManySparse]",
            About.VALUES,
        )
    if rank is not None and axes != {rank}:
        raise ValueError(
            f"deserialize_many_sparse: the SparseTensors have the rank {axes.pop()}, and rank is "
            f"{rank}"
        )
    indices = [
        np.concatenate([np.full((len(found), 1), place, np.int64), found], axis=1)
        for place, (found, _, _) in enumerate(rows)
    ]
    extent = [len(rows), *np.max([shape for _, _, shape in rows], axis=0)]
    values = np.concatenate([values for _, values, _ in rows])
    return SparseTensor(np.concatenate(indices), Tensor(values), np.array(extent, np.int64))


def _unpacked(row: Array, place: int, dtype: DType) -> tuple[Array, Array, Array]:
    """Returns the indices, the values and the shape of a sparse tensor."""
    try:
        messages = [parsed(protos.TensorProto, data) for data in row]
        indices, values, shape = map(make_ndarray, messages)
    except SIGNS:
        raise invalid(
            f"Could not parse serialized proto (row {place}) [Op:DeserializeManySparse]",
            About.VALUES,
        ) from None
    held = as_dtype(messages[1].dtype)
    if held is not dtype:
        raise invalid(
            f"Requested SparseTensor of type {c_name(dtype.name)} but SparseTensor[{place}]"
            f".values.dtype() == {c_name(held.name)} [Op:DeserializeManySparse]"
        )
    fits = indices.shape == (len(values), len(shape)) if values.ndim == shape.ndim == 1 else False
    if not fits or indices.dtype != np.int64 or shape.dtype != np.int64:
        raise invalid(
            f"SparseTensor[{place}] has indices of shape {list(indices.shape)} for values of shape "
            f"{list(values.shape)} and a shape of {list(shape.shape)} [Op:DeserializeManySparse]",
            About.VALUES,
        )
    return indices, values, shape


@export("io.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes the definition of a graph to a file.

    Args:
      graph_or_graph_def: The graph, or a `GraphDef` message.
      logdir: The directory of the file, which is made if it does not exist.
      name: The file's name.
      as_text: Whether to write text instead of bytes.

    Returns:
      The path of the file.
    """
    defined = getattr(graph_or_graph_def, "as_graph_def", None)
    message = graph_or_graph_def if defined is None else defined()
    path = gfile.join(local(logdir), name)
    data: bytes = message.SerializeToString(deterministic=True)
    data = str(message).encode() if as_text else data
    gfile.makedirs(local(logdir))
    with replacing(path) as file:
        file.write(data)
    return path
