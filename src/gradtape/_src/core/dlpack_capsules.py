"""DLPack capsules of NumPy arrays, including bfloat16, which NumPy's functions do not support.

The structures are those of https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from gradtape._src.base import optional_dtypes

_UINT, _BFLOAT = 1, 4  # DLDataTypeCode
_BFLOAT16 = optional_dtypes.storage("bfloat16")
CPU = 1
"""DLPack's number for memory of the processor."""


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Described(ctypes.Structure):
    """The first fields of `DLTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
    )


_BEFORE = {b"dltensor": 0, b"dltensor_versioned": 8 + 3 * 8}  # byte offset, by the capsule's name


def name_of(capsule: Any) -> str:
    """Returns the name of a capsule, or "" for other objects."""
    try:
        name = _function("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)(capsule)
    except ValueError:
        return ""
    return (name or b"").decode()


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


def _description(capsule: Any) -> _Described:
    name = name_of(capsule).encode()
    pointer = _function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        capsule, name
    )
    return _Described.from_address(pointer + _BEFORE[name])


def device_of_capsule(capsule: Any) -> int:
    """Returns DLPack's number for the kind of device that holds the data."""
    return int(_description(capsule).device_type)


def capsule_of(array: np.ndarray[Any, Any], **options: Any) -> object:
    """Returns a capsule for an array.

    Args:
      array: The array.
      **options: The consumer's options, see `numpy.ndarray.__dlpack__`.

    Raises:
      BufferError: DLPack does not support the dtype.
    """
    if array.dtype.type is not _BFLOAT16:
        return array.__dlpack__(**options)
    capsule = array.view(np.uint16).__dlpack__(**options)
    _description(capsule).dtype.code = _BFLOAT
    return capsule


def array_of(capsule: Any) -> np.ndarray[Any, Any]:
    """Returns the array in a capsule, without a copy; the capsule can't be used again."""
    dtype = _description(capsule).dtype
    halves = dtype.code == _BFLOAT and dtype.bits == 16 and _BFLOAT16 is not None
    if halves:
        dtype.code = _UINT
    array: np.ndarray[Any, Any] = np.from_dlpack(_Producer(capsule))
    return array.view(_BFLOAT16) if halves else array


class _Producer:
    """An object that returns a capsule, for `numpy.from_dlpack`."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0
