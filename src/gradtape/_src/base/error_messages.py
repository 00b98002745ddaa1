"""Errors about dtypes and shapes, worded as in TensorFlow's kernels.

Also the substitutes of operations for some dtypes, `+` joins strings; and the errors in place of
those that NumPy and Python raise deep inside of a function.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name
from gradtape._src.base.errors import (
    About,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    ResourceExhaustedError,
    announced,
    invalid_argument,
)

T = TypeVar("T")


def _out_of_scope(operation: str) -> TypeError:
    """Returns the error for a value whose dtype is right, so that it is a graph's symbol."""
    return TypeError(
        f"a tensor of a graph is out of scope and cannot be used here [Op:{operation}]. Its value "
        "is known only when that graph runs: use it in the graph, or return it from its function"
    )


def mismatch(
    operation: str, position: int, want: DType, got: DType
) -> InvalidArgumentError | TypeError:
    """Returns the error for inputs of different dtypes."""
    if want is got:
        return _out_of_scope(operation)
    return invalid_argument(
        f"cannot compute {operation} as input #{position}(zero-based) was expected to be a "
        f"{c_name(want.name)} tensor but is a {c_name(got.name)} tensor [Op:{operation}] "
        f"(no automatic conversion: tf.cast one of them)",
        About.DTYPES,
    )


_WITHOUT_KERNEL: dict[str, frozenset[str]] = {}


def without_kernel(operation: str, dtypes: frozenset[str]) -> None:
    """Declares dtypes of an operation for which TensorFlow has a signature, but no kernel."""
    _WITHOUT_KERNEL[operation] = dtypes


def unsupported(
    operation: str, allowed: Iterable[type], got: DType
) -> InvalidArgumentError | NotFoundError | TypeError:
    """Returns the error for a dtype that an operation does not take."""
    if got.is_numpy_compatible and got.as_numpy_dtype in allowed:
        return _out_of_scope(operation)
    names = ", ".join(sorted({c_name(as_dtype(t).name) for t in allowed}))
    if got.name in _WITHOUT_KERNEL.get(operation, ()):
        return NotFoundError(
            None,
            None,
            f"Could not find device for node: {operation} of {c_name(got.name)} has no kernel, "
            f"only {names} have [Op:{operation}] (tf.cast the input to one of them)",
        )
    return invalid_argument(
        f"Value for attr 'T' of {c_name(got.name)} is not in the list of allowed values: {names} "
        f"[Op:{operation}] (tf.cast the input to one of them)",
        About.DTYPES,
    )


_OF_SHAPES = (  # NumPy's message for incompatible shapes
    "broadcast",
    "reshape array",
    "input array",
    "at least one array",
    "zero-size array",
    "empty sequence",
)


_OF_SIZES = (  # NumPy's messages for arrays that are larger than its integers or addresses
    "array is too big",
    "Maximum allowed",
    "iterator is too large",
    "invalid dims: array size",
    "Python int too large to convert to C",
)
_WHILE_ALLOCATING = (MemoryError, OverflowError, ValueError)
_MOST_ELEMENTS = 2**63 - 1
_WIDEST = 16  # the size of an element in bytes


def is_too_large(error: Exception) -> bool:
    """Whether NumPy raised `error` because an array is too large for this machine."""
    if isinstance(error, (ValueError, OverflowError)):
        return str(error).startswith(_OF_SIZES)
    return isinstance(error, MemoryError)


def too_large(operation: str, why: object, shape: Sequence[int] | None = None) -> OpError:
    """Returns the error for a tensor that cannot be allocated.

    Args:
      operation: The operation that makes the tensor.
      why: The reason.
      shape: The tensor's shape, if it is known.
    """
    size = "" if shape is None else f" with shape{_shown(shape)}"
    message = f"OOM when allocating tensor{size} ({why}) [Op:{operation}]"
    return ResourceExhaustedError(None, None, message)


def check_size(operation: str, shape: Sequence[int]) -> None:
    """Raises unless an array of this shape can exist on this machine.

    Raises:
      ValueError: A dimension does not fit 64 bits.
      InvalidArgumentError: The array has more elements than 64 bits count; or the array is empty,
        and a dimension exceeds the largest possible size.
      ResourceExhaustedError: The array is too large for the machine's addresses.
    """
    elements = math.prod(shape)
    if type(elements) is not int or 0 < elements <= sys.maxsize:  # symbolic, or small enough
        return
    if max(shape, default=0) > _MOST_ELEMENTS:
        raise ValueError(
            f"Can't convert Python sequence with out-of-range integer to Tensor. (a dimension of "
            f"{_shown(shape)} has more than 63 bits [Op:{operation}])"
        )
    if elements > _MOST_ELEMENTS:
        raise invalid_argument(
            f"Shape {_shown(shape)} would have more than 2**63 - 1 elements [Op:{operation}]",
            About.SHAPES,
        )
    if elements:
        bits = sys.maxsize.bit_length() + 1
        raise too_large(operation, f"addresses have {bits} bits on this machine", shape)
    if math.prod(n for n in shape if n) > sys.maxsize // _WIDEST:
        raise invalid_argument(
            f"Shape {_shown(shape)} has a dimension that is too large for any array on this "
            f"machine, even an empty one [Op:{operation}]",
            About.SHAPES,
        )


def allocated(operation: str, shape: Sequence[int] | None, make: Callable[..., T], *args: Any) -> T:
    """Returns `make(*args)`, an array of this shape (None if it is unknown).

    Raises:
      ResourceExhaustedError: There is not enough memory for it.
    """
    try:
        return make(*args)
    except _WHILE_ALLOCATING as error:
        if is_too_large(error):
            raise too_large(operation, error, shape) from None
        raise


