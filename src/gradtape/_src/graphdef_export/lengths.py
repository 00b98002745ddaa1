"""Lengths that are known only when a graph runs, computed by nodes of their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradtape._src.base.errors import UnimplementedError
from gradtape._src.declare.unknown_sizes import Size

if TYPE_CHECKING:
    from gradtape._src.graphdef_export.nodes import Nodes, Value

_OPERATIONS: dict[type, str] = {
    ast.Add: "AddV2",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.FloorDiv: "FloorDiv",
    ast.Mod: "FloorMod",
}


class LengthsOfValues:
    """The values and axes that have the unknown lengths of a graph.

    Args:
      nodes: Where the nodes go that compute them.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._places: dict[str, tuple[Value, int]] = {}
        self._made: dict[str, Value] = {}

    def note(self, value: Value, shape: Sequence[Any]) -> None:
        """Says that a value has a shape."""
        for axis, n in enumerate(shape):
            if type(n) is Size:
                self._places.setdefault(n.code, (value, axis))

    def of(self, n: Any) -> Value:
        """A length as an int32 scalar.

        Raises:
          UnimplementedError: No value has it.
        """
        return self._of_code(n.code) if type(n) is Size else self._nodes.const(n, "int32")

    def _of_code(self, code: str) -> Value:
        found = self._made.get(code)
        if found is None:
            place = self._places.get(code)
            found = self._computed(code) if place is None else self._read(*place)
            self._made[code] = found
        return found

    def _read(self, value: Value, axis: int) -> Value:
        nodes = self._nodes
        shape = nodes.op("Shape", value)
        first, last = nodes.const([axis], "int32"), nodes.const([axis + 1], "int32")
        found: Value = nodes.op(
            "StridedSlice", shape, first, last, nodes.const([1], "int32"), shrink_axis_mask=1
        )
        return found

    def _computed(self, code: str) -> Value:
        tree = ast.parse(code, mode="eval").body
        if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATIONS:
            left, right = (self._of_code(ast.unparse(x)) for x in (tree.left, tree.right))
            found: Value = self._nodes.op(_OPERATIONS[type(tree.op)], left, right)
            return found
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            negative: Value = self._nodes.op("Neg", self._of_code(ast.unparse(tree.operand)))
            return negative
        if isinstance(tree, ast.Constant):
            return self._nodes.const(tree.value, "int32")
        raise UnimplementedError(
            None, None, f"the length {code} is not known in a part of the graph that needs it"
        )
