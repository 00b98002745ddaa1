"""Traces operations to a graph that can be extended until it is finalized."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dispatch import expect_open_graphs
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsRank,
    NeedsSize,
    atoms,
    has_sizes,
)
from gradtape._src.graph.inference.deferred import Attempt
from gradtape._src.graph.ir.graph import CannotTrace, Node, Symbol
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graph.tracing.tracer import Tracer, plain_tracing
from gradtape._src.sessions.at_run import AtRun, Function, at_run_primitive
from gradtape._src.sessions.handles import CHANGES, const_p, no_op_p, read_p
from gradtape._src.sessions.open_control_flow import OpenControlFlow, passed_on

if TYPE_CHECKING:
    from gradtape._src.sessions.graph import Graph

R = TypeVar("R")
_SMALL = 64  # the maximum number of elements of a constant that may be a shape


class OpenDecisions(Decisions):
    """Decisions about unknown lengths; two unknown lengths are assumed to be equal.

    In most programs for TensorFlow 1, the batch size is unknown in all placeholders. Other
    decisions that a run may contradict are refused while a function is called that may become one
    operation instead.

    Attributes:
      refused: The number of decisions that were refused.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refused = self._calls = self._made = 0
        self._guesses = False

    def judged(self, code: str, held: bool) -> bool:
        if _OF_TWO.fullmatch(code):
            held = " == " in code
        elif self._calls and not self._guesses and _is_guess(code):
            self.refused += 1
            raise NeedsSize(f"the graph would depend on whether {code}")
        self._made += 1
        return super().judged(code, held)

    @property
    def made(self) -> int:
        return self._made

    def begin_call(self) -> None:
        self._calls += 1

    def end_call(self) -> None:
        self._calls -= 1

    @contextmanager
    def guessing(self) -> Iterator[None]:
        """Returns a context manager in which no decision is refused."""
        before, self._guesses = self._guesses, True
        try:
            yield
        finally:
            self._guesses = before

    def needs_rank(self, why: str) -> NeedsRank:
        return KnownInRunError(
            None, None, f"{why}: give the placeholder a shape, such as [None, 3], or call set_shape"
        )

    needs_size = needs_rank


class KnownInRunError(NeedsRank, UnimplementedError):
    """Raised if a rank or value is needed that will be known only when the graph runs."""


_OF_TWO = re.compile(r"s\d+ [!=]= s\d+")


def _is_guess(code: str) -> bool:
    """Whether a condition compares two lengths, or asks whether a division leaves no rest."""
    is_equation = " == " in code or " != " in code
    return len(set(atoms(code))) > 1 or (is_equation and ("//" in code or "%" in code))


