"""Kernels of operations that behave differently in a graph of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.errors import PermissionDeniedError, UnimplementedError
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graphdef.attributes import Attributes
from gradtape._src.graphdef.nodes import Kernel, Node
from gradtape._src.graphdef.plain_kernels import constant
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.placeholders import new_placeholder, with_default

KERNELS: dict[str, Callable[[Node], Kernel]] = {}
"""What makes these kernels, by the operation."""
ANYWHERE = ("Placeholder", "PlaceholderV2")
"""The operations that are others in the graphs of functions, too."""


def _maker(*operations: str) -> Callable[[Callable[[Node], Kernel]], Callable[[Node], Kernel]]:
    def mark(make: Callable[[Node], Kernel]) -> Callable[[Node], Kernel]:
        KERNELS.update(dict.fromkeys(operations, make))
        return make

    return mark


def _graph() -> Any:
    return active_compiler().open_graph


@_maker("Const")
def _const(node: Node) -> Kernel:
    value = constant(node.attributes["value"])
    node.surroundings.hold(value)
    return lambda _: [_graph().constant(value)]


@_maker("Placeholder", "PlaceholderV2")
def _placeholder(node: Node) -> Kernel:
    dtype, shape = node.attributes["dtype"], _shape(node.attributes)
    return lambda _: [new_placeholder(active_compiler(), dtype, shape)]


def _shape(attributes: Attributes) -> Any:
    """Returns the shape of a placeholder; in old graphs, () stands for an unknown shape."""
    shape = attributes["shape"]
    recorded = attributes.get("_output_shapes", [])
    return recorded[0] if recorded and shape.rank in (None, 0) else shape


@_maker("PlaceholderWithDefault")
def _with_default(node: Node) -> Kernel:
    shape = node.attributes["shape"]
    return lambda values: [with_default(values[0], shape)]


@_maker("VarHandleOp", "VariableV2", "Variable")
def _variable(node: Node) -> Kernel:
    attributes = node.attributes
    dtype, shape = attributes["dtype"], attributes["shape"]
    name = attributes.text("shared_name") or node.name

    def run(_: list[Any]) -> list[Any]:
        return [GraphVariable.imported(_graph(), name, dtype, shape)]

    return run


@_maker("SaveV2", "MergeV2Checkpoints", "RestoreV2", "ShardedFilename")
def _files(node: Node) -> Kernel:
    def run(values: list[Any]) -> list[Any]:
        if active_compiler() is not None:
            raise UnimplementedError(None, None, f"{node.operation} needs a session")
        raise PermissionDeniedError(
            None,
            None,
            f"the node {node.name!r} ({node.operation}) of an imported graph uses files: use "
            "tf.compat.v1.train.Saver, such as tf.compat.v1.train.import_meta_graph returns",
        )

    return run


@_maker("VarIsInitializedOp", "IsVariableInitialized")
def _is_initialized(node: Node) -> Kernel:
    return lambda values: [values[0].is_initialized()]


@_maker("VariableShape")
def _variable_shape(node: Node) -> Kernel:
    dtype = node.attributes["out_type"]
    return lambda values: [lengths_of(values[0].read_value(), dtype)]


@_maker("Identity", "IdentityN", "Snapshot", "RefIdentity")
def _identity(node: Node) -> Kernel:
    def run(values: list[Any]) -> Sequence[Any]:
        return [x.read_value() if isinstance(x, GraphVariable) else x for x in values]

    return run
