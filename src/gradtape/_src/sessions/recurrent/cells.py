"""Cells of recurrent networks, and the ends of sequences."""

from __future__ import annotations

from typing import Any, TypeAlias

from gradtape._src.base import nest
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros, zeros_like
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.identities import ensure_shape
from gradtape._src.ops.elementwise.selection import where

Tensors: TypeAlias = Any
"""A structure of tensors."""
Length: TypeAlias = Any
"""A number, or a tensor if it is not known."""


def check_cell(name: str, cell: Any) -> None:
    """Checks that an object has the attributes of a cell.

    Args:
      name: The name of the argument.
      cell: The object.

    Raises:
      TypeError: An attribute is missing.
    """
    lacking = [
        f"{x!r} property is missing" for x in ("output_size", "state_size") if not hasattr(cell, x)
    ]
    if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
        lacking.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        lacking.append("is not callable")
    if lacking:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(lacking)}.")


def first_state(cell: Any, batch: Any, dtype: Any) -> Tensors:
    """Returns the state of a cell before the first step.

    Args:
      cell: The cell.
      batch: The number of sequences.
      dtype: The dtype.

    Raises:
      ValueError: No dtype is given.
    """
    if dtype is None:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def batch_size(x: Tensor, axis: int) -> Length:
    """Returns a length of a tensor, a number if it is known."""
    known = None if x.shape.rank is None else x.shape[axis]
    return shape(x)[axis] if known is None else known


def no_output(cell: Any, batch: Any, dtype: Any) -> Tensors:
    """Returns zeros in the structure of a cell's output."""
    return nest.map_structure(
        lambda n: zeros([batch, *TensorShape(n).as_list()], dtype), cell.output_size
    )


def lengths_of(sequence_length: Any) -> Tensor | None:
    """Returns the lengths of sequences as int32.

    Raises:
      ValueError: The lengths are not a vector.
    """
    if sequence_length is None:
        return None
    found = cast(convert_to_tensor(sequence_length), "int32")
    if found.shape.rank not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {found.shape}"
        )
    return found


def kept(ended: Tensor, before: Any, now: Any) -> Tensors:
    """Returns values for sequences that have not ended, and other ones for those that have.

    Args:
      ended: Whether each sequence has ended.
      before: The values for ended sequences, in any structure; None for zeros.
      now: The values for the others.
    """

    def chosen(new: Any, old: Any) -> Any:
        new = convert_to_tensor(new)
        if new.shape.rank == 0:
            return new
        over = ended if new.shape[0] is None else ensure_shape(ended, new.shape[:1])
        over = reshape(over, [batch_size(new, 0), *[1] * ((new.shape.rank or 1) - 1)])
        return where(over, old, new)

    if before is None:
        before = nest.map_structure(zeros_like, now)
    return nest.map_structure(chosen, now, before)
