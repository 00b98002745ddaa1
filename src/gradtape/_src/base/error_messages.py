"""Errors about dtypes and shapes, worded as TensorFlow's kernels word them.

Also what runs in an operation's stead for a dtype, before there is an error: `+` of strings joins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, c_name
from gradtape._src.base.errors import InvalidArgumentError


def mismatch(operation: str, position: int, want: DType, got: DType) -> InvalidArgumentError:
    """The error for inputs of different dtypes."""
    return InvalidArgumentError(
        None,
        None,
        f"cannot compute {operation} as input #{position}(zero-based) was expected to be a "
        f"{c_name(want.name)} tensor but is a {c_name(got.name)} tensor [Op:{operation}] "
        f"(no automatic conversion: tf.cast one of them)",
    )


def unsupported(operation: str, allowed: Iterable[type], got: DType) -> InvalidArgumentError:
    """The error for a dtype that an operation does not take."""
    names = ", ".join(sorted({c_name(as_dtype(t).name) for t in allowed}))
    return InvalidArgumentError(
        None,
        None,
        f"Value for attr 'T' of {c_name(got.name)} is not in the list of allowed values: {names} "
        f"[Op:{operation}] (tf.cast the input to one of them)",
    )


_OF_SHAPES = (  # what NumPy says of shapes that do not fit
    "broadcast",
    "reshape array",
    "input array",
    "at least one array",
    "zero-size array",
    "empty sequence",
)


def translated(operation: str, error: Exception, values: Sequence[Any]) -> Exception:
    """What TensorFlow raises where NumPy raised `error` for these values."""
    if not isinstance(error, (ValueError, IndexError)):
        return error
    shapes = " vs. ".join(str(list(v.shape)).replace(" ", "") for v in values)
    why = "Incompatible shapes" if any(word in str(error) for word in _OF_SHAPES) else str(error)
    return InvalidArgumentError(None, None, f"{why}: {shapes} [Op:{operation}]")


def unequal_shapes(operation: str, variable: Any, given: Any) -> InvalidArgumentError:
    """The error for an update of another shape than the variable's."""
    return InvalidArgumentError(
        None,
        None,
        f"Cannot update variable with shape {list(variable.shape)} using a Tensor with shape "
        f"{list(given.shape)}, shapes must be equal. [Op:{operation}]",
    )


def unassignable(name: str, shape: Any, given: Any) -> ValueError:
    """The error for assigning a value whose shape the variable does not take."""
    return ValueError(
        f"Cannot assign value to variable ' {name}': Shape mismatch.The variable shape {shape}, "
        f"and the assigned value shape {given} are incompatible."
    )


STAND_INS: dict[tuple[str, DType], Callable[..., Any]] = {}
"""By the name of the operation that was asked for, and the dtype that it does not take."""


def stand_in(operation: str, allowed: Iterable[type], got: DType) -> Callable[..., Any]:
    """What to run where an operation does not take a dtype.

    Raises:
      InvalidArgumentError: Nothing stands in.
    """
    run = STAND_INS.get((operation, got))
    if run is None:
        raise unsupported(operation, allowed, got)
    return run
