"""Tensors as `TensorProto` messages."""

from __future__ import annotations

import base64
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, string
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.graph_operations import New, graph_operation, of_shape
from gradtape._src.files.damaged_input import SIGNS, explained
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.messages.varints import read_varint, varint
from gradtape._src.text.values import strings, texts

_LISTS = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "float16": "half_val",
    "bfloat16": "half_val",
    **dict.fromkeys(("int32", "int16", "int8", "uint16", "uint8"), "int_val"),
}
_MOST_FILLED = 1 << 28  # the maximum number of bytes that one repeated element may fill


@export("make_tensor_proto")
def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> protos.TensorProto:
    """Returns a tensor as a message.

    Args:
      values: A value that is convertible to a tensor.
      dtype: The type of the elements.
      shape: The shape of the result.
      verify_shape: Accepted for compatibility.
      allow_broadcast: Whether one element may fill the whole shape.

    Returns:
      A `TensorProto`.

    Raises:
      TypeError, ValueError: See `convert_to_tensor`.
    """
    value = np.asarray(convert_to_tensor(values, dtype)._value)
    kind = convert_to_tensor(values, dtype).dtype
    if shape is not None:
        wanted = tuple(int(n) for n in shape)
        single = allow_broadcast and value.size == 1
        value = np.broadcast_to(value.reshape(()), wanted) if single else value.reshape(wanted)
    made = protos.TensorProto(
        dtype=kind.as_datatype_enum,
        tensor_shape=protos.TensorShapeProto(
            dim=[protos.TensorShapeProto.Dim(size=n) for n in value.shape]
        ),
    )
    made.tensor_shape.SetInParent()
    if kind is string:
        made.string_val.extend(list(value.flat))
    elif value.size:
        made.tensor_content = np.ascontiguousarray(value).tobytes()
    return made


def packed(values: np.ndarray[Any, Any]) -> bytes:
    """Returns strings as the `tensor_content` of a message: all lengths, and then the strings."""
    return b"".join([*map(varint, map(len, values.flat)), *values.flat])


def unpacked(content: bytes, count: int) -> np.ndarray[Any, Any]:
    """Returns a number of strings that are the `tensor_content` of a message.

    Raises:
      DecodeError: A length is missing.
      ValueError: The lengths do not fit the contents.
    """
    ends, at = [0], 0
    for _ in range(count):
        length, at = read_varint(content, at)
        ends.append(ends[-1] + length)
    if at + ends[-1] != len(content):
        raise ValueError(f"{count} strings do not fill the {len(content)} bytes of the tensor")
    out = np.empty(count, object)
    out[:] = [content[at + start : at + end] for start, end in pairwise(ends)]
    return out


@export("make_ndarray")
def make_ndarray(tensor: protos.TensorProto) -> np.ndarray[Any, Any]:
    """Returns the array that a message holds.

    Args:
      tensor: The message, a `TensorProto`.

    Returns:
      An array of the message's dtype and shape.

    Raises:
      TypeError: NumPy has no such dtype.
      ValueError: The number of elements in `tensor` does not match its shape.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    dtype = as_dtype(tensor.dtype)
    if tensor.tensor_shape.unknown_rank or any(dim.size < 0 for dim in tensor.tensor_shape.dim):
        raise ValueError(f"the shape of the tensor must be fully known: {tensor.tensor_shape}")
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    size = prod(shape)
    if tensor.tensor_content and dtype is string:
        return unpacked(tensor.tensor_content, size).reshape(shape)
    if tensor.tensor_content:
        if len(tensor.tensor_content) != size * dtype.size:
            raise ValueError(
                f"the tensor has {len(tensor.tensor_content)} bytes, which do not fit its shape "
                f"{shape} and dtype {dtype.name}"
            )
        return np.frombuffer(tensor.tensor_content, dtype.np_dtype).reshape(shape).copy()
    held = _listed(tensor, dtype)
    if len(held) > size:
        raise ValueError(f"the tensor has {len(held)} elements, which do not fit its shape {shape}")
    if (size - len(held)) * np.dtype(dtype.np_dtype).itemsize > _MOST_FILLED:
        raise ValueError(
            f"the tensor has {len(held)} elements, which do not fit its shape {shape}, which is "
            "too large"
        )
    out = np.empty(size, dtype.np_dtype)
    out[: len(held)] = held
    empty: Any = b"" if dtype is string else 0
    out[len(held) :] = held[-1] if len(held) else empty  # repeats the last element
    return out.reshape(shape)


def _listed(tensor: protos.TensorProto, dtype: DType) -> Any:
    """Returns the elements from the message's field for their dtype."""
    if dtype is string:
        held = np.empty(len(tensor.string_val), object)
        held[:] = tensor.string_val
        return held
    if dtype.name not in _LISTS:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}")
    found = getattr(tensor, _LISTS[dtype.name])
    if dtype.name in ("float16", "bfloat16"):
        return np.array(found, np.int64).astype(np.uint16).view(dtype.np_dtype)
    if dtype.is_complex:
        pairs = np.array(found, dtype.real_dtype.np_dtype)
        return pairs[: pairs.size // 2 * 2].view(dtype.np_dtype)
    return np.array(found, np.int64 if dtype.name == "int8" else None).astype(dtype.np_dtype)


@export("io.serialize_tensor")
@graph_operation("SerializeTensor", of_shape((), string))
def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """Returns a tensor as a string, a serialized `TensorProto`.

    Args:
      tensor: The tensor.
      name: Accepted for compatibility.

    Returns:
      A string scalar.

    >>> data = tf.io.serialize_tensor([1.0, 2.0])
    >>> tf.io.parse_tensor(data, tf.float32).numpy().tolist()
    [1.0, 2.0]
    """
    return strings([make_tensor_proto(tensor).SerializeToString()], ())


def _of_unknown_rank(new: New, serialized: Any, out_type: Any, name: Any = None) -> Tensor:
    return new(None, as_dtype(out_type))


@export("io.parse_tensor")
@graph_operation("ParseTensor", _of_unknown_rank)
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """Returns the tensor that a string holds.

    Args:
      serialized: A scalar string, as `serialize_tensor` makes it.
      out_type: The tensor's type.
      name: Accepted for compatibility.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: The string does not hold a tensor of this type.
    """
    dtype, data = as_dtype(out_type), texts(serialized, "ParseTensor")._value
    if data.ndim:
        raise invalid(
            f"Expected `serialized` to be a scalar, got shape: {list(data.shape)} [Op:ParseTensor]"
        )
    try:
        found = parsed(protos.TensorProto, data.item())
        held = as_dtype(found.dtype)
    except (DecodeError, TypeError):
        shown = base64.b64encode(data.item()[:60]).decode()
        raise invalid(
            f"Could not parse `serialized` as TensorProto, base64: {shown} [Op:ParseTensor]",
            About.VALUES,
        ) from None
    if held is not dtype:
        raise invalid(
            f"Type mismatch between parsed tensor ({c_name(held.name)}) and dtype "
            f"({c_name(dtype.name)}) [Op:ParseTensor]"
        )
    try:
        value = make_ndarray(found)
    except SIGNS as error:
        why = explained(error)
        raise invalid(
            f"Cannot parse tensor from proto: {why} [Op:ParseTensor]", About.VALUES
        ) from None
    return Tensor(value if value.ndim or dtype is string else value[()])
