"""Python's own functions, as converted code calls them."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from gradtape._src.autograph.symbolic import is_data_set, is_symbolic
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array import creation, sorting
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.control.printing import print_ as tf_print
from gradtape._src.ops.elementwise.arithmetic import abs as tf_abs
from gradtape._src.ops.elementwise.casting import cast

_MISSING = object()


class Count:
    """A range whose bounds are tensors, over which a loop iterates.

    Attributes:
      start, limit, delta: Tensors of one dtype.
    """

    def __init__(self, start: Any, limit: Any, delta: Any, dtype: Any) -> None:
        given = [convert_to_tensor(x) for x in (start, limit, delta)]
        if dtype is None:
            dtype = creation.range_dtype(given)
        self.start, self.limit, self.delta = [cast(x, dtype) for x in given]


def iterated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that a loop calls for its iterable in place of one of Python's own."""
    if function is builtins.range or function is creation.range:
        return _range_of_loop if function is creation.range else _python_range_of_loop
    return function


def _range_of_loop(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    if not any(map(is_symbolic, (start, limit, delta))):
        return creation.range(start, limit, delta, dtype, name)
    return Count(0, start, delta, dtype) if limit is None else Count(start, limit, delta, dtype)


def _python_range_of_loop(*args: Any) -> Any:
    if not any(map(is_symbolic, args)):
        return builtins.range(*args)
    return _range_of_loop(*args)


def _range(*args: Any) -> Any:
    return creation.range(*args) if any(map(is_symbolic, args)) else builtins.range(*args)


def _len(x: Any) -> Any:
    if is_data_set(x):
        return x.cardinality()
    if isinstance(x, Tensor) and is_symbolic(x) and x.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {x.shape}")
    if isinstance(x, Tensor) and is_symbolic(x) and x.shape[0] is None:
        return shape(x)[0]
    return builtins.len(x)


def _enumerate(x: Any, start: Any = 0) -> Any:
    return x.enumerate(start) if is_data_set(x) else builtins.enumerate(x, start)


def _zip(*xs: Any, strict: bool = False) -> Any:
    if xs and all(map(is_data_set, xs)):
        return type(xs[0]).zip(xs)
    return builtins.zip(*xs, strict=strict)


def _map(function: Any, *xs: Any) -> Any:
    if xs and all(map(is_data_set, xs)):
        return (xs[0] if len(xs) == 1 else type(xs[0]).zip(xs)).map(function)
    return builtins.map(function, *xs)


def _filter(function: Any, x: Any) -> Any:
    return x.filter(function) if is_data_set(x) else builtins.filter(function, x)


def _abs(x: Any) -> Any:
    return tf_abs(x) if is_symbolic(x) else builtins.abs(x)


def _int(x: Any = 0, base: Any = _MISSING) -> Any:
    if base is not _MISSING:
        return int(x, base)
    return cast(x, "int32") if is_symbolic(x) else int(x)


def _float(x: Any = 0) -> Any:
    return cast(x, "float32") if is_symbolic(x) else float(x)


def _print(*objects: Any, sep: Any = None, end: Any = None, file: Any = None, **named: Any) -> None:
    if not any(map(is_symbolic, objects)):
        builtins.print(*objects, sep=sep, end=end, file=file, **named)
        return
    tf_print(
        *objects,
        sep=" " if sep is None else sep,
        end="\n" if end is None else end,
        output_stream=sys.stdout if file is None else file,
    )


def _sorted(x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if not is_symbolic(x):
        return builtins.sorted(x, key=key, reverse=reverse)
    if key is not None:
        x = key(x)
    return sorting.sort(x, direction="DESCENDING" if reverse else "ASCENDING")


OVERLOADS: Mapping[Any, Callable[..., Any]] = {
    builtins.abs: _abs,
    builtins.enumerate: _enumerate,
    builtins.filter: _filter,
    builtins.float: _float,
    builtins.int: _int,
    builtins.len: _len,
    builtins.map: _map,
    builtins.print: _print,
    builtins.range: _range,
    builtins.sorted: _sorted,
    builtins.zip: _zip,
}
"""The functions that converted code calls in place of Python's own."""


def in_frame(function: Any, *args: Any) -> object:
    """Calls `locals`, `globals`, `vars`, `dir` or `eval` for the converted code that calls it."""
    frame = sys._getframe(1)
    own: dict[str, Any] = {}
    scope: Any = frame
    while scope is not None and scope.f_code.co_qualname == frame.f_code.co_qualname:
        own = {**scope.f_locals, **own}
        scope = scope.f_back
    own = {name: value for name, value in own.items() if not _is_generated(name, value, frame)}
    if function is globals:
        return frame.f_globals
    if function is eval:
        return eval(*args, *(frame.f_globals, own)[len(args) - 1 :])  # noqa: S307 (the user's)
    if args:
        return function(*args)
    return own if function in (locals, vars) else builtins.sorted(own)


def _is_generated(name: str, value: Any, frame: Any) -> bool:
    """Whether a variable was added by the conversion."""
    block = isinstance(value, FunctionType)
    if block and value.__code__.co_qualname == frame.f_code.co_qualname:
        return True
    return name.startswith(("ag__", "fscope", "lscope", "do_return", "retval_"))


FRAME_FUNCTIONS = frozenset({locals, globals, vars, dir, eval})
"""Functions that read the frame of their caller."""
