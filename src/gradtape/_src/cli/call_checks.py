"""Finds calls of missing methods, and arguments that functions do not take, by reading a program.

The types of values come from the annotations of functions. A name that is assigned values of more
than one type counts as unknown.
"""

import ast
import inspect
import typing
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from gradtape._src.base.shapes import TensorShape
from gradtape._src.cli.pitfalls import Paths, Pitfall
from gradtape._src.cli.program import Program
from gradtape._src.compat.alias import resolve
from gradtape._src.compat.names import nearest, tensorflow_names

TENSORS = ("Tensor", "Variable", "RaggedTensor", "SparseTensor")
"""Functions whose annotation names one of these types may return another type."""
OTHERS = ("data.Dataset", "GradientTape", "random.Generator", "TensorArray", "TensorShape")
_WITH_TARGET = (
    *(ast.For, ast.AsyncFor, ast.comprehension),
    *(ast.NamedExpr, ast.AugAssign, ast.AnnAssign),
)
_NAMED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
)
_BINDING = (
    *_WITH_TARGET,
    *_NAMED,
    *(ast.arg, ast.Import, ast.ImportFrom, ast.Assign, ast.With, ast.AsyncWith),
)
_UNREADABLE = (AttributeError, ImportError, NameError, TypeError, ValueError)


def lacking_in_calls(program: Program, path: Paths, known: set[str]) -> Iterator[Pitfall]:
    """Yields the methods and arguments that gradtape lacks.

    Args:
        program: The program.
        path: A function that returns the tf name of an expression such as `tf.math.sin`.
        known: Tf names that the program assigns, and that are therefore not checked.
    """
    types = _types(program, path)
    for cell in program.cells:
        reader = _CallReader(path, types, known)
        reader.visit(cell.tree)
        for kind, node, text in reader.found:
            yield Pitfall(kind, cell.number, node.lineno, text, node.col_offset + 1)


@cache
def _class_names() -> dict[type, str]:
    return {_resolved(path): path for path in (*TENSORS, *OTHERS)}


def _resolved(path: str) -> Any:
    return resolve(path)


def _named(path: str) -> Any:
    try:
        return resolve(path)
    except _UNREADABLE:
        return None


def _returned(function: Any, owner: type | None = None) -> type | None:
    """Returns the class in a function's return annotation, if it is one of the known types."""
    if isinstance(function, type):
        return function if function in _class_names() else None
    try:
        said = typing.get_type_hints(function).get("return")
    except _UNREADABLE:
        said = getattr(function, "__annotations__", {}).get("return")
    if said is typing.Self or said == "Self":
        return owner
    return said if isinstance(said, type) and said in _class_names() else None


