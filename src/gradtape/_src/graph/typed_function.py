"""The types of `tf.function`, which preserve the signature of the decorated function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    Protocol,
    TypedDict,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from gradtape._src.graph.concrete_function import ConcreteFunction
    from gradtape._src.graph.function_types import FunctionSpec

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


class TypedFunction(Protocol[P, R_co]):
    """A `Function` for type checkers, with the signature of the Python function."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> TypedFunction[P, R_co]: ...
    @overload
    def __get__(
        self: TypedFunction[Concatenate[Any, Rest], R_co],
        instance: object,
        owner: type | None = None,
    ) -> TypedFunction[Rest, R_co]: ...

    @property
    def python_function(self) -> Callable[P, R_co]:
        """The original function."""

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The specs that arguments must have, or None."""

    @property
    def function_spec(self) -> FunctionSpec:
        """The function's parameters; those of a bound method are without `self`."""

    @property
    def name(self) -> str:
        """The Python function's name."""

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the function for arguments of certain shapes and dtypes."""

    def experimental_get_tracing_count(self) -> int:
        """Returns the number of times that the Python code was traced."""

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Returns the program that XLA compiles for certain arguments, as text."""

    def explain(self) -> str:
        """Explains how the function runs."""

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signature as text."""
