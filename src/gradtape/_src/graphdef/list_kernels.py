"""TensorFlow's immutable lists of tensors, which loops use."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, variant
from gradtape._src.base.errors import ResourceExhaustedError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import scope
from gradtape._src.graph.nested.loop_values import StackedArray, stacked
from gradtape._src.graph.nested.uneven_arrays import UnevenArray
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.array.tensor_shapes import shape as shape_op
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.tensor_array import TensorArray


class TensorList:
    """A list of tensors.

    Args:
      array: The elements, which the list owns.
      of: The array whose gradient the list is; None for other lists.
    """

    __slots__ = ("array", "of")

    def __init__(self, array: TensorArray, of: TensorArray | None = None) -> None:
        self.array = array
        self.of = array.like if isinstance(array, GradientArray) else of

    def own(self) -> TensorArray:
        """Returns the elements as an array that may be changed."""
        own = copy(self.array)
        own._items, own._cleared = list(own._items), set()
        return own


def _known_shape(x: Any) -> TensorShape:
    """Returns the shape in a tensor, with -1 for unknown lengths."""
    value = convert_to_tensor(x)._value
    if not isinstance(value, (np.ndarray, np.generic)):
        return TensorShape(None)
    if value.ndim == 0:
        return TensorShape(None)
    lengths = value.tolist()
    if min(lengths, default=0) < -1:
        raise invalid(f"Dimension {min(lengths)} must be >= -1")
    return TensorShape([None if n < 0 else int(n) for n in lengths])


_MOST = 1 << 26
"""The maximum number of elements of a list: more mean damage."""


def _checked_size(count: Any) -> Any:
    """Returns a number of elements.

    Raises:
      InvalidArgumentError: The number is negative.
      ResourceExhaustedError: The number is so large that the graph must be damaged.
    """
    value = convert_to_tensor(count)._value
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        known = int(value)
        if known < 0:
            raise invalid(f"The number of elements of a list is negative: {known}")
        if known > _MOST:
            message = f"OOM when allocating a list of {known} elements"
            raise ResourceExhaustedError(None, None, message)
    return count


def _new(
    dtype: DType, size: Any, shape: Any, *, grows: bool = False, alike: bool = False
) -> TensorArray:
    return (VariantArray if dtype is variant else TensorArray)(
        dtype,
        _checked_size(size),
        dynamic_size=grows,
        clear_after_read=False,
        infer_shape=alike,
        element_shape=_known_shape(shape),
    )


class VariantArray(TensorArray):
    """An array of ragged tensors, of lists, or of other objects that a graph passes as variants."""

    can_be_stacked = False

    def _checked(self, value: Any) -> Any:
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes an element."""
        place, array = int(index), self._own()
        array._items += [None] * (place + 1 - len(array._items))
        array._items[place] = value
        return array

    def gather(self, indices: Any, name: str | None = None) -> Variants:  # type: ignore[override]
        """Returns some elements, a vector of variants."""
        return Variants([self._items[int(i)] for i in indices])

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes a vector of variants to the given indices."""
        array: TensorArray = self
        for i, x in zip(indices, value.elements, strict=True):
            array = array.write(i, x)
        return array


class Variants:
    """A vector of variants.

    Args:
      elements: Its elements.
    """

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[Any]) -> None:
        self.elements = list(elements)


def _elements(node: Node) -> DType:
    dtype = node.attributes["element_dtype"]
    if dtype.name == "resource":
        raise Unsupported("lists of resource elements are not supported")
    assert isinstance(dtype, DType)
    return dtype


@maker("EmptyTensorList")
def _empty(node: Node) -> Kernel:
    dtype = _elements(node)
    return lambda values: [TensorList(_new(dtype, 0, values[0], grows=True))]


@maker("TensorListReserve")
def _reserved(node: Node) -> Kernel:
    dtype = _elements(node)
    return lambda values: [TensorList(_new(dtype, values[1], values[0]))]


@maker("TensorListFromTensor")
def _from_tensor(node: Node) -> Kernel:
    dtype = _elements(node)

    def run(values: list[Any]) -> list[Any]:
        if dtype is variant:
            elements = values[0].elements
            array = _new(dtype, len(elements), -1)
            return [TensorList(array.scatter(range(len(elements)), values[0]))]
        rows = convert_to_tensor(values[0])
        if rows.shape.rank == 0:
            raise invalid("Tensor must be at least a vector, but saw shape: []")
        array = _new(dtype, len(rows), values[1])
        if not array._shape.is_compatible_with(rows.shape[1:]):
            raise invalid(
                f"Specified a list with shape {array._shape} from a tensor with shape "
                f"{rows.shape[1:]}"
            )
        return [TensorList(array.unstack(rows))]

    return run


@maker("TensorListSetItem")
def _set(node: Node) -> Kernel:
    resizes = bool(node.attributes["resize_if_index_out_of_bounds"])

    def run(values: list[Any]) -> list[Any]:
        array = values[0].own()
        if resizes and _is_past(array, values[1]):
            _checked_size(values[1])
            array._dynamic = True
        return [TensorList(array.write(values[1], values[2]))]

    return run


def _is_past(array: TensorArray, index: Any) -> bool:
    """Whether an index is past the end of an array, or unknown."""
    value = convert_to_tensor(index)._value
    known = isinstance(value, (np.ndarray, np.generic))
    return not known or int(value) >= int(array.size()._value)


def _shaped(array: TensorArray, shape: Any, *, strict: bool = False) -> TensorArray:
    """Refines the element shape of an array by the shape that its operation specifies.

    Args:
      array: The array, which is changed.
      shape: The shape, a tensor.
      strict: Whether a shape that contradicts the elements is an error. Otherwise it is ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: `strict` is true, and the shape contradicts the elements.
    """
    if isinstance(array, VariantArray) or (array._shape.is_fully_defined() and not strict):
        return array
    shapes = [_known_shape(shape)]
    if not array._shape.is_fully_defined():
        shapes += [x.shape for x in array._items if x is not None][:1]
    for known in shapes:
        if known.is_compatible_with(array._shape):
            array._shape = array._shape.merge_with(known)
        elif strict:
            raise invalid(f"Incompatible shapes during merge: {known} vs. {array._shape}")
    return array


def _of_dtype(node: Node, run: Kernel) -> Kernel:
    """Returns a kernel that first checks the dtype of the elements of its list."""
    dtype = _elements(node)

    def checked(values: list[Any]) -> Sequence[Any]:
        found = values[0].array.dtype
        if found is not dtype:
            raise invalid(
                f"Invalid data types; op elements {dtype.name} but list elements {found.name}"
            )
        return run(values)

    return checked


@maker("TensorListGetItem")
def _get(node: Node) -> Kernel:
    return _of_dtype(node, lambda values: [_shaped(values[0].own(), values[2]).read(values[1])])


@maker("TensorListStack")
def _stack(node: Node) -> Kernel:
    count = node.attributes["num_elements"]

    def run(values: list[Any]) -> list[Any]:
        array = values[0].own()
        size = array.size()._value
        if count >= 0 and isinstance(size, (np.ndarray, np.generic)) and int(size) != count:
            raise invalid(
                f"Operation expected a list with {count} elements but got a list with {size} "
                "elements."
            )
        return [_shaped(array, values[1], strict=True).stack()]

    return _of_dtype(node, run)


@maker("TensorListGather")
def _gather(node: Node) -> Kernel:
    def run(values: list[Any]) -> list[Any]:
        return [_shaped(values[0].own(), values[2], strict=True).gather(values[1])]

    return _of_dtype(node, run)


@maker("TensorListScatterV2")
def _scatter(node: Node) -> Kernel:
    dtype = _elements(node)

    def run(values: list[Any]) -> list[Any]:
        rows, places, shape, count = values
        size = int(count) if int(count) >= 0 else int(np.max(places, initial=-1)) + 1
        return [TensorList(_new(dtype, size, shape).scatter(places, rows))]

    return run


@kernel("TensorListScatterIntoExistingList")
def _scatter_into(values: list[Any]) -> list[Any]:
    return [TensorList(values[0].own().scatter(values[2], values[1]))]


@kernel("TensorListLength")
def _length(values: list[Any]) -> list[Any]:
    return [values[0].array.size()]


@kernel("TensorListPushBack")
def _push(values: list[Any]) -> list[Any]:
    array = values[0].own()
    array._dynamic = True
    return [TensorList(array.write(array.size(), values[1]))]


@kernel("TensorListPopBack")
def _pop(values: list[Any]) -> list[Any]:
    array = values[0].own()
    count = int(array.size())
    if not count:
        raise invalid("Trying to pop from an empty list. [Op:TensorListPopBack]")
    last = _shaped(array, values[1]).read(count - 1)
    del array._items[count - 1 :]
    return [TensorList(array), last]


@kernel("TensorListResize")
def _resize(values: list[Any]) -> list[Any]:
    array, count = values[0].own(), int(_checked_size(values[1]))
    array._items = [*array._items[:count], *[None] * (count - len(array._items))]
    return [TensorList(array)]


@kernel("TensorListConcatV2")
def _concat(values: list[Any]) -> list[Any]:
    array = values[0].own()
    parts = [array.read(i) for i in range(int(array.size()))]
    lengths = [shape_op(x)[0] for x in parts]
    return [concat(parts, 0), convert_to_tensor(np.array([int(n) for n in lengths], np.int64))]


@maker("TensorListSplit")
def _split(node: Node) -> Kernel:
    dtype = _elements(node)

    def run(values: list[Any]) -> list[Any]:
        x, _, lengths = values
        count = int(Tensor(convert_to_tensor(lengths)._value).shape[0] or 0)
        array = _new(dtype, count, [-1] * x.shape.rank)
        return [TensorList(array.split(x, lengths))]

    return run


@kernel("TensorListElementShape")
def _element_shape(values: list[Any]) -> list[Any]:
    shape = values[0].array.element_shape
    if shape.rank is None:
        return [convert_to_tensor(np.array(-1, np.int64))]
    return [convert_to_tensor(np.array([-1 if n is None else n for n in shape], np.int64))]


# TensorFlow 1's tensor arrays: both outputs, the handle and the flow, are the list.
#
# The gradient of an array is a list as well, which is the flow of the nodes that use it. Such nodes
# add to its elements. A flow that is a number is a list without elements.


class GradientArray(TensorArray):
    """The gradient of an array outside of graphs. Elements that were not written are zero."""

    can_be_stacked = False

    def __init__(self, like: TensorArray) -> None:
        self.__dict__.update(like.__dict__)
        self._items, self._cleared, self._source = [None] * len(like._items), set(), None
        self._dynamic, self._clear, self._infer = True, False, False
        self.like = like

    def _element(self, i: int) -> Tensor:
        """Returns an element; one that was not written has the shape of the array's element."""
        if i < len(self._items) and self._items[i] is not None:
            return super()._element(i)
        return zeros_like(self.like._element(i))