class OpenTracer(Tracer):
    """Records operations as nodes of a `Graph`.

    Args:
      graph: The graph.

    Attributes:
      controls: The control inputs of each node.
      named: The names of nodes whose names are not derived from their operations.
      conditions: The decisions about unknown lengths that were made for each node.
    """

    keeps_constants = True
    process_known = None  # type: ignore[assignment]  # every operation is checked and named

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        expect_open_graphs(attempt_in_open_graph)
        self.open_graph = graph
        self.controls: dict[Node, tuple[Node, ...]] = {}
        self.named: dict[Node, str] = {}
        self.decisions: OpenDecisions = OpenDecisions()
        self.conditions: dict[Node, dict[str, bool]] = {}
        self._scopes: list[tuple[int, tuple[Node, ...]]] = []
        self._producers: dict[Symbol, Node] = {}
        self._seen = 0
        self.is_deferring = False  # whether a call is being converted to one operation

    @property
    def variable_type(self) -> type[Variable]:
        """The class of the variables that are created while the tracer is active."""
        kind: type[Variable] = self.open_graph.variable_type
        return kind

    @property
    def view(self) -> Graph:
        """The graph, with names of its nodes."""
        graph: Graph = self.open_graph
        return graph

    def entry(self, x: Tensor) -> Symbol | np.ndarray[Any, Any] | np.generic:
        value = x._value
        if type(value) is Symbol:
            if value.owner is self:
                return value
            raise other_graph(x)
        if isinstance(value, CONCRETE):
            known: np.ndarray[Any, Any] | np.generic = value
            return known
        raise self.needs_value(f"a value of type {type(value).__name__} cannot be part of a graph")

    def exclude_others(self) -> None:
        """Does nothing: sessions run the operations that are asked for, not sections."""

    def producer(self, symbol: Symbol) -> Node:
        """Returns the node that computes a symbol."""
        for node in self.nodes[self._seen :]:
            self._producers.update(dict.fromkeys(node.outputs, node))
        self._seen = len(self.nodes)
        return self._producers[symbol]

    def known_value(self, symbol: Symbol) -> object:
        """Returns the value of a constant or of a symbol that depends only on constants."""
        found = self.producer(symbol)
        if found.primitive is const_p:
            value: object = found.params["value"]
            return value
        waits = found.stateful or found in self.controls or not found.inputs
        if waits or has_sizes([*found.params.values()]):
            return None
        given = [self.known_value(x) if type(x) is Symbol else x for x in found.inputs]
        if any(x is None for x in given):
            return None
        out = found.primitive.kernel(*given, **found.params)
        whole: object = out[found.outputs.index(symbol)] if found.several else out
        return whole

    def needs_value(self, why: str) -> BaseException:
        return KnownInRunError(
            None,
            None,
            "No graph holds this operation, because it needs a value that is known only in "
            "Session.run: "
            f"{why}",
        )

    def process_under(
        self,
        tapes: Sequence[Any],
        primitive: Primitive,
        inputs: Sequence[Tensor],
        params: dict[str, Any],
    ) -> Outputs:
        self.open_graph.check_open()
        try:
            out = self.ordered(super().process_under(tapes, primitive, inputs, params))
        except (CannotTrace, NeedsSize) as error:
            raise self.needs_value(f"{primitive.name}: {error}") from error
        if self.decisions.taken:
            self._note_decisions()
        return out

    def at_run(
        self,
        name: str,
        function: Function,
        inputs: Sequence[Tensor],
        specs: Sequence[Any],
        stateful: bool = False,
        lists: Sequence[int] = (),
    ) -> list[Tensor]:
        """Adds an operation that is computed eagerly when a session runs it.

        Args:
          name: TensorFlow's name of the operation.
          function: A function that returns the outputs for the inputs.
          inputs: Tensors.
          specs: The shape and dtype of each output, as far as they are known.
          stateful: Whether it has effects, so that it runs even if no output is used.
          lists: The indices of inputs that are lists of tensors.
        """
        of = AtRun(function, specs, lists)
        return at_run_primitive(name).performed(inputs, of, stateful=stateful)

    @contextmanager
    def deferring(self) -> Iterator[None]:
        """Returns a context manager in which calls that need an unknown rank become operations."""
        before, self.is_deferring = self.is_deferring, True
        try:
            yield
        finally:
            self.is_deferring = before

    @contextmanager
    def inferring_nothing(self) -> Iterator[None]:
        """Returns a context manager in which operations that need unknown values raise an error."""
        before, self.infers = self.infers, False
        try:
            yield
        finally:
            self.infers = before

    def take_back(self, start: int) -> None:
        """Removes all operations from index `start` on; no other operation uses them."""
        if len(self.nodes) > start:
            del self.nodes[start:]
            self._seen = min(self._seen, start)
            self._scopes = [(min(begin, start), deps) for begin, deps in self._scopes]
            self.view.take_back(start)

    def _note_decisions(self) -> None:
        """Stores the decisions about unknown lengths that were made for the last operation."""
        if self.nodes:
            self.conditions.setdefault(self.nodes[-1], {}).update(self.decisions.taken)
            self.decisions.taken.clear()

    def add(
        self,
        primitive: Primitive,
        entries: Sequence[Any],
        params: dict[str, Any],
        specs: Any,
        stateful: bool = False,
        depth: int = 1,
    ) -> Outputs:
        self.open_graph.check_open()
        out = super().add(primitive, entries, params, specs, stateful, depth)
        try:
            self.open_graph.check_name(self.nodes[-1])
        except ValueError:
            self.take_back(len(self.nodes) - 1)
            raise
        made: Any = out if type(out) is tuple else (out,)
        self.tensors.update({x._value: x for x in made})
        return out

    def operation(
        self,
        primitive: Primitive,
        entries: Sequence[Any] = (),
        specs: Any = (),
        params: dict[str, Any] | None = None,
        name: str | None = None,
        stateful: bool = True,
    ) -> Node:
        """Adds an operation; `name` is its full name if the call does not determine it."""
        self.add(primitive, entries, params or {}, specs, stateful)
        node = self.nodes[-1]
        if name is not None:
            self.named[node] = name
        return node

    def constant(self, value: Any, name: str | None = None) -> Tensor:
        """Returns a constant of the graph."""
        node = self.operation(
            const_p, (), (value.shape, value.dtype), {"value": value}, name, stateful=False
        )
        symbol = node.outputs[0]
        if value.dtype.kind in "iu" and value.size <= _SMALL:
            symbol.consists_of(np.array(value.tolist(), object).reshape(value.shape))
        tensor = self.tensors[symbol] = Tensor(symbol)
        return tensor

    def _capture(self, x: Tensor, value: Any) -> Symbol:
        found: Symbol = self.constant(value)._value
        return found

    def last_operation(self) -> Operation:
        found: Operation = self.open_graph.operation_of(self.nodes[-1])
        return found

    def known_made(
        self,
        x: Tensor,
        label: str | None = None,
        kind: str | None = None,
        inputs: Sequence[Tensor] = (),
    ) -> Tensor:
        return self.ordered(x) if kind is None else x

    def ordered(self, result: R) -> R:
        """Makes known results constants of the graph if operations made now wait for others.

        A known value is not a part of the graph, and could not wait for anything.

        Args:
          result: Tensors, in a structure of any kind.
        """
        if not self._scopes or not self._scopes[-1][1]:
            return result
        made: R = nest.map_structure(self._constant_if_known, result)
        return made

    def _constant_if_known(self, x: Any) -> Any:
        known = type(x) is Tensor and isinstance(x._value, CONCRETE)
        return self.constant(x._value) if known else x

    def leave_out(self, operation: str) -> None:
        raise self.needs_value(operation)

    refuse = leave_out

    @contextmanager
    def after(self, nodes: Sequence[Node] | None) -> Iterator[None]:
        """Returns a context manager for control dependencies.

        None removes the dependencies of outer blocks.
        """
        around = self._scopes
        before = around[-1][1] if around and nodes is not None else ()
        self._close_scope()
        chosen = tuple(dict.fromkeys([*before, *(nodes or ())]))
        self._scopes = [*around, (len(self.nodes), chosen)]
        try:
            yield
        finally:
            self._close_scope()
            self._scopes = [(len(self.nodes), deps) for _, deps in around]

    def _close_scope(self) -> None:
        """Sets the control inputs of the operations that were added since the scope began."""
        if not self._scopes:
            return
        start, deps = self._scopes[-1]
        for node in self.nodes[start:] if deps else ():
            self.controls[node] = (*self.controls.get(node, ()), *deps)
        self._scopes[-1] = (len(self.nodes), deps)

    def controls_of(self, node: Node) -> tuple[Node, ...]:
        """Returns the control inputs of a node."""
        if self._scopes and self._scopes[-1][0] < len(self.nodes):
            self._close_scope()
        return self.controls.get(node, ())

    def group(self, nodes: Sequence[Node], name: str | None = None) -> Node:
        """Returns an operation that does nothing, after others."""
        with self.after(nodes):
            return self.operation(no_op_p, name=name)

    def as_one(self, call: Callable[[], R]) -> R:
        """Calls a `tf.function`, whose effects happen in order and before its results are used.

        Args:
          call: Makes its operations.

        Returns:
          The function's results.
        """
        start = len(self.nodes)
        with self.after(()):
            out = call()
        first = {v._assign_node for v in self.open_graph.variables_of_handles.values()}
        acting = [x for x in self.nodes[start:] if _is_effect(x) and x not in first]
        if not acting:
            return out
        before: tuple[Node, ...] = ()
        for node in self.nodes[start:]:
            if node in acting or node.primitive is read_p:
                self.controls[node] = tuple(dict.fromkeys([*self.controls_of(node), *before]))
                before = (node,)
        with self.after(acting):
            return passed_on(out)

    @property
    def control_flow(self) -> OpenControlFlow:
        return OpenControlFlow(self)

    # Variables. Graph variables have their own read and assign operations.

    def hold(self, variable: Variable) -> None:
        if getattr(variable, "graph", None) is not self.open_graph:
            raise ValueError(
                f"The variable {variable.name!r} belongs to another graph: make it inside "
                "this graph's `as_default()`."
            )

    def variable_read(self, variable: Variable) -> None:
        self.hold(variable)

    def variable_written(self, variable: Variable) -> None:
        self.hold(variable)

    def settle(self) -> None:
        """Does nothing: assignments are operations, and none are pending."""

    def read_again(self) -> None:
        """Does nothing: each read is an operation, and no value is cached."""


