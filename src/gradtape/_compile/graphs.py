"""`tf.gradients`: derivatives inside of a function, of anything that was computed in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from gradtape._autodiff.arguments import (
    UnconnectedGradients,
    answer,
    id_of,
    inner_leaf,
    seeds,
    target_leaves,
    unconnected_choice,
)
from gradtape._autodiff.tape import GradientTape
from gradtape._autodiff.walk import ones, pull_back, relevant
from gradtape._base import nest
from gradtape._core.primitive import Plan, Primitive, Record, record
from gradtape._core.recorder import STACK
from gradtape._core.tensor import Tensor


class Graph(GradientTape):
    """Records every operation of a function, as a graph has them, whatever is watched."""

    is_tape = False  # the straight path records just for tensors that a tape follows

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Any:
        self._follow(inputs)
        out = primitive.bind(*inputs, **params)
        record((self,), primitive, inputs, out, params)
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        self._follow([x for x in inputs if hasattr(x, "_id")])
        super().custom(plan, inputs, outputs)

    def _follow(self, inputs: Sequence[Any]) -> None:
        self.ids.update([id_of(x) for x in inputs if x.dtype.differentiable])


class NeedsGraph(Exception):  # noqa: N818  (no error: the function is called again with a graph)
    """`tf.gradients` was called in a function that had not been recorded."""

    def __init__(self, function: Any) -> None:
        super().__init__("tf.gradients was caught inside of a tf.function; let its exceptions pass")
        self.function = function


def mentions_gradients(function: Callable[..., Any]) -> bool:
    """Whether a function's code, or that of a function defined in it, names `gradients`."""
    code = getattr(function, "__code__", None)
    return isinstance(code, CodeType) and _mentions(code)


def _mentions(code: CodeType) -> bool:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return "gradients" in code.co_names or any(map(_mentions, inner))


def _graph(call: CodeType | None) -> Graph:
    """The innermost graph.

    Raises:
      NeedsGraph: There is none, but a function that can be called again with one.
      RuntimeError: There is no function.
    """
    for watcher in reversed(STACK.recorders):
        if isinstance(watcher, Graph):
            return watcher
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code is call:
            raise NeedsGraph(frame.f_locals["self"])
        frame = frame.f_back
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
        "instead (with tf.GradientTape() as tape: ...; tape.gradient(ys, xs)), or call it inside "
        "of a tf.function that XLA does not compile"
    )


caller: CodeType | None = None
"""The code that runs functions; set by `_compile.function`."""


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
    """Computes the gradients of the sum of `ys`, inside of a `tf.function`.

    Args:
      ys: A tensor or nested structure of tensors, computed in the function.
      xs: A tensor, variable or nested structure of them: anything that `ys` may depend on.
      grad_ys: What stands in for the gradients with respect to `ys`; ones for None.
      name: Accepted for compatibility.
      gate_gradients: Accepted for compatibility.
      aggregation_method: Accepted for compatibility.
      stop_gradients: Tensors to be taken for constants.
      unconnected_gradients: Whether a source without a path to `ys` gives None ("none") or zeros
        ("zero").

    Returns:
      A list with a gradient for each tensor in `xs`.

    Raises:
      RuntimeError: The call does not stand in a `tf.function`.
      AttributeError: One of `ys` or `xs` is None.
      ValueError: `unconnected_gradients` is unknown.

    >>> square_slope = tf.function(lambda x: tf.gradients(x * x, x)[0])
    >>> float(square_slope(tf.constant(3.0)))
    6.0
    """
    graph = _graph(caller)
    choice = unconnected_choice(unconnected_gradients)
    if ys is None or xs is None:
        raise AttributeError("tf.gradients: `ys` and `xs` must be tensors, not None")
    targets = target_leaves(ys)
    flat = [inner_leaf(x) for x in nest.flatten(xs)]
    asked = {id_of(x) for x in flat if x is not None}
    given = None if grad_ys is None else nest.flatten(grad_ys)
    if given is not None:
        pairs = zip(given, targets, strict=False)
        given = [Tensor(ones(y._value)) if g is None else g for g, y in pairs]
    cotangents = seeds(targets, given, raw=False)
    stopped = {id_of(inner_leaf(x)) for x in nest.flatten(stop_gradients or [])}
    records = relevant(_without(graph.records, stopped), asked)
    found = pull_back(records, cotangents, asked, raw=False)
    return [None if x is None else answer(found.get(x._id), x, False, choice) for x in flat]


def _without(records: Sequence[Record], stopped: set[int]) -> list[Record]:
    """The records without the outputs that count as constants."""
    kept = []
    for plan, out, ids, saved, static in records:
        if type(out) is tuple:
            left = tuple([0 if i in stopped else i for i in out])
            kept.append((plan, left, ids, saved, static))
        elif out not in stopped:
            kept.append((plan, out, ids, saved, static))
    return kept
