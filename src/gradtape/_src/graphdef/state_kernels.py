"""Variables of graphs: resources of TensorFlow 2, references of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, int64, uint64
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import zeros
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.raw.op_definitions import OpDefinition

_MOST = 1 << 30  # the maximum size in bytes of an uninitialized variable


def read(x: Any) -> object:
    """Returns the value of a variable; other objects are returned unchanged."""
    return x.read_value() if isinstance(x, Variable) else x


def reading(
    kernel: Kernel, definition: OpDefinition, inputs: Sequence[int], held: Sequence[int]
) -> Kernel:
    """Returns a kernel that first replaces variables given as references by their values."""
    by_ref = [x.is_ref for x in definition.inputs]
    if any(x.is_list for x in definition.inputs):
        by_ref = [False] * len(inputs)
    places = [
        i for i, (x, ref) in enumerate(zip(inputs, by_ref, strict=True)) if x in held and not ref
    ]

    def run(values: list[Any]) -> Sequence[Any]:
        for i in places:
            values[i] = read(values[i])
        return kernel(values)

    return run


def new_variable(dtype: DType, shape: Any, name: str) -> Variable:
    """Returns a variable of zeros, for a value that is assigned later.

    Raises:
      ValueError: The variable is too large.
    """
    sizes = tuple([n or 0 for n in shape]) if shape.rank is not None else ()
    if np.prod(sizes, dtype=float) * max(dtype.size, 1) > _MOST:
        raise ValueError(f"a variable of the shape {shape}")
    whole = None if shape.is_fully_defined() else shape
    return Variable(Tensor(zeros(sizes, dtype.np_dtype)), name=name, shape=whole)


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


@kernel("IsVariableInitialized")
def _is_initialized(values: list[Any]) -> list[Any]:
    return [convert_to_tensor(True)]


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
