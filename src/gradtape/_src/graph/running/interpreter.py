"""Interprets a graph operation by operation, for the first call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from gradtape._src.base.error_messages import translated
from gradtape._src.base.errors import OpError
from gradtape._src.core.tracebacks import located
from gradtape._src.declare.unknown_sizes import Pending, evaluated
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Node, Symbol
from gradtape._src.graph.ir.origins import explain
from gradtape._src.graph.ir.state import assign_p, read_p
from gradtape._src.graph.running.optimize import needed

_READ, _ASSIGN = read_p.primitive, assign_p.primitive


def interpreted(
    graph: Graph, given: Sequence[Any], seconds: dict[Symbol, float] | None = None
) -> tuple[Any, ...]:
    """Computes the raw outputs of a graph from raw inputs; drops values after their last use.

    Args:
      graph: The graph to compute.
      given: A value for each of its inputs.
      seconds: Receives the time that each operation takes, with its first output as the key.
    """
    values: dict[Any, Any] = dict(zip(graph.inputs, given, strict=True))
    pending = Pending(graph.checks)
    lengths = pending.lengths
    learn = pending.learn if graph.has_unknown_lengths() else lambda *_: None
    learn(graph.inputs, given)
    for node, ending in zip(graph.nodes, last_uses(graph), strict=True):
        primitive, params = node.primitive, node.params
        if primitive is _READ:
            values[node.outputs[0]] = params["variable"]._value
            learn(node.outputs, [values[node.outputs[0]]])
            continue
        args = [values[x] if type(x) is Symbol else x for x in node.inputs]
        if primitive is _ASSIGN:
            params["variable"]._replace(args[0])
            continue
        if lengths and params:
            params = {name: evaluated(x, lengths) for name, x in params.items()}
        kernel = primitive.kernel if seconds is None else partial(_timed, node, seconds)
        try:
            out = kernel(*args, **params) if params else kernel(*args)
        except Exception as error:  # noqa: BLE001 (raised again)
            raise explained(error, node) from None
        outs = out if node.several else (out,)
        values.update(zip(node.outputs, outs, strict=True))
        learn(node.outputs, outs)
        if ending:
            args, out, outs = [], None, ()
            for x in ending:
                del values[x]
    return tuple([values[y] if type(y) is Symbol else y for y in graph.outputs])


def _timed(node: Node, seconds: dict[Symbol, float], *args: Any, **params: Any) -> Any:
    start = perf_counter()
    out = node.primitive.kernel(*args, **params)
    seconds.update(dict.fromkeys(node.outputs[:1], perf_counter() - start))
    return out


def first_value(
    nodes: Sequence[Node], symbol: Symbol, values: dict[Any, Any]
) -> np.ndarray[Any, Any] | np.generic:
    """Computes the initial value of a variable while the function that creates it is traced.

    Args:
      nodes: The operations so far.
      symbol: The symbol of the value.
      values: The known values.

    Raises:
      CannotTrace: The value depends on arguments, whose values are not known.
    """
    for node in needed(nodes, [symbol]):
        if node.primitive is _READ:
            values[node.outputs[0]] = node.params["variable"]._raw()
            continue
        given = [values.get(x, x) if type(x) is Symbol else x for x in node.inputs]
        if any(type(x) is Symbol for x in given):
            if symbol in node.outputs:
                break
            continue
        drawn = node.stateful and not node.several
        if node.stateful and not drawn:
            continue
        out = node.primitive.kernel(*given, **node.params)
        values.update(zip(node.outputs, out if node.several else (out,), strict=True))
    if symbol not in values:
        raise CannotTrace("the first value of a variable depends on the function's arguments")
    found: np.ndarray[Any, Any] | np.generic = values[symbol]
    return found


def last_uses(graph: Graph) -> list[list[Symbol]]:
    """Returns for each node the values that no later node uses."""
    used = {y for y in graph.outputs if type(y) is Symbol}
    ends = []
    for node in reversed(graph.nodes):
        ending: list[Symbol] = []
        for x in node.inputs:  # a list comprehension takes twice as long
            if type(x) is Symbol and x not in used:
                used.add(x)
                ending.append(x)
        ends.append(ending)
    ends.reverse()
    return ends


def explained(error: Exception, node: Node) -> Exception:
    """Converts a kernel's exception to TensorFlow's, with the operation and its line."""
    if not isinstance(error, OpError) and not node.stateful:
        error = translated(node.primitive.name, error, ())
    if isinstance(error, OpError):
        error.failed_node = node
    explain(error, node.line)
    site = node.line and node.line.position
    return located(error, *site) if site else error
