"""`TensorArray`: a list of tensors that loops can write to and read from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar, NoReturn

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.errors import About, OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, integers, invalid
from gradtape._src.declare.eager_only import is_traced, scope
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.lengths_of_values import lengths_of_values
from gradtape._src.declare.structural import zeros
from gradtape._src.declare.unknown_sizes import Size, is_unknown
from gradtape._src.ops.array.joining import concat, split, stack, unstack
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.type_spec import TypeSpec, register_type_spec_from_value_converter


def _count(size: Any) -> int | Size:
    """Returns the number of elements, which may be known only when a graph runs."""
    open_ = lengths_of_values([size]) if active_tapes() is None else None
    return integer(size, "size") if open_ is None else open_[0]


stacked: ExtensionPoint[Callable[[TensorArray], TensorArray]] = ExtensionPoint(
    "a TensorArray inside of compiled functions"
)
"""Returns an array whose elements are the rows of a tensor, for conditionals and loops."""


_SCALAR = TensorShape([])


@export("TensorArray")
class TensorArray:
    """A list of tensors of one dtype; gradients flow through it.

    Args:
      dtype: The elements' dtype.
      size: The number of elements.
      dynamic_size: Whether the array grows if an element is written past the end.
      clear_after_read: Whether an element can be read only once; True by default.
      tensor_array_name: Accepted for compatibility.
      handle: Accepted for compatibility.
      flow: Accepted for compatibility.
      infer_shape: Whether all elements must have the shape of the first.
      element_shape: The elements' shape, as far as it is known.
      colocate_with_first_write_call: Accepted for compatibility.
      name: Accepted for compatibility.

    >>> squares = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, float(i * i))
    >>> squares.stack().numpy().tolist()
    [0.0, 1.0, 4.0]
    """

    can_be_stacked: ClassVar[bool] = True
    """Whether the loops of graphs may hold the elements as the rows of one tensor."""

    _limit: int | None = None
    """In a raw list of tensors, the maximum number of elements, or -1; else None."""

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clear = clear_after_read is not False
        self._infer = infer_shape
        self._shape = TensorShape(element_shape)
        count = 0 if size is None else _count(size)
        self._open = count if type(count) is Size else None  # a size that is known only at run time
        self._items: list[Tensor | None] = []
        if type(count) is int:
            self._items += [None] * count
        self._cleared: set[int] = set()
        # the tensor whose rows are the elements, if there is one
        self._source: Tensor | None = None
        self._scope = scope()

    @property
    def dtype(self) -> DType:
        """The elements' dtype."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether the array grows if an element is written past the end."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The elements' shape, as far as it is known."""
        return self._shape

    @property
    def flow(self) -> Tensor:
        """A constant; in TensorFlow's graphs, this value orders operations."""
        return Tensor(np.float32(0))

    @property
    def handle(self) -> None:
        """Always None, as in eager TensorFlow."""
        return

    def _contents(self) -> list[Any]:
        """Returns the tensors of which the array consists, and None for other elements."""
        return [*self._items, *([] if self._open is None else [self.size()])]

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements.

        Args:
          name: Accepted for compatibility.

        Returns:
          An int32 scalar.
        """
        if self._open is not None:
            return stacked.get()(self).size()
        return Tensor(np.int32(len(self._items)))

    def identity(self) -> TensorArray:
        """Returns the array itself.

        Returns:
          This array.
        """
        return self

    def close(self, name: str | None = None) -> None:
        """Discards all elements.

        Args:
          name: Accepted for compatibility.
        """
        self._items.clear()

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> NoReturn:
        """Raises an error, since it is not supported in eager execution, as in TensorFlow.

        Args:
          source: Accepted for compatibility.
          flow: Accepted for compatibility.
          name: Accepted for compatibility.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient "
            "implementation does not use/need this function to compute gradients of operations "
            "that use TensorArrays."
        )

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes an element.

        Args:
          index: The index of the element.
          value: The element.
          name: Accepted for compatibility.

        Returns:
          The array itself.

        Raises:
          OutOfRangeError: The index is past the end and the size is fixed.
          InvalidArgumentError: The dtype of the value differs from the array's.
          ValueError: The shape of the value differs from the elements' shape.
        """
        if self._is_traced(index) or (not self._dynamic and self._exceeded(index)):
            return stacked.get()(self).write(index, value)
        return self._own()._write(index, value)

    def _is_traced(self, index: Any) -> bool:
        """Whether the array must be converted to a tensor for an operation at these indices."""
        return self._open is not None or is_traced(index)

    def _exceeded(self, indices: Any, shape: TensorShape = _SCALAR) -> bool:
        """Whether indices are past the end in a graph, which fails only if it uses the elements."""
        if scope() is None or not (self._items and shape.is_fully_defined()):
            return False
        return bool(np.max(integers(indices, "TensorArray"), initial=-1) >= len(self._items))

    def _own(self) -> TensorArray:
        """Returns the array itself, or a copy in a graph, in which writes return new arrays."""
        here = scope()
        if here is None:
            return self
        own = copy(self)
        own._items, own._cleared, own._scope = list(self._items), set(self._cleared), here
        return own

    def _checked(self, value: Any) -> Tensor:
        """Converts a value to an element, and checks its dtype and shape."""
        x: Tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if x.dtype is not self._dtype:
            raise invalid(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{x.dtype.name} (tf.cast the value)",
                About.DTYPES,
            )
        if not self._shape.is_compatible_with(x.shape):
            raise ValueError(f"Incompatible shape for value ({x.shape}), expected ({self._shape})")
        return x

    def _write(self, index: Any, value: Any) -> TensorArray:
        i = integer(index, "TensorArrayWrite", "index")
        x = self._checked(value)
        if i < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {i}) is not allowed."
            )
        if i >= len(self._items):
            if not self._dynamic:
                raise OutOfRangeError(
                    None,
                    None,
                    f"Tried to write to index {i} but array is not resizeable and size is: "
                    f"{len(self._items)} (give dynamic_size=True)",
                )
            self._items.extend([None] * (i + 1 - len(self._items)))
        if self._infer:
            self._shape = self._shape.merge_with(x.shape)
        self._items[i] = x
        self._cleared.discard(i)
        self._source = None
        return self

    def _zeros(self) -> Tensor:
        """Returns the value of elements that were not written.

        Raises:
          ValueError: The elements' shape is not known.
        """
        if not self._shape.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape {self._shape} to a Tensor. (Nothing "
                "was written to this TensorArray: give element_shape)"
            )
        return Tensor(zeros(tuple(self._shape), self._dtype.np_dtype))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Returns an element.

        Args:
          index: The index of the element, a scalar.
          name: Accepted for compatibility.

        Returns:
          The element, or zeros if it was not written.

        Raises:
          OutOfRangeError: The index is out of range.
          InvalidArgumentError: The element was read before, and `clear_after_read` is not False.
        """
        if self._is_traced(index) or self._exceeded(index, self._shape):
            return stacked.get()(self).read(index)
        i = integer(index, "TensorArrayRead", "index")
        x = self._element(i)
        if self._clear and scope() is None:
            self._items[i], self._source = None, None
            self._cleared.add(i)
        return x

    def _element(self, i: int) -> Tensor:
        """Returns an element, or zeros if it was not written; raises the errors of `read`."""
        if not 0 <= i < len(self._items):
            raise OutOfRangeError(
                None, None, f"Tried to read from index {i} but array size is: {len(self._items)} "
            )
        if i in self._cleared:
            raise invalid(
                f"Could not read index {i} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)",
                About.VALUES,
            )
        x = self._items[i]
        return self._zeros() if x is None else x

    def stack(self, name: str | None = None) -> Tensor:
        """Stacks all elements along a new first axis.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `(size, *element_shape)`.
        """
        if self._open is not None:
            return stacked.get()(self).stack()
        return self.gather(range(len(self._items)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Stacks some elements along a new first axis.

        Args:
          indices: The indices of the elements, a vector.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape `(len(indices), *element_shape)`.
        """
        indices = list(indices) if isinstance(indices, range) else indices
        if self._is_traced(indices) or self._exceeded(indices, self._shape):
            return stacked.get()(self).gather(indices)
        places = integers(indices, "TensorArray")
        if not places.size:
            shape = tuple(n or 0 for n in self._shape) if self._shape.rank is not None else ()
            return Tensor(np.zeros((0, *shape), self._dtype.np_dtype))
        return stack([self._element(i) for i in places.tolist()])

    def concat(self, name: str | None = None) -> Tensor:
        """Joins all elements along their first axis.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the elements' rank.
        """
        if self._open is not None:
            return stacked.get()(self).concat()
        return concat([self._element(i) for i in range(len(self._items))], 0)

    def _fill(self, parts: Sequence[Tensor]) -> TensorArray:
        """Puts parts in place of all elements; without a graph, as TensorFlow, of any shape."""
        if len(parts) > len(self._items) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{len(self._items)} "
            )
        filled = self
        if scope() is None:
            filled._items = [p if p.dtype is self._dtype else cast(p, self._dtype) for p in parts]
            filled._source = None
            filled._cleared.clear()
            return filled
        for i, part in enumerate(parts):
            filled = filled.write(i, part)
        return filled

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor as the first elements.

        Args:
          value: A tensor of rank one or more.
          name: Accepted for compatibility.

        Returns:
          This array.
        """
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        if self._open is not None or is_unknown(shape_of(x)[:1]):
            return stacked.get()(self).unstack(x)
        filled = self._fill(unstack(x))
        if filled._scope is not None and len(x) == len(filled._items):
            filled._source = x
        return filled

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor as the elements at given indices.

        Args:
          indices: The indices of the elements, a vector.
          value: A tensor with one row for each index.
          name: Accepted for compatibility.

        Returns:
          This array.
        """
        if self._is_traced(indices):
            return stacked.get()(self).scatter(indices, value)
        rows = unstack(convert_to_tensor(value, dtype_hint=self._dtype))
        filled = self
        for i, row in zip(
            integers(indices, "TensorArray").reshape(-1).tolist(), rows, strict=False
        ):
            filled = filled.write(i, row)
        return filled

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Writes parts of a tensor as the first elements.

        Args:
          value: A tensor of rank one or more.
          lengths: The number of rows of each part, a vector.
          name: Accepted for compatibility.

        Returns:
          This array.
        """
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        infer, self._infer = self._infer, False
        try:
            return self._fill(split(x, integers(lengths, "TensorArray").reshape(-1)))
        finally:
            self._infer = infer


@export("TensorArraySpec")
@register("tf.TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """Describes a `TensorArray`.

    Args:
      element_shape: The elements' shape as far as it is known.
      dtype: The elements' dtype.
      dynamic_size: Whether the array grows if an element is written past the end.
      infer_shape: Whether all elements must have the shape of the first.

    >>> array = tf.TensorArray(tf.float32, size=2, element_shape=[3])
    >>> tf.TensorArraySpec([None]).is_compatible_with(array)
    True
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = as_shape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type[TensorArray]:
        """The class of what is described."""
        return TensorArray

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """Describes an array.

        Args:
          value: The array.

        Returns:
          A TensorArraySpec of its dtype and element shape.
        """
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, other: Any) -> bool:
        """Whether an array, or an array that another spec describes, may match this spec.

        Args:
          other: An array, or another spec.

        Returns:
          True if `dtype` and `dynamic_size` are equal and the element shapes are compatible.
        """
        if isinstance(other, TensorArray):
            other = TensorArraySpec.from_value(other)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )


register_type_spec_from_value_converter(TensorArray, TensorArraySpec.from_value)
