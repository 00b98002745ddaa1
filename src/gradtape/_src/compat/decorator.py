"""Decorators that record the decorated function, so that it can be found again."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gradtape._src.base.export import export


@export("__internal__.decorator.make_decorator")
def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Gives `decorator_func` the name, documentation and signature of `target`, and refers to it.

    Args:
      target: The function that is decorated.
      decorator_func: The function that replaces it.
      decorator_name: Accepted for compatibility.
      decorator_doc: Accepted for compatibility.
      decorator_argspec: Accepted for compatibility.

    Returns:
      `decorator_func`, which refers to `target` as the wrapped function.
    """
    functools.update_wrapper(decorator_func, target)
    with suppress(TypeError, ValueError):  # Some functions of C have no signature.
        decorator_func.__signature__ = inspect.signature(target)  # type: ignore[attr-defined]
    return decorator_func


@export("__internal__.decorator.unwrap")
def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """Returns the decorators around a function, outermost first, and the function.

    Args:
      maybe_tf_decorator: A function.

    Returns:
      The decorators in a list, outermost first, and the function within.
    """
    decorators = []
    while (inner := getattr(maybe_tf_decorator, "__wrapped__", None)) is not None:
        decorators.append(maybe_tf_decorator)
        maybe_tf_decorator = inner
    return decorators, maybe_tf_decorator
