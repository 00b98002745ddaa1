"""The magics of `%load_ext gradtape`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.extension_point import Wrappings
from gradtape._src.inspect.journal import explanations
from gradtape._src.inspect.notebooks.objects_html import layer_html

_Asked = tuple[GradientTape, Any, Any]
"""A tape, and the target and the source of a gradient."""


def load(ipython: Any) -> None:
    """Registers the magics and the HTML of Keras' layers with a shell."""
    magics = _Magics(ipython)
    ipython.register_magic_function(magics.explain, "cell", "explain")
    ipython.register_magic_function(magics.tape, "line", "tape")
    formatter = ipython.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("keras.src.layers.layer", "Layer", layer_html)


class _Parser(argparse.ArgumentParser):
    """Raises IPython's error, which is shown as one line."""

    def error(self, message: str) -> NoReturn:
        raise _usage(f"{self.prog}: {message}")


def _usage(message: str) -> Exception:
    from IPython.core.error import UsageError

    error: Exception = UsageError(message)
    return error


class _Magics:
    """The magics of one shell."""

    def __init__(self, ipython: Any) -> None:
        self._shell = ipython

    def explain(self, line: str, cell: str) -> None:
        """Runs a cell with explanations on, and says why gradients are None.

        `%%explain loss w b` explains the gradients of `loss` with respect to `w` and `b`;
        `%%explain loss` those of all watched variables whose gradient is None; `%%explain` without
        arguments those that the cell computes and that are None.
        """
        parser = _Parser("%%explain", add_help=False)
        parser.add_argument("target", nargs="?")
        parser.add_argument("sources", nargs="*")
        parser.add_argument("--tape")
        given = _parsed(parser, line)
        for expression in (given.target, *given.sources):
            _check(expression)
        before = {id(t) for t in _tapes(self._shell.user_ns).values()}
        with explanations(), _gradients_asked_for() as asked:
            done = self._shell.run_cell(cell)
        if done.error_before_exec or done.error_in_exec:
            return
        if given.target is None:
            for answer in self._answers_to(asked):
                self._show(answer)
            return
        name, tape = self._tape(given.tape, "%%explain", but=before)
        for answer in self._answers(tape, name, given):
            self._show(answer)

    def _answers_to(self, asked: list[_Asked]) -> Iterator[Any]:
        """Yields the explanation of each gradient that was asked for and is None."""
        names = {id(v): n for n, v in self._shell.user_ns.items() if not n.startswith("_")}
        for tape, target, source in asked:
            held = {"__tape": tape, "__target": target, "__source": source}
            said = [names.get(id(held[name]), name) for name in ("__target", "__source")]
            yield self._value(f"__tape.explain({', '.join(said)})", "%%explain", **held)

    def _answers(self, tape: GradientTape, name: str, given: argparse.Namespace) -> Iterator[Any]:
        ask = "__tape.explain({}, {})"
        for source in given.sources:
            yield self._value(ask.format(given.target, source), "%%explain", __tape=tape)
        if given.sources:
            return
        self._value(given.target, "%%explain")
        names = {id(v): n for n, v in self._shell.user_ns.items() if not n.startswith("_")}
        found = False
        for variable in tape.watched_variables():
            source = names.get(id(variable), "__source")
            known = {"__tape": tape, "__source": variable}
            answer = self._value(ask.format(given.target, source), "%%explain", **known)
            if answer.is_none:
                found = True
                yield answer
        if not found:
            count = len(tape.watched_variables())
            yield f"No gradient of {given.target} is None: {name} watched {count} variables."

    def tape(self, line: str) -> None:
        """Shows the picture of a tape: `%tape loss`, `%tape loss --depth 2 --tape other`."""
        parser = _Parser("%tape", add_help=False)
        parser.add_argument("target", nargs="?")
        parser.add_argument("--tape")
        parser.add_argument("--depth", type=int)
        parser.add_argument("--summary", action="store_true")
        given = _parsed(parser, line)
        if given.depth is not None and given.depth < 0:
            raise _usage(f"%tape: --depth must not be negative, got {given.depth}")
        _, tape = self._tape(given.tape, "%tape")
        if given.summary:
            self._show(tape.summary())
            return
        call = f"__tape.graph({given.target or ''}{',' if given.target else ''} depth=__depth)"
        self._show(self._value(call, "%tape", __tape=tape, __depth=given.depth))

    def _tape(
        self, name: str | None, magic: str, but: set[int] | None = None
    ) -> tuple[str, GradientTape]:
        """Returns the tape with a name, or else the only new tape, with its name."""
        found = _tapes(self._shell.user_ns)
        if name is not None:
            if name not in found:
                raise _usage(f"{magic}: {name} is not a tf.GradientTape")
            return name, found[name]
        new = {n: t for n, t in found.items() if id(t) not in (but or ())} or found
        if len({id(t) for t in new.values()}) == 1:
            return next(iter(new.items()))
        if "tape" in new:
            return "tape", new["tape"]
        if not new:
            raise _usage(f"{magic}: there is no tf.GradientTape: record one with `as tape`")
        raise _usage(f"{magic}: say which tape with --tape, one of {', '.join(sorted(new))}")

    def _value(self, expression: str, magic: str, **known: Any) -> Any:
        """Evaluates an expression in the notebook's namespace."""
        try:
            code = compile(expression, "<notebook magic>", "eval")
            return eval(code, self._shell.user_ns, known)  # noqa: S307 (as a cell would)
        except Exception as error:  # noqa: BLE001 (the user's expression may raise anything)
            raise _usage(f"{magic}: {type(error).__name__}: {error}") from None

    def _show(self, answer: Any) -> None:
        from IPython.display import display

        if isinstance(answer, str):
            print(answer)  # noqa: T201 (the answer of a command)
        else:
            display(answer)


@contextmanager
def _gradients_asked_for() -> Iterator[list[_Asked]]:
    """Collects what gradients that are None were asked for, while a cell runs."""
    asked: list[_Asked] = []

    def collecting(gradient: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(gradient)
        def collected(
            tape: GradientTape, target: Any, sources: Any, *rest: Any, **by_name: Any
        ) -> Any:
            found = gradient(tape, target, sources, *rest, **by_name)
            if found is None:
                asked.append((tape, target, sources))
            elif isinstance(sources, (list, tuple)):
                lacking = [s for s, g in zip(sources, found, strict=True) if g is None]
                asked.extend((tape, target, source) for source in lacking)
            return found

        return collected

    wrappings = Wrappings()
    wrappings.wrap(GradientTape, "gradient", collecting)
    try:
        yield asked
    finally:
        wrappings.undo()


def _parsed(parser: argparse.ArgumentParser, line: str) -> argparse.Namespace:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _usage(f"{parser.prog}: {error}") from None
    return parser.parse_args(words)


def _check(expression: str | None) -> None:
    """Checks that an argument is an expression, before a cell runs."""
    try:
        compile(expression or "None", "<notebook magic>", "eval")
    except SyntaxError:
        raise _usage(f"%%explain: {expression!r} is not an expression") from None


def _tapes(space: dict[str, Any]) -> dict[str, GradientTape]:
    """Returns the tapes of a notebook by name, without the names that IPython makes."""
    return {
        name: held
        for name, held in space.items()
        if isinstance(held, GradientTape) and not name.startswith("_")
    }
