"""TensorFlow's immutable lists of tensors, which loops use."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.tensor_shapes import shape as shape_op
from gradtape._src.ops.types.tensor_array import TensorArray


class TensorList:
    """A list of tensors.

    Args:
      array: The elements, which the list owns.
    """

    __slots__ = ("array",)

    def __init__(self, array: TensorArray) -> None:
        self.array = array

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
    return TensorShape([None if n < 0 else int(n) for n in value.tolist()])


def _new(dtype: DType, size: Any, shape: Any, *, grows: bool = False) -> TensorArray:
    return TensorArray(
        dtype,
        size,
        dynamic_size=grows,
        clear_after_read=False,
        infer_shape=False,
        element_shape=_known_shape(shape),
    )


def _elements(node: Node) -> DType:
    dtype = node.attributes["element_dtype"]
    if dtype.name in ("variant", "resource"):
        raise Unsupported(f"lists of {dtype.name} elements are not supported")
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
        rows = convert_to_tensor(values[0])
        array = _new(dtype, len(rows), values[1])
        return [TensorList(array.unstack(rows))]

    return run


@maker("TensorListSetItem")
def _set(node: Node) -> Kernel:
    resizes = bool(node.attributes["resize_if_index_out_of_bounds"])

    def run(values: list[Any]) -> list[Any]:
        array = values[0].own()
        array._dynamic = array._dynamic or (resizes and _is_past(array, values[1]))
        return [TensorList(array.write(values[1], values[2]))]

    return run


def _is_past(array: TensorArray, index: Any) -> bool:
    """Whether an index is past the end of an array, or unknown."""
    value = convert_to_tensor(index)._value
    known = isinstance(value, (np.ndarray, np.generic))
    return not known or int(value) >= int(array.size()._value)


def _shaped(array: TensorArray, shape: Any) -> TensorArray:
    """Refines the element shape of an array by the shape that its operation specifies."""
    if not array._shape.is_fully_defined():
        known = _known_shape(shape)
        if known.is_compatible_with(array._shape):
            array._shape = array._shape.merge_with(known)
        if not array._shape.is_fully_defined():
            first = next((x for x in array._items if x is not None), None)
            if first is not None:
                array._shape = array._shape.merge_with(first.shape)
    return array


@kernel("TensorListGetItem")
def _get(values: list[Any]) -> list[Any]:
    return [_shaped(values[0].own(), values[2]).read(values[1])]


@kernel("TensorListStack")
def _stack(values: list[Any]) -> list[Any]:
    return [_shaped(values[0].own(), values[1]).stack()]


@kernel("TensorListGather")
def _gather(values: list[Any]) -> list[Any]:
    return [_shaped(values[0].own(), values[2]).gather(values[1])]


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
    array, count = values[0].own(), int(values[1])
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


@maker("TensorArrayV3")
def _array(node: Node) -> Kernel:
    dtype, shape = node.attributes["dtype"], node.attributes["element_shape"]
    grows = bool(node.attributes["dynamic_size"])
    sizes = -1 if shape.rank is None else [-1 if n is None else n for n in shape]

    def run(values: list[Any]) -> list[Any]:
        made = TensorList(_new(dtype, values[0], sizes, grows=grows))
        return [made, made]

    return run


@kernel("TensorArrayWriteV3")
def _array_write(values: list[Any]) -> list[Any]:
    _, index, value, flow = values
    return [TensorList(flow.own().write(index, value))]


@kernel("TensorArrayReadV3")
def _array_read(values: list[Any]) -> list[Any]:
    _, index, flow = values
    return [flow.own().read(index)]


@kernel("TensorArrayGatherV3")
def _array_gather(values: list[Any]) -> list[Any]:
    _, indices, flow = values
    return [flow.own().gather(indices)]


@kernel("TensorArrayScatterV3")
def _array_scatter(values: list[Any]) -> list[Any]:
    _, indices, rows, flow = values
    return [TensorList(flow.own().scatter(indices, rows))]


@kernel("TensorArraySizeV3")
def _array_size(values: list[Any]) -> list[Any]:
    return [values[1].array.size()]


@kernel("TensorArrayConcatV3")
def _array_concat(values: list[Any]) -> list[Any]:
    return list(_concat([values[1]]))


@kernel("TensorArrayCloseV3")
def _array_close(_: list[Any]) -> list[Any]:
    return []


# Stacks, in which the loops of TensorFlow 1 keep values for their gradients. If a function needs no
# gradient, the values that it pushes are never popped.


@kernel("StackV2", "Stack")
def _new_stack(_: list[Any]) -> list[Any]:
    return [None]


@kernel("StackPushV2", "StackPush")
def _put_on_stack(values: list[Any]) -> list[Any]:
    return values[1:]


@maker("StackPopV2", "StackPop")
def _take_from_stack(node: Node) -> Kernel:
    raise Unsupported(
        "the graph's own gradient of a TensorFlow 1 loop is not supported (a GradientTape over the "
        "signature without it gives the gradient)"
    )
