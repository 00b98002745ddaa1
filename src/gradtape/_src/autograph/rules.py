"""The rules that determine which functions are converted."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import sys
import weakref
from contextvars import ContextVar
from types import FunctionType, MethodType
from typing import Any

from gradtape._src.autograph.features import OPERATORS

_NEVER = frozenset(["gradtape", "numpy", "scipy", "jax", "jaxlib", "malt"])
"""Packages whose functions always run unchanged, like those of the standard library."""

_LIBRARIES = _NEVER | frozenset(
    [
        "tensorflow",
        "keras",
        "opt_einsum",
        "google",
        "google_crc32c",
        "ml_dtypes",
        "matplotlib",
        "pandas",
        "PIL",
        "absl",
        "IPython",
        "pytest",
        "_pytest",
        "tensorflow_probability",
        "tensorflow_datasets",
        "tf_keras",
    ]
)
"""Packages whose functions run unchanged if converted code calls them."""

enabled: ContextVar[bool] = ContextVar("autograph_enabled", default=True)
"""Whether functions that are called now are converted."""


unconverted: weakref.WeakSet[Any] = weakref.WeakSet()
"""The functions that `do_not_convert` marked."""


class _Verbosity:
    """The amount of messages about conversions."""

    def __init__(self) -> None:
        self.level = int(os.environ.get("AUTOGRAPH_VERBOSITY", "0") or 0)
        self.prints = False

    def choose(self, level: int, prints: bool) -> None:
        """Sets the level of the messages, and whether they are printed, too."""
        self.level, self.prints = level, prints

    def tell(self, level: int, message: str) -> None:
        """Logs a message if its level is enabled."""
        if self.level >= level:
            _log.info(message)
            if self.prints:
                print(message)  # noqa: T201 (as `set_verbosity` asks)


verbosity = _Verbosity()
_log = logging.getLogger("tensorflow")


@functools.lru_cache(maxsize=4096)
def _is_library(module: str, libraries: bool) -> bool:
    root = module.partition(".")[0]
    if root == "__main__":
        return False
    return root in (_NEVER if libraries else _LIBRARIES) or root in sys.stdlib_module_names


def is_library(function: FunctionType, libraries: bool) -> bool:
    """Whether a function runs unchanged because of the module in which it was defined.

    A wrapper that carries the names of the wrapped function is still recognized as the library's.

    Args:
      function: The function.
      libraries: See `calls.converted`.
    """
    return _is_library(function.__globals__.get("__name__", ""), libraries)


def is_converted(function: FunctionType) -> bool:
    """Whether a function is a part of converted code."""
    return OPERATORS in function.__code__.co_freevars


def target(function: Any, libraries: bool) -> tuple[Any, FunctionType | None]:
    """Returns the function that a call runs, and the instance or class that is its first argument.

    The function is None if the call can't be converted or must not be.
    """
    owner, plain = None, function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and is_library(plain, libraries):  # the usual case
        return None, None
    if _is_marked(function):
        return None, None
    if type(function) is MethodType:
        owner, function = function.__self__, function.__func__
    elif type(function) is not FunctionType:
        if isinstance(function, type):
            return None, None
        owner, function = function, getattr(type(function), "__call__", None)  # noqa: B004
    if type(function) is not FunctionType or is_library(function, libraries):
        return None, None
    if is_converted(function) or _is_marked(function):
        return None, None
    code = function.__code__
    if code.co_filename == "<string>" or code.co_flags & _UNCONVERTED:
        return None, None
    return owner, function


def _is_marked(function: Any) -> bool:
    try:
        return function in unconverted
    except TypeError:  # it is not hashable, or does not support weak references
        return False


_UNCONVERTED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

HIGHER_ORDER = frozenset(
    [
        "cond",
        "case",
        "switch_case",
        "while_loop",
        "map_fn",
        "scan",
        "foldl",
        "foldr",
        "vectorized_map",
        "run",
    ]
)
"""Functions and methods of gradtape that call functions passed to them during tracing."""


def calls_back(function: Any) -> bool:
    """Whether a function of gradtape calls the functions among its arguments during tracing."""
    plain = getattr(function, "__func__", function)
    return (
        type(plain) is FunctionType
        and plain.__name__ in HIGHER_ORDER
        and plain.__globals__.get("__name__", "").startswith("gradtape.")
    )
