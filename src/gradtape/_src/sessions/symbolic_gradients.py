"""`tf.gradients` in a graph: the tape's records are made from the graph's operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradtape._src.autodiff.arguments import answer, id_of, inner_leaf, ones, seeds
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.walk import pull_back, relevant
from gradtape._src.core.primitive import record
from gradtape._src.core.recorder import next_id
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.sessions.handles import read_p

if TYPE_CHECKING:
    from gradtape._src.sessions.open_tracer import OpenTracer


class Gradients:
    """The derivatives of values in a graph.

    Attributes:
      tracer: The tracer that makes the graph.
      variables_of_handles: The variables by the symbols of their handles.
    """

    tracer: OpenTracer
    variables_of_handles: dict[Symbol, Any]

    def derivatives(
        self, ys: Sequence[Tensor], xs: Sequence[Any], given: Any, stopped: set[int], choice: Any
    ) -> list[Any]:
        """Returns the gradients of the sum of `ys`.

        Args:
          ys: Tensors of the graph.
          xs: Tensors and variables of the graph, or None to skip.
          given: The cotangents of `ys`, or None for ones.
          stopped: The ids of the values that are taken as constants, from `id_of_source`.
          choice: The result for a source without a path to `ys`: "none" or "zero".
        """
        values: dict[Any, Tensor] = {}
        sources = [None if x is None else self._source(values, x) for x in xs]
        asked = {x._id for x in sources if x is not None}
        records = self._records(values, asked, stopped)
        targets = [self._target(values, y) for y in ys]
        if given is not None:
            pairs = zip(given, targets, strict=False)
            given = [Tensor(ones(y._value)) if g is None else g for g, y in pairs]
        cotangents = seeds(targets, given, raw=False)
        found = pull_back(relevant(records, asked), cotangents, asked, raw=False)
        return [None if x is None else answer(found.get(x._id), x, False, choice) for x in sources]

    @staticmethod
    def _source(values: dict[Any, Tensor], x: Any) -> Any:
        leaf = inner_leaf(x)
        if type(leaf) is not Tensor:
            return leaf
        return values.setdefault(leaf._value, Tensor(leaf._value, leaf._id or next_id()))

    @staticmethod
    def _target(values: dict[Any, Tensor], y: Any) -> Tensor:
        held: Tensor = y if type(y) is Tensor else y._read()
        found = values.get(held._value) if type(held._value) is Symbol else None
        return held if found is None else found

    def _records(self, values: dict[Any, Tensor], asked: set[int], stopped: set[int]) -> Any:
        """Returns the records of a tape that watched the sources while the graph was made."""
        tape = GradientTape(persistent=True, watch_accessed_variables=False)
        tape.ids.update(asked)
        for node in list(self.tracer.nodes):
            if node.primitive is read_p:
                variable = self.variables_of_handles.get(node.inputs[0])
                if variable is not None and variable._id in asked:
                    symbol = node.outputs[0]
                    values.setdefault(symbol, Tensor(symbol, variable._id))
                continue
            if any(x in values for x in node.inputs if type(x) is Symbol):
                _record(tape, node, values, stopped)
        return tape._records([])

    def id_of_stopped(self, x: Any) -> int:
        """Returns an id for a tensor that is taken as a constant."""
        leaf = inner_leaf(x)
        return id(leaf._value) if type(leaf) is Tensor else id_of(leaf)


def _record(tape: GradientTape, node: Node, values: dict[Any, Tensor], stopped: set[int]) -> None:
    """Records a node, of which at least one input depends on the sources."""
    inputs = [values[x] if type(x) is Symbol and x in values else Tensor(x) for x in node.inputs]
    outputs = [
        values[y] if y in values and id(y) not in stopped else Tensor(y) for y in node.outputs
    ]
    made: Any = tuple(outputs) if node.several else outputs[0]
    record((tape,), node.primitive, inputs, made, node.params)
    pairs = zip(node.outputs, outputs, strict=True)
    values.update({y: x for y, x in pairs if x._id in tape.ids and id(y) not in stopped})
