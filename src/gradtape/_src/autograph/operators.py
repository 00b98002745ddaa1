"""The operators that converted code calls, under the names that malt gives them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar

from gradtape._src.autograph import branches, lists, loops, python_functions, variables
from gradtape._src.autograph.errors_while_tracing import while_tracing
from gradtape._src.autograph.tracebacks import shortened
from gradtape._src.base.errors import InvalidArgumentError

F = TypeVar("F")


class Scope:
    """The body of a converted function, or of a `try` in one."""

    __slots__ = ()

    def __init__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if error is not None:
            error.__traceback__ = shortened(error.__traceback__)
            if isinstance(error, (InvalidArgumentError, ValueError)):
                translated = while_tracing(error)
                if translated is not error:
                    raise translated from None

    def ret(self, value: object, *_: object) -> object:
        """Returns the function's result, or None if no `return` was reached."""
        return None if type(value) is variables.UndefinedReturnValue else value


_SCOPE = Scope()


class Operators:
    """The functions that converted code finds under `ag__`.

    Args:
      call: Maps a function to the function that is called in its place.
    """

    STD = None
    FunctionScope = Scope
    scope = _SCOPE
    Undefined = variables.Undefined
    UndefinedReturnValue = variables.UndefinedReturnValue
    ListPopOpts: Callable[..., Any] = staticmethod(dict)
    ListStackOpts: Callable[..., Any] = staticmethod(dict)
    GetItemOpts: Callable[..., Any] = staticmethod(dict)
    ld = staticmethod(variables.ld)
    ldu = staticmethod(variables.ldu)
    iterated = staticmethod(python_functions.iterated)
    if_stmt = staticmethod(branches.if_stmt)
    if_exp = staticmethod(branches.if_exp)
    and_ = staticmethod(branches.and_)
    or_ = staticmethod(branches.or_)
    not_ = staticmethod(branches.not_)
    eq = staticmethod(branches.eq)
    not_eq = staticmethod(branches.not_eq)
    assert_stmt = staticmethod(branches.assert_stmt)
    while_stmt = staticmethod(loops.while_stmt)
    for_stmt = staticmethod(loops.for_stmt)
    new_list = staticmethod(lists.new_list)
    list_append = staticmethod(lists.list_append)
    list_pop = staticmethod(lists.list_pop)
    list_stack = staticmethod(lists.list_stack)
    get_item = staticmethod(lists.get_item)
    set_item = staticmethod(lists.set_item)
    update_item_with_op = staticmethod(lists.update_item_with_op)

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self.called = call

    @staticmethod
    def autograph_artifact(function: F) -> F:
        """Returns a function of converted code unchanged."""
        return function

    @staticmethod
    def with_function_scope(body: Callable[[Scope], Any], *_: Any) -> object:
        """Runs the body of a converted lambda."""
        with _SCOPE:
            return body(_SCOPE)


@functools.cache
def operators_of(call: Callable[[Any], Any]) -> Operators:
    """Returns the operators for code that calls functions through `call`."""
    return Operators(call)
