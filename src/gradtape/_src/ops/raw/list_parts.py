"""Raw operations on many elements of lists of tensors: gather, scatter, concatenate, split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, c_name, int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import zeros
from gradtape._src.ops.array.creation import fill
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.raw.list_values import (
    TensorList,
    check_dtype,
    check_rows,
    check_size,
    common_shape,
    is_plain,
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
from gradtape._src.ops.raw.variant_handles import handle_of, handles_of, held_by
from gradtape._src.ops.types.tensor_array import TensorArray


@raw_op("TensorListGather")
def gather_from_list(
    input_handle: Any, indices: Any, element_shape: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """Returns elements of a list, selected by indices, as the rows of a tensor."""
    array = list_of_dtype(input_handle, element_dtype).own()
    shape = merged_shape(known_shape(element_shape), array.element_shape)
    array._shape = common_shape(array, element_shape)
    places = convert_to_tensor(indices)._value
    if isinstance(places, CONCRETE) and is_plain(array):
        indices = places.reshape(-1)
        for place in indices.tolist():
            if not 0 <= place < len(array._items):
                raise invalid(
                    f"Index {place} out of range; list only has {len(array._items)} elements.",
                    About.VALUES,
                )
        if not places.size and not shape.is_fully_defined():
            raise invalid(
                "Tried to gather 0-elements from a list with non-fully-defined shape: "
                f"{shown(shape)}"
            )
    return array.gather(indices)


@raw_op("TensorListScatterV2")
def scatter_to_list(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any, name: str | None = None
) -> Tensor:
    """Returns a list of the rows of a tensor, which go to the given indices.

    Args:
      tensor: The rows.
      indices: An index for each row.
      element_shape: The shape of the elements, as far as it is known.
      num_elements: The number of elements; -1 for the least that the indices need.
      name: Accepted for compatibility.
    """
    rows = convert_to_tensor(tensor)
    size = known_number(num_elements)
    if size is not None and size < -1:
        raise invalid(f"TensorListScatter expects num_elements >= -1, found: {size}", About.VALUES)
    array = new_array(rows.dtype, 0, element_shape)
    check_rows(array, rows)
    most = _largest(indices, rows)
    if size is not None and size >= 0 and most is not None and most >= size:
        raise invalid(
            f"TensorListScatter: Trying to scatter at index {most} in list with size {size}",
            About.VALUES,
        )
    if size == -1 and most is None:
        refuse_in_graph("a list whose length depends on the values of indices")
    count = num_elements if size != -1 or most is None else most + 1
    check_size(count, "")
    array = new_array(rows.dtype, count, element_shape)
    return handle_of(TensorList(array.scatter(indices, rows)))


def _largest(indices: Any, rows: Tensor) -> int | None:
    """Returns the largest index if the indices are known, -1 if there are none.

    Raises:
      InvalidArgumentError: An index is negative, or there is not one for each row.
    """
    places = convert_to_tensor(indices)._value
    if not isinstance(places, CONCRETE):
        return None
    if int(np.min(places, initial=0)) < 0:
        raise invalid("Indices in TensorListScatter must all be non-negative.", About.VALUES)
    if rows.shape[0] is not None and rows.shape[0] != places.size:
        raise invalid(
            f"Invalid number of rows in input tensor. Expected: {places.size} Actual: "
            f"{rows.shape[0]}",
            About.VALUES,
        )
    return int(np.max(places, initial=-1))


@raw_op("TensorListScatter")
def scatter_to_new_list(
    tensor: Any, indices: Any, element_shape: Any, name: str | None = None
) -> Tensor:
    """Returns a list of the rows of a tensor, which go to the given indices."""
    return scatter_to_list(tensor, indices, element_shape, -1)


@raw_op("TensorListScatterIntoExistingList")
def scatter_into_list(
    input_handle: Any, tensor: Any, indices: Any, name: str | None = None
) -> Tensor:
    """Returns a list in which rows of a tensor replace elements; it grows if indices need it."""
    found = list_of(input_handle)
    array, rows = found.own(), convert_to_tensor(tensor)
    check_dtype(rows.dtype, array.dtype)
    check_rows(array, rows)
    most = _largest(indices, rows)
    if is_plain(array) and most is not None and most >= len(array._items):
        check_size(most, "")
        array._items += [None] * (most + 1 - len(array._items))
    return handle_of(TensorList(array.scatter(indices, rows)))


@raw_op("TensorListPushBackBatch", differentiable=False)
def push_back_batch(input_handles: Any, tensor: Any, name: str | None = None) -> Tensor:
    """Returns a vector of lists, each of which has one more element, a row of a tensor."""
    lists = held_by(input_handles)
    if (
        lists is None
        or input_handles.shape.rank != 1
        or not all(isinstance(x, TensorList) for x in lists)
    ):
        raise invalid("Expected input_handles to be a vector of lists", About.VALUES)
    rows = stop_gradient(convert_to_tensor(tensor))
    if rows.shape[0] != len(lists):
        raise invalid(
            f"Expected tensor.shape[0] == input_handles.size, but saw {rows.shape[0]} vs. "
            f"{len(lists)}"
        )
    return handles_of([with_last(x, rows[i]) for i, x in enumerate(lists)])


def _zeros(array: TensorArray, count: int | None, rest: TensorShape) -> Tensor:
    shape: Any = (count, *rest)
    return Tensor(zeros(shape, array.dtype.np_dtype))


def _parts(array: TensorArray, rest: TensorShape, given: Any) -> list[Tensor]:
    """Returns the elements of an array, with zeros for those that are not set.

    Args:
      array: The elements.
      rest: Their shape without the first axis.
      given: The lengths of the first axis of elements that are not set.
    """
    lengths = convert_to_tensor(given)._value
    first = array._shape[0] if array._shape.rank else None
    found: list[Tensor] = []
    for i, x in enumerate(array._items):
        if x is None and first is None and i >= lengths.size:
            raise invalid(
                f"List contains uninitialized tensor at index {i} but leading_dims has only "
                f"{lengths.size} elements.",
                About.VALUES,
            )
        n = int(lengths[i]) if x is None and first is None else first
        found.append(_zeros(array, n, rest) if x is None else x)
    return found


@raw_op("TensorListConcatV2")
def concat_list(
    input_handle: Any,
    element_shape: Any,
    leading_dims: Any,
    element_dtype: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the elements of a list, joined along their first axis, and their lengths.

    Args:
      input_handle: The list.
      element_shape: The shape of the elements, as far as it is known.
      leading_dims: The lengths of elements that are not set.
      element_dtype: The dtype of the elements.
      name: Accepted for compatibility.
    """
    array = list_of_dtype(input_handle, element_dtype).own()
    if not is_plain(array):
        rows = array.stack()
        count, first = lengths_of(rows, int64)[0], lengths_of(rows, int64)[1]
        return array.concat(), fill([count], first)
    given, own = known_shape(element_shape), array.element_shape
    rest = merged_shape(_without_first(given), _without_first(own))
    if given.rank is not None and own.rank is not None:
        array._shape = merged_shape(given, own)
    else:
        array._shape = own if given.rank is None else given
    for x in array._items:
        if x is not None:
            rest = merged_shape(rest, _without_first(x.shape))
    if not rest.is_fully_defined() and all(x is None for x in array._items):
        raise invalid(
            "All except the first dimension must be fully defined when concating an empty tensor "
            f"list. element_shape: {shown(array._shape)}"
            if not array._items
            else "Trying to concat list with only uninitialized tensors but "
            f"element_shape_except_first_dim is not fully defined: {shown(rest)}",
            About.VALUES,
        )
    parts = _parts(array, rest, leading_dims)
    if not parts:
        return _zeros(array, 0, rest), Tensor(np.zeros(0, np.int64))
    lengths = [lengths_of(x, int64)[0] for x in parts]
    return concat(parts, 0), convert_to_tensor(np.array([int(n) for n in lengths], np.int64))


