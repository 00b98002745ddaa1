"""Lists of tensors, which scalars of dtype `variant` hold."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, NoReturn

from gradtape._src.base.dtypes import DType, as_dtype, c_name, variant
from gradtape._src.base.errors import About, ResourceExhaustedError, UnimplementedError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import CONCRETE, active_compiler
from gradtape._src.ops.raw.variant_handles import VARIANT, handle_of, held_by
from gradtape._src.ops.types.tensor_array import TensorArray


class TensorList:
    """A list of tensors.

    Args:
      array: The elements, which the list owns.
    """

    __slots__ = ("array",)

    def __init__(self, array: TensorArray) -> None:
        self.array = array

    def __repr__(self) -> str:
        return "<TensorList>"

    def own(self) -> TensorArray:
        """Returns the elements as an array that may be changed."""
        return own_elements(self.array)

    def contents(self) -> Iterable[Any]:
        """Returns the tensors of which the list consists; None for elements that are not set."""
        return self.array._contents()


def own_elements(array: TensorArray) -> TensorArray:
    """Returns a copy of an array, which may be changed."""
    own = copy(array)
    own._items, own._cleared = list(own._items), set()
    return own


class VariantArray(TensorArray):
    """An array of lists, or of other objects that scalars of dtype `variant` hold."""

    can_be_stacked = False

    def _zeros(self) -> Tensor:
        return handle_of(None)


def is_plain(array: TensorArray) -> bool:
    """Whether an array consists of elements, rather than of the rows of one tensor."""
    return type(array) in (TensorArray, VariantArray) and array._open is None


_MOST = 1 << 26
"""The maximum number of elements of a list: more mean damage."""


def known_shape(x: Any) -> TensorShape:
    """Returns the shape in a tensor, with -1 for unknown lengths."""
    value = convert_to_tensor(x)._value
    if not isinstance(value, CONCRETE):
        return TensorShape(None)
    if value.ndim > 1:
        raise invalid(f"Shape must be at most rank 1 but is rank {value.ndim}")
    if value.ndim == 0:
        if value != -1:
            raise invalid(f"A scalar as a shape must be -1, a shape of unknown rank; got {value}")
        return TensorShape(None)
    lengths = value.tolist()
    if min(lengths, default=0) < -1:
        raise invalid(f"Dimension {min(lengths)} must be >= -1")
    return TensorShape([None if n < 0 else int(n) for n in lengths])


def known_number(x: Any) -> int | None:
    """Returns a number in a tensor if it is known.

    Raises:
      InvalidArgumentError: The tensor is not a scalar.
    """
    value = convert_to_tensor(x)._value
    if not isinstance(value, CONCRETE):
        return None
    if value.ndim:
        raise invalid(f"Expected a scalar, got shape {[*value.shape]}")
    return int(value)


def check_size(count: Any, refusal: str) -> None:
    """Checks a number of elements, as far as it is known.

    Args:
      count: The number.
      refusal: The message for a negative number, which it follows.

    Raises:
      InvalidArgumentError: The number is negative.
      ResourceExhaustedError: The number is so large that the graph must be damaged.
    """
    known = known_number(count)
    if known is not None and known < 0:
        raise invalid(f"{refusal}{known}", About.VALUES)
    if known is not None and known > _MOST:
        message = f"OOM when allocating a list of {known} elements"
        raise ResourceExhaustedError(None, None, message)


def new_array(
    dtype: Any, size: Any, shape: Any, limit: int | None = -1, **options: bool
) -> TensorArray:
    """Returns an array of elements that are not set.

    Args:
      dtype: The dtype of the elements.
      size: The number of elements.
      shape: Their shape, as far as it is known.
      limit: See `TensorArray._limit`.
      **options: More arguments of `TensorArray`.
    """
    kind = VariantArray if as_dtype(dtype) is variant else TensorArray
    given: dict[str, Any] = {"infer_shape": False, **options}
    made = kind(dtype, size, clear_after_read=False, element_shape=known_shape(shape), **given)
    made._limit = limit
    return made


def list_of(handle: Any) -> TensorList:
    """Returns the list that a scalar holds.

    Raises:
      InvalidArgumentError: The scalar holds no list.
    """
    held = held_by(handle)
    if held is None and type(handle) is Tensor and handle._value.dtype == VARIANT:
        refuse_in_graph("a list of tensors that is an argument of a function")
    if held is None or len(held) != 1 or not isinstance(held[0], TensorList):
        seen = "<unknown>" if held is None else type(held[0]).__name__ if held else "empty"
        raise invalid(f"Input handle is not a list. Saw: '{seen}'", About.VALUES)
    if handle.shape.rank:
        raise invalid(f"Input list must be a scalar saw: {shown(handle.shape)}", About.VALUES)
    return held[0]


def refuse_in_graph(what: str) -> NoReturn:
    """Ends the tracing of a function at what its graph can't express."""
    compiler = active_compiler()
    if compiler is not None:
        compiler.refuse(what)
    raise UnimplementedError(None, None, f"{what} is not supported")


