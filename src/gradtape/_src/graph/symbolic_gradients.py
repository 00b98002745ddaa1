"""`tf.gradients`: derivatives within a function, of any values that it computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Self, TypeVar

from gradtape._src.autodiff.arguments import (
    UnconnectedGradients,
    answer,
    id_of,
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
from gradtape._src.core.primitive import Outputs, Plan, Primitive, Record, record
from gradtape._src.core.recorder import STACK, Recorder, push, remove
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.core.write_counts import WRITES
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.ops.random import distributions

R = TypeVar("R")


class Graph(GradientTape):
    """Records every operation of a function, whether or not its inputs are watched."""

    is_tape = False  # the fast path records only for tensors that a tape follows

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        self._follow(inputs)
        out = primitive.bind(*inputs, **params)
        record((self,), primitive, inputs, out, params)
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        self._follow([x for x in inputs if hasattr(x, "_id")])
        super().custom(plan, inputs, outputs)

    def _follow(self, inputs: Sequence[Any]) -> None:
        self.ids.update([i for x in inputs if x.dtype.differentiable and (i := id_of(x)) > 0])


_EAGER = (
    "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead "
    "(with tf.GradientTape() as tape: ...; tape.gradient(ys, xs)), or call it inside of a "
    "tf.function that XLA does not compile, and let its exceptions pass"
)


IN_FUNCTION: ContextVar[bool] = ContextVar("in_function", default=False)
"""Whether a `tf.function` runs."""


class NeedsGraph(RuntimeError):  # noqa: N818  (a function that meets it is called again)
    """`tf.gradients` was called in a function whose operations are not recorded."""


class FirstCall(Recorder):
    """The first call of a function, which is reversed if it turns out to need a graph.

    When `tf.gradients` is first called in a function, the function is called again with its
    operations recorded. The earlier changes to variables and random states are undone.
    """

    is_tape = True  # a tape that follows nothing, so that operations keep to the fast path
    passive = True

    def __init__(self) -> None:
        self.ids: frozenset[int] = frozenset()
        self._written: dict[int, tuple[Variable, Any]] = {}
        self._restart: Callable[[], None] | None = None

    def variable_written(self, variable: Variable) -> None:
        self._written.setdefault(variable._id, (variable, variable._value))

    def engine(self, stream: Any, draw_key: Any, make: Any = None) -> Any:
        if self._restart is None:
            self._restart = distributions.kept()

    def __enter__(self) -> Self:
        push(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        remove(self)
        if kind is not None and issubclass(kind, NeedsGraph):
            self._undo()

    def _undo(self) -> None:
        for variable, value in self._written.values():
            variable._store(value, read_value=False)
        if self._restart is not None:
            self._restart()


def watched(function: Any, call: Callable[..., R], args: Any, kwargs: Any) -> R:
    """Calls a function that calls `tf.gradients` or may do so.

    Args:
      function: The `Function`, whose attribute `_graph` tells which of the two it is.
      call: Its Python function, bound to the instance of a method.
      args: The arguments.
      kwargs: The named arguments.
    """
    if function._graph:
        with Graph():
            out: R = function._outgoing(call(*args, **kwargs))
            return out
    with FirstCall():
        out = function._outgoing(call(*args, **kwargs))
    function._graph = bool(function._graph)  # The condition is true if the function called itself.
    return out


def changed_since(writes: int) -> RuntimeError | None:
    """Returns the error for a function that cannot be called again, or None.

    Args:
      writes: The count of writes to variables when it was called.
    """
    if WRITES[0] == writes:
        return None
    return RuntimeError(
        "tf.gradients was called for the first time in a later call of a tf.function, after "
        "variables had been assigned in it. Call it before the assignments, or in a tf.function of "
        "its own for the branch that needs it"
    )


def _graph() -> Graph:
    """Returns the innermost graph.

    Raises:
      NeedsGraph: Operations are not recorded, but the function can be called again.
      RuntimeError: No function runs.
    """
    for watcher in reversed(STACK.recorders):
        if isinstance(watcher, Graph):
            return watcher
    if IN_FUNCTION.get():
        raise NeedsGraph(_EAGER)
    raise RuntimeError(_EAGER)


@export("AggregationMethod")
class AggregationMethod:
    """The ways in which `tf.gradients` adds up gradients; all give the same result."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@export("gradients", "compat.v1.gradients")
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
      name: Accepted for compatibility.
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
      ValueError: `unconnected_gradients` is unknown.

    >>> square_slope = tf.function(lambda x: tf.gradients(x * x, x)[0])
    >>> float(square_slope(tf.constant(3.0)))
    6.0
    """
    kept = open_graph()
    choice = unconnected_choice(unconnected_gradients)
    if ys is None or xs is None:
        raise AttributeError("tf.gradients: `ys` and `xs` must be tensors, not None")
    targets = target_leaves(ys)
    flat = [inner_leaf(x) for x in nest.flatten(xs)]
    given = None if grad_ys is None else nest.flatten(grad_ys)
    if kept is not None:
        fixed = {kept.id_of_stopped(x) for x in nest.flatten(stop_gradients or [])}
        with name_scope(name):
            return kept.derivatives(targets, flat, given, fixed, choice)
    graph, asked = _graph(), {id_of(x) for x in flat if x is not None}
    if given is not None:
        pairs = zip(given, targets, strict=False)
        given = [Tensor(ones(y._value)) if g is None else g for g, y in pairs]
    cotangents = seeds(targets, given, raw=False)
    stopped = {id_of(inner_leaf(x)) for x in nest.flatten(stop_gradients or [])}
    records = relevant(_without(graph.records, stopped), asked)
    found = pull_back(records, cotangents, asked, raw=False)
    return [None if x is None else answer(found.get(x._id), x, False, choice) for x in flat]


def _without(records: Sequence[Record], stopped: set[int]) -> list[Record]:
    """Returns the records without the outputs that are treated as constants."""
    kept = []
    for plan, out, ids, saved, static in records:
        if type(out) is tuple:
            left = tuple([0 if i in stopped else i for i in out])
            kept.append((plan, left, ids, saved, static))
        elif out not in stopped:
            kept.append((plan, out, ids, saved, static))
    return kept