class _GradientOf:
    """The handle of the gradient of an array.

    Args:
      array: The array.
    """

    def __init__(self, array: TensorArray) -> None:
        self.array = array


def zero_gradient(of: TensorArray) -> TensorList:
    """Returns the gradient of an array before anything was added to it."""
    if scope() is None:
        return TensorList(GradientArray(of))
    whole = stacked(of)
    if isinstance(whole, UnevenArray):
        parts = whole._ragged
        rows = RaggedTensor.from_row_splits(
            zeros_like(parts.values), parts.row_splits, validate=False
        )
        return TensorList(UnevenArray(whole, rows), of)
    known = None if whole._rows is None else zeros_like(whole._rows)
    return TensorList(StackedArray(whole, known, whole._length), of)


def _list(handle: Any, flow: Any) -> TensorList:
    """Returns the list of an array, or of its gradient."""
    if not isinstance(handle, _GradientOf):
        found: TensorList = flow
        return found
    if not isinstance(flow, TensorList):
        return zero_gradient(handle.array)
    return flow if flow.of is not None else zero_gradient(flow.array)


def _elements_of(handle: Any, flow: Any) -> TensorArray:
    """Returns the elements of an array or its gradient, which may be changed."""
    return _list(handle, flow).own()


def _added(found: TensorList, index: Any, value: Any) -> TensorList:
    """Returns a list with an element that is written, or added to if the list is a gradient."""
    array = found.own()
    if found.of is not None:
        value = array.read(index) + value
    return TensorList(array.write(index, value), found.of)


