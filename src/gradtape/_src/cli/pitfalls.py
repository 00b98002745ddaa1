"""Finds uses of tapes in a program's source that do not do what they seem to.

Names are followed in the order of the text, scope by scope; unclear cases are not reported.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from gradtape._src.cli.program import Program

MAKERS = {"constant", "convert_to_tensor", "zeros", "ones", "fill", "eye", "linspace", "range"}
MAKERS |= {f"random.{name}" for name in ("normal", "uniform")}
GRADIENTS = {"gradient", "jacobian", "batch_jacobian"}
TAPES = {"GradientTape", "autodiff.GradientTape"}

Paths = Callable[[ast.expr], str | None]
Found = TypeVar("Found", bound="_Tensor | _Tape")


class Pitfall(NamedTuple):
    """A trap and its place.

    Attributes:
        kind: Its kind, in one word.
        cell: The cell of a notebook; 0 in a script.
        line: The line.
        text: The problem, and how to mend it.
        column: The column, counted from 1.
    """

    kind: str
    cell: int
    line: int
    text: str
    column: int = 1


@dataclass
class _Tensor:
    """The known facts about the tensor or variable of a name."""

    is_variable: bool
    is_integer: bool
    depth: int  # the number of active tapes at its creation


@dataclass
class _Tape:
    """The known facts about the tape of a name."""

    persistent: bool
    depth: int
    watched: set[str] = field(default_factory=set)
    watches_more: bool = False  # whether some have no name
    used: bool = False


def pitfalls(program: Program, path: Paths) -> list[Pitfall]:
    """Finds the traps in a program.

    Args:
        program: The program.
        path: Returns the tf name of an expression such as `tf.math.sin`.
    """
    reader = _Reader(path)
    for cell in program.cells:
        reader.cell = cell.number
        reader.visit(cell.tree)
    return sorted(reader.found, key=lambda trap: (trap.cell, trap.line))


class _Reader(ast.NodeVisitor):
    def __init__(self, path: Paths) -> None:
        self.cell = 0
        self.found: list[Pitfall] = []
        self._path = path
        self._scopes: list[dict[str, _Tensor | _Tape]] = [{}]
        self._depth = 0

    def _report(self, kind: str, node: ast.expr | ast.stmt, text: str) -> None:
        self.found.append(Pitfall(kind, self.cell, node.lineno, text, node.col_offset + 1))

    def _look_up(self, node: ast.expr, kind: type[Found]) -> Found | None:
        if isinstance(node, ast.Name):
            for scope in reversed(self._scopes):
                if node.id in scope:
                    found = scope[node.id]
                    return found if isinstance(found, kind) else None
        return None

    # Scopes and names.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = {item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg)}
        outside = {k: v for scope in self._scopes for k, v in scope.items() if k not in arguments}
        scopes, depth = self._scopes, self._depth
        self._scopes, self._depth = [outside, {}], 0  # it may run under other tapes
        for statement in node.body:
            self.visit(statement)
        self._scopes, self._depth = scopes, depth
        self._forget(node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Skips code that runs at another time."""

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._forget(node.id)

    def _forget(self, name: str) -> None:
        for scope in self._scopes:
            scope.pop(name, None)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        made = self._made_by(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if isinstance(node.value, ast.BinOp):
                    operands = [node.value.left, node.value.right]
                    self._check_step(target, operands, node)
                self._forget(target.id)
                if made:
                    self._scopes[-1][target.id] = made
            else:
                self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._check_step(node.target, [node.target], node)
            self._forget(node.target.id)

    def _check_step(self, target: ast.Name, operands: list[ast.expr], node: ast.stmt) -> None:
        known = self._look_up(ast.Name(target.id), _Tensor)
        names = {operand.id for operand in operands if isinstance(operand, ast.Name)}
        if known and known.is_variable and target.id in names:
            self._report(
                "rebound",
                node,
                f"`{target.id}` is a tf.Variable before this line and a tensor after it, which no "
                f"tape watches: {target.id}.assign(...), .assign_add or .assign_sub keep it one",
            )

    def _made_by(self, node: ast.expr) -> _Tensor | None:
        if not isinstance(node, ast.Call):
            return None
        path = self._path(node.func)
        if path not in MAKERS | {"Variable"}:
            return None
        is_random = path.startswith("random.") or path in {"zeros", "ones", "eye", "linspace"}
        integer = not is_random and _are_integers(node)
        return _Tensor(path == "Variable", integer, self._depth)

    def visit_With(self, node: ast.With) -> None:
        tapes = 0
        for item in node.items:
            self.visit(item.context_expr)
            call = item.context_expr
            if isinstance(call, ast.Call) and self._path(call.func) in TAPES:
                tapes += 1
                if isinstance(item.optional_vars, ast.Name):
                    persistent = any(word.arg in {"persistent", None} for word in call.keywords)
                    tape = _Tape(persistent or bool(call.args), self._depth + tapes)
                    self._forget(item.optional_vars.id)
                    self._scopes[-1][item.optional_vars.id] = tape
            elif item.optional_vars is not None:
                self.visit(item.optional_vars)
        self._depth += tapes
        for statement in node.body:
            self.visit(statement)
        self._depth -= tapes

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        tapes = [
            tape for scope in self._scopes for tape in scope.values() if isinstance(tape, _Tape)
        ]
        before = [tape.used for tape in tapes]
        ends = []
        for branch in (node.body, node.orelse):
            for tape, used in zip(tapes, before, strict=True):
                tape.used = used
            for statement in branch:
                self.visit(statement)
            ends.append([tape.used for tape in tapes])
        for tape, first, second in zip(tapes, *ends, strict=True):
            tape.used = first and second

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return
        tape = self._look_up(node.func.value, _Tape)
        if tape and node.func.attr == "watch":
            for value in node.args:
                self._watch(tape, value)
        elif tape and node.func.attr == "reset":
            tape.used = False
        elif tape and node.func.attr in GRADIENTS:
            self._check_use(tape, node)
            self._check_sources(tape, node)

    def _watch(self, tape: _Tape, value: ast.expr) -> None:
        for source in _elements(value):
            if isinstance(source, ast.Name):
                tape.watched.add(source.id)
                self._check_dtype(source, source)
            else:
                tape.watches_more = True
            if not self._look_up(source, _Tensor):
                tape.watches_more = True  # the list's contents are unknown

    def _check_use(self, tape: _Tape, node: ast.Call) -> None:
        if tape.used and not tape.persistent:
            self._report(
                "persistent",
                node,
                "the tape is used a second time, which raises a RuntimeError: "
                "tf.GradientTape(persistent=True), or ask for all gradients at once",
            )
        tape.used = True

    def _check_sources(self, tape: _Tape, node: ast.Call) -> None:
        words = {word.arg: word.value for word in node.keywords}
        sources = node.args[1] if len(node.args) > 1 else words.get("sources", words.get("source"))
        if sources is None or "unconnected_gradients" in words:
            return
        for source in _elements(sources):
            known = self._look_up(source, _Tensor)
            if known is None or not isinstance(source, ast.Name) or source.id in tape.watched:
                continue
            if known.is_variable:
                self._check_dtype(source, node)
            elif known.depth < tape.depth and not tape.watches_more:
                self._report(
                    "unwatched",
                    node,
                    f"the gradient with respect to `{source.id}` is None: it is a tensor made "
                    f"before the tape, and not watched. tape.watch({source.id}) at the top of the "
                    "`with`, or make it a tf.Variable",
                )

    def _check_dtype(self, source: ast.Name, node: ast.expr) -> None:
        known = self._look_up(source, _Tensor)
        if known and known.is_integer:
            self._report(
                "integer",
                node,
                f"the gradient with respect to `{source.id}` is None: its dtype is that of the "
                "integers that "
                "it is made of. Write them with a decimal point, or give dtype=tf.float32",
            )


def _elements(node: ast.expr) -> Iterator[ast.expr]:
    """Returns the expressions in a literal list, tuple or dictionary; otherwise the node."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for element in node.elts:
            yield from _elements(element)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _elements(value)
    else:
        yield node


def _are_integers(call: ast.Call) -> bool:
    """Whether a call makes a tensor of literal integers without a dtype."""
    if any(word.arg in {"dtype", "dtype_hint", None} for word in call.keywords):
        return False
    if not call.args or len(call.args) > 1:
        return False
    leaves = list(_elements(call.args[0]))
    return bool(leaves) and all(map(_is_integer, leaves))


def _is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
