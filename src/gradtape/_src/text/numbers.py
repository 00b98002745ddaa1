"""Conversion between numbers and strings, and hashes of strings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, float32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import attribute, takes
from gradtape._src.declare.attributes import text as text_argument
from gradtape._src.declare.graph_operations import graph_operation, like_input
from gradtape._src.text.hashes import fingerprint64, murmur64, siphash
from gradtape._src.text.values import WHITESPACE, each, on_values, strings

_NUMBERS = ("float32", "float64", "int32", "int64", "uint32", "uint64")
_WHOLE = re.compile(rb"[+-]?[0-9]+")
_FLOAT = re.compile(
    rb"[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf|"
    rb"infinity|nan)",
    re.IGNORECASE,
)
_HEX = re.compile(rb"[+-]?0[xX]([0-9a-fA-F]+(\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?")
_LONGEST = 20  # The maximum number of digits of a 64-bit integer.
_FILLS = frozenset("0 +-#")


@export("as_string", "strings.as_string")
@takes(scientific="bool", shortest="bool")
@raw_op("AsString")
def as_string(
    input: Any,
    precision: int | None = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int | None = -1,
    fill: str | None = "",
    name: str | None = None,
) -> Tensor:
    """Converts numbers and booleans to strings.

    Args:
      input: A tensor.
      precision: The number of digits after the decimal point. Defaults to 6.
      scientific: Whether to use scientific notation.
      shortest: Whether to use the shorter of scientific and standard notation.
      width: The minimum length; shorter strings are padded on the left.
      fill: One character, as a flag of C's `printf`: "0", " ", "+", "-" or "#".
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: The arguments contradict each other or do not fit the dtype.

    >>> tf.strings.as_string([1.5, 2.0], precision=2).numpy()
    array([b'1.50', b'2.00'], dtype=object)
    """
    flag = "" if fill is None else text_argument("fill", fill)
    digits, least = (-1 if n is None else n for n in (precision, width))
    return on_values(
        lambda x: _written(tensor(x), digits, scientific, shortest, least, flag), input
    )


@graph_operation("AsString", like_input(np.dtype(object)))
def _written(
    x: Tensor, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Tensor:
    dtype, value = x.dtype, np.asarray(x._value)
    if dtype.name == "string":
        return _padded(x, width, fill)
    real = dtype.is_floating or dtype.is_complex
    _check_format(dtype, real, precision, scientific, shortest, fill)
    if dtype.is_bool:
        return strings((b"true" if item else b"false" for item in value.flat), value.shape)
    kind = ("e" if scientific else "g" if shortest else "f") if real else "d"
    digits = f".{precision}" if precision >= 0 else ""
    pattern = f"%{fill}{width if width >= 0 else ''}{digits}{kind}"
    if dtype.is_complex:
        pairs = ((item.real, item.imag) for item in value.flat)
        return strings((f"({pattern},{pattern})".encode() % pair for pair in pairs), value.shape)
    whole = pattern.encode()
    items = value.astype(np.float64) if dtype.is_floating else value.astype(object)
    return strings((whole % item for item in items.flat), value.shape)


def _padded(x: Tensor, width: int, fill: str) -> Tensor:
    """Pads strings with spaces, on the right if the flag is "-"."""
    _check_fill(fill)
    if width <= 0:
        return x
    value = np.asarray(x._value)
    pad = bytes.ljust if fill == "-" else bytes.rjust
    return strings((pad(item, width) for item in value.flat), value.shape)


def _check_format(
    dtype: DType, real: bool, precision: int, scientific: bool, shortest: bool, fill: str
) -> None:
    """Raises InvalidArgumentError if arguments of `as_string` contradict each other."""
    for given, what in (
        (scientific, "scientific format"),
        (shortest, "shortest format"),
        (precision >= 0, "precision"),
    ):
        if given and not real:
            raise invalid(
                f"{what} not supported for datatype {dtype.name} [Op:AsString]", About.VALUES
            )
    if scientific and shortest:
        raise invalid(
            "Cannot select both scientific and shortest notation [Op:AsString]", About.VALUES
        )
    _check_fill(fill)


def _check_fill(fill: str) -> None:
    """Raises InvalidArgumentError unless `fill` is a flag of `printf`."""
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters [Op:AsString]", About.VALUES)
    if fill and fill not in _FILLS:
        raise invalid(
            "Fill argument not supported: `fill` must be a flag of printf, one of '0', ' ', '+', "
            f"'-' and '#', but is {fill!r} [Op:AsString]",
            About.VALUES,
        )


@export("strings.to_number")
@raw_op("StringToNumber", string_tensor="input")
def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Tensor:
    """Converts strings to numbers.

    Args:
      input: A string tensor.
      out_type: The dtype of the result: float32, float64, int32, int64, uint32 or uint64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `input` and of dtype `out_type`.

    Raises:
      InvalidArgumentError: A string is not a number of that dtype.

    >>> tf.strings.to_number(["1.5", "-2"]).numpy()
    array([ 1.5, -2. ], dtype=float32)
    """
    dtype = as_dtype(out_type)
    if dtype.name not in _NUMBERS:
        names = ", ".join(c_name(n) for n in _NUMBERS)
        raise invalid(
            f"Value for attr 'out_type' of {c_name(dtype.name)} is not in the list of allowed "
            f"values: {names} [Op:StringToNumber]",
            About.DTYPES,
        )
    return each(
        lambda text: number(text, dtype, "StringToNumberOp"),
        input,
        "StringToNumber",
        dtype.np_dtype,
        out_type=dtype.name,
    )


def number(text: bytes, dtype: DType, what: str) -> float | np.generic:
    """Converts a string to a number; raises InvalidArgumentError if it is not a number."""
    body = text.strip(WHITESPACE)
    if dtype.is_floating:
        if _FLOAT.fullmatch(body):
            with np.errstate(over="ignore"):
                decimal: np.generic = dtype.np_dtype.type(float(body))
                return decimal
        if _HEX.fullmatch(body):
            binary: np.generic = dtype.np_dtype.type(_from_hexadecimal(body.decode()))
            return binary
    elif _WHOLE.fullmatch(body) and len(body.lstrip(b"+-0")) <= _LONGEST:
        value = int(body[:1].strip(b"0123456789") + (body.lstrip(b"+-0") or b"0"))
        if dtype.min <= value <= dtype.max and not (dtype.is_unsigned and body[:1] == b"-"):
            return value
    shown = text.decode("utf-8", "backslashreplace")
    raise invalid(
        f"{what} could not correctly convert string: {shown} [Op:StringToNumber] (it names no "
        f"{dtype.name})",
        About.VALUES,
    )


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


@export("strings.to_hash_bucket")
@raw_op("StringToHashBucket", string_tensor="input")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """Hashes strings to numbers below `num_buckets` by MurmurHash64A, as TensorFlow does.

    Args:
      input: A string tensor.
      num_buckets: The number of buckets.
      name: Accepted for compatibility.

    Returns:
      An int64 tensor of the shape of `input`.
    """
    return _buckets(murmur64, input, num_buckets, "StringToHashBucket")


@export("strings.to_hash_bucket_fast")
@raw_op("StringToHashBucketFast")
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """Hashes strings to int64 numbers below `num_buckets` by FarmHash's Fingerprint64.

    Args:
      input: A string tensor.
      num_buckets: The number of values.
      name: Accepted for compatibility.

    Returns:
      An int64 tensor of the shape of `input`.

    >>> tf.strings.to_hash_bucket_fast(["a", "b"], 10).numpy()
    array([9, 2])
    """
    return _buckets(fingerprint64, input, num_buckets, "StringToHashBucketFast")


@export("strings.to_hash_bucket_strong")
@raw_op("StringToHashBucketStrong")
def to_hash_bucket_strong(
    input: Any,
    num_buckets: int,
    key: Any,
    name: str | None = None,
) -> Tensor:
    """Hashes strings to int64 numbers below `num_buckets` by SipHash, which needs a key.

    Args:
      input: A string tensor.
      num_buckets: The number of values.
      key: Two numbers.
      name: Accepted for compatibility.

    Returns:
      An int64 tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: The key does not consist of two numbers.
    """
    secret = [int(part) for part in key]
    if len(secret) != 2:
        raise invalid("Key must have 2 elements [Op:StringToHashBucketStrong]")
    op = "StringToHashBucketStrong"
    return _buckets(lambda t: siphash(t, secret), input, num_buckets, op, key=secret)


def _buckets(
    hashed: Callable[[bytes], int], value: Any, num_buckets: Any, op: str, **attributes: Any
) -> Tensor:
    num_buckets = attribute("int", "num_buckets", num_buckets)
    if num_buckets < 1:
        raise invalid(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1 [Op:{op}]",
            About.ATTRIBUTES,
        )
    attributes["num_buckets"] = num_buckets
    return each(lambda text: hashed(text) % num_buckets, value, op, np.int64, **attributes)