def shown(shape: TensorShape) -> str:
    """Returns a shape as the messages of TensorFlow's kernels show it."""
    if shape.rank is None:
        return "<unknown>"
    return "[" + ",".join("?" if n is None else str(n) for n in shape) + "]"


def list_of_dtype(handle: Any, dtype: Any) -> TensorList:
    """Returns a list of elements of a dtype.

    Raises:
      InvalidArgumentError: The elements have another dtype.
    """
    found = list_of(handle)
    check_dtype(as_dtype(dtype), found.array.dtype)
    return found


def check_dtype(given: DType, own: DType) -> None:
    if given is not own:
        raise invalid(
            f"Invalid data types; op elements {c_name(given.name)} but list elements "
            f"{c_name(own.name)}",
            About.DTYPES,
        )


def item_of(array: TensorArray, value: Any, refusal: str) -> Tensor:
    """Returns a value as an element of an array.

    Args:
      array: The array.
      value: The value.
      refusal: The message for another shape; the shape and that of the array follow.
    """
    x: Tensor = convert_to_tensor(value)
    check_dtype(x.dtype, array.dtype)
    if not array.element_shape.is_compatible_with(x.shape):
        raise invalid(
            f"{refusal} element shape: {shown(x.shape)} list shape: {shown(array.element_shape)}"
        )
    return x


def merged_shape(a: TensorShape, b: TensorShape) -> TensorShape:
    if not a.is_compatible_with(b):
        raise invalid(
            f"PartialTensorShape: Incompatible shapes during merge: {shown(a)} vs. {shown(b)}"
        )
    return a.merge_with(b)


def common_shape(array: TensorArray, given: Any) -> TensorShape:
    """Returns the shape that all elements have, as far as it is known.

    Args:
      array: The elements.
      given: The shape that an operation names.

    Raises:
      InvalidArgumentError: The shape of an element differs from `given`.
    """
    found = merged_shape(known_shape(given), array.element_shape)
    for x in array._items:
        if x is not None:
            found = merged_shape(found, x.shape)
    return found


def checked_place(array: TensorArray, index: Any, verb: str) -> int | None:
    """Returns the index of an element if it is known.

    Raises:
      InvalidArgumentError: The index is out of range.
    """
    place = known_number(index)
    if place is not None and is_plain(array) and not 0 <= place < len(array._items):
        raise invalid(
            f"Trying to {verb} element {place} in a list with {len(array._items)} elements.",
            About.VALUES,
        )
    return place


def check_rows(array: TensorArray, rows: Tensor) -> None:
    if not array.element_shape.is_compatible_with(rows.shape[1:]):
        raise invalid(
            f"Specified a list with shape {shown(array.element_shape)} from a tensor with shape "
            f"{shown(rows.shape[1:])}"
        )


def with_last(found: TensorList, tensor: Any) -> TensorList:
    array = found.own()
    value = item_of(array, tensor, "Tried to append a tensor with incompatible shape to a list. Op")
    count, limit = len(array._items), array._limit
    assert limit is not None
    if is_plain(array) and 0 <= limit <= count:
        raise invalid(
            f"Tried to push item into a full list list size: {count} max_num_elements: {limit}",
            About.VALUES,
        )
    array._dynamic = True
    return TensorList(array.write(array.size(), value))
