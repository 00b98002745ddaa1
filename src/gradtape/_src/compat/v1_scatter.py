"""TensorFlow 1's functions that change rows of a variable: `tf.compat.v1.scatter_add` and so on."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.variable import Variable


def _rows(ref: Any, method: str, indices: Any, updates: Any) -> Variable:
    if not isinstance(ref, Variable):
        raise TypeError(
            f"{method}: `ref` must be a variable, got {type(ref).__name__} (tensors never change: "
            f"see tf.tensor_scatter_nd_update)"
        )
    given = convert_to_tensor(updates, ref.dtype)
    if method.startswith("scatter_nd"):
        out: Variable = getattr(ref, method)(indices, given)
        return out
    other: Variable = getattr(ref, method)(IndexedSlices(given, tensor(indices)))
    return other


@export("compat.v1.scatter_add")
def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Adds rows to those of a variable, in place.

    Args:
      ref: A variable.
      indices: The indices of the rows.
      updates: The rows.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.

    Raises:
      TypeError: `ref` is not a variable.
      InvalidArgumentError: A row is out of range.
    """
    return _rows(ref, "scatter_add", indices, updates)


@export("compat.v1.scatter_sub")
def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Subtracts rows from those of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The rows to subtract.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_sub", indices, updates)


@export("compat.v1.scatter_update")
def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Variable:
    """Replaces rows of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The new rows.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_update", indices, updates)


@export("compat.v1.scatter_mul")
def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Multiplies rows of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The factors of the rows.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_mul", indices, updates)


@export("compat.v1.scatter_div")
def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Divides rows of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The divisors of the rows.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_div", indices, updates)


@export("compat.v1.scatter_max")
def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Replaces rows of a variable by their elementwise maximum with others; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The rows to compare them with.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_max", indices, updates)


@export("compat.v1.scatter_min")
def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Replaces rows of a variable by their elementwise minimum with others; see `scatter_add`.

    Args:
      ref: The variable.
      indices: The indices of the rows, integers of any shape.
      updates: The rows to compare them with.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_min", indices, updates)


@export("compat.v1.scatter_nd_add")
def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Adds `updates[i]` to the slice `indices[i]` of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: Indices, along the last axis.
      updates: The values to add.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_nd_add", indices, updates)


@export("compat.v1.scatter_nd_sub")
def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Subtracts `updates[i]` from the slice `indices[i]` of a variable; see `scatter_add`.

    Args:
      ref: The variable.
      indices: Indices, along the last axis.
      updates: The values to subtract.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_nd_sub", indices, updates)


@export("compat.v1.scatter_nd_update")
def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Variable:
    """Sets the slice `indices[i]` of a variable to `updates[i]`; see `scatter_add`.

    Args:
      ref: The variable.
      indices: Indices, along the last axis.
      updates: The new values.
      use_locking: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The variable.
    """
    return _rows(ref, "scatter_nd_update", indices, updates)
