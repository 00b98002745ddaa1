"""`tf.import_graph_def`: the nodes of a message become operations of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current, name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graphdef.bodies import Functions, GraphReader, recovered_nodes
from gradtape._src.graphdef.imported_nodes import ImportedNodes
from gradtape._src.graphdef.nodes import (
    Kernel,
    Node,
    Recovered,
    Surroundings,
    has_control_flow,
    has_loop_gradients,
    is_in_part,
)
from gradtape._src.graphdef.session_kernels import ANYWHERE, KERNELS
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import is_defined
from gradtape._src.sessions.default_graph import global_graph

_KNOWN = 2474  # the newest supported version of the graph format
_MAPPED = " (mapped)"  # the suffix of the names of placeholders for mapped tensors
_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_DAMAGE = (TypeError, KeyError, IndexError, AttributeError, OverflowError, InvalidArgumentError)


@export("graph_util.import_graph_def", "import_graph_def", "compat.v1.import_graph_def")
def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a message to the current graph.

    Outside of all graphs and functions, they are added to the graph that
    `tf.compat.v1.get_default_graph` returns.

    Args:
      graph_def: The message, a `GraphDef`.
      input_map: A dictionary from names of tensors in the message to tensors that replace them.
      return_elements: The names of the operations and tensors of the message to return, such as
        "dense/MatMul" and "dense/MatMul:0".
      name: The prefix of the operations' names. Defaults to "import"; an empty string adds no
        prefix.
      op_dict: Accepted for compatibility.
      producer_op_list: Accepted for compatibility.

    Returns:
      The operations and tensors of `return_elements`, or None if it is not given.

    Raises:
      TypeError: An argument has the wrong type.
      ValueError: The message is damaged, or it has no element with a requested name.
      NotFoundError: The operation of a node is not defined in TensorFlow.
      UnimplementedError: gradtape does not support the operation of a node.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.multiply(tf.compat.v1.placeholder(tf.float32, [], name="x"), 2.0, name="y")
    ...     message = graph.as_graph_def()
    <tf.Tensor 'y:0' shape=() dtype=float32>
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     (y,) = tf.import_graph_def(message, {"x:0": tf.constant(3.0)}, ["y:0"])
    ...     y.name, float(session.run(y))
    ('import/y:0', 6.0)
    """
    _check(graph_def, input_map, return_elements)
    made = _imported(graph_def, dict(input_map or {}), name, Surroundings())
    if return_elements is None:
        return None
    return [made.element(x if isinstance(x, str) else x.decode()) for x in return_elements]


def import_nodes(
    graph_def: Any, name: str, surroundings: Surroundings, input_map: Any = None
) -> None:
    """Adds the nodes of a message to the graph that is open.

    Args:
      graph_def: The message.
      name: The prefix of the operations' names, empty for none.
      surroundings: The files that the nodes may use.
      input_map: A dictionary from names of tensors in the message to tensors that replace them.

    Raises:
      ValueError: The message is damaged. Other errors are those of `import_graph_def`.
    """
    _check(graph_def, input_map, None)
    _imported(graph_def, dict(input_map or {}), name, surroundings)


def _imported(
    graph_def: Any, input_map: Mapping[Any, Any], name: str | None, surroundings: Surroundings
) -> _Import:
    with ExitStack() as left:
        tracer = active_compiler()
        if tracer is None:
            tracer = left.enter_context(global_graph().as_default()).tracer
        left.enter_context(name_scope("import" if name is None else name))
        mapped = _mapped(tracer.open_graph, input_map)
        made = _Import(tracer, graph_def, mapped, surroundings)
        made.run()
    return made


