"""Optimization passes over graphs, which preserve their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import broadcast_to_p, reshape_p, transpose_p
from gradtape._src.declare.traits import traits_of
from gradtape._src.declare.unknown_sizes import Check, Lengths, atoms, sizes_in, surely_equal
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.state import Change, is_assignment, is_read, read_assigned_p
from gradtape._src.ops.elementwise.arithmetic import add_p, mul_p, sub_p
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.division import div_p
from gradtape._src.ops.elementwise.identities import ensured_p, identity_p


def needed(
    nodes: Sequence[Node],
    outputs: Iterable[Any],
    checks: Iterable[Check] = (),
    unknown_lengths: bool = True,
) -> list[Node]:
    """Returns the nodes needed for outputs, checks and side effects, in order.

    Args:
      nodes: The nodes.
      outputs: The symbols that they must compute; other values are ignored.
      checks: The checks of lengths.
      unknown_lengths: Whether a value may have an unknown length.
    """
    wanted = {y for y in outputs if type(y) is Symbol}
    sources = _sources_of_lengths(nodes) if unknown_lengths else {}
    if sources:
        wanted.update([sources[n] for c, _ in checks for n in atoms(c) if n in sources])
    kept, want = [], wanted.add
    for node in reversed(nodes):
        outputs = node.outputs
        several = len(outputs) != 1
        if (not wanted.isdisjoint(outputs) if several else outputs[0] in wanted) or _acts(node):
            kept.append(node)
            for x in node.inputs:
                if type(x) is Symbol:
                    want(x)
            if sources:
                sizes = sizes_in([*node.params.values()])
                names = [n for size in sizes for n in atoms(size.code)]
                wanted.update([sources[n] for n in names if n in sources])
    kept.reverse()
    return kept


def _sources_of_lengths(nodes: Sequence[Node]) -> dict[str, Symbol]:
    """Returns, by name of an unknown length that no input has, the value that introduces it."""
    found: dict[str, Symbol] = {}
    for node in [n for n in nodes for y in n.outputs if y.spec is None]:
        for y in node.outputs:
            for size in sizes_in(y.shape) if isinstance(y.shape, Lengths) else ():
                given = [x.shape for x in node.inputs if type(x) is Symbol]
                known = {s.code for s in sizes_in([*given, *node.params.values()])}
                if size.code not in known:
                    found.setdefault(size.code, y)
    return found


def _acts(node: Node) -> bool:
    """Whether a node has side effects."""
    if node.stateful:
        return not is_read(node)
    traits = node.primitive.traits
    return traits is not None and traits.only_checks


def optimized(
    graph: Graph, known: Mapping[Symbol, Any] | None = None, passing_on: bool = False
) -> Graph:
    """Returns an equivalent graph with fewer nodes.

    Dead nodes, common subexpressions and operations that return their input are removed.

    Args:
      graph: The graph.
      known: Raw values to substitute for some of the symbols.
      passing_on: Whether to remove also operations that return their inputs with other gradients.
    """
    same: dict[Symbol, Any] = dict(known or {})
    seen: dict[Any, Node] = {}
    nodes = []

    def current(x: Any) -> Any:
        return same.get(x, x) if type(x) is Symbol else x

    unknown = graph.has_unknown_lengths()
    for node in needed(graph.nodes, graph.outputs, graph.checks, unknown):
        inputs = [current(x) for x in node.inputs]
        if passing_on and _passes_on(node):
            same.update(zip(node.outputs, inputs, strict=False))
            continue
        shortcut = None if node.stateful else _shortcut(node, inputs)
        if shortcut is not None:
            same[node.outputs[0]] = shortcut
            continue
        key = None if node.stateful else _key(node, inputs)
        twin = seen.get(key) if key is not None else None
        if twin is not None and _alike_outputs(node, twin):
            same.update(zip(node.outputs, twin.outputs, strict=True))
            continue
        kept = node
        if any(x is not y for x, y in zip(inputs, node.inputs, strict=True)):
            kept = node.with_inputs(inputs)
        if key is not None:
            seen[key] = kept
        nodes.append(kept)
    outputs = [current(y) for y in graph.outputs]
    return Graph(
        graph.inputs, needed(nodes, outputs, graph.checks, unknown), outputs, graph.checks, unknown
    )


def _key(node: Node, inputs: Sequence[Any]) -> Any:
    """Returns a key that is equal for nodes with equal results; None if there isn't one."""
    parts: list[Any] = [node.primitive]
    for x in inputs:
        if type(x) is Symbol:
            parts.append(x)
        elif x.size > _SMALL or x.dtype.kind == "O":
            parts.append(id(x))
        else:
            parts.append((x.shape, x.dtype, x.tobytes()))
    key = (*parts, *[(name, type(x), x) for name, x in node.params.items()])  # since 1 == True
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _alike_outputs(node: Node, twin: Node) -> bool:
    """Whether the outputs introduce no unknown lengths, to which other nodes may refer."""
    return all(
        surely_equal(x.shape, y.shape) for x, y in zip(node.outputs, twin.outputs, strict=True)
    )


