"""Changes dtypes: casts, and reinterpretation of bits."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import FLOATING, dtype_of_value, general
from gradtape._src.declare.traits import Pattern, Traits


def _cast(x: Any, *, dtype: np.dtype[Any]) -> Any:
    if (x.dtype.kind == "O") is not (dtype.kind == "O"):
        raise _no_cast(dtype_of(x).name, dtype.name)
    with np.errstate(invalid="ignore", over="ignore"):
        if x.dtype.kind == "c" and dtype.kind != "c":
            x = x.real if dtype.kind != "b" else x != 0
        return x.astype(dtype)


def _no_cast(have: str, want: str) -> UnimplementedError:
    want = "string" if want == "object" else want
    hint = " (tf.strings converts)" if "string" in (have, want) else ""
    return UnimplementedError(None, None, f"Cast {have} to {want} is not supported [Op:Cast]{hint}")


def _cast_in_xla(x: Any, *, dtype: Any) -> Any:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real if dtype.kind != "b" else x != 0
    if x.dtype.kind == "f" and dtype.kind in "iu":
        x = jnp.trunc(x)
    return lax.convert_element_type(x, dtype)


cast_p: Bound = general(
    "Cast",
    _cast,
    {"x": lambda g, x_dtype: cast_p(g, dtype=x_dtype)},
    linear=["x"],
    batching="leading",
    xla=_cast_in_xla,
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


def widened(x: Any) -> Tensor:
    """Casts a tensor or raw value to the dtype in which its values are accumulated."""
    dtype = dtype_of_value(x)
    wide = wider(dtype)
    return x if wide is dtype else cast_p(x, dtype=wide)


@export("cast", "dtypes.cast", direct=True)
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Converts a tensor to another dtype.

    Gradients flow between floating and complex dtypes and are cast back to the dtype of `x`. No
    gradient flows through an integer or boolean dtype.

    Args:
      x: A numeric or boolean tensor, which may be sparse or ragged, or `IndexedSlices`.
      dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape; `x` itself if its dtype is already `dtype`.

    Raises:
      TypeError: `dtype` is not a dtype.
      UnimplementedError: The cast is from or to strings.

    >>> x = tf.constant([1.8, -2.2])
    >>> tf.cast(x, tf.int32).numpy()
    array([ 1, -2], dtype=int32)
    """
    want = as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, want), x.indices, x.dense_shape)  # type: ignore[return-value]
    dense = tensor(x)
    have = dtype_of(dense._value)
    if have is want:
        return dense
    if not {"string", "resource", "variant"}.isdisjoint((have.name, want.name)):
        raise _no_cast(have.name, want.name)
    if have.is_complex and want.is_floating:
        from logging import getLogger

        getLogger("tensorflow").warning(  # the logger that programs configure
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard "
            "the imaginary part and may not be what you intended.",
            have.name,
            want.name,
        )
    return cast_p(dense, dtype=want.np_dtype)


@raw_op("Cast")
def _raw_cast(x: Any, DstT: Any, Truncate: bool = False, name: str | None = None) -> Tensor:
    want = as_dtype(DstT)
    if not Truncate or not want.is_floating:
        return cast(x, want)
    dense = tensor(x)
    if want.size < 4 < dense.dtype.size and want.name == "bfloat16":
        dense = cast_p(dense, dtype=np.dtype("f4"))  # TensorFlow rounds here, too
    bits = dense.dtype.is_floating and _mantissa(dense.dtype) - _mantissa(want)
    return cast(truncated_p(dense, bits=bits) if bits > 0 else dense, want)


def _mantissa(dtype: DType) -> int:
    """Returns the number of bits of a floating-point dtype's fraction."""
    return {"bfloat16": 7, "float16": 10, "float32": 23, "float64": 52}[dtype.name]


def _truncated(x: Any, *, bits: int) -> Any:
    flat = np.atleast_1d(x)
    whole = flat.view(f"u{flat.dtype.itemsize}")
    out = ((whole >> bits) << bits).view(flat.dtype)
    return out if np.ndim(x) else out[0]


def _truncated_xla(x: Any, *, bits: int) -> Any:
    whole = lax.bitcast_convert_type(x, f"uint{8 * x.dtype.itemsize}")
    return lax.bitcast_convert_type((whole >> bits) << bits, x.dtype)


truncated_p = general(
    "TruncatedMantissa",
    _truncated,
    {"x": lambda g: g},
    jvps={"x": lambda t: t},
    xla=_truncated_xla,
    batching="leading",
    dtypes=FLOATING,
)
"""Sets the last bits of each number to 0; the derivative ignores this."""


def _bitcast(x: Any, *, dtype: np.dtype[Any]) -> Any:
    old, new = x.dtype.itemsize, dtype.itemsize
    if not np.ndim(x):
        return (
            _bitcast(np.reshape(x, (1,)), dtype=dtype)[0]
            if new <= old
            else _raise_too_large(x, dtype)
        )
    x = np.ascontiguousarray(x)
    if old == new:
        return x.view(dtype)
    if old > new:
        return x[..., None].view(dtype)
    if x.shape[-1] * old != new:
        _raise_too_large(x, dtype)
    return x.view(dtype)[..., 0]


def _raise_too_large(x: Any, dtype: np.dtype[Any]) -> NoReturn:
    raise invalid(
        f"Cannot bitcast from {x.dtype.name} to {dtype.name}: shape {list(np.shape(x))} must end "
        f"in {dtype.itemsize // x.dtype.itemsize} [Op:Bitcast]",
    )


bitcast_p = general("Bitcast", _bitcast, xla=lambda x, *, dtype: lax.bitcast_convert_type(x, dtype))


@export("bitcast")
@raw_op("Bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Returns the bits of a tensor, interpreted as another dtype.

    Args:
      input: A numeric tensor.
      type: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor with the same bits. It has one more axis than `input` if the new dtype is smaller,
      and one axis less if it is larger.

    Raises:
      InvalidArgumentError: The sizes are incompatible.

    >>> tf.bitcast(tf.constant([1.0], tf.float32), tf.uint32).numpy() == 0x3F800000
    array([ True])
    """
    return bitcast_p(tensor(input), dtype=as_dtype(type).np_dtype)
