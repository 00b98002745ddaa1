"""Static shapes, in which some dimensions or even the rank may be unknown.

A `TensorShape` is immutable and behaves as a sequence of `int | None`, so that NumPy accepts a
known shape like a tuple.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export

if TYPE_CHECKING:
    from collections.abc import Iterator

_new: Final = object.__new__
Dims: TypeAlias = "tuple[int | None, ...] | None"


def _dimension(value: Any) -> int | None:
    if value is None or type(value) is int:
        size = value
    elif isinstance(value, Dimension):
        size = value.value
    else:
        try:
            size = operator.index(value)
        except (TypeError, AttributeError):  # __index__ of a floating-point tensor raises an error
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, got value "
                f"'{value!r}' with type '{type(value)!r}'"
            ) from None
    if size is not None and size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _dimensions(dims: Any) -> Dims:
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._dims
    if isinstance(dims, (tuple, list)):
        return tuple([_dimension(dim) for dim in dims])
    if not isinstance(dims, (str, bytes, dict)):
        try:
            each = iter(dims)
        except TypeError:
            return (_dimension(dims),)
        return tuple([_dimension(dim) for dim in each])
    raise TypeError(
        f"Failed to convert {dims!r} to a shape. A shape should either be single dimension "
        "(e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
    )


@export("compat.v1.Dimension")
class Dimension:
    """A length that may be unknown, as in shapes of TensorFlow 1.

    Arithmetic with an unknown length gives an unknown length, and comparisons with it give None.

    Args:
      value: The length, or None.
    """

    def __init__(self, value: Any) -> None:
        self.value: int | None = _dimension(value)

    def __int__(self) -> int:
        return int(self.value)  # type: ignore[arg-type]

    __index__ = __int__

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both lengths may be equal.

        Args:
          other: A length, which may be unknown.

        Returns:
          True if one length is unknown, or both are equal.
        """
        return None in (self.value, _dimension(other)) or bool(self == other)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Checks that both lengths may be equal.

        Args:
          other: A length, which may be unknown.

        Raises:
          ValueError: Both lengths are known, and they differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Combines what is known about a length.

        Args:
          other: Another description of the same length.

        Returns:
          The length that is known, if either is.

        Raises:
          ValueError: Both lengths are known, and they differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(_dimension(other) if self.value is None else self.value)


