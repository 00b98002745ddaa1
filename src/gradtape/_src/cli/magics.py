"""IPython's special lines, `%magic`, `!command` and `name?`, in a notebook run as a program."""

import ast
import importlib.util
import re
from collections.abc import Callable
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)

_ASSIGNED = re.compile(r"(?P<indent>\s*)(?P<target>[\w., \[\]]+=\s*)(?P<kind>[%!])(?P<rest>.*)")
_SPECIAL = re.compile(r"(?P<indent>\s*)(?P<target>)(?P<kind>%|!!?)(?P<rest>.*)")
_HELP = re.compile(r"(?P<indent>\s*)(\?{1,2}\s*[\w.]+|[\w.*]+\s*\?{1,2})\s*$")

# Magics whose code has to run, with their options; a colon follows options with a value.
RUN_ONCE = {"time": "", "timeit": "n:r:tcp:qov:", "capture": "", "prun": "D:l:rs:T:q"}
_OPTION = re.compile(r"\s*(?:--[\w-]+|-([A-Za-z])(\S*))(?=\s|$)")
SILENT = {"matplotlib", "load_ext", "autoreload", "config"}  # skipped without a report


def to_python(source: str) -> str:
    """Returns a cell's source with every special line replaced by a call of `get_ipython()`.

    IPython itself does this if it is installed; otherwise, a few rules for single lines do. A cell
    of plain Python is returned unchanged.

    Raises:
      SyntaxError: The cell is not valid, even with IPython's syntax.
    """
    if not source.lstrip().startswith("%%"):
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return _transformed(source)
        return source
    head, _, body = source.lstrip().partition("\n")
    name, _, line = head[2:].partition(" ")
    if name not in RUN_ONCE:
        return f"get_ipython().run_cell_magic({name!r}, {line!r}, {body!r})"
    above = "\n" * (len(source) - len(source.lstrip()))
    setup = without_options(name, line) if name in ("timeit", "prun") else ""
    return f"{above}{setup}\n{to_python(body)}"


def _transformed(source: str) -> str:
    if importlib.util.find_spec("IPython") is None:
        return "\n".join(map(_line_to_python, source.split("\n")))
    from IPython.core.inputtransformer2 import TransformerManager

    body = source.lstrip("\n")
    above = "\n" * (len(source) - len(body))  # IPython drops empty lines, and lines are counted
    return above + str(TransformerManager().transform_cell(body))


def without_options(name: str, line: str) -> str:
    """Returns the code in the line of a magic such as `%timeit -n1 -r 3 code`."""
    options = RUN_ONCE[name]
    while (match := _OPTION.match(line)) and (not match[1] or match[1] in options):
        line = line[match.end() :]
        if match[1] and f"{match[1]}:" in options and not match[2]:
            line = line.lstrip().partition(" ")[2]  # the option's value is a separate word
    return line.strip()


class _Inlining(ast.NodeTransformer):
    """Replaces a magic that would run code, such as `%time code`, by that code."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        code = _timed(node.value)
        if code is None:
            return self.generic_visit(node)
        return [_placed(statement, node) for statement in ast.parse(code or "pass").body]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        code = _timed(node)
        if code is None:
            return self.generic_visit(node)
        return _placed(ast.parse(code, mode="eval").body, node)


def inlined(tree: ast.Module) -> ast.Module:
    """Returns a cell with its magics replaced by their code.

    Raises:
      SyntaxError: The code is not valid Python.
    """
    out: ast.Module = ast.fix_missing_locations(_Inlining().visit(tree))
    return out


def _timed(node: ast.expr) -> str | None:
    """Returns the code that a magic of `RUN_ONCE` runs; None for another node."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Name(id="get_ipython")), attr="run_line_magic"
            ),
            args=[ast.Constant(value=str(name)), ast.Constant(value=str(line))],
        ) if name in RUN_ONCE:
            return without_options(name, line)
    return None


def _placed(tree: Node, where: ast.AST) -> Node:
    """Returns a piece of code moved to the position of another one."""
    for node in ast.walk(tree):
        ast.copy_location(node, where)
    return tree


def _line_to_python(line: str) -> str:
    if match := _ASSIGNED.fullmatch(line) or _SPECIAL.fullmatch(line):
        indent, target, kind, rest = match.group("indent", "target", "kind", "rest")
        if kind == "%":
            name, _, argument = rest.partition(" ")
            if name in RUN_ONCE and not target:
                return f"{indent}{without_options(name, argument) or 'pass'}"
            return f"{indent}{target}get_ipython().run_line_magic({name!r}, {argument!r})"
        return f"{indent}{target}get_ipython().system({rest!r})"
    if match := _HELP.fullmatch(line):
        return f"{match['indent']}get_ipython().run_line_magic('pinfo', {line.strip()!r})"
    return line


class Shell:
    """Replaces the shell that `get_ipython()` returns; records and skips every request."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def run_line_magic(self, name: str, line: str) -> None:
        """Skips `%name line`."""
        if name not in SILENT:
            self._note(f"skipped %{name} {line}".rstrip())

    def run_cell_magic(self, name: str, line: str, _body: str) -> None:
        """Skips a whole cell that begins with `%%name line`."""
        self._note(f"skipped the cell: %%{name} {line}".rstrip())

    def getoutput(self, command: str) -> list[str]:
        """Skips `lines = !command`; returns no lines."""
        return self.system(command)

    def system(self, command: str) -> list[str]:
        """Skips `!command`; its output is empty."""
        self._note(f"skipped !{command}")
        return []
