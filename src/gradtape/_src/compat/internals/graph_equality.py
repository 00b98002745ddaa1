"""Whether two graphs are equal: `tf.test.assert_equal_graph_def`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.files.tensors import make_ndarray as tensor_value
from gradtape._src.messages import protos

_TEMPORARY = re.compile(rb"_temp_[a-z0-9]{32}/part")
_TABLE = re.compile(rb"hash_table_[0-9a-z\-]+")


@export("__internal__.graph_util.graph_defs_equal")
def graph_defs_equal(graph_def_1: Any, graph_def_2: Any, treat_nan_as_equal: bool = False) -> bool:
    """Returns whether two graphs have equal nodes and functions, in any order.

    Args:
      graph_def_1: A `tf.compat.v1.GraphDef`.
      graph_def_2: The `tf.compat.v1.GraphDef` to compare it with.
      treat_nan_as_equal: Whether NaN is equal to NaN in constants.

    Returns:
      True if they have.

    Raises:
      TypeError: An argument is not a `GraphDef`.

    >>> def graph(value):
    ...     with tf.Graph().as_default() as made:
    ...         tf.constant(value)
    ...     return made.as_graph_def()
    >>> equal = tf.__internal__.graph_util.graph_defs_equal
    >>> equal(graph(1), graph(1)), equal(graph(1), graph(2))
    (True, False)
    """
    for i, graph in enumerate([graph_def_1, graph_def_2], 1):
        if not isinstance(graph, protos.GraphDef):
            raise TypeError(
                f"graph_def_{i} must be a graph_pb2.GraphDef proto, but got type {type(graph)}."
            )
    if _difference(graph_def_1.node, graph_def_2.node, treat_nan_as_equal):
        return False
    one, two = (
        {f.signature.name: f for f in graph.library.function}
        for graph in (graph_def_1, graph_def_2)
    )
    return one.keys() == two.keys() and all(
        one[name].signature == two[name].signature
        and one[name].ret == two[name].ret
        and not _difference(one[name].node_def, two[name].node_def, treat_nan_as_equal)
        for name in one
    )


@export("test.assert_equal_graph_def")
def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Checks that two graphs have equal nodes, in any order.

    Versions, functions, the order of control inputs, attributes whose names begin with "_", and
    the random names of temporary files and tables are ignored.

    Args:
      expected: A `tf.compat.v1.GraphDef`.
      actual: The `tf.compat.v1.GraphDef` to compare with it.

    Raises:
      AssertionError: The graphs differ.
      TypeError: An argument is not a `GraphDef`.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(1.0, name="x")
    >>> tf.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())
    """
    for name, graph in (("actual", actual), ("expected", expected)):
        if not isinstance(graph, protos.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(graph).__name__}")
    found = _difference(actual.node, expected.node, nan_equal=True, random_names=True)
    if found:
        raise AssertionError(found)


def _difference(actual: Any, expected: Any, nan_equal: bool, random_names: bool = False) -> str:
    """Returns a sentence about the first difference between two lists of nodes, or ""."""
    wanted = {node.name: node for node in expected}
    for node in actual:
        other = wanted.pop(node.name, None)
        if other is None:
            return f"Found unexpected node '{node.name}'"
        where = f"Node named '{node.name}' has"
        if node.op != other.op:
            return f"{where} op '{node.op}' that is not expected '{other.op}'"
        if node.device != other.device:
            return f"{where} device '{node.device}' that is not expected '{other.device}'"
        if _inputs(node) != _inputs(other):
            return f"{where} inputs {list(node.input)} that are not expected {list(other.input)}"
        mine, its = _attributes(node, random_names), _attributes(other, random_names)
        for key in sorted(mine.keys() | its.keys()):
            if key not in mine or key not in its:
                there = "no expected" if key not in mine else "unexpected"
                return f"{where} {there} attr '{key}'"
            if not _alike(mine[key], its[key], nan_equal):
                return (
                    f"{where} attr '{key}' with value: {_shown(mine[key])} that does not match "
                    f"expected: {_shown(its[key])}"
                )
    return f"Did not find expected node '{next(iter(wanted))}'" if wanted else ""


def _inputs(node: Any) -> tuple[list[str], set[str]]:
    """Returns the inputs of a node in their order, and those that only come before it."""
    values = [name.removesuffix(":0") for name in node.input if name[0] != "^"]
    return values, {name for name in node.input if name[0] == "^"}


def _attributes(node: Any, random_names: bool) -> dict[str, Any]:
    found = {key: value for key, value in node.attr.items() if key[0] != "_"}
    if random_names:
        for key, value in list(found.items()):
            temporary = any(map(_TEMPORARY.match, value.tensor.string_val))
            if temporary or (node.op == "HashTableV2" and _TABLE.match(value.s)):
                del found[key]
    return found


def _alike(one: Any, two: Any, nan_equal: bool) -> bool:
    kind = one.WhichOneof("value")
    if kind != two.WhichOneof("value"):
        return False
    if kind != "tensor":
        return bool(one == two)
    a, b = tensor_value(one.tensor), tensor_value(two.tensor)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=nan_equal and a.dtype.kind in "fc"))


def _shown(value: Any) -> str:
    if value.WhichOneof("value") != "tensor":
        return str(value).strip()
    array = tensor_value(value.tensor)
    return f"Tensor<type: {array.dtype} shape: {list(array.shape)} values: {array}>"
