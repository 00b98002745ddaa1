"""Functions of other libraries for which types can have implementations of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from gradtape._src.base.dispatch import APIS, NOT_SUPPORTED, fall_back_everywhere, make_api
from gradtape._src.base.export import export

F = TypeVar("F", bound=Callable[..., Any])


@export("__internal__.dispatch.OpDispatcher")
class OpDispatcher:
    """Handles arguments that one function refuses; subclasses override `handle`.

    Attributes:
      NOT_SUPPORTED: The result of `handle` for arguments that it does not know.

    >>> class Text:
    ...     size = 3
    >>> class Sizes(tf.__internal__.dispatch.OpDispatcher):
    ...     def handle(self, args, kwargs):
    ...         return args[0].size if isinstance(args[0], Text) else self.NOT_SUPPORTED
    >>> Sizes().register(tf.size)
    >>> tf.size(Text())
    3
    """

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """Returns the result of the function for these arguments, or `NOT_SUPPORTED`.

        Args:
          args: The arguments from the first one to the last before a default.
          kwargs: The other arguments that differ from their defaults.

        Returns:
          The result, or `NOT_SUPPORTED`.
        """
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Asks this object when a function raises a `TypeError` or `ValueError`.

        Args:
          op: A public function of TensorFlow, or one that `add_dispatch_support` decorates.

        Raises:
          AssertionError: `op` is another function.
        """
        api = APIS.get(op)
        if api is None:
            raise AssertionError(f"Dispatching not enabled for {op}")
        api.fall_back(self.handle)


@export("__internal__.dispatch.GlobalOpDispatcher")
class GlobalOpDispatcher:
    """Handles arguments that any function refuses; subclasses override `handle`.

    Attributes:
      NOT_SUPPORTED: The result of `handle` for arguments that it does not know.
    """

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(
        self, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """Returns the result of a function for these arguments, or `NOT_SUPPORTED`.

        Args:
          op: The function.
          args: The arguments from the first one to the last before a default.
          kwargs: The other arguments that differ from their defaults.

        Returns:
          The result, or `NOT_SUPPORTED`.
        """

    def register(self) -> None:
        """Asks this object when a function raises a `TypeError` or `ValueError`.

        It comes after the objects that are registered for the function itself.
        """
        fall_back_everywhere(self.handle)


@overload
def add_dispatch_support(
    target: None = None, iterable_parameters: Sequence[str] | None = None
) -> Callable[[F], F]: ...


@overload
def add_dispatch_support(target: F, iterable_parameters: Sequence[str] | None = None) -> F: ...


@export("__internal__.dispatch.add_dispatch_support")
def add_dispatch_support(
    target: F | None = None, iterable_parameters: Sequence[str] | None = None
) -> F | Callable[[F], F]:
    """Lets types replace a function, by `tf.experimental.dispatch_for_api` or an `OpDispatcher`.

    Args:
      target: A function with ordinary parameters.
      iterable_parameters: The names of parameters that take any iterable; it is made a list first.

    Returns:
      The function; without `target`, a decorator.

    Raises:
      TypeError: `iterable_parameters` is not a list or tuple of strings.
      ValueError: The function has no parameters, or variadic or keyword-only ones.

    >>> @tf.__internal__.dispatch.add_dispatch_support
    ... def double(x):
    ...     return x * 2
    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(double, {"x": Masked})
    ... def double_masked(x):
    ...     return Masked(x.values * 2)
    >>> double(Masked([1.0, 2.0])).values.numpy().tolist()
    [2.0, 4.0]
    """
    names = iterable_parameters or ()
    if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
        raise TypeError("iterable_parameters should be a list or tuple of string.")

    def decorator(function: F) -> F:
        if not make_api(function, (function.__name__,), direct=True):  # type: ignore[arg-type]
            raise ValueError(f"The parameters of {function} can't be dispatched.")
        return _with_lists(function, names) if names else function

    return decorator if target is None else decorator(target)


def _with_lists(function: F, names: Sequence[str]) -> F:
    """Returns a function that makes lists of some arguments, which dispatch looks into."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name in names:
            value = bound.arguments.get(name)
            if value is not None and not isinstance(value, list | tuple):
                bound.arguments[name] = list(value)
        return function(*bound.args, **bound.kwargs)

    APIS[run] = APIS[function]
    return run  # type: ignore[return-value]
