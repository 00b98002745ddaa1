"""`tf.compat.v1.graph_util`: parts of graphs, and graphs with constants in place of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.messages import protos


def _node_of(reference: str) -> str:
    """Returns the name of the node that an input refers to."""
    return reference.removeprefix("^").partition(":")[0]


@export("compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: protos.GraphDef, dest_nodes: Sequence[str]) -> protos.GraphDef:
    """Returns the nodes of a graph that some nodes depend on.

    Args:
      graph_def: The graph.
      dest_nodes: The names of the nodes.

    Returns:
      A graph with these nodes and all that they need, in the order of `graph_def`.

    Raises:
      TypeError: `dest_nodes` is a single text.
      AssertionError: A node is not in the graph.
    """
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be an iterable of strings, such as ['output'].")
    nodes = {node.name: node for node in graph_def.node}
    found: set[str] = set()
    open_names = list(dest_nodes)
    while open_names:
        name = open_names.pop()
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
        if name not in found:
            found.add(name)
            open_names += [_node_of(reference) for reference in nodes[name].input]
    made = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    made.node.extend([node for node in graph_def.node if node.name in found])
    return made


@export("compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: protos.GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Sequence[str] | None = None,
    variable_names_blacklist: Sequence[str] | None = None,
) -> protos.GraphDef:
    """Returns a graph in which variables are constants with their values in a session.

    Args:
      sess: The session.
      input_graph_def: The graph, as its `as_graph_def` gives it.
      output_node_names: The names of the nodes that the result needs.
      variable_names_whitelist: The names of the variables to convert. Defaults to all.
      variable_names_blacklist: The names of variables that stay.

    Returns:
      The graph.
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    names = [node.name for node in part.node if node.op == "VarHandleOp"]
    if variable_names_whitelist is not None:
        names = [name for name in names if name in variable_names_whitelist]
    chosen = [name for name in names if name not in (variable_names_blacklist or ())]
    reads = {
        _node_of(node.input[0]): f"{node.name}:0"
        for node in input_graph_def.node
        if node.op == "ReadVariableOp"
    }
    values = dict(zip(chosen, sess.run([reads[name] for name in chosen]), strict=True))
    made = protos.GraphDef(versions=part.versions, library=part.library)
    for node in part.node:
        made.node.append(_converted(node, values))
    return made


def _converted(node: protos.NodeDef, values: dict[str, Any]) -> protos.NodeDef:
    """Returns the node that replaces `node` when variables with known values become constants."""
    made = protos.NodeDef(name=node.name, device=node.device)
    dtype = node.attr["dtype"]
    if node.op == "VarHandleOp" and node.name in values:
        made.op = "Const"
        made.attr["dtype"].CopyFrom(dtype)
        made.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name]))
    elif node.op == "ReadVariableOp" and _node_of(node.input[0]) in values:
        made.op = "Identity"
        made.input.extend(node.input)
        made.attr["T"].CopyFrom(dtype)
    else:
        return node
    return made