def without_gradients(graph: Graph) -> Graph:
    """Returns a graph without the operations that only carry gradients, for use without tapes."""
    return optimized(graph, passing_on=True) if any(map(_passes_on, graph.nodes)) else graph


def _passes_on(node: Node) -> bool:
    """Whether a node returns its first inputs."""
    primitive = node.primitive
    return primitive is _READ_ASSIGNED or getattr(primitive, "passes_on", False)


_READ_ASSIGNED = read_assigned_p.primitive


_SMALL = 64


def _shortcut(node: Node, inputs: Sequence[Any]) -> Any:
    """Returns the input that equals the node's output, or None."""
    primitive, out = node.primitive, node.outputs[0] if node.outputs else None
    if out is None or node.several:
        return None
    x = inputs[0] if inputs else None
    if primitive is transpose_p.primitive and type(x) is Symbol:
        return x if node.params["perm"] == tuple(range(x.ndim)) else None
    if primitive in _MOVES and type(x) is Symbol:
        return x if alike(x, out) else None
    number, places = _NEUTRAL.get(primitive, (0, ()))
    for i in places:
        x, c = inputs[1 - i], inputs[i]
        if type(c) is not Symbol and type(x) is Symbol and alike(x, out) and _is_all(c, number):
            return x
    return None


def alike(x: Symbol, y: Symbol) -> bool:
    """Whether two values have the same shape and dtype in every run."""
    return surely_equal(x.shape, y.shape) and x.np_dtype == y.np_dtype


_MOVES = {p.primitive for p in (reshape_p, broadcast_to_p, cast_p, identity_p, ensured_p)}
_NEUTRAL: dict[Any, tuple[int, tuple[int, ...]]] = {
    mul_p.primitive: (1, (0, 1)),
    div_p.primitive: (1, (1,)),
    add_p.primitive: (0, (0, 1)),
    sub_p.primitive: (0, (1,)),
}
"""The neutral constant of each operation, and the positions of operands that it may have."""


def _is_all(constant: Any, number: int) -> bool:
    """Whether all elements of a constant are this number; -0.0 differs from 0."""
    if constant.dtype.kind not in "fiu" or not constant.size:
        return False
    one = constant if not constant.ndim or any(constant.strides) else constant.flat[0]
    if number == 0 and constant.dtype.kind == "f":
        return bool(np.all(one == 0) and np.all(np.signbit(one)))
    return bool(np.all(one == number))


def with_changes_in_place(graph: Graph) -> Graph:
    """Returns a graph that updates variables in place instead of assigning changed copies.

    It does so if only the assignment uses the copy, and no later node uses the old value.
    """
    if not any(traits_of(node.primitive).in_place for node in graph.nodes):
        return graph
    made, used, last = {}, _counts(graph), {}
    for i, node in enumerate(graph.nodes):
        made.update(dict.fromkeys(node.outputs, i))
        last.update({x: i for x in node.inputs if type(x) is Symbol})
    last.update({y: len(graph.nodes) for y in graph.outputs if type(y) is Symbol})
    nodes: list[Node | None] = list(graph.nodes)
    for i, node in enumerate(graph.nodes):
        place = made.get(node.inputs[0]) if is_assignment(node) else None
        if place is None:
            continue
        edit = graph.nodes[place]
        read = made.get(edit.inputs[0]) if traits_of(edit.primitive).in_place else None
        if read is None or used[node.inputs[0]] > 1 or last[edit.inputs[0]] > i:
            continue
        if _is_alone(graph, graph.nodes[read], read, i, node.params["variable"]):
            nodes[place], nodes[i] = None, _changed(edit, node)
    return Graph(graph.inputs, [n for n in nodes if n is not None], graph.outputs, graph.checks)


