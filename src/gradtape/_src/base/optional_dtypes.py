"""The element types that NumPy lacks, bfloat16 and those of a byte or less, from `ml_dtypes`.

If `ml_dtypes` cannot be installed, as on WebAssembly, everything else works, and using one of these
types raises an error that says why.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import ml_dtypes
except ModuleNotFoundError as error:
    if error.name != "ml_dtypes":  # ml_dtypes is installed, but one of its dependencies is not
        raise
    AVAILABLE = False
else:
    AVAILABLE = True


def storage(name: str) -> type[Any] | None:
    """Returns the scalar type of this name in `ml_dtypes`, or None if that is not installed."""
    return getattr(ml_dtypes, name) if AVAILABLE else None


def size(name: str) -> int:
    """Returns the number of bytes that an element of this type takes."""
    return 2 if name == "bfloat16" else 1


def missing(name: str) -> ImportError:
    """Returns the error for using one of these types without `ml_dtypes`."""
    return ImportError(
        f"tf.{name} needs the package ml_dtypes, which is not installed (WebAssembly has no wheel "
        "of it): pip install ml_dtypes, or use a type that NumPy has, such as tf.float16 or "
        "tf.int8",
        name="ml_dtypes",
    )


def integer_limits(dtype: np.dtype[Any]) -> np.iinfo[Any] | ml_dtypes.iinfo:
    """Returns `iinfo` of an integer dtype of NumPy or `ml_dtypes`."""
    if AVAILABLE:
        return ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    return np.iinfo(dtype)


def float_limits(dtype: np.dtype[Any]) -> np.finfo[Any]:
    """Returns `finfo` of a floating-point dtype of NumPy or `ml_dtypes`."""
    if AVAILABLE:
        return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return np.finfo(dtype)


BFLOAT16: tuple[Any, ...] = (storage("bfloat16"),) if AVAILABLE else ()
"""The scalar type of bfloat16, for sets of types; empty without `ml_dtypes`."""
