"""The types of `tf.function`, which preserve the signature of the decorated function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypedDict,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from gradtape._src.graph.function import Function

P = ParamSpec("P")
Rest = ParamSpec("Rest")
R_co = TypeVar("R_co", covariant=True)


class FunctionOptions(TypedDict, total=False):
    """The arguments of `tf.function` after the first two."""

    autograph: bool
    jit_compile: bool | None
    reduce_retracing: bool
    experimental_implements: str | None
    experimental_autograph_options: Any
    experimental_attributes: Mapping[str, Any] | None
    experimental_relax_shapes: bool | None
    experimental_compile: bool | None
    experimental_follow_type_hints: bool | None


if TYPE_CHECKING:

    class TypedFunction(Function, Generic[P, R_co]):
        """A `Function` with the signature of the Python function, for type checkers."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

        @overload
        def __get__(self, instance: None, owner: type | None = None) -> TypedFunction[P, R_co]: ...
        @overload
        def __get__(
            self: TypedFunction[Concatenate[Any, Rest], R_co],
            instance: object,
            owner: type | None = None,
        ) -> TypedFunction[Rest, R_co]: ...
        def __get__(self, instance: Any, owner: type | None = None) -> Any: ...

        @property
        def python_function(self) -> Callable[P, R_co]:
            """The original function."""
