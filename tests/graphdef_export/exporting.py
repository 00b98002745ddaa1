"""Exports functions for the tests of this folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape._src.graphdef_export import all_rules  # noqa: F401 (declares the rules)
from gradtape._src.graphdef_export.parts import Library, Part
from gradtape._src.raw.op_definitions import op_definition


def exported(function: Callable[..., Any], *args: Any) -> list[Any]:
    """The definitions of a function and of those that it calls, the function last."""
    trace = tf.function(function).get_concrete_function(*args)._trace
    assert trace is not None
    library = Library()
    part = Part(library, "f")
    graph = trace.call.graph
    part.finish(part.run(graph, part.arguments_for(graph.inputs)))
    for made in library.functions:
        check(made)
    return library.functions


def check(function: Any) -> None:
    """Each node has the inputs and attributes of its operation, and uses what is there."""
    known = {x.name for x in function.signature.input_arg}
    for node in function.node_def:
        definition = op_definition(node.op)
        own = {name for name in node.attr if not name.startswith("_")}
        assert own == set(definition.attributes), node.op
        before = [x.removeprefix("^").partition(":")[0] for x in node.input]
        assert known.issuperset(before), node
        known.add(node.name)
    assert all(x.partition(":")[0] in known for x in function.ret.values())


def kinds(function: Callable[..., Any], *args: Any) -> Counter[str]:
    """Counts the exported nodes of each operation, without constants and identities."""
    nodes = [node.op for made in exported(function, *args) for node in made.node_def]
    return Counter(kind for kind in nodes if kind not in ("Const", "Identity", "NoOp"))