@maker("TensorArrayV3")
def _array(node: Node) -> Kernel:
    dtype, shape = node.attributes["dtype"], node.attributes["element_shape"]
    grows = bool(node.attributes["dynamic_size"])
    alike = bool(node.attributes["identical_element_shapes"])
    sizes = -1 if shape.rank is None else [-1 if n is None else n for n in shape]

    def run(values: list[Any]) -> list[Any]:
        made = TensorList(_new(dtype, values[0], sizes, grows=grows, alike=alike))
        return [made, made]

    return run


@kernel("TensorArrayGradV3", "TensorArrayGradWithShape")
def _array_gradient(values: list[Any]) -> list[Any]:
    return [_GradientOf(values[0].array), values[1]]


@kernel("TensorArrayWriteV3")
def _array_write(values: list[Any]) -> list[Any]:
    handle, index, value, flow = values
    return [_added(_list(handle, flow), index, value)]


@kernel("TensorArrayReadV3")
def _array_read(values: list[Any]) -> list[Any]:
    handle, index, flow = values
    return [_elements_of(handle, flow).read(index)]


@kernel("TensorArrayGatherV3")
def _array_gather(values: list[Any]) -> list[Any]:
    handle, indices, flow = values
    return [_elements_of(handle, flow).gather(indices)]


