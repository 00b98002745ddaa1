"""Element types: one immutable `DType` per TensorFlow type, and the ways to name one.

A `DType` knows the NumPy type that stores it (`np_dtype`); the 8-bit floats, `bfloat16` and the
integers under a byte come from `ml_dtypes`. Numbers, names and limits are those of TensorFlow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gradtape._src.base import optional_dtypes
from gradtape._src.base.export import export, export_value

_REAL_OF_COMPLEX = {"complex64": "float32", "complex128": "float64"}


@export("DType", "dtypes.DType")
@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class DType:
    """The type of the elements of a tensor, `tf.float32` for example.

    There is one object per type: compare with `is` inside the library. Users may compare with
    anything that names a type.

    Args:
        type_enum: TensorFlow's number for the type.
        handle_data: Accepted for compatibility.

    Raises:
        TypeError: If no type has this number.

    Attributes:
        name: The name, `"float32"`.
        np_dtype: The NumPy dtype of a value's storage (`object` for strings); ImportError for a
            type that NumPy lacks if `ml_dtypes` is not installed.
        as_datatype_enum: TensorFlow's number for the type.
        size: Bytes per element, 0 if elements have no fixed size.
        differentiable: Whether gradients flow through values of this type.

    >>> float32 == "float32", float32 == np.float32, float32.size
    (True, True, 4)
    >>> DType(1) is float32
    True
    """

    name: str
    np_dtype: np.dtype[Any]
    as_datatype_enum: int
    size: int
    differentiable: bool
    is_bool: bool
    is_complex: bool
    is_floating: bool
    is_integer: bool
    is_numeric: bool
    is_numpy_compatible: bool
    is_quantized: bool
    is_unsigned: bool

    def __new__(cls, type_enum: int, handle_data: Any = None) -> DType:  # noqa: PYI034 (known)
        try:
            found = _BY_KEY.get(int(type_enum))
        except (TypeError, ValueError) as error:  # perhaps from a tensor
            raise error.with_traceback(None) from None
        if found is None:
            raise TypeError(f"{type_enum} is not the number of a TensorFlow DType")
        return found

    if not optional_dtypes.AVAILABLE:  # slows down attribute access

        def __getattr__(self, name: str) -> Any:
            if name == "np_dtype":
                raise optional_dtypes.missing(self.name)
            raise AttributeError(f"'DType' object has no attribute {name!r}")

    @property
    def __numpy_dtype__(self) -> np.dtype[Any]:
        """The NumPy dtype, which `numpy.dtype` asks for since NumPy 2.4."""
        dtype: np.dtype[Any] = np.dtype(self.as_numpy_dtype)
        return dtype

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type; `object` for strings."""
        if not self.is_numpy_compatible:
            raise KeyError(self.as_datatype_enum)
        if self.name == "string":
            return object
        return self.np_dtype if self.is_quantized else self.np_dtype.type

    @property
    def base_dtype(self) -> DType:
        """The type itself (TensorFlow 1 had reference types)."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of a complex type, else the type itself."""
        return _BY_NAME[_REAL_OF_COMPLEX.get(self.name, self.name)]

    @property
    def min(self) -> float:
        """The smallest finite value; TypeError for a type without an order."""
        return self._extreme(0, "minimum")

    @property
    def max(self) -> float:
        """The largest finite value; TypeError for a type without an order."""
        return self._extreme(1, "maximum")

    def _extreme(self, which: int, word: str) -> float:
        if not (self.is_floating or self.is_integer):
            kind = "quantized type" if self.is_quantized else "type"
            raise TypeError(f"Cannot find {word} value of {self} with {kind} {self}.")
        if self.is_integer:
            whole = optional_dtypes.integer_limits(self.np_dtype)
            return int(whole.max if which else whole.min)
        info = optional_dtypes.float_limits(self.np_dtype)
        value = info.max if which else info.min
        return value if self.is_numeric else int(value)

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of an image of this type, (0, 1) for floats.

        Raises ValueError for a type that images do not have.
        """
        if self.is_bool:
            return 0, True
        if self.name in ("float32", "float64"):
            return 0, 1
        if self.is_integer and self.is_numeric:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: object) -> bool:
        """Whether `other` names this type.

        Args:
            other: A dtype, or a value that names one.

        Returns:
            Whether both are one dtype.
        """
        return as_dtype(other) is self

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        return not isinstance(other, DType) and _find(other) is self

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


_BY_NAME: Final[dict[str, DType]] = {}
_BY_KEY: Final[dict[Any, DType]] = {}  # names, NumPy and Python types, TensorFlow's numbers
from_np: Final[dict[np.dtype[Any], DType]] = {}


def _define(number: int, name: str, kind: str, storage: Any, *, core: bool = True) -> DType:
    """Make the one `DType` of this name; `core` types are those that TensorFlow calls numeric."""
    np_dtype = None if storage is None else np.dtype(storage)
    itemsize = optional_dtypes.size(name) if np_dtype is None else np_dtype.itemsize
    dtype = _BY_NAME[name] = _BY_KEY[name] = _BY_KEY[number] = object.__new__(DType)
    properties = {
        "name": name,
        "as_datatype_enum": number,
        "size": 0 if kind in "so" else itemsize,
        "differentiable": kind == "o" or (core and kind in "fc"),
        "is_bool": kind == "b",
        "is_complex": kind == "c",
        "is_floating": kind == "f",
        "is_integer": kind in "iu",
        "is_numeric": core and kind in "fciuq",
        "is_numpy_compatible": kind != "o",
        "is_quantized": kind == "q",
        "is_unsigned": kind == "u",
    }
    if np_dtype is not None:
        properties["np_dtype"] = np_dtype
    for key, value in properties.items():
        object.__setattr__(dtype, key, value)
    if np_dtype is not None:
        from_np[np_dtype] = _BY_KEY[storage if np_dtype.names is None else np_dtype] = dtype
    return dtype


def _define_small(number: int, name: str, kind: str, *, core: bool = False) -> DType:
    """Make the `DType` of a type that NumPy lacks; without storage if `ml_dtypes` is missing."""
    return _define(number, name, kind, optional_dtypes.storage(name), core=core)


float32 = _define(1, "float32", "f", np.float32)
float64 = double = _define(2, "float64", "f", np.float64)
int32 = _define(3, "int32", "i", np.int32)
uint8 = _define(4, "uint8", "u", np.uint8)
int16 = _define(5, "int16", "i", np.int16)
int8 = _define(6, "int8", "i", np.int8)
string = _define(7, "string", "s", object)
complex64 = _define(8, "complex64", "c", np.complex64)
int64 = _define(9, "int64", "i", np.int64)
bool_ = _define(10, "bool", "b", np.bool_)
qint8 = _define(11, "qint8", "q", [("qint8", np.int8)])
quint8 = _define(12, "quint8", "q", [("quint8", np.uint8)])
qint32 = _define(13, "qint32", "q", [("qint32", np.int32)])
bfloat16 = _define_small(14, "bfloat16", "f", core=True)
qint16 = _define(15, "qint16", "q", [("qint16", np.int16)])
quint16 = _define(16, "quint16", "q", [("quint16", np.uint16)])
uint16 = _define(17, "uint16", "u", np.uint16)
complex128 = _define(18, "complex128", "c", np.complex128)
float16 = half = _define(19, "float16", "f", np.float16)
resource = _define(20, "resource", "o", [("resource", object)])
variant = _define(21, "variant", "o", [("variant", object)])
uint32 = _define(22, "uint32", "u", np.uint32)
uint64 = _define(23, "uint64", "u", np.uint64)
float8_e5m2 = _define_small(24, "float8_e5m2", "f")
float8_e4m3fn = _define_small(25, "float8_e4m3fn", "f")
float8_e4m3fnuz = _define_small(26, "float8_e4m3fnuz", "f")
float8_e4m3b11fnuz = _define_small(27, "float8_e4m3b11fnuz", "f")
float8_e5m2fnuz = _define_small(28, "float8_e5m2fnuz", "f")
int4 = _define_small(29, "int4", "i")
uint4 = _define_small(30, "uint4", "u")
int2 = _define_small(31, "int2", "i")
uint2 = _define_small(32, "uint2", "u")
float4_e2m1fn = _define_small(33, "float4_e2m1fn", "f")

_BY_KEY.update({"float": float32, "double": float64, "half": float16, float: float32, bool: bool_})
_BY_KEY.update({np.str_: string, np.bytes_: string, np.longlong: int64, np.ulonglong: uint64})
QUANTIZED_DTYPES: Final = frozenset({qint8, quint8, qint16, quint16, qint32})
_ADVICE: Final[dict[Any, str]] = {
    **dict.fromkeys((int, "int"), "Use tf.int32 or tf.int64."),
    **dict.fromkeys((complex, "complex"), "Use tf.complex64 or tf.complex128."),
    **dict.fromkeys((str, bytes, "str"), "Use tf.string."),
}


def _find(value: Any) -> DType | None:
    try:
        found = _BY_KEY.get(value.type if type(value).__base__ is np.dtype else value)
    except TypeError:  # not hashable
        found = None
    if found is None and isinstance(value, np.dtype):
        if value in from_np:
            return from_np[value]
        try:
            return from_np.get(value.newbyteorder("="))
        except TypeError:  # NumPy's dtype of strings, and others that have no byte order
            return None
    if found is None and not isinstance(value, type) and hasattr(value, "dtype"):
        if type(value.dtype) is DType:  # TensorFlow refuses tensors and the like
            return None
        try:
            return _find(np.dtype(value.dtype))
        except TypeError:
            return None
    return found


@export("as_dtype", "dtypes.as_dtype", direct=True)
def as_dtype(type_value: Any) -> DType:
    """Return the `DType` that `type_value` names.

    Args:
        type_value: A `DType`, its name or number, a NumPy dtype or scalar type, `float`, `bool`,
            `object`, or something with a NumPy `dtype`.

    Returns:
        The one `DType` object of that type.

    Raises:
        TypeError: If `type_value` does not name a type. (Python's `int` is ambiguous.)

    >>> as_dtype("half"), as_dtype(np.int64)
    (tf.float16, tf.int64)
    """
    if type(type_value) is DType:
        return type_value
    found = _find(type_value)
    if found is not None:
        return found
    asked = type_value if isinstance(type_value, (str, type)) else None
    advice = _ADVICE.get(asked, "Name it as tf.float32, 'float32' or np.float32, for example.")
    raise TypeError(
        f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType. {advice}"
    )


def dtype_of(raw: Any) -> DType:
    """Return the `DType` of a raw value, a NumPy array or scalar.

    Raises:
        TypeError: If no tensor can hold this NumPy dtype.
    """
    return from_np.get(raw.dtype) or as_dtype(raw.dtype)


def levels(raw: Any) -> Any:
    """Returns a raw value as programs see it: for quantized dtypes, as integers."""
    names = raw.dtype.names
    return raw if names is None else raw[names[0]]


def c_name(name: str) -> str:
    """Returns a dtype's name in the errors of TensorFlow's kernels: "float" for float32."""
    return {"float16": "half", "float32": "float", "float64": "double"}.get(name, name)


export_value(bfloat16, "bfloat16", "dtypes.bfloat16")
export_value(bool_, "bool", "dtypes.bool")
export_value(complex64, "complex64", "dtypes.complex64")
export_value(complex128, "complex128", "dtypes.complex128")
export_value(double, "double", "dtypes.double")
export_value(float16, "float16", "dtypes.float16")
export_value(float32, "float32", "dtypes.float32")
export_value(float64, "float64", "dtypes.float64")
export_value(half, "half", "dtypes.half")
export_value(int8, "int8", "dtypes.int8")
export_value(int16, "int16", "dtypes.int16")
export_value(int32, "int32", "dtypes.int32")
export_value(int64, "int64", "dtypes.int64")
export_value(qint8, "qint8", "dtypes.qint8")
export_value(qint16, "qint16", "dtypes.qint16")
export_value(qint32, "qint32", "dtypes.qint32")
export_value(quint8, "quint8", "dtypes.quint8")
export_value(quint16, "quint16", "dtypes.quint16")
export_value(resource, "resource", "dtypes.resource")
export_value(string, "string", "dtypes.string")
export_value(uint8, "uint8", "dtypes.uint8")
export_value(uint16, "uint16", "dtypes.uint16")
export_value(uint32, "uint32", "dtypes.uint32")
export_value(uint64, "uint64", "dtypes.uint64")
export_value(variant, "variant", "dtypes.variant")
export_value(
    float8_e4m3b11fnuz, "experimental.float8_e4m3b11fnuz", "dtypes.experimental.float8_e4m3b11fnuz"
)
export_value(float8_e4m3fn, "experimental.float8_e4m3fn", "dtypes.experimental.float8_e4m3fn")
export_value(float8_e4m3fnuz, "experimental.float8_e4m3fnuz", "dtypes.experimental.float8_e4m3fnuz")
export_value(float8_e5m2, "experimental.float8_e5m2", "dtypes.experimental.float8_e5m2")
export_value(float8_e5m2fnuz, "experimental.float8_e5m2fnuz", "dtypes.experimental.float8_e5m2fnuz")
export_value(int2, "experimental.int2", "dtypes.experimental.int2")
export_value(int4, "experimental.int4", "dtypes.experimental.int4")
export_value(uint2, "experimental.uint2", "dtypes.experimental.uint2")
export_value(uint4, "experimental.uint4", "dtypes.experimental.uint4")
export_value(float4_e2m1fn, "experimental.float4_e2m1fn", "dtypes.experimental.float4_e2m1fn")
export_value(QUANTIZED_DTYPES, "dtypes.QUANTIZED_DTYPES")
