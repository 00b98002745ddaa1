"""A gradient that is non-zero only in some rows, kept as those rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape


@export("IndexedSlices")
class IndexedSlices(CompositeTensor):
    """Holds some rows of a larger tensor; rows with equal indices add up.

    Gradients of look-ups (`gather`, embeddings) have this form, so that a large table costs only
    the rows that were read.

    Args:
      values: The rows, of shape (n, ...).
      indices: The index of each row in the whole tensor, an integer tensor of shape (n,).
      dense_shape: The shape of the whole tensor, an integer vector; None if it is unknown.

    >>> table = tf.Variable([[1.0], [2.0], [3.0]])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.reduce_sum(tf.gather(table, [0, 2]))
    >>> gradient = tape.gradient(y, table)
    >>> gradient.indices.numpy()
    array([0, 2], dtype=int32)
    """

    __slots__ = ("__weakref__", "_dense_shape", "_has_open_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape
        self._has_open_shape = False  # whether a graph is being traced for any dense shape

    @property
    def values(self) -> Any:
        """The rows, stacked."""
        return self._values

    @property
    def indices(self) -> Any:
        """The indices of the rows."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The dense shape, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The dense shape, which is unknown without `dense_shape`."""
        if self._dense_shape is None:
            return TensorShape(None)
        if hasattr(getattr(self._dense_shape, "_value", None), "owner"):  # a value in a graph
            return TensorShape([None]).concatenate(self._values.shape[1:])
        return TensorShape([int(n) for n in self._dense_shape])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        out: DType = self._values.dtype
        return out

    @property
    def device(self) -> str:
        """The device on which the rows lie."""
        out: str = self._values.device
        return out

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        whole = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{whole})"


def _components(slices: IndexedSlices) -> list[Any]:
    parts = [slices.values, slices.indices, slices.dense_shape]
    return parts if slices.dense_shape is not None else parts[:2]


def with_open_shape(parts: Sequence[Any]) -> IndexedSlices:
    """Returns slices of these components for a graph that is traced for any dense shape."""
    made = IndexedSlices(*parts)
    made._has_open_shape = True
    return made


def _rebuilt(like: IndexedSlices, parts: list[Any]) -> IndexedSlices:
    return with_open_shape(parts) if like._has_open_shape else IndexedSlices(*parts)


register_composite(IndexedSlices, Container(_components, _rebuilt))