@kernel("TensorArrayScatterV3")
def _array_scatter(values: list[Any]) -> list[Any]:
    handle, indices, rows, flow = values
    found = _list(handle, flow)
    array = found.own()
    if found.of is not None:
        rows = array.gather(indices) + rows
    return [TensorList(array.scatter(indices, rows), found.of)]


@kernel("TensorArraySizeV3")
def _array_size(values: list[Any]) -> list[Any]:
    handle, flow = values
    return [_elements_of(handle, flow).size()]


@kernel("TensorArrayConcatV3")
def _array_concat(values: list[Any]) -> list[Any]:
    handle, flow = values
    return list(_concat([TensorList(_elements_of(handle, flow))]))


@kernel("TensorArraySplitV3")
def _array_split(values: list[Any]) -> list[Any]:
    handle, rows, lengths, flow = values
    found = _list(handle, flow)
    if found.of is None:
        return [TensorList(found.own().split(rows, lengths))]
    for i, part in enumerate(split(rows, convert_to_tensor(lengths))):
        found = _added(found, i, part)
    return [found]


@kernel("TensorArrayCloseV3")
def _array_close(_: list[Any]) -> list[Any]:
    return []


@maker("Add", "AddV2", "AddN")
def _add(node: Node) -> Kernel:
    of_tensors = raw_kernel(node)

    def run(values: list[Any]) -> list[Any]:
        flows = [x for x in values if isinstance(x, TensorList)]
        return [_sum_of_gradients(flows)] if flows else list(of_tensors(values))

    return run


def _sum_of_gradients(flows: list[TensorList]) -> TensorList:
    """Adds the gradients of an array, which come from several of its users."""
    total = flows[0]
    for flow in flows[1:]:
        if isinstance(flow.array, StackedArray):
            rows = flow.array.stack()
            total = TensorList(total.own().unstack(total.array.stack() + rows), total.of)
            continue
        for i, x in enumerate(flow.array._items):
            total = total if x is None else _added(total, i, x)
    return total


@maker("ZerosLike")
def _zeros_like(node: Node) -> Kernel:
    of_tensors = raw_kernel(node)

    def run(values: list[Any]) -> list[Any]:
        return [NO_FLOW] if isinstance(values[0], TensorList) else list(of_tensors(values))

    return run


NO_FLOW = Tensor(np.float32(0))


# Stacks, in which the loops of TensorFlow 1 keep values for their gradients. If a function needs no
# gradient, the values that it pushes are never popped, and nothing is kept.


class Stack:
    """A stack.

    Args:
      array: The elements, and possibly others after them.
      count: The number of elements.
    """

    __slots__ = ("array", "count")

    def __init__(self, array: TensorArray, count: Tensor) -> None:
        self.array, self.count = array, count


@maker("StackV2", "Stack")
def _new_stack(node: Node) -> Kernel:
    dtype = node.attributes["elem_type"]
    return lambda _: [Stack(_new(dtype, 0, -1, grows=True), convert_to_tensor(0))]


@kernel("StackPushV2", "StackPush")
def _not_kept(values: list[Any]) -> list[Any]:
    return values[1:]


@maker("StackPopV2", "StackPop")
def _never_pushed(node: Node) -> Kernel:
    raise Unsupported("a stack is supported if one node pushes its values and one pops them")


@kernel("StackClose", "StackCloseV2")
def _closed_stack(_: list[Any]) -> list[Any]:
    return []


def pushed(values: list[Any]) -> list[Any]:
    """Returns a value that is put on a stack, and the stack with it.

    Args:
      values: The stack, and the value.
    """
    stack, value = values
    kept = NO_FLOW if isinstance(value, TensorList) else value
    array = TensorList(stack.array).own().write(stack.count, kept)
    return [value, Stack(array, stack.count + 1)]


def popped(values: list[Any]) -> list[Any]:
    """Returns the last value of a stack, and the stack without it.

    Args:
      values: The stack.
    """
    (stack,) = values
    last = stack.count - 1
    return [stack.array.read(last), Stack(stack.array, last)]
