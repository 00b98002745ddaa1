"""TensorFlow 1's arrays of tensors, and the stacks of its loops."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import scope
from gradtape._src.graph.nested.loop_values import StackedArray, stacked
from gradtape._src.graph.nested.uneven_arrays import UnevenArray
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.raw.list_values import (
    TensorList,
    check_size,
    is_plain,
    list_of,
    new_array,
    own_elements,
)
from gradtape._src.ops.raw.variant_handles import handle_of, held_by
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.tensor_array import TensorArray


class Flow:
    """The flow of an array: its elements after an operation.

    Args:
      array: The elements, which the flow owns.
      of: The array whose gradient the elements are; None for other flows.
    """

    __slots__ = ("array", "of")

    def __init__(self, array: TensorArray, of: TensorArray | None = None) -> None:
        self.array = array
        self.of = array.like if isinstance(array, GradientArray) else of

    def own(self) -> TensorArray:
        """Returns the elements as an array that may be changed."""
        return own_elements(self.array)


@maker("EmptyTensorList", "TensorListReserve", "TensorListFromTensor")
def _list_of_tensors(node: Node) -> Kernel:
    if node.attributes["element_dtype"].name == "resource":
        raise Unsupported("lists of resource elements are not supported")
    return raw_kernel(node)


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


class GradientOf:
    """The handle of the gradient of an array.

    Args:
      array: The array.
    """

    def __init__(self, array: TensorArray) -> None:
        self.array = array


def zero_gradient(of: TensorArray) -> Flow:
    """Returns the gradient of an array before anything was added to it."""
    if scope() is None:
        return Flow(GradientArray(of))
    whole = stacked(of)
    if isinstance(whole, UnevenArray):
        parts = whole._ragged
        rows = RaggedTensor.from_row_splits(
            zeros_like(parts.values), parts.row_splits, validate=False
        )
        return Flow(UnevenArray(whole, rows), of)
    known = None if whole._rows is None else zeros_like(whole._rows)
    return Flow(StackedArray(whole, known, whole._length), of)


def _flow_of(handle: Any, flow: Any) -> Flow:
    """Returns the list of an array, or of its gradient."""
    if not isinstance(handle, GradientOf):
        found: Flow = flow
        return found
    if not isinstance(flow, Flow):
        return zero_gradient(handle.array)
    return flow if flow.of is not None else zero_gradient(flow.array)


def _elements_of(handle: Any, flow: Any) -> TensorArray:
    """Returns the elements of an array or its gradient, which may be changed."""
    return _flow_of(handle, flow).own()


def _added(found: Flow, index: Any, value: Any) -> Flow:
    """Returns a list with an element that is written, or added to if the list is a gradient."""
    array = found.own()
    if found.of is not None:
        value = array.read(index) + value
    return Flow(array.write(index, value), found.of)


@maker("TensorArrayV3")
def _array(node: Node) -> Kernel:
    dtype, shape = node.attributes["dtype"], node.attributes["element_shape"]
    grows = bool(node.attributes["dynamic_size"])
    alike = bool(node.attributes["identical_element_shapes"])
    sizes = -1 if shape.rank is None else [-1 if n is None else n for n in shape]

    def run(values: list[Any]) -> list[Any]:
        check_size(values[0], "The size of an array is negative: ")
        array = new_array(dtype, values[0], sizes, None, dynamic_size=grows, infer_shape=alike)
        made = Flow(array)
        return [made, made]

    return run


@kernel("TensorArrayGradV3", "TensorArrayGradWithShape")
def _array_gradient(values: list[Any]) -> list[Any]:
    handle, flow = values
    of = flow if isinstance(flow, Flow) else handle
    return [GradientOf(of.array), flow]


@kernel("TensorArrayWriteV3")
def _array_write(values: list[Any]) -> list[Any]:
    handle, index, value, flow = values
    return [_added(_flow_of(handle, flow), index, value)]


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
    found = _flow_of(handle, flow)
    array = found.own()
    if found.of is not None:
        rows = array.gather(indices) + rows
    return [Flow(array.scatter(indices, rows), found.of)]


@kernel("TensorArraySizeV3")
def _array_size(values: list[Any]) -> list[Any]:
    handle, flow = values
    return [_elements_of(handle, flow).size()]


@kernel("TensorArrayConcatV3")
def _array_concat(values: list[Any]) -> list[Any]:
    handle, flow = values
    array = _elements_of(handle, flow)
    parts = [array.read(i) for i in range(int(array.size()))]
    lengths = [int(shape(x)[0]) for x in parts]
    return [concat(parts, 0), convert_to_tensor(np.array(lengths, np.int64))]


@kernel("TensorArraySplitV3")
def _array_split(values: list[Any]) -> list[Any]:
    handle, rows, lengths, flow = values
    found = _flow_of(handle, flow)
    if found.of is None:
        return [Flow(found.own().split(rows, lengths))]
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
        if held_by(values[0]) is not None:
            arrays = [list_of(x).array for x in values]
            return [handle_of(TensorList(reduce(_sum_of_arrays, arrays)))]
        flows = [x for x in values if isinstance(x, Flow)]
        return [_sum_of_gradients(flows)] if flows else list(of_tensors(values))

    return run


def _sum_of_arrays(a: TensorArray, b: TensorArray) -> TensorArray:
    """Adds the elements of two lists; those that are not set count as zeros."""
    if not (is_plain(a) and is_plain(b)):
        whole = stacked(a)
        if isinstance(whole, StackedArray) and whole._rows is None:
            return b
        return whole.unstack(whole.stack() + stacked(b).stack())
    made = own_elements(a)
    items: list[Any] = made._items
    for i, x in enumerate(b._items):
        items += [None] * (i + 1 - len(items))
        mine = items[i]
        if mine is None or x is None:
            items[i] = x if mine is None else mine
        elif held_by(x) is not None:
            inner = _sum_of_arrays(list_of(mine).array, list_of(x).array)
            items[i] = handle_of(TensorList(inner))
        else:
            items[i] = mine + x
    made._source = None
    return made


def _zeros_of(x: Any) -> Any:
    """Returns zeros like a tensor, or a list of them like another list."""
    if held_by(x) is None:
        return zeros_like(x)
    array = list_of(x).array
    if is_plain(array):
        made = own_elements(array)
        made._items = [None if y is None else _zeros_of(y) for y in array._items]
        made._source = None
        return handle_of(TensorList(made))
    whole = stacked(array)
    is_empty = isinstance(whole, StackedArray) and whole._rows is None
    return x if is_empty else handle_of(TensorList(whole.unstack(zeros_like(whole.stack()))))


def _sum_of_gradients(flows: list[Flow]) -> Flow:
    """Adds the gradients of an array, which come from several of its users."""
    total = flows[0]
    for flow in flows[1:]:
        if isinstance(flow.array, StackedArray):
            rows = flow.array.stack()
            total = Flow(total.own().unstack(total.array.stack() + rows), total.of)
            continue
        for i, x in enumerate(flow.array._items):
            total = total if x is None else _added(total, i, x)
    return total


@maker("ZerosLike")
def _zeros_like(node: Node) -> Kernel:
    of_tensors = raw_kernel(node)

    def run(values: list[Any]) -> list[Any]:
        if held_by(values[0]) is not None:
            return [_zeros_of(values[0])]
        return [NO_FLOW] if isinstance(values[0], Flow) else list(of_tensors(values))

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
    return lambda _: [Stack(new_array(dtype, 0, -1, None, dynamic_size=True), convert_to_tensor(0))]


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
    kept = NO_FLOW if isinstance(value, Flow) else value
    array = Flow(stack.array).own().write(stack.count, kept)
    return [value, Stack(array, stack.count + 1)]


def popped(values: list[Any]) -> list[Any]:
    """Returns the last value of a stack, and the stack without it.

    Args:
      values: The stack.
    """
    (stack,) = values
    last = stack.count - 1
    return [stack.array.read(last), Stack(stack.array, last)]
