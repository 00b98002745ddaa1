"""The source of a Python function as a syntax tree whose positions are those in the file."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import re
import tokenize
from collections.abc import Iterator
from types import CodeType, FunctionType

LAMBDA = "<lambda>"
Definition = ast.FunctionDef | ast.Lambda


class NoSourceError(ValueError):
    """The source of a function can't be found."""


def definition_of(function: FunctionType) -> Definition:
    """Returns the syntax tree of a function's definition, a new one at every call.

    Raises:
      NoSourceError: The source is not available, or the file has changed since.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSourceError(
            f"Unable to locate the source code of {function}. Note that functions defined in "
            "certain environments, like the interactive Python shell, do not expose their source "
            "code. If that is the case, you should define them in a .py source file."
        )
    try:
        found = _lambda(code, lines) if code.co_name == LAMBDA else _function(code, lines)
    except (SyntaxError, IndexError, StopIteration, tokenize.TokenError) as error:
        raise NoSourceError(_changed(function)) from error
    if not _has_arguments(found, code):
        raise NoSourceError(_changed(function))
    return _unmangled(found, code)


def _changed(function: FunctionType) -> str:
    code = function.__code__
    return (
        f"the source code of {function} is not at line {code.co_firstlineno} of "
        f"{code.co_filename}: the file has changed since it was loaded"
    )


def _function(code: CodeType, lines: list[str]) -> ast.FunctionDef:
    first = code.co_firstlineno
    block = inspect.getblock(lines[first - 1 :])
    indented = block[0][:1].isspace()
    text = "".join(["if 1:\n" if indented else "", *block])
    statement = ast.parse(text).body[0]
    found = statement.body[0] if isinstance(statement, ast.If) else statement
    if not isinstance(found, ast.FunctionDef) or found.name != code.co_name:
        raise StopIteration
    ast.increment_lineno(found, first - 1 - indented)
    return found


@functools.lru_cache(maxsize=8)
def _lambdas(text: str) -> list[ast.Lambda]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)]


def _lambda(code: CodeType, lines: list[str]) -> ast.Lambda:
    """Returns the smallest lambda that contains the positions of all of the code's instructions."""
    places = [
        ((line, column), (end_line or line, end_column or column))
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and column is not None and (end_column or column) > column
    ]
    found = [
        node
        for node in _lambdas("".join(lines))
        if node.lineno == code.co_firstlineno and all(_contains(node, a, b) for a, b in places)
    ]
    found = [node for node in found if _has_arguments(node, code)]
    sizes = [_end(node) for node in found]
    return copy.deepcopy(found[sizes.index(min(sizes))]) if found else next(iter(()))


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, -node.col_offset


def _contains(node: ast.Lambda, start: tuple[int, int], end: tuple[int, int]) -> bool:
    body = node.body
    last = body.end_lineno or body.lineno, body.end_col_offset or body.col_offset
    return (node.lineno, node.col_offset) <= start and end <= last


def arguments_of(args: ast.arguments) -> Iterator[ast.arg]:
    """Yields the arguments of a definition, in the order in which code objects name them."""
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)
    yield from (arg for arg in (args.vararg, args.kwarg) if arg is not None)


def _has_arguments(node: Definition, code: CodeType) -> bool:
    names = [arg.arg for arg in arguments_of(node.args)]
    known = code.co_varnames[: len(names)]
    return len(known) == len(names) and all(
        name == other or (name.startswith("__") and other.endswith(name))
        for name, other in zip(names, known, strict=True)
    )


_MANGLED = re.compile(r"_+[^_].*?(__.+)")


def _unmangled(node: Definition, code: CodeType) -> Definition:
    """Renames variables such as `__x` to `_A__x`, as Python does within a class."""
    private = {}
    for name in _names(code):
        match = _MANGLED.fullmatch(name)
        if match is not None and not name.endswith("__"):
            private[match[1]] = name
    if private:
        for part in ast.walk(node):
            for field in ("id", "attr", "arg"):
                value = getattr(part, field, None)
                if isinstance(value, str):
                    setattr(part, field, private.get(value, value))
    return node


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)