def _shown(shape: Sequence[int]) -> str:
    return str(list(shape)).replace(" ", "")


def translated(operation: str, error: Exception, values: Sequence[Any]) -> Exception:
    """Returns the TensorFlow error for an error that NumPy raised for these values."""
    if any(hasattr(v, "out_of_scope") for v in values):
        return _out_of_scope(operation)
    if is_too_large(error):
        return too_large(operation, error)
    if not isinstance(error, (ValueError, IndexError)):
        return error
    shapes = " vs. ".join(_shown(v.shape) for v in values)
    why = "Incompatible shapes" if any(word in str(error) for word in _OF_SHAPES) else str(error)
    of_values = isinstance(error, (IndexError, np.linalg.LinAlgError))
    about = About.VALUES if of_values else About.SHAPES
    return invalid_argument(f"{why}: {shapes} [Op:{operation}]", about)


def unequal_shapes(operation: str, variable: Any, given: Any) -> InvalidArgumentError:
    """Returns the error for an update whose shape is not the variable's."""
    return invalid_argument(
        f"Cannot update variable with shape {list(variable.shape)} using a Tensor with shape "
        f"{list(given.shape)}, shapes must be equal. [Op:{operation}]",
        About.SHAPES,
    )


def unassignable(name: str, shape: Any, given: Any) -> ValueError:
    """Returns the error for assigning a value whose shape the variable does not take."""
    return announced(
        ValueError(
            f"Cannot assign value to variable ' {name}': Shape mismatch.The variable shape "
            f"{shape}, and the assigned value shape {given} are incompatible."
        )
    )


STAND_INS: dict[tuple[str, DType], Callable[..., Any]] = {}
"""The substitutes of operations, by operation name and unsupported dtype."""


def stand_in(operation: str, allowed: Iterable[type], got: DType) -> Callable[..., Any]:
    """Returns the substitute of an operation for a dtype that it does not support.

    Raises:
      InvalidArgumentError: There is no substitute.
    """
    run = STAND_INS.get((operation, got))
    if run is None:
        raise unsupported(operation, allowed, got)
    return run


_NUMPY = f"{os.sep}site-packages{os.sep}numpy{os.sep}"
# `int(x)` of a vector, an index that is out of range and the like fail with an error of NumPy or
# Python, which says nothing of the function that was called. TensorFlow refuses such arguments by
# InvalidArgumentError, of the kind that stands here, or TypeError.
_OF_ARGUMENTS: list[tuple[type[Exception], str, About | None, str]] = [
    (
        *(TypeError, "only (0-dimensional|length-1|integer scalar) arrays can be converted"),
        *(About.SHAPES, "an argument must be a scalar, not an array"),
    ),
    (
        *(TypeError, "iteration over a 0-d (array|tensor)"),
        *(About.SHAPES, "an argument must have one axis or more, not be a scalar"),
    ),
    (
        *(IndexError, "tuple index out of range|too many indices for array"),
        *(About.SHAPES, "an argument has too few axes"),
    ),
    (
        *(IndexError, "index -?[0-9]+ is out of bounds"),
        *(About.SHAPES, "an argument has too few elements"),
    ),
    (
        *(TypeError, "ufunc .* not supported for the input types|Cannot cast (array|ufunc)"),
        *(About.DTYPES, "an argument has a dtype that is not allowed"),
    ),
    (
        *(ValueError, "operands could not be broadcast|cannot reshape array|.* values to unpack"),
        *(About.SHAPES, "the shapes of the arguments do not fit"),
    ),
    (
        *(ValueError, "invalid literal for int|could not convert string to float"),
        *(None, "a text stands where a number is expected"),
    ),
    (
        *(ValueError, "The truth value of an array.*: a tensor of shape"),
        *(None, "an argument must be a single value, not an array"),
    ),
    (
        *(AttributeError, r"'.*' object has no attribute '\w+'$"),  # ours say more
        *(None, "an argument has a type that is not allowed"),
    ),
]
_ARGUMENT_PATTERNS = [
    (kind, re.compile(text), about, why) for kind, text, about, why in _OF_ARGUMENTS
]


def explained(error: BaseException, name: str, ours: str) -> Exception | None:
    """Returns the error to raise instead; None if the error says enough, or is the program's own.

    Args:
      error: The error that a public function caught, with its whole traceback.
      name: The function's name.
      ours: The folder of the library's files.
    """
    if isinstance(error, OpError):
        return None
    for kind, pattern, about, why in _ARGUMENT_PATTERNS:
        if isinstance(error, kind) and pattern.match(str(error)):
            if not _from_library(error.__traceback__, ours) or _as_in_numpy(error):
                return None
            text = f"{name}: {why} ({error})"
            return TypeError(text) if about is None else invalid_argument(text, about)
    return None


def _as_in_numpy(error: BaseException) -> bool:
    """Whether a function of `tf.experimental.numpy` refuses shapes as NumPy does."""
    trace = error.__traceback__
    caller = trace.tb_frame.f_globals.get("__name__", "") if trace else ""
    return isinstance(error, ValueError) and caller.startswith("gradtape._src.numpy.")


def _from_library(trace: TracebackType | None, ours: str) -> bool:
    """Whether only lines of the library and of NumPy ran when an error was raised."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (file.startswith(ours) or _NUMPY in file):
            return False
        trace = trace.tb_next
    return True