def _is_effect(node: Node) -> bool:
    """Whether an operation changes a variable, or has another effect."""
    alone = node.stateful and not node.outputs and node.primitive is not no_op_p
    return node.primitive in CHANGES or alone or (node.stateful and "of" in node.params)


def attempt_in_open_graph() -> OpenAttempt | None:
    """Returns an attempt for a call that begins now, if a TensorFlow 1 graph is being made."""
    recorders = STACK.recorders
    graph = recorders[0].open_graph if recorders else None
    if graph is None or graph.tracer.is_deferring or (tracer := plain_tracing()) is None:
        return None
    if not tracer.infers or tracer.for_xla:
        return None
    return OpenAttempt(tracer)


class OpenAttempt(Attempt):
    """A call of a function in a TensorFlow 1 graph, which may become one operation."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._decisions: OpenDecisions = tracer.decisions  # type: ignore[assignment]
        self._refused = self._decisions.refused
        self._decisions.begin_call()

    def end(self) -> None:
        """Ends the attempt, when the call ends."""
        self._decisions.end_call()

    def as_operation(
        self, error: BaseException, function: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> object:
        try:
            return super().as_operation(error, function, *args, **kwargs)
        except BaseException:
            if self._decisions.refused == self._refused:
                raise
        self.forget()
        with self._decisions.guessing():
            again: object = function(*args, **kwargs)
        return again


def other_graph(x: Tensor) -> ValueError:
    """Returns the error for a tensor of another graph."""
    return ValueError(
        f"{x} must be from the same graph as the operation that takes it (its graph is "
        f"{x._value.owner.view})."
    )