def _without_first(shape: TensorShape) -> TensorShape:
    if shape.rank == 0:
        raise invalid(
            "Concat requires elements to be at least vectors, found scalars instead.", About.VALUES
        )
    return shape[1:] if shape.rank is not None else shape


@raw_op("TensorListConcat")
def concat_list_of_any_shape(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the elements of a list, joined along their first axis, and their lengths."""
    shape = TensorShape(element_shape)
    lengths = -1 if shape.rank is None else [-1 if n is None else n for n in shape]
    return concat_list(
        input_handle, np.array(lengths, np.int32), np.zeros(0, np.int64), element_dtype
    )


@raw_op("TensorListSplit")
def split_to_list(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> Tensor:
    """Returns a list of parts of a tensor, cut along its first axis.

    Args:
      tensor: The tensor.
      element_shape: The shape of the parts, as far as it is known.
      lengths: The lengths of the parts.
      name: Accepted for compatibility.
    """
    rows = convert_to_tensor(tensor)
    if rows.shape.rank == 0:
        raise invalid(f"Tensor must be at least a vector, but saw shape: {shown(rows.shape)}")
    sizes = convert_to_tensor(lengths)
    _check_lengths(rows, sizes._value)
    array = new_array(rows.dtype, shape_of(sizes)[0], element_shape)
    own, shape = array.element_shape, rows.shape
    open_ = own if own.rank is None else TensorShape([None, *own[1:]]) if own.rank else own
    if not open_.is_compatible_with(shape):
        raise invalid(
            f"tensor shape {shown(shape)} is not compatible with element_shape {shown(own)}"
        )
    return handle_of(TensorList(array.split(rows, sizes)))


def _check_lengths(rows: Tensor, sizes: Any) -> None:
    """Raises InvalidArgumentError if the lengths of parts do not sum up to that of a tensor."""
    whole = rows.shape[0]
    if not isinstance(sizes, CONCRETE):
        return
    if sizes.ndim != 1:
        raise invalid(f"Expected lengths to be a vector, received shape: {[*sizes.shape]}")
    if whole is None:
        return
    start = 0
    for n in sizes.tolist():
        if n < 0:
            raise invalid(f"Invalid value in lengths: {n}", About.VALUES)
        if start + n > whole:
            raise invalid(
                f"Attempting to slice [{start}, {start + n}] from tensor with length {whole}",
                About.VALUES,
            )
        start += n
    if start < whole:
        raise invalid(
            f"Unused values in tensor. Length of tensor: {whole} Values used: {start}", About.VALUES
        )


@raw_op("TensorListConcatLists", differentiable=False)
def concat_lists(input_a: Any, input_b: Any, element_dtype: Any, name: str | None = None) -> Tensor:
    """Returns a list of the elements of two lists; for vectors of lists, a vector of such lists."""
    dtype, joined = as_dtype(element_dtype), []
    if input_a.shape != input_b.shape:
        raise invalid(
            "Incompatible input TensorList tensor shapes: "
            f"{shown(input_a.shape)} vs. {shown(input_b.shape)}"
        )
    pairs = [held_by(input_a) or [], held_by(input_b) or []]
    for i, (a, b) in enumerate(zip(*pairs, strict=True)):
        for side, x in (("a", a), ("b", b)):
            own = x.array.dtype
            if own is not dtype:
                raise invalid(
                    f"input_{side}[{i}].dtype != element_dtype.  Saw: {c_name(own.name)} vs. "
                    f"{c_name(dtype.name)}",
                    About.DTYPES,
                )
        shapes = [shown(x.array.element_shape) for x in (a, b)]
        if shapes[0] != shapes[1]:
            raise invalid(
                "input_a and input_b TensorList element shapes are not identical at index "
                f"{i}.  Saw {shapes[0]} vs. {shapes[1]}"
            )
        joined.append(_joined(a, b))
    return handles_of(joined) if input_a.shape.rank else handle_of(joined[0])


def _joined(a: TensorList, b: TensorList) -> TensorList:
    array = a.own()
    if not (is_plain(array) and is_plain(b.array)):
        refuse_in_graph("lists that are joined in a loop")
    items: Sequence[Any] = [*array._items, *b.array._items]
    array._items = [x if x is None else stop_gradient(x) for x in items]
    array._source = None
    return TensorList(array)
