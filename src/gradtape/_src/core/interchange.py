"""The protocols for passing values to other libraries: `__array__`, DLPack, Arrow and buffers.

There is no copy, since tensors never change: other libraries get read-only memory. Only protocols
without a read-only flag return a copy.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.errors import announced
from gradtape._src.core.dlpack_capsules import CPU, capsule_of
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import STACK

if TYPE_CHECKING:
    from gradtape._src.base.dtypes import DType
    from gradtape._src.core.tensor import Tensor

value_html: ExtensionPoint[Callable[[Any, np.ndarray[Any, Any]], str]] = ExtensionPoint(
    "showing values in notebooks"
)

_OURS = __name__.partition(".")[0]
_QUIET = {_OURS, "keras", "numpy.testing"}
"""Modules that only compare or convert values: they lose no gradient."""
_OF_ARROW = {
    *("bool", "string", "float16", "float32", "float64"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
}
_READS_ONLY = (1, 0)  # DLPack's first version with a read-only flag


class Interchange:
    """The protocols for NumPy and other libraries, for tensors and variables."""

    __slots__ = ()

    if TYPE_CHECKING:
        _value: Any

        @property
        def dtype(self) -> DType: ...
        def _numpy(self) -> Any: ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if STACK.recorders and _loses_gradient(self):
            _warn_of_loss()
        value = self._numpy()
        value = np.asarray(value, object if self.dtype.name == "string" else None)
        if copy or (dtype is not None and value.dtype != dtype):
            return np.array(value, dtype)
        value = value.view()
        value.flags.writeable = False  # a view of memory that never changes
        return value

    def __len__(self) -> int:
        if hasattr(type(self._value), "before_len"):
            self._value.before_len()
        if not self._value.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._value.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if hasattr(type(self._value), "before_iteration"):
            self._value.before_iteration()
        if not self._value.ndim:
            raise announced(TypeError("Cannot iterate over a scalar tensor."))
        rows: Any = self
        return (rows[i] for i in range(len(rows)))

    def _repr_html_(self) -> str | None:
        """Returns what notebooks show; None, for `repr`, if the value is not known."""
        if not isinstance(self._value, (np.ndarray, np.generic)):
            return None
        return value_html.get()(self, np.asarray(self._numpy()))

    def __bytes__(self) -> bytes:
        value = self._numpy()
        if isinstance(value, bytes):  # a string
            return value
        value = self.__array__()
        if value.dtype.hasobject:
            raise TypeError(
                "strings of a tensor don't lie side by side in memory: "
                "b''.join(tensor.numpy().flat) joins them"
            )
        return value.tobytes()

    @property
    def __numpy_dtype__(self) -> np.dtype[Any]:
        """The NumPy dtype, which `numpy.result_type` and `jax.numpy.asarray` read."""
        return self.dtype.__numpy_dtype__

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Returns a DLPack capsule, for `from_dlpack` of NumPy, PyTorch, JAX and others.

        Args:
          stream: Accepted for the protocol; values lie in the processor's memory.
          max_version: The newest version of DLPack that the consumer knows. Before (1, 0), memory
            could not be marked as read-only: such a consumer gets a copy.
          dl_device: The device that the consumer requests; None for the current one.
          copy: Whether to copy. None means only if it is needed.

        Returns:
          A capsule, which can be consumed once.

        Raises:
          BufferError: DLPack does not support the dtype, or the consumer wants the data on another
            device, or refuses a copy that is needed.
        """
        if self.dtype.is_quantized:
            raise BufferError(f"DLPack has no dtype {self.dtype.name}")
        value = self.__array__()
        options: dict[str, Any] = {"max_version": max_version}
        if max_version is None or max_version < _READS_ONLY:
            if copy is False:
                raise BufferError(
                    "a tensor's memory is read-only, which DLPack can express since version 1.0; "
                    "this consumer uses an older version and refuses a copy: pass it tensor.numpy()"
                )
            value, options = value.copy(), {}
        if dl_device is not None:
            options["dl_device"] = dl_device
        if copy is not None and options:
            options["copy"] = copy
        return capsule_of(value, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns the device that holds the data, for DLPack.

        Returns:
          DLPack's number for the CPU, and the number of the device, 0.
        """
        return CPU, 0

    def __arrow_array__(self, type: Any = None) -> Any:  # the protocol's name
        """Returns the value as an Arrow array, for `pyarrow.array`.

        Args:
          type: The Arrow type of the elements; None for that of the tensor.

        Returns:
          An array, in which rows of a tensor of rank 2 or more are lists of a fixed length.

        Raises:
          TypeError: Arrow does not support the dtype.
        """
        return _arrow_array(self._for_arrow(), type)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a stream of Arrow data, for columns of Polars and other tables.

        Args:
          requested_schema: The type that the consumer prefers.

        Returns:
          A capsule with one column, in which rows of a tensor of rank 2 or more are arrays.

        Raises:
          ImportError: Neither Polars nor PyArrow is installed.
          TypeError: Arrow does not support the dtype.
        """
        value = self._for_arrow()
        if "polars" in sys.modules:  # needs no PyArrow
            return sys.modules["polars"].Series(value).__arrow_c_stream__(requested_schema)
        chunks = import_module("pyarrow").chunked_array([_arrow_array(value)])
        return chunks.__arrow_c_stream__(requested_schema)

    def _for_arrow(self) -> np.ndarray[Any, Any]:
        if self.dtype.name not in _OF_ARROW:
            raise TypeError(
                f"Arrow has no dtype {self.dtype.name} (tf.cast converts to one that it has)"
            )
        return self.__array__()

    def __buffer__(self, flags: int) -> memoryview:
        """Returns the value's memory as a read-only buffer, for Python 3.12 and newer.

        Args:
          flags: The consumer's requirements, see `inspect.BufferFlags`.

        Returns:
          A read-only view of the memory.

        Raises:
          BufferError: The consumer wants to write, or the elements are strings.
        """
        if flags & _WRITABLE:
            raise BufferError("a tensor never changes: write to tensor.numpy(), which is a copy")
        value = self.__array__()
        if value.dtype.hasobject:
            raise BufferError("strings have no buffer: use tensor.numpy()")
        try:
            return value.data
        except ValueError as error:
            raise BufferError(
                f"buffers have no format for {self.dtype.name}: numpy.asarray(tensor) has the "
                "value, and .view(numpy.uint8) its bytes"
            ) from error


_WRITABLE = getattr(getattr(inspect, "BufferFlags", None), "WRITABLE", 1)


def _arrow_array(value: np.ndarray[Any, Any], type_: Any = None) -> Any:
    arrow = import_module("pyarrow")
    flat = arrow.array(value.reshape(-1), None if value.ndim > 1 else type_)
    for length in value.shape[:0:-1]:
        flat = arrow.FixedSizeListArray.from_arrays(flat, length)
    return flat if type_ is None or value.ndim <= 1 else flat.cast(type_)


def _loses_gradient(value: Any) -> bool:
    """Whether a recorder follows a value whose gradient the program does not define itself."""
    for recorder in reversed(STACK.recorders):
        given = getattr(recorder, "_gives_gradient", False)
        if given or recorder._follows(value):
            return not given
    return False


def _warn_of_loss() -> None:
    """Warns once for each line in which the user's code converts a watched value to NumPy."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None:
        if frame.f_globals is globals():
            frame, level = frame.f_back, level + 1
            continue
        module = frame.f_globals.get("__name__", "")
        if any(module == name or module.startswith(f"{name}.") for name in _QUIET):
            return
        if module.partition(".")[0] != "numpy":
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(
        "NumPy took the value of a tensor that a tape follows: the gradient through NumPy is "
        "lost. Inside of the tape, use TensorFlow's functions (tf.sin for np.sin); write "
        "tensor.numpy() where no gradient is wanted.",
        stacklevel=level,
    )