def with_variables_in_calls(graph: Graph) -> Graph:
    """Returns a graph whose calls of compiled functions read and assign variables themselves.

    The values then stay on XLA's device. It does so if nothing else uses the values, and no other
    side effect comes between the call and the reads or assignments. Several calls of one function
    pass the values on, and share a program.
    """
    calls = Counter([n.params["of"].call for n in graph.nodes if _is_function_call(n)])
    if not calls:
        return graph
    used, reads = _counts(graph), {}
    nodes: list[Node] = []
    dropped: set[Node] = set()
    for i, node in enumerate(graph.nodes):
        kept = node
        if is_read(node):
            reads[node.outputs[0]] = node
        elif _is_function_call(node) and calls[node.params["of"].call] == 1:
            own = {x: reads[x] for x in node.inputs if x in reads and used[x] == 1}
            after = _assignments(graph.nodes[i + 1 :], node.outputs)
            after = {y: a for y, a in after.items() if used[y] == 1}
            kept = _holding_variables(node, own, after)
            if kept is not node:
                dropped.update(own.values(), after.values())
        elif node.stateful:
            reads.clear()
        nodes.append(kept)
    return graph.with_nodes([n for n in nodes if n not in dropped])


def _is_function_call(node: Node) -> bool:
    return hasattr(node.params.get("of"), "with_variables")


def _assignments(nodes: Sequence[Node], values: Sequence[Symbol]) -> dict[Any, Node]:
    """Returns the assignments of these values that come before the next side effect or call."""
    found = {}
    for node in nodes:
        if is_assignment(node) and node.inputs[0] in values:
            found[node.inputs[0]] = node
        elif node.stateful or _is_function_call(node):
            break
    return found


def _holding_variables(
    node: Node, reads: Mapping[Any, Node], assignments: Mapping[Any, Node]
) -> Node:
    """Returns a call that itself reads inputs from variables, and assigns outputs to some."""
    read = {i: reads[x].params["variable"] for i, x in enumerate(node.inputs) if x in reads}
    assigned = {
        i: assignments[y].params["variable"] for i, y in enumerate(node.outputs) if y in assignments
    }
    of = node.params["of"].with_variables(read, assigned)
    if of is None:
        return node
    inputs = [x for i, x in enumerate(node.inputs) if i not in read]
    outputs = [y for i, y in enumerate(node.outputs) if i not in assigned]
    return Node(node.primitive, inputs, {"of": of}, outputs, node.several, True, node.line)


def _counts(graph: Graph) -> dict[Any, int]:
    """Counts how often each value is used."""
    used: dict[Any, int] = {}
    for x in [x for node in graph.nodes for x in node.inputs] + [*graph.outputs]:
        if type(x) is Symbol:
            used[x] = used.get(x, 0) + 1
    return used


def _is_alone(graph: Graph, source: Node, first: int, last: int, variable: Variable) -> bool:
    """Whether a node reads a variable that nothing changes until it is assigned."""
    if not is_read(source) or source.params["variable"] is not variable:
        return False
    return not any(
        n.params.get("variable") is variable
        or isinstance(n.primitive, Change)
        or getattr(n.params.get("of"), "repeatable", False)
        for n in graph.nodes[first + 1 : last]
        if n.stateful and not is_read(n)
    )


def _changed(edit: Node, assignment: Node) -> Node:
    """Returns a node that updates a variable in place, instead of two nodes."""
    in_place = traits_of(edit.primitive).in_place
    assert in_place is not None
    params = {**edit.params, "variable": assignment.params["variable"]}
    primitive = Change(edit.primitive.name, in_place)
    return Node(primitive, edit.inputs[1:], params, (), False, True, edit.line)
