"""`tf.Graph`: operations that a session runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current, name_scope, scopes_named_by
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.operation_names import checked, default_name
from gradtape._src.declare.registered import overriding
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.ir.origins import NOWHERE, Imported, Origin
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graph.symbolic_gradients import Derivatives
from gradtape._src.sessions.collections import Collections
from gradtape._src.sessions.elements import GraphOperation, nodes_of
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.handles import read_p
from gradtape._src.sessions.open_tracer import OpenTracer
from gradtape._src.sessions.running import default_session

if TYPE_CHECKING:
    from gradtape._src.sessions.session import BaseSession


class _KindOfGraph(type):
    """Makes the graphs of traced functions instances of `tf.Graph`, as in TensorFlow."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, FuncGraph)


@export("Graph")
class Graph(Collections, FuncGraph, metaclass=_KindOfGraph):
    """Operations with names, to which more can be added until it is finalized.

    Inside a block `with graph.as_default():`, operations are not run, but added to the graph. A
    `tf.compat.v1.Session` runs them.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     y = tf.reduce_sum(x * x)
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     float(session.run(y, {x: [1.0, 2.0]}))
    5.0
    """

    building_function = False
    operation_type = GraphOperation
    tracer_type = OpenTracer
    variable_type = GraphVariable

    def __init__(self) -> None:
        self.tracer: OpenTracer = self.tracer_type(self)
        FuncGraph.__init__(self, self.tracer, "")
        Collections.__init__(self)
        self._by_node: dict[Node, Operation] = {}
        self._overrides: dict[Node, dict[str, str]] = {}
        self._finalized = False
        self.seed: int | None = None
        self.variables_of_handles: dict[Symbol, GraphVariable] = {}
        # The names of the variables that a loop's body made when it was traced before.
        self.made_before: frozenset[str] = frozenset()
        # the tensors of constants by the names of their operations
        self.imported_variables: dict[str, GraphVariable] = {}
        self.programs: dict[Any, Any] = {}
        self._unfeedable: set[Symbol] = set()

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Returns a context manager; operations inside its block are added to the graph.

        Yields:
          The graph.
        """
        with ExitStack() as left:
            left.enter_context(name_scope(""))
            self._enter(left)
            yield self

    def _enter(self, left: ExitStack) -> None:
        left.enter_context(replaced((self.tracer,)))
        left.enter_context(scopes_named_by(self.unique_name))
        left.callback(self.tracer.origins.forget)

    @contextmanager
    def extended(self) -> Iterator[None]:
        """Returns a context manager in which a session may add operations to a finalized graph.

        Yields:
          Nothing.
        """
        before, self._finalized = self._finalized, False
        try:
            yield
        finally:
            self._finalized = before

    def check_open(self) -> None:
        """Checks that operations may be added.

        Raises:
          RuntimeError: The graph is finalized.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def finalize(self) -> None:
        """Makes the graph read-only: no more operations can be added."""
        self._finalized = True

    @property
    def finalized(self) -> bool:
        """Whether the graph is read-only."""
        return self._finalized

    @property
    def version(self) -> int:
        """A number that grows with each operation."""
        return len(self.tracer.nodes)

    def constant(self, x: Tensor, name: str | None = None, whole_name: str | None = None) -> Tensor:
        """Converts a tensor to a constant of the graph.

        A tensor of the graph is returned unchanged.

        Args:
          x: The tensor.
          name: The constant's name.
          whole_name: The full name including all scopes, if it is known.

        Returns:
          A tensor of the graph.
        """
        if type(x) is not Tensor or type(x._value) is Symbol:
            return x
        made: Tensor = self.tracer.constant(x._value, whole_name)
        return made

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """Returns a context manager; operations inside its block run after given ones.

        Args:
          control_inputs: Operations and tensors, or None to ignore all outer control dependencies.

        Returns:
          A context manager.
        """
        if control_inputs is None:
            return self.tracer.after(None)
        return self.tracer.after(nodes_of(self, control_inputs))

    def name_scope(self, name: str) -> AbstractContextManager[str]:
        """Returns a context manager that adds a prefix to the names of operations.

        Args:
          name: The name.

        Returns:
          A context manager, whose value is the full name of the scope.
        """
        return name_scope(name)

    def get_name_scope(self) -> str:
        """Returns the name of the current name scope.

        Returns:
          The name, which is empty outside of all scopes.
        """
        return current().rstrip("/")

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Returns a context manager for placing operations on a device; it has no effect.

        Args:
          device_name_or_function: Accepted for compatibility.

        Yields:
          Nothing.
        """
        yield

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Returns a context manager for placing variables in a container; it has no effect.

        Args:
          container_name: The container's name.

        Yields:
          The name.
        """
        yield container_name

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Returns a context manager for placing operations together; it has no effect.

        Args:
          op: Accepted for compatibility.
          ignore_existing: Accepted for compatibility.

        Yields:
          Nothing.
        """
        yield

    def switch_to_thread_local(self) -> None:
        """Has no effect: scopes are always local to a thread."""

    def group(self, inputs: Sequence[Any], name: str) -> Operation:
        """Returns an operation that does nothing and runs after others.

        Args:
          inputs: Operations, tensors and variables, in structures of any kind.
          name: The operation's name; if it ends with a slash, it is the full name.

        Returns:
          The operation.
        """
        nodes = nodes_of(self, nest.flatten(list(inputs)))
        whole = name[:-1] if name.endswith("/") else self.unique_name(current() + name)
        return self.operation_of(self.tracer.group(nodes, whole))

    def operation_of(self, node: Node) -> Operation:
        """Returns the operation of a node.

        Args:
          node: A node of the graph.

        Returns:
          The operation.
        """
        if node not in self._by_node:
            self._update()
        return self._by_node[node]

    def check_name(self, node: Node) -> None:
        """Checks the name that the program gave an operation.

        Args:
          node: The operation.

        Raises:
          ValueError: Operations can't have this name.
        """
        origin = node.line or NOWHERE
        if origin.name and type(origin) is not Imported:
            checked(origin.name, bool(self._prefix(origin)))

    def _take(self, origin: Origin, nodes: list[Node]) -> None:
        *before, last = nodes
        plain = not before or any(node.primitive is not read_p for node in before)
        if plain or type(origin) is Imported:
            super()._take(origin, nodes)
            return
        prefix = self._prefix(origin)  # the operation reads its variables itself
        said = origin.name or default_name(origin.function, last.primitive.name)
        whole = self._names.unique(prefix + checked(said, bool(prefix)))
        for node in before:
            self._take_node(self._names.unique(f"{whole}/{node.primitive.name}"), node)
        self._take_node(whole, last)

    def _take_node(self, name: str, node: Node, shown: bool = True) -> None:
        super()._take_node(self.tracer.named.get(node, name), node, shown)

    def _show(self, name: str, node: Node, *names_of_inputs: Any) -> Operation:
        made = self._by_node[node] = super()._show(name, node, *names_of_inputs)
        return made

    def take_back(self, count: int) -> None:
        """Discards operations that were removed from the graph.

        Args:
          count: The number of nodes that are kept.
        """
        self._read = min(self._read, count)

    def _imported(
        self,
        name: str,
        definition: Any,
        inputs: Sequence[Any],
        symbols: Sequence[Symbol],
        nodes: Sequence[Node],
    ) -> Operation:
        made = super()._imported(name, definition, inputs, symbols, nodes)
        self._by_node.update(dict.fromkeys(nodes, made))
        return made

    def controls_of(self, operation: Operation) -> list[Operation]:
        """Returns the control inputs of an operation.

        Args:
          operation: An operation of the graph.

        Returns:
          A list of operations.
        """
        node = operation.node
        before = () if node is None else self.tracer.controls_of(node)
        found = dict.fromkeys([self.operation_of(n) for n in before])
        return [op for op in found if op is not operation]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation:
        """Returns the tensor or operation of the graph that an object refers to.

        Args:
          obj: A tensor, operation, variable or name.
          allow_tensor: Whether the result may be a tensor.
          allow_operation: Whether the result may be an operation.

        Returns:
          The tensor or operation.

        Raises:
          TypeError: The object is something else.
          ValueError: The object belongs to another graph, or the name is not valid for the
            requested kind.
          KeyError: The graph has no element with this name.
        """
        if isinstance(obj, GraphVariable):
            obj = Tensor(obj.fetched())
        if isinstance(obj, (str, bytes)):
            return self._named(obj if isinstance(obj, str) else obj.decode(), allow_tensor)
        if type(obj) is Tensor and allow_tensor:
            if type(obj._value) is Symbol and obj._value.owner is not self.tracer:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        wanted = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def _named(self, name: str, allow_tensor: bool) -> Tensor | Operation:
        if ":" in name and allow_tensor:
            return self.get_tensor_by_name(name)
        return self.get_operation_by_name(name)

    def derivatives(self) -> Derivatives:
        """Returns the derivatives of its values, for `tf.gradients`.

        Returns:
          An object that computes gradients.
        """

        def variable_of(node: Node) -> GraphVariable | None:
            is_read = node.primitive is read_p
            return self.variables_of_handles.get(node.inputs[0]) if is_read else None

        def override_of(node: Node) -> Primitive | None:
            name = self.gradient_name(self.operation_of(node))
            return overriding(name, node.primitive) if name else None

        return Derivatives(self.tracer, variable_of, override_of)

    def gradient_name(self, operation: Operation) -> str | None:
        """Returns the name of the registered gradient that an operation has instead of its own.

        Args:
          operation: An operation of the graph.

        Returns:
          The name, or None.
        """
        chosen = {} if operation.node is None else self._overrides.get(operation.node, {})
        return chosen.get(operation.type)

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Returns a context manager whose operations have other gradients.

        Args:
          op_type_map: A dictionary from names of operations to names for which gradients are
            registered by `tf.RegisterGradient`.

        Yields:
          Nothing.

        Raises:
          TypeError: A name is not a string.

        >>> @tf.RegisterGradient("Tenfold")
        ... def tenfold(op, gradient):
        ...     return 10.0 * gradient
        >>> graph = tf.Graph()
        >>> with graph.as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.constant(2.0)
        ...     with graph.gradient_override_map({"Square": "Tenfold"}):
        ...         y = tf.square(x)
        ...     float(session.run(tf.gradients(y, x)[0]))
        10.0
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        if not all(isinstance(name, str) for pair in op_type_map.items() for name in pair):
            raise TypeError("Keys and values of op_type_map must be strings")
        start = len(self.tracer.nodes)
        try:
            yield
        finally:
            for node in self.tracer.nodes[start:]:
                self._overrides[node] = {**op_type_map, **self._overrides.get(node, {})}

    def is_feedable(self, tensor: Any) -> bool:
        """Returns whether a tensor may be fed.

        Args:
          tensor: A tensor of the graph.

        Returns:
          True unless `prevent_feeding` was called.
        """
        return tensor._value not in self._unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Forbids feeding a tensor.

        Args:
          tensor: A tensor of the graph.
        """
        self._unfeedable.add(tensor._value)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Returns whether a tensor or operation may be fetched.

        Args:
          tensor_or_op: A tensor or operation of the graph.

        Returns:
          True.
        """
        return True

    def session_or_default(self, session: Any, what: str) -> BaseSession:
        """Returns the given session, or the default session if it is None.

        Args:
          session: A session, or None.
          what: The purpose, for the message.

        Returns:
          The session.

        Raises:
          ValueError: There is no default session, or the session belongs to another graph.
        """
        chosen: BaseSession | None = session or default_session()
        if chosen is None:
            raise ValueError(
                f"Cannot {what} using the default session: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session."
            )
        if chosen.graph is not self:
            raise ValueError(
                "Cannot use the given session to evaluate tensor: the tensor's graph is different "
                "from the session's graph."
            )
        return chosen

    def evaluation(self, symbol: Symbol) -> Callable[..., Any]:
        """Returns the method `eval` of a tensor.

        Args:
          symbol: The tensor's value.

        Returns:
          A function of `feed_dict` and `session`.
        """

        def evaluate(feed_dict: Any = None, session: Any = None) -> Any:
            chosen = self.session_or_default(session, "evaluate tensor")
            return chosen.run(Tensor(symbol), feed_dict)

        return evaluate

    def __repr__(self) -> str:
        return f"<tf.Graph of {self.version} operations>"


def in_graph(x: Any, graph: Graph, dtype: Any = None) -> Tensor:
    """Converts a value to a tensor of a graph."""
    with replaced((graph.tracer,)):
        return convert_to_tensor(x, dtype)


def current_graph() -> Graph | None:
    """Returns the graph that is being built by the current block, branch or loop, or None."""
    for recorder in STACK.recorders:
        around = recorder
        while around is not None:
            if isinstance(around, OpenTracer):
                found: Graph = around.open_graph
                return found
            around = getattr(around, "outer", None) or getattr(around, "around", None)
    return None
