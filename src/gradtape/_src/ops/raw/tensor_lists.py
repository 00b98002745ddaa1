"""Raw operations on the elements of immutable lists of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.ops.raw.list_values import (
    TensorList,
    check_rows,
    check_size,
    checked_place,
    common_shape,
    is_plain,
    item_of,
    known_number,
    known_shape,
    list_of,
    list_of_dtype,
    merged_shape,
    new_array,
    refuse_in_graph,
    shown,
    with_last,
)
from gradtape._src.ops.raw.variant_handles import handle_of
from gradtape._src.ops.types.tensor_array import TensorArray


@raw_op("EmptyTensorList")
def empty_list(
    element_shape: Any, max_num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """Returns an empty list, which can grow."""
    most = known_number(max_num_elements)
    limit = -1 if most is None else most
    array = new_array(element_dtype, 0, element_shape, limit=limit, dynamic_size=True)
    return handle_of(TensorList(array))


@raw_op("TensorListReserve")
def reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """Returns a list of elements that are not set, and count as zeros."""
    negative = "The num_elements to reserve must be a non negative number, but got "
    check_size(num_elements, negative)
    return handle_of(TensorList(new_array(element_dtype, num_elements, element_shape)))


@raw_op("TensorListFromTensor")
def from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """Returns a list of the rows of a tensor."""
    rows = convert_to_tensor(tensor)
    if rows.shape.rank == 0:
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    array = new_array(rows.dtype, lengths_of(rows)[0], element_shape)
    check_rows(array, rows)
    return handle_of(TensorList(array.unstack(rows)))


@raw_op("TensorListSetItem")
def set_item(
    input_handle: Any,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns a list with another value of one element."""
    found = list_of(input_handle)
    array = found.own()
    refusal = "Tried to set a tensor with incompatible shape at a list index. Item"
    value = item_of(array, item, refusal)
    place = known_number(index)
    grows = resize_if_index_out_of_bounds and (place is None or place >= 0)
    if grows and (place is None or not is_plain(array) or place >= len(array._items)):
        check_size(index, "")
        array._dynamic = True
    elif is_plain(array):
        checked_place(array, index, "modify")
    return handle_of(TensorList(array.write(index, value)))


@raw_op("TensorListGetItem")
def get_item(
    input_handle: Any, index: Any, element_shape: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """Returns an element of a list, or zeros if it is not set."""
    array = list_of_dtype(input_handle, element_dtype).own()
    given = convert_to_tensor(index)._value
    if isinstance(given, CONCRETE) and given.size == 1:  # TensorFlow takes a vector of one, too
        index = given.reshape(())
    place = checked_place(array, index, "access")
    if is_plain(array) and place is not None and array._items[place] is not None:
        return array.read(index)
    array._shape = merged_shape(known_shape(element_shape), array.element_shape)
    if not array._shape.is_fully_defined():
        array._shape = common_shape(array, element_shape)
    if is_plain(array) and place is not None and not array._shape.is_fully_defined():
        raise invalid(
            "Trying to read an uninitialized tensor but element_shape is not fully defined: "
            f"{shown(array._shape)} and no list element is set.",
            About.VALUES,
        )
    return array.read(index)


def _with_shape(array: TensorArray, given: Any, empty: str, unset: str) -> TensorArray:
    """Refines the shape of an array's elements, so that they can be joined.

    Args:
      array: The array, which is changed.
      given: The shape that the operation names.
      empty: The message if there are no elements and the shape is not known; the shape follows.
      unset: The message if all elements are not set and the shape is not known.
    """
    array._shape = common_shape(array, given)
    if is_plain(array) and not array._shape.is_fully_defined():
        if not array._items:
            raise invalid(f"{empty}{shown(array._shape)}", About.VALUES)
        if all(x is None for x in array._items):
            raise invalid(f"{unset}{shown(array._shape)}", About.VALUES)
    return array


@raw_op("TensorListStack")
def stack_list(
    input_handle: Any,
    element_shape: Any,
    element_dtype: Any,
    num_elements: int = -1,
    name: str | None = None,
) -> Tensor:
    """Returns the elements of a list as the rows of a tensor."""
    array = list_of_dtype(input_handle, element_dtype).own()
    if num_elements >= 0 and is_plain(array) and len(array._items) != num_elements:
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{len(array._items)} elements.",
            About.VALUES,
        )
    return _with_shape(
        array,
        element_shape,
        "Tried to stack elements of an empty list with non-fully-defined element_shape: ",
        "Tried to stack list which only contains uninitialized tensors and has a "
        "non-fully-defined element_shape: ",
    ).stack()


@raw_op("TensorListLength", differentiable=False)
def length_of_list(input_handle: Any, name: str | None = None) -> Tensor:
    """Returns the number of elements."""
    return list_of(input_handle).array.size()


@raw_op("TensorListElementShape", differentiable=False)
def element_shape_of_list(input_handle: Any, shape_type: Any, name: str | None = None) -> Tensor:
    """Returns the shape of the elements, -1 for lengths or a rank that are not known."""
    shape = list_of(input_handle).array.element_shape
    lengths: Any = -1 if shape.rank is None else [-1 if n is None else n for n in shape]
    return convert_to_tensor(np.array(lengths, as_dtype(shape_type).np_dtype))


@raw_op("TensorListPushBack")
def push_back(input_handle: Any, tensor: Any, name: str | None = None) -> Tensor:
    """Returns a list with one more element."""
    return handle_of(with_last(list_of(input_handle), tensor))


@raw_op("TensorListPopBack")
def pop_back(
    input_handle: Any, element_shape: Any, element_dtype: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns a list without its last element, and this element."""
    found = list_of_dtype(input_handle, element_dtype)
    array = found.own()
    if not is_plain(array):
        rows = array.stack()
        rest = new_array(array.dtype, lengths_of(rows)[0] - 1, -1, array._limit)
        rest._dynamic, rest._shape = array.dynamic_size, array.element_shape
        return handle_of(TensorList(rest.unstack(rows[:-1]))), rows[-1]
    if not array._items:
        raise invalid("Trying to pop from an empty list.", About.VALUES)
    last = get_item(input_handle, len(array._items) - 1, element_shape, element_dtype)
    del array._items[-1:]
    array._source = None
    return handle_of(TensorList(array)), last


@raw_op("TensorListResize")
def resize_list(input_handle: Any, size: Any, name: str | None = None) -> Tensor:
    """Returns a list of another length: without its last elements, or with more at its end."""
    found = list_of(input_handle)
    array = found.own()
    check_size(size, "TensorListSlice expects size to be non-negative. Got: ")
    count = known_number(size)
    if count is None or not is_plain(array):
        refuse_in_graph("a list that changes its length")
    array._items = [*array._items[:count], *[None] * (count - len(array._items))]
    array._source = None
    return handle_of(TensorList(array))