def _computed(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    operation = getattr(operator, name)

    def compute(self: Dimension, other: Any) -> Any:
        try:
            pair = (self.value, _dimension(other))
        except TypeError:
            return NotImplemented
        return Dimension(None if None in pair else operation(*pair[:: -1 if reflected else 1]))

    return compute


def _compared(name: str) -> Callable[[Any, Any], Any]:
    operation = getattr(operator, name)

    def compare(self: Dimension, other: Any) -> Any:
        try:
            pair = (self.value, _dimension(other))
        except (TypeError, ValueError):
            return NotImplemented
        return None if None in pair else bool(operation(*pair))

    return compare


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _computed(_name))
    setattr(Dimension, f"__r{_name}__", _computed(_name, reflected=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _compared(_name))


class Length(int):
    """A length with an attribute `value`, which programs for TensorFlow 1 read."""

    @property
    def value(self) -> int:
        """The length as a plain integer."""
        return int(self)


class _Lengths:
    """Whether the known lengths of shapes have an attribute `value`."""

    have_values = False


_lengths = _Lengths()


def lengths_have_values(yes: bool) -> None:
    """Chooses whether the known lengths of shapes have an attribute `value`.

    Args:
      yes: Whether they have it.
    """
    _lengths.have_values = yes


@export("TensorShape")
class TensorShape:
    """The shape of a tensor, as far as it is known.

    Args:
        dims: The dimensions (None if unknown), one dimension, another shape, or None if
            not even the rank is known.

    Raises:
        TypeError: If a dimension is not an integer.
        ValueError: If a dimension is negative.

    >>> shape = TensorShape([2, None])
    >>> shape, str(shape), shape[0], shape.rank
    (TensorShape([2, None]), '(2, None)', 2, 2)
    """

    __slots__ = ("_dims",)
    _dims: Dims

    @shorten_errors
    def __init__(self, dims: Any) -> None:
        self._dims = _dimensions(dims)

    @classmethod
    def of(cls, dims: Dims) -> TensorShape:
        """Makes a shape quickly from a tuple that is known to be valid, such as `ndarray.shape`.

        Args:
            dims: The dimensions as a tuple of integers and None, or None for an unknown rank.

        Returns:
            The shape.
        """
        shape = _new(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list of `tf.compat.v1.Dimension`; None if their number is unknown."""
        return None if self._dims is None else [Dimension(n) for n in self._dims]

    def as_list(self) -> list[int | None]:
        """Returns the dimensions as a list; raises ValueError if their number is unknown.

        Returns:
            A new list of integers, with None for unknown dimensions.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """Returns the number of elements, None if unknown.

        Returns:
            The product of the dimensions, None if one of them is unknown.
        """
        if self._dims is None or None in self._dims:
            return None
        return prod(self._dims)  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether every dimension is known.

        Returns:
            True if the rank and every dimension are known.
        """
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the dimensions of this shape followed by those of `other`.

        Args:
            other: A shape, or a value that is convertible to one.

        Returns:
            The concatenated shape.
        """
        tail = _dimensions(other)
        return TensorShape.of(None if self._dims is None or tail is None else self._dims + tail)

    __add__ = concatenate

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor could have both shapes.

        Args:
            other: A shape, or a value that is convertible to one.

        Returns:
            False if ranks or known dimensions differ, else True.
        """
        left, right = self._dims, _dimensions(other)
        if left is None or right is None:
            return True
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(a is None or b is None or a == b for a, b in pairs)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless one tensor could have both shapes.

        Args:
            other: A shape, or a value that is convertible to one.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """Merges the information of both shapes.

        Args:
            other: A shape, or a value that is convertible to one.

        Returns:
            A shape with every dimension that is known in one of the two.

        Raises:
          ValueError: The shapes are not compatible.
        """
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None or other._dims is None:
            return self if other._dims is None else other
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape.of(tuple([b if a is None else a for a, b in pairs]))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns the most specific shape that is compatible with both shapes.

        Args:
            other: A shape, or a value that is convertible to one.

        Returns:
            A shape with the dimensions in which both agree, and None for the others.
        """
        left, right = self._dims, _dimensions(other)
        if left is None or right is None or len(left) != len(right):
            return TensorShape.of(None)
        pairs = zip(left, right, strict=True)
        return TensorShape.of(tuple([a if a == b else None for a, b in pairs]))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether each tensor of this shape also has the shape `other`.

        Args:
            other: A shape.

        Returns:
            True if every fully known shape that matches this one matches `other`, too.
        """
        return isinstance(other, TensorShape) and (
            other._dims is None or self.most_specific_compatible_shape(other) == other
        )

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError unless the ranks could be equal.

        Args:
            other: A shape, or a value that is convertible to one.
        """
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int | None) -> None:
        """Raise ValueError unless the rank could be `rank`.

        Args:
            rank: The number of dimensions that is expected.
        """
        if None not in (self.rank, rank) and self.rank != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Returns the shape with a known rank; raises ValueError if it has a different rank.

        Args:
            rank: The number of dimensions.

        Returns:
            This shape, or a shape with unknown dimensions if the rank was unknown.
        """
        self.assert_has_rank(rank)
        return unknown_shape(rank) if self._dims is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns the shape itself; raises ValueError if it has fewer than `rank` dimensions.

        Args:
            rank: The minimum number of dimensions.

        Returns:
            This shape.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns the shape itself; raises ValueError if it has more than `rank` dimensions.

        Args:
            rank: The maximum number of dimensions.

        Returns:
            This shape.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...  # int | None; callers treat it as int
    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return _unknown_part(key)
        part = self._dims[key]
        if isinstance(part, tuple):
            return TensorShape.of(part)
        return part if part is None or not _lengths.have_values else Length(part)

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        dims = self._dims
        return iter(
            dims if not _lengths.have_values else [None if n is None else Length(n) for n in dims]
        )

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __eq__(self, other: object) -> bool:
        if type(other) is TensorShape:
            return self._dims == other._dims
        try:
            return self._dims == _dimensions(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Returns a shape of which at most the rank is known."""
    return TensorShape.of(None if rank is None else (None,) * rank)


def as_shape(shape: Any) -> TensorShape:
    """Converts `shape` to a `TensorShape`; a `TensorShape` is returned unchanged."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Returns the shape of the result of broadcasting two shapes against each other.

    Args:
        shape_x: A shape.
        shape_y: Another shape.

    Returns:
        The shape to which both broadcast.

    Raises:
        ValueError: If they cannot be broadcast.

    >>> broadcast_static_shape(TensorShape([2, 1]), TensorShape([3]))
    TensorShape([2, 3])
    """
    x, y = _dimensions(shape_x), _dimensions(shape_y)
    if x is None or y is None:
        return TensorShape.of(None)
    rank = max(len(x), len(y))
    pairs = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    return TensorShape.of(tuple([_broadcast_dimension(a, b, x, y) for a, b in pairs]))


def _broadcast_dimension(a: int | None, b: int | None, x: Dims, y: Dims) -> int | None:
    if a in (1, b):
        return b
    if b == 1:
        return a
    if a is None or b is None:
        return b if a is None else a
    raise ValueError(
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension "
        f"pair they are either equal or one of them is 1. Received: {x} and {y}."
    )


def _unknown_part(key: Any) -> TensorShape | None:
    """Indexes a shape of unknown rank, of which only slices from the front have a known length."""
    if not isinstance(key, slice):
        return None
    if key.step is not None:
        raise ValueError("Steps are not yet handled")
    start, stop = key.start or 0, key.stop
    known = stop is not None and start >= 0 and stop >= 0
    return unknown_shape(max(0, stop - start) if known else None)
