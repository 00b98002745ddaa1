"""Nodes of pure operations, which run functions of `tf.raw_ops`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node
from gradtape._src.graphdef.op_definitions import op_definition
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills RAW_OPS)

_UNSEEN = frozenset(
    [
        "parallel_iterations",
        "use_cudnn_on_gpu",
        "use_locking",
        "incompatible_shape_error",
        "grad_a",
        "grad_b",
        "grad_x",
        "grad_y",
    ]
)
"""Attributes that don't affect the result; and the one that makes `Equal` False for incompatible
shapes, which are an error here."""


def is_raw(operation: str) -> bool:
    """Whether there is a raw operation of this name."""
    return operation in RAW_OPS


def raw_kernel(node: Node, op: RawOp | None = None) -> Kernel:
    """Returns the kernel of a node with a raw operation.

    Args:
      node: The node.
      op: The function that computes it; by default the raw operation of its name.

    Raises:
      Unsupported: It has an attribute that the raw operation lacks.
    """
    op = op or RAW_OPS[node.operation]
    known = _parameters(op.function)
    given = {}
    for name, value in _attributes(node).items():
        attribute = node.definition.attributes[name]
        name_here = attribute.python_name or name
        if name_here in op.ignored or name in _UNSEEN:
            continue
        parameter = op.renamed.get(name_here, name_here)
        if known is not None and parameter not in known:
            if not attribute.has_default or _plain(value) != _plain(attribute.default):
                raise Unsupported(f"its attribute {name} = {value!r} is not supported")
            continue
        given[parameter] = value
    return _Raw(op, _taken(node), given)


def _attributes(node: Node) -> dict[str, Any]:
    """Returns the attributes that don't follow from inputs, as arguments of `tf.raw_ops`."""
    told = _told_by_inputs(node.operation)
    names = [name for name in node.definition.attributes if name not in told]
    return {name: _argument(node.attributes[name]) for name in names}


@cache
def _parameters(function: Callable[..., Any]) -> frozenset[str] | None:
    """Returns the parameters of a raw operation; None if it takes any."""
    signature = inspect.signature(function)
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return None
    return frozenset(signature.parameters)


@cache
def _told_by_inputs(operation: str) -> frozenset[str]:
    told = {getattr(x, a) for x in op_definition(operation).inputs for a in _TELLING}
    return frozenset(name for name in told if name is not None)


_TELLING = ("type_attr", "number_attr", "type_list_attr")


def _argument(value: Any) -> Any:
    """Converts an attribute's value to a Python argument: text for bytes, arrays for messages."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_argument(x) for x in value]
    return value


def _plain(value: Any) -> Any:
    """Converts a value to the form that the definitions of operations use."""
    if isinstance(value, list):
        return [_plain(x) for x in value]
    if isinstance(value, float):
        return round(value, 12)
    return getattr(value, "name", value)


def _taken(node: Node) -> list[tuple[str, int | None]]:
    """Returns the names of a node's inputs, each with the number of tensors if it is a list."""
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
