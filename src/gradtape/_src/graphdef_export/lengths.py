"""Lengths that are known only when a graph runs, computed by additional nodes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradtape._src.base.errors import UnimplementedError
from gradtape._src.declare.unknown_sizes import Size, UnknownRank

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
    """Finds the unknown lengths of a graph: the values and axes from which to read them.

    Args:
      nodes: The part to which the nodes are added.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._shapes: dict[str, Value] = {}
        self._places: dict[str, tuple[Value, int]] = {}
        self._elements: dict[str, tuple[Value, int]] = {}
        self._made: dict[str, Value] = {}

    def note(self, value: Value, shape: Sequence[Any]) -> None:
        """Records the shape of a value."""
        if type(shape) is UnknownRank:
            self._shapes.setdefault(shape.code, value)
            return
        for axis, n in enumerate(shape):
            if type(n) is Size:
                self._places.setdefault(n.code, (value, axis))

    def note_elements(self, value: Value, elements: Any) -> None:
        """Records that the elements of a vector are lengths."""
        for place, n in enumerate(elements):
            if type(n) is Size:
                self._elements.setdefault(n.code, (value, place))

    def value_of(self, shape: UnknownRank) -> Value:
        """Returns a value that has a given shape of unknown rank.

        Raises:
          UnimplementedError: No value has this shape.
        """
        if shape.code not in self._shapes:
            raise UnimplementedError(None, None, f"no value has the shape {shape.code}")
        return self._shapes[shape.code]

    def rename(self, old: str, new: str) -> None:
        """Records that a node, from which lengths are read or computed, has a new name."""
        places = {code: (x.renamed(old, new), i) for code, (x, i) in self._places.items()}
        self._places = places
        elements = {code: (x.renamed(old, new), i) for code, (x, i) in self._elements.items()}
        self._elements = elements
        self._shapes = {code: x.renamed(old, new) for code, x in self._shapes.items()}
        self._made = {code: x.renamed(old, new) for code, x in self._made.items()}

    def of(self, n: Any) -> Value:
        """Returns a length as an int32 scalar.

        Raises:
          UnimplementedError: No value has this shape.
        """
        return self._of_code(n.code) if type(n) is Size else self._nodes.const(n, "int32")

    def _of_code(self, code: str) -> Value:
        found = self._made.get(code)
        if found is None:
            if code in self._places:
                value, place = self._places[code]
                found = self._read(self._nodes.op("Shape", value), place)
            elif code in self._elements:
                found = self._read(*self._elements[code])
            else:
                found = self._computed(code)
            self._made[code] = found
        return found

    def _read(self, numbers: Value, axis: int) -> Value:
        """Returns an element of a vector as int32."""
        nodes = self._nodes
        first, last = nodes.const([axis], "int32"), nodes.const([axis + 1], "int32")
        found: Value = nodes.op(
            "StridedSlice", numbers, first, last, nodes.const([1], "int32"), shrink_axis_mask=1
        )
        if numbers.dtype == "int32":
            return found
        cast: Value = nodes.op("Cast", found, DstT="int32")
        return cast

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
