"""Finds NumPy functions between a watched value and the target of a gradient.

A tape records only tensors. `np.sin(x)` of a variable is an array, so that values computed from it
have no gradient. A line is reported if the target depends on it, but not if the array is only
printed, for example.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from gradtape._src.cli.pitfalls import GRADIENTS, TAPES, Paths, Pitfall
from gradtape._src.cli.program import Program
from gradtape._src.compat.names import first_unknown, nearest

UNFOLLOWED = {"shape", "dtype", "ndim", "name", "ndims"}
"""Attributes that depend on no element."""
OUT_OF_TENSORS = {"numpy", "to_numpy"}


@dataclass
class _Value:
    """The known properties of the value of a name or an expression."""

    watched: bool = False
    arrays: list[tuple[ast.Call, str]] = field(default_factory=list)  # the calls it depends on

    def add(self, other: "_Value") -> None:
        self.watched = self.watched or other.watched
        self.arrays += [call for call in other.arrays if call not in self.arrays]


def arrays_in_tapes(program: Program, path: Paths) -> Iterator[Pitfall]:
    """Yields the calls whose results are arrays that the target of a gradient depends on.

    Args:
        program: The program.
        path: A function that returns the tf name of an expression such as `tf.math.sin`.
    """
    numpy = {name for cell in program.cells for name in _numpy_names(cell.tree)}
    seen = set[tuple[int, int, int]]()
    for cell in program.cells:
        finder = _Flow(path, numpy)
        finder.visit(cell.tree)
        for call, text in finder.found:
            place = (cell.number, call.lineno, call.col_offset)
            if place not in seen:
                seen.add(place)
                yield Pitfall("array", cell.number, call.lineno, text, call.col_offset + 1)


def _numpy_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name == "numpy":
                    yield item.asname or item.name


class _Flow(ast.NodeVisitor):
    """Follows values from name to name, in the order of the text."""

    def __init__(self, path: Paths, numpy: set[str]) -> None:
        self.found: list[tuple[ast.Call, str]] = []
        self._path = path
        self._numpy = numpy
        self._known: dict[str, _Value] = {}
        self._tapes: set[str] = set()
        self._recording = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before, recording, tapes = dict(self._known), self._recording, set(self._tapes)
        self._recording = 0
        for item in ast.walk(node.args):
            if isinstance(item, ast.arg):
                self._known.pop(item.arg, None)
        for statement in node.body:
            self.visit(statement)
        self._known, self._recording, self._tapes = before, recording, tapes

    def visit_With(self, node: ast.With) -> None:
        tapes = 0
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and self._path(call.func) in TAPES:
                tapes += 1
                if isinstance(item.optional_vars, ast.Name):
                    self._tapes.add(item.optional_vars.id)
        self._recording += tapes
        for statement in node.body:
            self.visit(statement)
        self._recording -= tapes

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        value = self._value(node.value)
        for target in node.targets:
            for item in ast.walk(target):
                if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                    self._known[item.id] = value

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._known.setdefault(node.target.id, _Value()).add(self._value(node.value))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=tape), attr=name)) if (
                tape in self._tapes
            ):
                if name == "watch":
                    for source in node.args:
                        self._watch(source)
                elif name in GRADIENTS and node.args:
                    self.found += self._value(node.args[0]).arrays

    def _watch(self, source: ast.expr) -> None:
        for item in ast.walk(source):
            if isinstance(item, ast.Name):
                self._known[item.id] = _Value(watched=True)

    def _value(self, node: ast.expr) -> _Value:
        """Returns the known properties of an expression, from its parts."""
        if isinstance(node, ast.Name):
            return self._known.get(node.id, _Value())
        if isinstance(node, ast.Attribute) and node.attr in UNFOLLOWED:
            return _Value()
        if isinstance(node, (ast.Lambda, ast.Compare)):
            return _Value()
        value = _Value()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                value.add(self._value(child.value))
            elif isinstance(child, ast.expr):
                value.add(self._value(child))
        if isinstance(node, ast.Call):
            return self._value_of_call(node, value)
        return value

    def _value_of_call(self, node: ast.Call, parts: _Value) -> _Value:
        path = self._path(node.func)
        if path == "Variable":
            return _Value(watched=True)
        if path == "stop_gradient":
            return _Value()
        if self._recording and parts.watched and (text := self._array_text(node)):
            return _Value(watched=False, arrays=[*parts.arrays, (node, text)])
        return parts

    def _array_text(self, node: ast.Call) -> str:
        """Returns a message for a call whose result is an array, else ""."""
        if not isinstance(node.func, ast.Attribute):
            return ""
        dotted = _dotted(node.func)
        space, _, name = dotted.partition(".")
        if space in self._numpy:
            return (
                f"`{dotted}` gives an array, which no tape follows, and the gradient through it "
                f"is None: {_instead(name)}"
            )
        if node.func.attr in OUT_OF_TENSORS and not node.args:
            return (
                f"`.{node.func.attr}()` gives an array, which no tape follows, and the gradient "
                "through it is None: compute with the tensor itself"
            )
        return ""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def _is_name(path: str) -> bool:
    return first_unknown(path) == ""


def _instead(name: str) -> str:
    """Returns the TensorFlow function that replaces a NumPy function."""
    for path in (name, f"math.{name}", *nearest(name)[:1], f"experimental.numpy.{name}"):
        if _is_name(path):
            return f"use tf.{path}"
    return "use TensorFlow's functions"
