"""`tf.gradients`: derivatives of any values of a graph, from the operations that it has so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.autodiff.arguments import (
    UnconnectedGradients,
    answer,
    inner_leaf,
    ones,
    seeds,
    target_leaves,
    unconnected_choice,
)
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.walk import pull_back, relevant
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Primitive, record
from gradtape._src.core.recorder import next_id
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.unknown_sizes import is_unknown
from gradtape._src.graph.ir.graph import NeedsConstants, Node, Symbol
from gradtape._src.graph.ir.state import is_read
from gradtape._src.graph.tracing.part_tracer import PartTracer
from gradtape._src.graph.tracing.tracer import Tracer, tracing, with_gradients_at_run

_EAGER = (
    "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead "
    "(with tf.GradientTape() as tape: ...; tape.gradient(ys, xs)), or call it inside of a "
    "tf.function that is traced (Function.explain() says whether and why one is not)"
)


class Derivatives:
    """The derivatives of values in the graph that a tracer makes.

    The graph's operations become the records of a tape that watched the sources.

    Args:
      tracer: The tracer.
      variable_of: Returns the variable that a node reads, or None.
      override_of: Returns an operation whose derivatives are used in place of a node's, or None.
    """

    def __init__(
        self,
        tracer: Tracer,
        variable_of: Callable[[Node], Any],
        override_of: Callable[[Node], Primitive | None] = lambda node: None,
    ) -> None:
        self._tracer, self._variable_of, self._override_of = tracer, variable_of, override_of
        self._values: dict[Any, Tensor] = {}  # by symbol, or by the id of a constant

    def of(
        self, ys: Sequence[Any], xs: Sequence[Any], given: Any, stopped: Sequence[Any], choice: Any
    ) -> list[Any]:
        """Returns the gradients of the sum of `ys`.

        Args:
          ys: Tensors of the graph.
          xs: Tensors and variables of the graph, or None to skip.
          given: The cotangents of `ys`, or None for ones.
          stopped: The values that are treated as constants.
          choice: The result for a source without a path to `ys`: "none" or "zero".
        """
        constant = {self._key(x) for x in map(inner_leaf, stopped) if type(x) is Tensor}
        sources = [None if x is None else self._source(inner_leaf(x)) for x in xs]
        asked = {x._id for x in sources if x is not None}
        records = self._records(asked, constant, self._nodes_after(sources))
        targets = [self._target(y) for y in ys]
        if given is not None:
            pairs = zip(given, targets, strict=False)
            given = [Tensor(ones(y._value)) if g is None else g for g, y in pairs]
        cotangents = seeds(targets, given, raw=False)
        found = pull_back(relevant(records, asked), cotangents, asked, raw=False)
        return [None if x is None else answer(found.get(x._id), x, False, choice) for x in sources]

    def _key(self, x: Tensor) -> Any:
        """Returns the symbol of a tensor in the graph, or the id of a constant's value."""
        return _key_of(self._tracer.entry(x))

    def _source(self, leaf: Any) -> Any:
        if type(leaf) is not Tensor:
            return leaf
        key = self._key(leaf)
        if type(key) is not Symbol and not self._tracer.keeps_constants:
            raise NeedsConstants
        return self._values.setdefault(key, Tensor(leaf._value, leaf._id or next_id()))

    def _target(self, y: Any) -> Tensor:
        held: Tensor = y if type(y) is Tensor else y._read()
        return self._values.get(self._key(held), held)

    def _nodes_after(self, sources: Sequence[Any]) -> list[Node]:
        """Returns the nodes from the first that computes a source; others depend on no source.

        So if a long program computes gradients after each step, each takes the same time.
        """
        nodes = self._tracer.nodes
        given = [x for x in sources if x is not None]
        missing = {x._value for x in given if type(x) is Tensor and type(x._value) is Symbol}
        if len(missing) == len({x._id for x in given}):
            for i in reversed(range(len(nodes))):
                missing.difference_update(nodes[i].outputs)
                if not missing:
                    return nodes[i + 1 :]
        return list(nodes)

    def _records(self, asked: set[int], stopped: set[Any], nodes: Sequence[Node]) -> Any:
        """Returns the records of a tape that watched the sources while the nodes were made."""
        tracer, values = self._tracer, self._values
        tape = GradientTape(persistent=True, watch_accessed_variables=False)
        tape.ids.update(asked)
        if isinstance(tracer, PartTracer):
            values.update({x: Tensor(x, i) for i, x in tracer.state.items() if i in asked})
        for node in nodes:
            variable = self._variable_of(node)
            if variable is not None:
                if variable._id in asked:
                    symbol = node.outputs[0]
                    values.setdefault(symbol, Tensor(symbol, variable._id))
                continue
            if not getattr(node.params.get("of"), "has_gradient", True):
                continue
            inputs = [values.get(_key_of(x)) for x in node.inputs]
            if any(x is not None for x in inputs):
                self._record(tape, node, inputs, stopped)
        return tape._records([])

    def _record(
        self, tape: GradientTape, node: Node, inputs: Sequence[Any], stopped: set[Any]
    ) -> None:
        """Records a node, of which at least one input depends on the sources."""
        values, whole = self._values, zip(inputs, node.inputs, strict=True)
        given = [Tensor(value) if x is None else x for x, value in whole]
        outputs = [
            values[y] if y in values and y not in stopped else Tensor(y) for y in node.outputs
        ]
        if hasattr(node.params.get("of"), "lists"):  # so that gradients by lists are errors
            for y, x in zip(node.outputs, outputs, strict=True):
                x._id = x._id or (next_id() if y.np_dtype.kind == "O" else 0)
        made: Any = tuple(outputs) if node.several else outputs[0]
        unknown = any(is_unknown(shape_of(x)) for x in (*given, *outputs))
        keep = with_gradients_at_run.get() if unknown else record
        keep((tape,), self._override_of(node) or node.primitive, given, made, node.params)
        pairs = zip(node.outputs, outputs, strict=True)
        values.update({y: x for y, x in pairs if x._id in tape.ids and y not in stopped})


