"""Finds undeclared ways in which a module changes another one, by reading its source.

Such arrows are invisible to a check of imports: an attribute set on an imported class or module,
and a flag planted in the `__dict__` of an object.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any


def assignments(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    """Yields attributes that a module sets on classes or modules imported from `package`."""
    ours = _imported_names(tree, package)
    for node in ast.walk(tree):
        for target in assigned(node):
            if isinstance(target, ast.Attribute) and _is_foreign(target.value, ours):
                message = f"sets {ast.unparse(target)} of another module"
                yield target.lineno, message
        if isinstance(node, ast.Call) and node.args:
            setter = _dotted(node.func)
            if setter in SETTERS and _is_foreign(node.args[0], ours):
                message = f"{setter} on {ast.unparse(node.args[0])} of another module"
                yield node.lineno, message


SETTERS = {f"{of}{kind}" for of in ("", "builtins.") for kind in ("setattr", "delattr")} | {
    f"{of}.__{kind}__" for of in ("object", "type") for kind in ("setattr", "delattr")
}
"""The functions that set an attribute of their first argument."""


def _dotted(node: ast.expr) -> str:
    """Returns the name of a called function, such as "object.__setattr__"; "" if it has none."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _imported_names(tree: ast.Module, package: str) -> set[str]:
    """Returns a module's names for objects that it imports from `package`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").split(".")[0] == package
        ):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            ours = [a for a in node.names if a.name.split(".")[0] == package]
            names |= {a.asname or package for a in ours}
    pairs = [
        (target.id, value)
        for node in ast.walk(tree)
        for target, value in _bindings(node)
        if isinstance(target, ast.Name)
    ]
    while more := {name for name, value in pairs if _names_one(value, names)} - names:
        names |= more
    return names


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields each target with its value, for an assignment or a loop over a literal."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _paired(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.comprehension) and isinstance(
        node.iter, ast.Tuple | ast.List | ast.Set
    ):
        for value in node.iter.elts:
            yield from _paired(node.target, value)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    sequence = ast.Tuple | ast.List
    if isinstance(target, sequence) and isinstance(value, sequence):
        for each, part in zip(target.elts, value.elts, strict=False):
            yield from _paired(each, part)
    else:
        yield target, value


def _names_one(node: ast.expr, ours: set[str]) -> bool:
    """Whether an expression is a class or module of gradtape: an imported name or its attribute.

    The attribute of an imported class or module may have any value; it counts only if its name is
    that of a class (`module.Class`).
    """
    if isinstance(node, ast.Attribute):
        return node.attr.lstrip("_")[:1].isupper() and _is_foreign(node.value, ours)
    return isinstance(node, ast.Name) and node.id in ours


def _is_foreign(node: ast.expr, ours: set[str]) -> bool:
    """Whether the value of an expression belongs to another module."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Call) and _dotted(node.func) == "type" and len(node.args) == 1:
        return ast.unparse(node.args[0]) != "self"  # the class of a value
    return isinstance(node, ast.Name) and node.id in ours


def assigned(node: ast.AST) -> list[ast.expr]:
    """Returns the expressions that a statement sets or deletes."""
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.comprehension):
        targets = [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        targets = [node.optional_vars]
    else:
        return []
    return [single for target in targets for single in _singles(target)]


def _singles(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [single for part in target.elts for single in _singles(part)]
    return _singles(target.value) if isinstance(target, ast.Starred) else [target]


def flags(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields state that a module stores in a `__dict__` instead of a declared attribute.

    A method may store an attribute that its own class declares, as properties do.
    """
    for scope, owner in _scopes(tree):
        aliases = _dict_aliases(scope)
        for node in _within(scope):
            for space, name, line in _stores(node):
                of = _whose(space, aliases)
                if of is not None and not (of == "self" and name in _declared(owner)):
                    message = f"sets {name or 'something'} in the __dict__ of {of}"
                    yield line, f"{message}; declare an attribute"


def _scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.ClassDef | None]]:
    """Yields the module and its functions, each method with its class."""

    def visit(node: ast.AST, owner: ast.ClassDef | None) -> Iterator[tuple[ast.AST, Any]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield child, owner
            yield from visit(child, child if isinstance(child, ast.ClassDef) else owner)

    yield tree, None
    yield from visit(tree, None)


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a scope, without the scopes of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _within(child)


def _dict_aliases(scope: ast.AST) -> dict[str, str]:
    """Returns names for a `__dict__`, as in `kept = x.__dict__`, each with its object."""
    return {
        target.id: of
        for node in _within(scope)
        for target, value in _bindings(node)
        if isinstance(target, ast.Name) and (of := _whose(value, {})) is not None
    }


def _whose(node: ast.expr, aliases: Mapping[str, str]) -> str | None:
    """Returns the object whose `__dict__` an expression is; None for other expressions."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return ast.unparse(node.value)
    if isinstance(node, ast.Call) and _dotted(node.func) == "vars" and node.args:
        return ast.unparse(node.args[0])
    return None


def _stores(node: ast.AST) -> Iterator[tuple[ast.expr, str, int]]:
    """Yields each possible `__dict__` in which a statement sets a name, the name and the line."""
    for target in assigned(node):
        if isinstance(target, ast.Subscript) and not isinstance(node, ast.Delete):
            yield target.value, _text(target.slice), target.lineno
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    space, line = node.func.value, node.lineno
    if node.func.attr in ("setdefault", "__setitem__") and node.args:
        yield space, _text(node.args[0]), line
    elif node.func.attr == "update":  # an update by another object's whole state is a copy
        for keyword in node.keywords:
            yield space, keyword.arg or "", line
        for given in node.args:
            if isinstance(given, ast.Dict):
                for key in given.keys:
                    yield space, "" if key is None else _text(key), line


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _declared(owner: ast.ClassDef | None) -> set[str]:
    """Returns the attributes that the body of a class declares."""
    if owner is None:
        return set()
    names = {
        target.id
        for node in owner.body
        for target in assigned(node)
        if isinstance(target, ast.Name)
    }
    return names | {
        node.name for node in owner.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
