"""The type of a function: the types of its parameters and results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.specs import TensorSpec


@export("types.experimental.Callable")
class CallableOfTensors:
    """The base class of `tf.function`'s results and of concrete functions, for `isinstance`."""

    def __init__(self) -> None:
        if type(self) is CallableOfTensors:
            raise TypeError("Can't instantiate abstract class Callable")


@export("types.experimental.FunctionType")
class FunctionType(inspect.Signature):
    """A function's parameters, annotated with the types of their arguments."""

    __slots__ = ()

    @property
    def output(self) -> object:
        """The type of the result."""
        return self.return_annotation

    @classmethod
    def of(cls, bound: inspect.BoundArguments, result: Any) -> FunctionType:
        """Returns the type of a function for certain arguments.

        Args:
          bound: The arguments, with a `TensorSpec` for each tensor.
          result: The function's result, with tensors or `TensorSpec`s.

        Returns:
          The type.
        """
        parameters = []
        for name, parameter in bound.signature.parameters.items():
            if name not in bound.arguments:
                continue
            value = bound.arguments[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                parameters += [
                    inspect.Parameter(
                        f"{name}_{i}", parameter.POSITIONAL_ONLY, annotation=type_of(x)
                    )
                    for i, x in enumerate(value)
                ]
            elif parameter.kind is parameter.VAR_KEYWORD:
                parameters += [
                    inspect.Parameter(key, parameter.KEYWORD_ONLY, annotation=type_of(x))
                    for key, x in value.items()
                ]
            else:
                kind = parameter.kind
                parameters.append(inspect.Parameter(name, kind, annotation=type_of(value)))
        if any(p.kind is p.POSITIONAL_ONLY for p in parameters):  # the parameters before *args
            parameters = [
                p if p.kind is p.KEYWORD_ONLY else p.replace(kind=p.POSITIONAL_ONLY)
                for p in parameters
            ]
        return cls(parameters, return_annotation=type_of(result))


@dataclass(frozen=True)
class FunctionSpec:
    """The parameters of a function, as libraries read them.

    Attributes:
      python_function: The Python function, or another callable with its signature.
      input_signature: The specs that arguments must have, or None.
    """

    python_function: Callable[..., Any]
    input_signature: tuple[Any, ...] | None

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The names of the parameters, and their defaults."""

        def like() -> None: ...

        like.__signature__ = inspect.signature(self.python_function)  # type: ignore[attr-defined]
        return inspect.getfullargspec(like)._replace(annotations={})

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters that may be given by position."""
        return self.fullargspec.args


class _ShownAs:
    """A type that is defined by its text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ShownAs) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


def type_of(value: Any) -> object:
    """Returns the type of an argument or result: a spec without a name, or a structure of specs."""
    if isinstance(value, (TensorSpec, Tensor)):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Variable):
        return _ShownAs(f"VariableSpec(shape={value.shape}, dtype={value.dtype!r})")
    if isinstance(value, Mapping):
        inside = ", ".join(f"[{key!r}, {type_of(x)!r}]" for key, x in value.items())
        return _ShownAs(f"Dict[{inside}]")
    if isinstance(value, (list, tuple)) and nest.is_nested(value):
        inside = ", ".join(repr(type_of(x)) for x in value)
        return _ShownAs(f"{type(value).__name__.title()}[{inside}]")
    plain = value is None or isinstance(value, (bool, int, float, complex, str, bytes))
    return _ShownAs(f"Literal[{value!r}]") if plain else value
