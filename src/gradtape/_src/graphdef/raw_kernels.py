"""Nodes of pure operations, which run functions of `tf.raw_ops`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills RAW_OPS)
from gradtape._src.raw.op_definitions import is_defined, op_definition


def is_raw(operation: str) -> bool:
    """Whether there is a raw operation of this name."""
    return operation in RAW_OPS


def raw_kernel(node: Node, op: RawOp | None = None) -> Kernel:
    """Returns the kernel of a node with a raw operation.

    Args:
      node: The node.
      op: The function that computes it; by default the raw operation of its name.
    """
    op = op or RAW_OPS[node.operation]
    given = {}
    for name, value in _attributes(node).items():
        name_here = node.definition.attributes[name].python_name or name
        if name_here not in op.ignored:
            given[op.renamed.get(name_here, name_here)] = value
    return _Raw(op, _taken(node), given)


def _attributes(node: Node) -> dict[str, Any]:
    """Returns the attributes that can't be inferred from inputs, for `tf.raw_ops`."""
    inferred = _inferred_from_inputs(node.operation)
    names = [name for name in node.definition.attributes if name not in inferred]
    return {name: _argument(node.attributes[name]) for name in names}


@cache
def _inferred_from_inputs(operation: str) -> frozenset[str]:
    inferred = {getattr(x, a) for x in op_definition(operation).inputs for a in _TELLING}
    return frozenset(name for name in inferred if name is not None)


_TELLING = ("type_attr", "number_attr", "type_list_attr")


def _argument(value: Any) -> Any:
    """Converts an attribute's value to a Python argument: text for bytes, arrays for messages."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_argument(x) for x in value]
    return value


def _taken(node: Node) -> list[tuple[str, int | None]]:
    """Returns the names of a node's inputs; for a list, also its number of tensors."""
    taken = []
    for argument in node.definition.inputs:
        count = len(argument.dtypes(node.attributes.__getitem__)) if argument.is_list else None
        taken.append((argument.python_name or argument.name, count))
    return taken


class _Raw:
    """Calls a raw operation."""

    def __init__(
        self, op: RawOp, taken: Sequence[tuple[str, int | None]], given: dict[str, Any]
    ) -> None:
        self._function: Callable[..., Any] = deferrable(op.function)
        self._given = given
        self._taken = [
            (None if name in op.ignored else op.renamed.get(name, name), n) for name, n in taken
        ]

    def __call__(self, values: list[Any]) -> list[Any]:
        given, place = dict(self._given), 0
        for name, count in self._taken:
            stop = place + (1 if count is None else count)
            if name is not None:
                given[name] = values[place] if count is None else values[place:stop]
            place = stop
        return flat_results(self._function(**given))


def flat_results(out: Any) -> list[Any]:
    """Returns the output tensors of an operation, in order."""
    if type(out) is Tensor:
        return [out]
    if out is None:
        return []
    if isinstance(out, (list, tuple)):
        found = []
        for x in out:
            found += flat_results(x)
        return found
    return [convert_to_tensor(out)]


# Steps of optimizers and updates of rows on variables of TensorFlow 1, references to tensors.

_PREFIX = "Resource"


def _changing(name: str, op: RawOp) -> None:
    """Makes the kernel of an operation on a reference, from the raw operation on a resource."""
    first, of_resource = op_definition(name).inputs[0], op_definition(op.name).inputs[0]
    renamed = op.renamed | {first.name: op.renamed.get(of_resource.name, of_resource.name)}
    here = RawOp(op.name, op.function, renamed, op.ignored | {"use_locking"}, False)

    @maker(name)
    def make(node: Node) -> Kernel:
        run = raw_kernel(node, here)

        def change(values: list[Any]) -> list[Any]:
            """Changes the variable, and returns it."""
            run(values)
            return values[:1]

        return change


for _op in list(RAW_OPS.values()):
    _name = _op.name.removeprefix(_PREFIX)
    if _op.name != _name and is_defined(_name) and op_definition(_name).inputs[0].is_ref:
        _changing(_name, _op)
