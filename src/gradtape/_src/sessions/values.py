"""Composite values of sessions: tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape._src.base.export import export


@export("compat.v1.SparseTensorValue")
class SparseTensorValue(NamedTuple):
    """A sparse tensor that a session gives or is given.

    Attributes:
      indices: The places of the elements.
      values: The elements.
      dense_shape: The shape of the whole.
    """

    indices: Any
    values: Any
    dense_shape: Any


class IndexedSlicesValue(NamedTuple):
    """Rows of a larger tensor that a session gives or is given.

    Attributes:
      values: The rows.
      indices: Which rows of the whole they are.
      dense_shape: The shape of the whole, or None.
    """

    values: Any
    indices: Any
    dense_shape: Any
