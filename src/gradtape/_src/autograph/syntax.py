"""The changes to a syntax tree before malt's converters see it."""

from __future__ import annotations

import ast
from types import FunctionType, ModuleType
from typing import Any

from malt.lang import directives
from malt.pyct import anno, errors

from gradtape._src.autograph.features import set_loop_options
from gradtape._src.autograph.source import Definition, arguments_of


def prepared(node: Definition, function: FunctionType) -> Definition:
    """Rewrites loop options, calls of `super()` and ranges, which malt can't handle.

    Raises:
      UnsupportedLanguageElementError: The definition holds a statement that can't be converted.
    """
    _Checked().visit(node)
    _Prepared(function).visit(node)
    return node


class _Checked(ast.NodeVisitor):
    """Raises for statements that malt's analysis does not support."""

    def _refuse(self, what: str, node: Any) -> None:
        raise errors.UnsupportedLanguageElementError(
            f"line {node.lineno}: {what} are not supported"
        )

    def visit_Yield(self, node: ast.AST) -> None:
        self._refuse("generators", node)

    def visit_YieldFrom(self, node: ast.AST) -> None:
        self.visit_Yield(node)

    def visit_AsyncFunctionDef(self, node: ast.AST) -> None:
        self._refuse("asynchronous functions", node)

    def visit_NamedExpr(self, node: ast.AST) -> None:
        self._refuse("assignments in expressions (:=)", node)

    def visit_Match(self, node: ast.AST) -> None:
        self._refuse("match statements", node)

    def visit_TryStar(self, node: ast.AST) -> None:
        self._refuse("groups of exceptions (except*)", node)


class _Prepared(ast.NodeTransformer):
    def __init__(self, function: FunctionType) -> None:
        self._names = dict(function.__globals__)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                self._names[name] = cell.cell_contents
            except ValueError:  # the name is not bound yet
                self._names.pop(name, None)
        self._first: list[str | None] = []

    # `super()` finds its class and instance by the frame that calls it.

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        first = next(arguments_of(node.args), None)
        self._first.append(None if first is None else first.arg)
        self.generic_visit(node)
        self._first.pop()
        checked: ast.AST = node
        return checked

    def visit_Lambda(self, node: Any) -> ast.AST:
        return self.visit_FunctionDef(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        bare = not node.args and not node.keywords
        first = self._first[-1]
        if bare and isinstance(called, ast.Name) and called.id == "super" and first is not None:
            node.args = [
                ast.copy_location(ast.Name(name, ctx=ast.Load()), node)
                for name in ("__class__", first)
            ]
        return node

    # Options of loops, and ranges.

    def visit_While(self, node: ast.While) -> ast.AST:
        self._take_options(node)
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self._take_options(node)
        self.generic_visit(node)
        called = node.iter
        if isinstance(called, ast.Call):
            wrapped = ast.parse("ag__.iterated(f)", mode="eval").body
            assert isinstance(wrapped, ast.Call)
            wrapped.args = [called.func]
            for part in ast.walk(wrapped.func):
                ast.copy_location(part, called.func)
            called.func = ast.copy_location(wrapped, called.func)
        return node

    def _take_options(self, loop: ast.For | ast.While) -> None:
        for place, statement in enumerate(loop.body):
            call = getattr(statement, "value", None)
            if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
                continue
            if self._value(call.func) is not set_loop_options:
                continue
            if place:
                raise ValueError('"set_loop_options" must be the first statement in the loop block')
            options = dict(zip(_OPTIONS, call.args, strict=False))
            options.update({k.arg: k.value for k in call.keywords if k.arg})
            anno.setanno(loop, anno.Basic.DIRECTIVES, {directives.set_loop_options: options})
            loop.body = loop.body[1:] or [ast.copy_location(ast.Pass(), statement)]

    def _value(self, node: ast.expr) -> Any:
        """Finds the object to which a name or an attribute in the module refers, if it is known."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
        return None


_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")
