"""The errors of compiling a function, with the user's line."""

from __future__ import annotations

import sys
import traceback
from contextvars import ContextVar
from functools import cache

from gradtape._src.autograph.errors_while_tracing import is_of_program
from gradtape._src.base.errors import (
    InvalidArgumentError,
    OperatorNotAllowedInGraphError,
    UnimplementedError,
)
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.graph import NeedsValue
from gradtape._src.graph.ir.origins import IN_NODE, Origin

_OURS = __file__.rpartition("_src")[0]
_MACHINERY = ("/jax/", "/jaxlib/", "/numpy/", "/contextlib.py", "/traceback_utils.py")


@cache
def _libraries() -> tuple[str, ...]:
    """Returns the directories of installed packages and of Python's own modules."""
    import sysconfig

    return tuple({f"{sysconfig.get_paths()[k]}/" for k in ("purelib", "platlib", "stdlib")})


def no_jax(name: str) -> ImportError:
    """Returns the error for compiling without JAX."""
    return ImportError(
        f"tf.function({name}, jit_compile=True) compiles through XLA, which needs JAX: "
        f"pip install 'gradtape[xla]' (or leave jit_compile out to run the function as it is)"
    )


def jit_without_jax() -> ImportError:
    """Returns the error for a request of XLA's kernels without JAX."""
    return ImportError(
        "tf.config.optimizer.set_jit(True) compiles functions and large arrays' operations with "
        "XLA, which needs JAX: "
        "pip install 'gradtape[xla]'"
    )


def _is_users(file: str) -> bool:
    return not file.startswith((_OURS, *_libraries())) and not file.startswith("<frozen")


def _is_a_librarys(file: str) -> bool:
    return not file.startswith((_OURS, "<frozen")) and not any(p in file for p in _MACHINERY)


def _users_frame(frames: traceback.StackSummary) -> str:
    """Returns the innermost line of the user's code as text."""
    for belongs in (_is_users, _is_a_librarys):
        for frame in reversed(frames):
            if belongs(frame.filename):
                line = f": {frame.line}" if frame.line else ""
                return f"{frame.filename}:{frame.lineno}, in {frame.name}{line}"
    return "a line outside the program's files"


lowered_now: ContextVar[Origin | None] = ContextVar("lowered_now", default=None)
"""The line of the graph's operation that is being lowered."""


def where_now() -> str:
    """Returns the user's running line, or the line or node of the operation that is compiled."""
    origin = lowered_now.get()
    tracer = active_compiler()
    while origin is None and tracer is not None:
        origin = getattr(getattr(tracer, "origins", None), "replayed", None)
        tracer = getattr(tracer, "outer", None)
    if origin is not None and (place := origin.place):
        return str(place)
    return _users_frame(traceback.extract_stack(sys._getframe(1)))


def where_raised(error: BaseException) -> str:
    """Returns the node of a loaded function, or the user's line, that an exception came from."""
    for note in getattr(error, "__notes__", ()):
        if note.startswith(IN_NODE):
            return str(note.removeprefix("in "))
    return _users_frame(traceback.extract_tb(error.__traceback__))


class NotCompiledError(InvalidArgumentError, UnimplementedError):
    """XLA can't compile a function; TensorFlow raises InvalidArgumentError.

    Attributes:
      by_operation: Whether an operation requested the value of a symbolic tensor, for a shape or an
        axis.
    """

    by_operation = False


NotCompiledError.__name__ = "InvalidArgumentError"  # the name that programs see


class UnknownValueError(NotImplementedError):
    """The user's code requested the value of a symbolic tensor while a function is compiled."""


_AROUND = (
    "attributes.py",
    "graph_operations.py",
    "whole_calls.py",
    "deferred.py",
    "open_graphs.py",
)
"""Files with wrappers around functions that a graph may call as a whole."""
_SHAPES = frozenset(
    {"boolean_mask", "indexing", "range", "sequence_mask", "unique", "unique_with_counts"}
)


def _asker(error: BaseException) -> str:
    """Returns the operation that the user's line called; empty if that line asked for a value."""
    frames = traceback.extract_tb(error.__traceback__)
    last = max((i for i, f in enumerate(frames) if _is_users(f.filename)), default=-1)
    inside = [
        f.name
        for f in frames[last + 1 :]
        if f.filename.startswith(_OURS) and not f.filename.endswith(_AROUND)
    ]
    if not inside or inside[0] in _VALUES:
        return ""
    name = inside[0].rstrip("_")
    return "indexing" if name in ("__getitem__", "getitem") else "" if name[0] == "_" else name


_VALUES = ("numpy", "tolist", "item")


def cannot_compile(operation: str, why: str) -> NotCompiledError:
    """Returns the error for an operation that XLA can't compile."""
    return NotCompiledError(
        None,
        None,
        f"{operation} can't be compiled: {why}. At {where_now()}. (Or leave jit_compile=True out.)",
    )


def not_compiled(why: BaseException) -> Exception:
    """Returns the error for a function that can't be compiled because no graph holds it."""
    if isinstance(why, NeedsValue):
        return _translated(why)
    cause = why.__cause__
    if isinstance(cause, Exception):
        if isinstance(cause, UnimplementedError) or is_of_program(cause):
            return cause
        asker, place = _asker(cause) or "The function", where_raised(cause)
        return needs_value(asker, "it needs the value of a tensor", place)
    return NotCompiledError(
        None,
        None,
        f"The function can't be compiled: {why}. At {where_raised(why)}. Python code "
        "that depends on values or has side effects would run only once, while the function is "
        "traced: run it before the call and pass the result as an argument. "
        "(Or leave jit_compile=True out.)",
    )


def _translated(error: NeedsValue) -> Exception:
    place = where_raised(error)
    asked = {frame.name for frame in traceback.extract_tb(error.__traceback__)}
    if "__bool__" in asked:
        return OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: `if`, `while`, `and`, "
            "`or` and `not` need a value that is known only when the compiled function runs. At "
            f"{place}. Write tf.cond(condition, lambda: ..., lambda: ...) or tf.where(condition, "
            "x, y) in place of `if`, tf.while_loop in place of `while`, tf.logical_and/or/not in "
            "place of the operators; or leave jit_compile=True out."
        )
    asker = _asker(error)
    if asker:
        why = "it needs the value of a tensor"
        if asker in _SHAPES:
            why = "the shape of its result depends on values, and XLA's shapes are fixed"
        return needs_value(asker, why, place)
    return UnknownValueError(
        "a tensor was converted to a Python number or NumPy array, but its value is known only "
        f"when the compiled function runs. At {place}. Return the tensor and call .numpy() on the "
        "result, use TensorFlow's functions in place of NumPy's and Python's, or pass Python "
        "numbers to the function; or leave jit_compile=True out."
    )


def needs_value(asker: str, why: str, place: str) -> NotCompiledError:
    """Returns the error for an operation that could be compiled if it knew a value."""
    refused = NotCompiledError(
        None,
        None,
        f"{asker} can't be compiled: {why}. At {place}. Call it outside of the compiled "
        "function, whose values are known only when it runs; or leave jit_compile=True out.",
    )
    refused.by_operation = True
    return refused