class _TypeReader:
    """Returns the type of an expression."""

    def __init__(self, path: Paths, names: dict[str, type]) -> None:
        self._path = path
        self._names = names

    def type_of(self, node: ast.expr) -> type | None:
        """Returns the class of the expression's value; None if it is unknown."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.BinOp):
            sides = {self.type_of(node.left), self.type_of(node.right)} - {None}
            tensors = {cls for cls in sides if cls and _class_names()[cls] in TENSORS[:2]}
            return _resolved("Tensor") if tensors and tensors == sides else None
        if isinstance(node, ast.Call):
            if (path := self._path(node.func)) is not None:
                return _returned(_named(path))
            if isinstance(node.func, ast.Attribute) and (owner := self.type_of(node.func.value)):
                return _returned(getattr(owner, node.func.attr, None), owner)
        return None


def _types(program: Program, path: Paths) -> dict[str, type]:
    """Returns the types of the names that have a single type in the whole program."""
    found: dict[str, type] = {}
    dropped = set[str]()
    nodes = [
        node for cell in program.cells for node in ast.walk(cell.tree) if isinstance(node, _BINDING)
    ]
    dropped.update(_of_other_creators(nodes, path))
    for _ in range(2):  # a name may be used above its assignment
        for node in nodes:
            _learn(node, _TypeReader(path, found), found, dropped)
        found = {name: cls for name, cls in found.items() if name not in dropped}
    return found


def _of_other_creators(nodes: Sequence[ast.AST], path: Paths) -> Iterator[str]:
    """Yields the names of variables that a program's own context manager may create.

    Below `tf.variable_creator_scope`, which another function may enter, `tf.Variable` returns
    values of any class.
    """
    for node in nodes:
        if isinstance(node, (ast.With, ast.AsyncWith)):
            calls = [item.context_expr for item in node.items]
            opened = [path(c.func) for c in calls if isinstance(c, ast.Call)]
            if None in opened or "variable_creator_scope" in opened:
                yield from (
                    target.id
                    for part in ast.walk(node)
                    if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
                    if path(part.value.func) == "Variable"
                    for target in part.targets
                    if isinstance(target, ast.Name)
                )


def _learn(node: ast.AST, reader: _TypeReader, found: dict[str, type], dropped: set[str]) -> None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        (target,) = node.targets
        if isinstance(target, ast.Name):
            cls = reader.type_of(node.value)
            if cls is None or found.setdefault(target.id, cls) is not cls:
                dropped.add(target.id)
            return
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if isinstance(item.optional_vars, ast.Name):
                cls = reader.type_of(item.context_expr)
                if cls is None or found.setdefault(item.optional_vars.id, cls) is not cls:
                    dropped.add(item.optional_vars.id)
        return
    dropped.update(_bound_otherwise(node))


def _bound_otherwise(node: ast.AST) -> Iterator[str]:
    """Returns the names to which a statement assigns values of unknown types."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, _NAMED):
        yield node.name or ""
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (item.asname or item.name for item in node.names)
    elif isinstance(node, _WITH_TARGET):
        yield from (n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (
                n.id
                for n in ast.walk(target)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            )


class _CallReader(ast.NodeVisitor):
    def __init__(self, path: Paths, types: dict[str, type], known: set[str]) -> None:
        self.found: list[tuple[str, ast.expr, str]] = []
        self._path = path
        self._known = known
        self._types = _TypeReader(path, types)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        if self._path(node) is not None or not isinstance(node.ctx, ast.Load):
            return
        owner = self._types.type_of(node.value)
        if owner and (text := _lacking_member(owner, node.attr)):
            self.found.append(("member", node, text))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        path = self._path(node.func)
        if path is not None:
            if path in self._known or path.startswith(("compat.v1.", "raw_ops.")):
                return
            function, skipped, name = _named(path), 0, f"tf.{path}"
        elif isinstance(node.func, ast.Attribute):
            owner = self._types.type_of(node.func.value)
            function = getattr(owner, node.func.attr, None) if owner else None
            name = f"{owner.__name__}.{node.func.attr}" if owner else ""
            static = owner and inspect.getattr_static(owner, node.func.attr, None)
            skipped = 0 if isinstance(static, staticmethod) else 1
        else:
            return
        if function is not None and (text := _lacking_argument(name, function, skipped, node)):
            self.found.append(("argument", node, text))


def _lacking_member(owner: type, name: str) -> str:
    """Returns a message if the values of a class lack a member, else ""."""
    path = _class_names()[owner]
    alike = TENSORS if path in TENSORS else (path,)
    if name.startswith("_") or any(hasattr(_resolved(p), name) for p in alike):
        return ""
    if owner is TensorShape and name in TensorShape.__slots__:
        return ""
    if name in tensorflow_names().classes.get(path, ()):
        return f"gradtape has no tf.{path}.{name} yet"
    near = get_close_matches(name, [n for n in dir(owner) if n[0] != "_" and hasattr(owner, n)], 1)
    words = [f".{near[0]}"] if near else [f"tf.{n}" for n in nearest(name)[:1]]
    ending = f"; the nearest: {words[0]}" if words else ""
    return f"TensorFlow's tf.{path} has no `{name}`{ending}"


def _lacking_argument(name: str, function: Any, skipped: int, call: ast.Call) -> str:
    """Returns a message if a function does not accept the arguments of a call, else ""."""
    try:
        listed = list(inspect.signature(function).parameters.values())
    except _UNREADABLE:
        return ""
    if skipped and inspect.isfunction(function):
        listed = listed[skipped:]
    kinds = {p.kind for p in listed}
    names = {p.name for p in listed if p.kind is not p.POSITIONAL_ONLY}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for word in call.keywords:
            if word.arg is not None and word.arg not in names:
                near = get_close_matches(word.arg, names, 1, 0.5)
                ending = f"; the nearest: `{near[0]}`" if near else ""
                return f"{name} has no argument `{word.arg}`{ending}"
    most = sum(p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD} for p in listed)
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    if inspect.Parameter.VAR_POSITIONAL not in kinds and not starred and len(call.args) > most:
        return f"{name} takes at most {most} positional arguments, and {len(call.args)} are given"
    return ""