def _check(graph_def: Any, input_map: Any, return_elements: Any) -> None:
    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError(
            f"Argument `graph_def` must be a GraphDef proto. Received: {type(graph_def).__name__}"
        )
    if input_map is not None and not isinstance(input_map, Mapping):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    keys = list(input_map or ())
    if not all(isinstance(key, (str, bytes)) for key in keys):
        raise TypeError(
            f"All keys for argument `input_map` must be strings. Obtained keys: {[*keys]}"
        )
    if not all(isinstance(x, (str, bytes)) for x in return_elements or ()):
        raise TypeError(
            "Argument `return_elements` must be a list of strings. Obtained "
            f"{[x for x in return_elements if not isinstance(x, (str, bytes))]}."
        )
    if graph_def.versions.min_consumer > _KNOWN:
        raise ValueError(
            f"GraphDef min consumer version {graph_def.versions.min_consumer} above current "
            f"version {_KNOWN}: the graph was made by a newer TensorFlow."
        )
    library = {f.signature.name for f in graph_def.library.function}
    bodies = [f.node_def for f in graph_def.library.function]
    for node in (x for nodes in (graph_def.node, *bodies) for x in nodes):
        if node.op not in library and not is_defined(node.op):
            raise NotFoundError(
                None,
                None,
                f"Op type not registered '{node.op}' (the operation of the node {node.name!r}). "
                "The graph may need a library with operations of its own.",
            )
        if not _NAME.fullmatch(node.name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")


def _mapped(graph: Any, input_map: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the replacements for tensors and operations, by full name."""
    found = {}
    for key, x in input_map.items():
        name = key if isinstance(key, str) else key.decode()
        given = x
        if not name.startswith("^"):
            given = convert_to_tensor(x)
            if graph is not None:
                whole = graph.unique_name(f"{current()}_inputs/Const", mark_as_used=False)
                given = graph.constant(given, whole_name=whole)
        found[_whole(name)] = given
    return found


def _whole(reference: str) -> str:
    """Returns a tensor's name with the index of the output, such as "x:0"."""
    return reference if ":" in reference or reference.startswith("^") else f"{reference}:0"


class _NodeReader(GraphReader):
    """Reads nodes that will become operations of a graph.

    Attributes:
      is_open: Whether the graph is one of TensorFlow 1.
    """

    is_open = False

    def _kernel(self, node: Node) -> Kernel:
        make = KERNELS.get(node.operation) if self.is_open or node.operation in ANYWHERE else None
        return super()._kernel(node) if make is None else make(node)


class _Import:
    """Adds the nodes of a message to a graph.

    Args:
      tracer: The tracer that makes the graph.
      message: The message.
      mapped: The replacements for tensors and operations of the message.
      surroundings: The files that the nodes may use.
    """

    def __init__(
        self,
        tracer: Any,
        message: protos.GraphDef,
        mapped: Mapping[str, Any],
        surroundings: Surroundings,
    ) -> None:
        self._tracer, self._mapped, self._surroundings = tracer, mapped, surroundings
        self._view: FuncGraph = tracer.view
        self._library = message.library.function
        self._given = {node.name: node for node in message.node}
        names = [node.name for node in message.node]
        if len(self._given) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise ValueError(f"Node '{twice}' is not unique")
        lacking = [x for x in mapped if not self._is_there(x)]
        if lacking:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(lacking)}]"
            )
        self._operations: dict[str, Operation] = {}

    def _is_there(self, reference: str) -> bool:
        node, _, place = reference.removeprefix("^").partition(":")
        return node in self._given and (not place or place.isdigit())

    def _redirected(self, node: protos.NodeDef) -> protos.NodeDef:
        """Returns a node whose inputs are redirected to their replacements."""
        made = protos.NodeDef()
        made.CopyFrom(node)
        del made.input[:]
        for reference in node.input:
            source = reference.removeprefix("^").partition(":")[0]
            if _whole(reference) in self._mapped:
                if not reference.startswith("^"):
                    made.input.append(_whole(reference) + _MAPPED)
            elif source in self._given:
                made.input.append(reference)
            else:
                raise ValueError(f"Node '{node.name}': Unknown input node '{source}'")
        return made

    def run(self) -> None:
        """Adds all nodes."""
        surroundings = self._surroundings
        functions = Functions(self._library, surroundings)
        functions.needs_gradients = True
        reader = _NodeReader(current() or "the graph", functions, surroundings, keeps_all=True)
        reader.is_open = self._tracer.open_graph is not None
        given = {name: x for name, x in self._mapped.items() if not name.startswith("^")}
        for place, name in enumerate(given):
            reader.names[name + _MAPPED] = place
        nodes = recovered_nodes({k: self._redirected(node) for k, node in self._given.items()})
        outer = _outside_of_loops(nodes)
        with _explained():
            values, steps = reader.steps(len(given), nodes, outer)
        values[: len(given)] = given.values()
        prefix = current()
        names = {name: self._view.unique_name(prefix + name) for name in nodes}
        for f in self._library:
            self._view.imported_functions.setdefault(f.signature.name, f)
        made = ImportedNodes(self._tracer, names, values, has_loop_gradients(nodes.values()))
        for step in steps:
            node = nodes[step.name]
            with _explained(step.name):
                self._operations[step.name] = made.add(node, step, self._waits(node))

    def _waits(self, node: Any) -> list[Operation]:
        """Returns the control inputs of a node."""
        given = node if isinstance(node, Recovered) else self._given[node.name]
        names = [x for x in given.input if x.startswith("^")]
        mapped = [self._mapped[x] for x in names if x in self._mapped]
        own = [self._operations[x[1:]] for x in names if x[1:] in self._operations]
        return [*mapped, *(own if not mapped else [x for x in own if x not in mapped])]

    # The requested elements.

    def element(self, name: str) -> Operation | Tensor:
        """Returns the operation or tensor of a name in the message.

        Raises:
          ValueError: The message has no such element.
        """
        if ":" not in name:
            if name not in self._operations:
                raise ValueError(f"Requested return node '{name}' not found in graph def")
            return self._operations[name]
        node, _, place = name.rpartition(":")
        if not place.isdigit():
            raise ValueError(
                f"Cannot convert '{name}' to a tensor name: what follows the `:` must be a number."
            )
        if name in self._mapped:
            found: Tensor = self._mapped[name]
            return found
        if node not in self._operations:
            raise ValueError(f"Requested return tensor '{name}' not found in graph def")
        outputs = self._operations[node].outputs
        if int(place) >= len(outputs):
            raise ValueError(
                f"Invalid return output {place} of node '{node}', which has {len(outputs)} "
                "output(s)"
            )
        return outputs[int(place)]


@contextmanager
def _explained(name: str = "") -> Iterator[None]:
    """Returns a context manager that converts errors of a damaged node to ValueError."""
    try:
        yield
    except NotFoundError:
        raise
    except UnimplementedError as error:
        if name:
            error.add_note(f"in the node {name!r} of the graph that is imported")
        raise
    except _DAMAGE as error:
        raise ValueError(f"Node '{name}': {error}" if name else str(error)) from error


def _outside_of_loops(nodes: Mapping[str, Any]) -> list[str]:
    """Returns the names of the nodes outside of the conditionals and loops of TensorFlow 1."""
    if not has_control_flow(nodes.values()):
        return list(nodes)
    users: dict[str, list[str]] = {}
    for node in nodes.values():
        for reference in node.input:
            users.setdefault(reference.removeprefix("^").partition(":")[0], []).append(node.name)
    inside = {x.name for x in nodes.values() if is_in_part(x, nodes)}
    left = list(inside)
    while left:
        more = [user for user in users.get(left.pop(), ()) if user not in inside]
        inside.update(more)
        left += more
    return [name for name in nodes if name not in inside]