def _key_of(x: Any) -> Any:
    """Returns the key of a node's input: the symbol itself, or a constant's id."""
    return x if type(x) is Symbol else id(x)


def _variable_read(node: Node) -> Any:
    return node.params["variable"] if is_read(node) else None


@export("AggregationMethod")
class AggregationMethod:
    """The ways in which `tf.gradients` adds up gradients; all give the same result."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _of_targets(grad_ys: Any, targets: Sequence[Any]) -> list[Any]:
    """Returns the cotangents of the targets; each may be a tensor or a list of numbers."""
    given = grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(given) != len(targets):
        given = nest.flatten(grad_ys)
    if len(given) != len(targets):
        raise ValueError(
            f"Length mismatch. There must be one grad_ys for each ys: {len(given)} are given, for "
            f"{len(targets)} ys"
        )
    numbers = (list, tuple, int, float, complex)
    pairs = zip(given, targets, strict=True)
    return [convert_to_tensor(g, y.dtype) if isinstance(g, numbers) else g for g, y in pairs]


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Computes the gradients of the sum of `ys` inside a `tf.function`.

    Args:
      ys: A tensor or nested structure of tensors, computed in the function.
      xs: A tensor, variable or nested structure of them: any values that `ys` may depend on.
      grad_ys: The gradients with respect to `ys`. Defaults to ones.
      name: The name scope of the operations.
      gate_gradients: Accepted for compatibility.
      aggregation_method: Accepted for compatibility.
      stop_gradients: Tensors that are treated as constants.
      unconnected_gradients: The result for a source that `ys` does not depend on: None ("none") or
        zeros ("zero").

    Returns:
      A list with a gradient for each tensor in `xs`.

    Raises:
      RuntimeError: The call is not inside a `tf.function`.
      AttributeError: A value in `ys` or `xs` is None.
      ValueError: `unconnected_gradients` is unknown, or there are not as many `grad_ys` as `ys`.

    >>> square_slope = tf.function(lambda x: tf.gradients(x * x, x)[0])
    >>> float(square_slope(tf.constant(3.0)))
    6.0
    """
    graph, tracer = open_graph(), tracing()
    choice = unconnected_choice(unconnected_gradients)
    if ys is None or xs is None:
        raise AttributeError("tf.gradients: `ys` and `xs` must be tensors, not None")
    if tracer is None:
        raise RuntimeError(_EAGER)
    made = Derivatives(tracer, _variable_read) if graph is None else graph.derivatives()
    targets = target_leaves(ys)
    given = None if grad_ys is None else _of_targets(grad_ys, targets)
    stopped = nest.flatten(stop_gradients or [])
    with name_scope(name):
        return made.of(targets, nest.flatten(xs), given, stopped, choice)
