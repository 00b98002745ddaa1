"""Variables of graphs: resources of TensorFlow 2, references of TensorFlow 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, int64, uint64
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.raw.small_operations import tensor_strided_slice_update

_MOST = 1 << 30  # the maximum size in bytes of an uninitialized variable


def read(x: Any) -> object:
    """Returns the value of a variable; other objects are returned unchanged."""
    return x.read_value() if isinstance(x, Variable) else x


def new_variable(dtype: DType, shape: Any, name: str) -> Variable:
    """Returns a variable of zeros, for a value that is assigned later.

    Raises:
      ValueError: The variable is too large.
    """
    sizes = tuple([n or 0 for n in shape]) if shape.rank is not None else ()
    if np.prod(sizes, dtype=float) * max(dtype.size, 1) > _MOST:
        raise ValueError(f"a variable of the shape {shape}")
    empty = (
        np.full(sizes, b"", object) if dtype.name == "string" else np.zeros(sizes, dtype.np_dtype)
    )
    whole = None if shape.is_fully_defined() else shape
    return Variable(Tensor(empty[()]), name=name, shape=whole)


@maker("VarHandleOp", "VariableV2", "Variable")
def _variable(node: Node) -> Kernel:
    name = node.attributes.text("shared_name") or node.name
    dtype, shape = node.attributes["dtype"], node.attributes["shape"]
    held = node.surroundings.resources

    def run(_: list[Any]) -> list[Any]:
        found = held.get(("variable", name))
        if found is None:
            found = held["variable", name] = new_variable(dtype, shape, name)
        return [found]

    return run


@kernel("ReadVariableOp")
def _read(values: list[Any]) -> list[Any]:
    return [values[0].read_value()]


@kernel("VariableShape")
def _shape(values: list[Any]) -> list[Any]:
    return [convert_to_tensor(np.array(shape_of(values[0].read_value()), np.int32))]


@kernel("VarIsInitializedOp", "IsVariableInitialized")
def _is_initialized(values: list[Any]) -> list[Any]:
    return [convert_to_tensor(True)]


@kernel("AssignVariableOp")
def _assign(values: list[Any]) -> list[Any]:
    values[0].assign(values[1], read_value=False)
    return []


@kernel("AssignAddVariableOp")
def _add(values: list[Any]) -> list[Any]:
    values[0].assign_add(values[1], read_value=False)
    return []


@kernel("AssignSubVariableOp")
def _subtract(values: list[Any]) -> list[Any]:
    values[0].assign_sub(values[1], read_value=False)
    return []


@kernel("DestroyResourceOp")
def _destroy(values: list[Any]) -> list[Any]:
    return []


@kernel("Assign")
def _assign_v1(values: list[Any]) -> list[Any]:
    values[0].assign(values[1])
    return values[:1]


@kernel("AssignAdd")
def _add_v1(values: list[Any]) -> list[Any]:
    values[0].assign_add(values[1])
    return values[:1]


@kernel("AssignSub")
def _subtract_v1(values: list[Any]) -> list[Any]:
    values[0].assign_sub(values[1])
    return values[:1]


@maker("ResourceGather")
def _gather(node: Node) -> Kernel:
    batch = int(node.attributes["batch_dims"])

    def run(values: list[Any]) -> list[Any]:
        if batch:
            return [gather(values[0].read_value(), values[1], axis=batch, batch_dims=batch)]
        return [gather(values[0], values[1])]

    return run


@kernel("ResourceGatherNd")
def _gather_nd(values: list[Any]) -> list[Any]:
    return [gather_nd(values[0], values[1])]


@maker("ResourceStridedSliceAssign")
def _assign_slice(node: Node) -> Kernel:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    given: dict[str, Any] = {name: int(node.attributes[name]) for name in masks}

    def run(values: list[Any]) -> list[Any]:
        variable, begin, end, strides, value = values
        old = variable.read_value()
        new = tensor_strided_slice_update(old, begin, end, strides, value, **given)
        variable.assign(new, read_value=False)
        return []

    return run


# The state of a random number generator consists of a counter (two numbers) and a key.

_STEP = 256  # the increment of the counter for each number drawn


@kernel("RngReadAndSkip")
def _read_and_skip(values: list[Any]) -> list[Any]:
    variable, _, count = values
    old = variable.read_value()
    variable.assign(_skipped(old, count), read_value=False)
    return [old]


@kernel("RngSkip")
def _skip(values: list[Any]) -> list[Any]:
    variable, _, count = values
    variable.assign(_skipped(variable.read_value(), count), read_value=False)
    return []


def _skipped(state: Any, count: Any) -> Tensor:
    """Returns the state after `count` numbers; the counter's halves form one 128-bit number."""
    low, high = cast(state[0], uint64), cast(state[1], uint64)
    moved = low + cast(count, uint64) * cast(_STEP, uint64)
    halves = stack([moved, high + cast(moved < low, uint64)])
    return concat([cast(halves, int64), state[2:]], 0)
