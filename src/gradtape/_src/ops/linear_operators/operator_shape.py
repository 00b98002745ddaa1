"""The shapes of operators, as static shapes and as tensors."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np

from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.linear_operators.stacks import Sizes, as_vector, static


class OperatorShape(metaclass=ABCMeta):
    """The properties and methods for an operator's shape, based on `_shape` and `_shape_tensor`."""

    @abstractmethod
    def _shape(self) -> TensorShape:
        """Returns the static shape of the operator."""

    @property
    def shape(self) -> TensorShape:
        """The shape of the stack of matrices, (..., rows, columns)."""
        return self._shape()

    def _shape_tensor(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no `_shape_tensor`.")

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """Returns the shape as a tensor of integers; `name` is accepted for compatibility."""
        shape = self.shape
        return _integers(shape.as_list()) if shape.is_fully_defined() else self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without its last two axes."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Returns the shape without its last two axes, as a tensor of integers."""
        return self._batch_shape_tensor()

    def _batch_shape_tensor(self) -> Tensor:
        batch = self.batch_shape
        return _integers(batch.as_list()) if batch.is_fully_defined() else self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of axes, 2 for a single matrix."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """Returns the number of axes as a tensor."""
        return convert_to_tensor(self.tensor_rank)

    @property
    def domain_dimension(self) -> int | None:
        """The number of columns, None if it is unknown."""
        return self.shape[-1] if self.shape.rank else None

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """Returns the number of columns as a tensor."""
        known = self.domain_dimension
        return self.shape_tensor()[-1] if known is None else convert_to_tensor(known)

    @property
    def range_dimension(self) -> int | None:
        """The number of rows, None if it is unknown."""
        return self.shape[-2] if self.shape.rank else None

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """Returns the number of rows as a tensor."""
        known = self.range_dimension
        return self.shape_tensor()[-2] if known is None else convert_to_tensor(known)


def _integers(shape: list[Any]) -> Tensor:
    return convert_to_tensor(np.asarray(shape, np.int32))


class FromSizes:
    """A shape that is computed from the lengths of the axes of parameters."""

    def _sizes(self) -> Sizes:
        """Returns the lengths of the axes, also those that are known only when a graph runs."""
        raise NotImplementedError

    def _shape(self) -> TensorShape:
        return static(self._sizes())

    def _shape_tensor(self) -> Tensor:
        return as_vector(self._sizes())


def sizes_of(operator: OperatorShape) -> Sizes:
    """Returns the lengths of the axes of an operator, whose class may be user-defined."""
    if isinstance(operator, FromSizes):
        return operator._sizes()
    shape = operator.shape
    if shape.is_fully_defined():
        return tuple(shape.as_list())
    return tuple(int(n) for n in operator.shape_tensor())
