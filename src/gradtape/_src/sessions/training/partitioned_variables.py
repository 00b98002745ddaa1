"""`tf.compat.v1.get_variable(partitioner=)`: variables that are stored in several parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from gradtape._src.base.dtypes import DType, as_dtype, string
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.elementwise.identities import identity
from gradtape._src.sessions.save_slices import SaveSliceInfo

Partitioner = Callable[..., list[int]]
"""Returns, for a keyword `shape` and `dtype`, the number of parts along each axis."""


class PartitionInfo(NamedTuple):
    """The place of a part in the whole variable, which is passed to initializers.

    Attributes:
      full_shape: The shape of the whole variable.
      var_offset: The index of the part's first element.
    """

    full_shape: list[int]
    var_offset: list[int]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """Returns the axis on which a part of the given shape is cut; None if it is whole.

        Args:
          shape: The part's shape.

        Raises:
          ValueError: The rank differs, or the part is cut on several axes.
        """
        if len(shape) != len(self.full_shape):
            raise ValueError(
                "Expected equal length, but received shape="
                f"{shape} of length {len(shape)} while self.full_shape={self.full_shape} is of "
                f"length {len(self.full_shape)}."
            )
        cut = [
            i for i, (n, whole) in enumerate(zip(shape, self.full_shape, strict=True)) if n != whole
        ]
        if len(cut) > 1:
            raise ValueError(f"Cannot use single_slice_dim() with shape={shape} and axes {cut}.")
        return cut[0] if cut else None

    def single_offset(self, shape: Sequence[int]) -> int:
        """Returns the offset on the axis on which a part of the given shape is cut.

        Args:
          shape: The part's shape.
        """
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]


class PartitionedVariable:
    """A variable that is stored in parts along one axis, which are variables of their own.

    Args:
      name: The variable's name.
      shape: The shape of the whole.
      dtype: The type of the elements.
      variable_list: The parts.
      partitions: The number of parts along each axis.
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        variable_list: Sequence[Variable],
        partitions: Sequence[int],
    ) -> None:
        self._name, self._shape = name, TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._parts, self._partitions = list(variable_list), list(partitions)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def name(self) -> str:
        """The variable's name."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the shape of the whole."""
        return self._shape

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _get_variable_list(self) -> list[Variable]:
        return self._parts

    def as_tensor(self) -> Tensor:
        """Returns the value of the whole variable, the concatenated parts."""
        if len(self._parts) == 1:
            return identity(self._parts[0])
        return concat(self._parts, _axis(self._partitions))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return convert_to_tensor(self.as_tensor(), dtype)

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Assigns a value to the whole variable.

        Args:
          value: A tensor of the shape of the whole, or another partitioned variable.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether the parts are returned instead of operations.

        Returns:
          The results of the assignments to the parts.
        """
        return [v.assign(x, read_value=read_value) for v, x in self._divided(value)]

    def assign_add(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Adds a value to the whole variable.

        Args:
          value: A tensor of the shape of the whole, or another partitioned variable.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether the parts are returned instead of operations.

        Returns:
          The results of the assignments to the parts.
        """
        return [v.assign_add(x, read_value=read_value) for v, x in self._divided(value)]

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Subtracts a value from the whole variable.

        Args:
          value: A tensor of the shape of the whole, or another partitioned variable.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether the parts are returned instead of operations.

        Returns:
          The results of the assignments to the parts.
        """
        return [v.assign_sub(x, read_value=read_value) for v, x in self._divided(value)]

    def _divided(self, value: Any) -> Iterator[tuple[Variable, Any]]:
        """Yields the parts with what is assigned to them."""
        if isinstance(value, (PartitionedVariable, list)):
            if len(value) != len(self._parts):
                raise ValueError(
                    f"Cannot assign {len(value)} parts to {self._name!r}, which has "
                    f"{len(self._parts)}."
                )
            yield from zip(self._parts, value, strict=True)
            return
        axis = _axis(self._partitions)
        lengths = [int(v.shape[axis]) for v in self._parts]
        yield from zip(self._parts, split(value, lengths, axis), strict=True)


def _axis(partitions: Sequence[int]) -> int:
    """Returns the axis that is divided; 0 if there is a single part."""
    return next((axis for axis, count in enumerate(partitions) if count > 1), 0)


def partitions_of(partitioner: Any, shape: TensorShape, dtype: DType) -> list[int]:
    """Returns how many parts of a new variable a partitioner asks for, along each axis.

    Args:
      partitioner: The partitioner.
      shape: The shape of the whole.
      dtype: The type of the elements.

    Raises:
      ValueError: The shape is not known, or the answer of the partitioner is not valid.
    """
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    found = partitioner(shape=shape, dtype=dtype)
    if not isinstance(found, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {found}")
    if len(found) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{found} vs. {shape}"
        )
    if any(count < 1 for count in found):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {found}")
    if sum(count > 1 for count in found) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {found}"
        )
    return list(found)


def places(full_name: str, shape: TensorShape, partitions: Sequence[int]) -> list[SaveSliceInfo]:
    """Returns the places of the parts of a variable, of which the first are the longest.

    Args:
      full_name: The variable's name.
      shape: The shape of the whole.
      partitions: The number of parts along each axis.
    """
    whole = [int(n) for n in shape]
    axis, found, offset = _axis(partitions), [], 0
    count = max(partitions, default=1)
    for i in range(count):
        length = whole[axis] // count + (i < whole[axis] % count)
        starts, lengths = [0] * len(whole), list(whole)
        starts[axis], lengths[axis] = offset, length
        found.append(SaveSliceInfo(full_name, whole, starts, lengths))
        offset += length
    return found


@export("compat.v1.fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Returns a partitioner that divides variables into a fixed number of parts.

    Args:
      num_shards: The number of parts. A variable has no more parts than its length on the axis.
      axis: The axis that is divided.

    Returns:
      A function for the argument `partitioner` of `get_variable`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     v = v1.get_variable("v", [5, 2], partitioner=v1.fixed_size_partitioner(2))
    >>> [(part.name, part.shape.as_list()) for part in v]
    [('v/part_0:0', [3, 2]), ('v/part_1:0', [2, 2])]
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        partitions = [1] * len(shape)
        partitions[axis] = min(num_shards, int(shape[axis]))
        return partitions

    return partitioner


@export("compat.v1.variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Returns a partitioner that limits the size of the parts of variables.

    Args:
      max_shard_bytes: The largest number of bytes of a part.
      axis: The axis that is divided.
      bytes_per_string_element: The number of bytes that a string is expected to need.
      max_shards: The largest number of parts. Defaults to any number.

    Returns:
      A function for the argument `partitioner` of `get_variable`.

    Raises:
      ValueError: A number is not positive.

    >>> cut = tf.compat.v1.variable_axis_size_partitioner(1000)
    >>> cut(shape=tf.TensorShape([100, 10]), dtype=tf.float32)
    [4, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} and bytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards is not None and max_shards < 1:
        raise ValueError(f"max_shards must be positive, but it is {max_shards}.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        shape, size = _known(shape), _bytes(dtype, bytes_per_string_element)
        row = shape.num_elements() // int(shape[axis]) * size
        count = math.ceil(int(shape[axis]) / max(1, max_shard_bytes // max(row, 1)))
        partitions = [1] * len(shape)
        partitions[axis] = count if max_shards is None else min(max_shards, count)
        return partitions

    return partitioner


@export("compat.v1.min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Returns a partitioner that divides variables into parts of at least some size.

    Args:
      max_partitions: The largest number of parts.
      axis: The axis that is divided.
      min_slice_size: The smallest number of bytes of a part.
      bytes_per_string_element: The number of bytes that a string is expected to need.

    Returns:
      A function for the argument `partitioner` of `get_variable`.

    Raises:
      ValueError: The variable's shape is not known, when the function is called.

    >>> cut = tf.compat.v1.min_max_variable_partitioner(max_partitions=4, min_slice_size=1000)
    >>> cut(shape=tf.TensorShape([100, 5]), dtype=tf.float32)
    [2, 1]
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        shape = _known(shape)
        size = shape.num_elements() * _bytes(dtype, bytes_per_string_element)
        parts = max(1, size // min_slice_size)
        partitions = [1] * len(shape)
        partitions[axis] = max(1, min(int(shape[axis]), max_partitions, parts))
        return partitions

    return partitioner


def _known(shape: Any) -> TensorShape:
    found = TensorShape(shape)
    if not found.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {found}")
    return found


def _bytes(dtype: Any, of_string: int) -> int:
    kind = as_dtype(dtype)
    return of_string if kind is string else int(kind.size)
