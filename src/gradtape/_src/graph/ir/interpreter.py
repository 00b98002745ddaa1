"""Runs a graph operation by operation: for the first call, before it is worth its code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.error_messages import translated
from gradtape._src.base.errors import OpError
from gradtape._src.declare.unknown_sizes import Pending, evaluated, is_unknown, named_lengths
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.state import assign_p, read_p

_READ, _ASSIGN = read_p.primitive, assign_p.primitive


def interpreted(graph: Graph, given: Sequence[Any]) -> tuple[Any, ...]:
    """Computes the raw outputs of a graph from raw inputs; values are let go of at their last use.

    Args:
      graph: What to compute.
      given: A value for each of its inputs.
    """
    values: dict[Any, Any] = dict(zip(graph.inputs, given, strict=True))
    lengths = _lengths(graph, given)
    pending = Pending(graph.checks)
    for node, ending in zip(graph.nodes, _last_uses(graph), strict=True):
        primitive, params = node.primitive, node.params
        if primitive is _READ:
            values[node.outputs[0]] = params["variable"]._value
            continue
        args = [values[x] if type(x) is Symbol else x for x in node.inputs]
        if primitive is _ASSIGN:
            params["variable"]._replace(args[0])
            continue
        if lengths and params:
            params = {name: evaluated(x, lengths) for name, x in params.items()}
        try:
            out = primitive.kernel(*args, **params) if params else primitive.kernel(*args)
        except Exception as error:  # noqa: BLE001 (raised again)
            raise explained(error, node) from None
        if node.several:
            values.update(zip(node.outputs, out, strict=True))
        else:
            values[node.outputs[0]] = out
        if lengths is not None:
            _learn(lengths, node, values)
            pending.make(lengths)
        if ending:
            args, out = [], None
            for x in ending:
                del values[x]
    return tuple([values[y] if type(y) is Symbol else y for y in graph.outputs])


def _last_uses(graph: Graph) -> list[set[Symbol]]:
    """For each node, the values that no later one uses."""
    used = {y for y in graph.outputs if type(y) is Symbol}
    ends = []
    for node in reversed(graph.nodes):
        ending = {x for x in node.inputs if type(x) is Symbol and x not in used}
        used |= ending
        ends.append(ending)
    ends.reverse()
    return ends


def _lengths(graph: Graph, given: Sequence[Any]) -> dict[str, Any] | None:
    """The unknown lengths of a graph by name, as far as its inputs tell; None if it has none."""
    if not graph.has_unknown_lengths():
        return None
    found: dict[str, Any] = {}
    for x, value in zip(graph.inputs, given, strict=True):
        found.update(named_lengths(x.shape, value.shape))
    return found


def _learn(lengths: dict[str, Any], node: Node, values: dict[Any, Any]) -> None:
    for y in node.outputs:
        if is_unknown(y.shape):
            lengths.update(named_lengths(y.shape, values[y].shape))


def explained(error: Exception, node: Node | None) -> Exception:
    """A kernel's exception as TensorFlow's, with the operation."""
    if isinstance(error, OpError) or node is None or node.stateful:
        return error
    return translated(node.primitive.name, error, ())
