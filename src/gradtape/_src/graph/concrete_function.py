"""A function for tensors of certain shapes and dtypes."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.abstract_evaluation import outline, variables_used
from gradtape._src.graph.input_signatures import signature_of
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from gradtape._src.graph.function import Function


@export("types.experimental.ConcreteFunction")
class ConcreteFunction:
    """A `Function` for tensors of certain shapes and dtypes."""

    def __init__(self, whole: Function, bound: inspect.BoundArguments) -> None:
        self._function = whole
        self.name = whole.name
        given = {name: _named(value, name) for name, value in bound.arguments.items()}
        bound.arguments.update(given)
        self._bound = bound
        self.structured_input_signature = (bound.args, bound.kwargs)
        self._specs = [x for x in nest.flatten([*bound.args, bound.kwargs]) if _is_spec(x)]
        self._parameters = {
            name: str(value.name)
            for name, value in bound.arguments.items()
            if isinstance(value, TensorSpec)
        }

    @functools.cached_property
    def structured_outputs(self) -> Any:
        """The `TensorSpec`s of what the function returns, found by a run without effects."""
        return outline(self._call, self.structured_input_signature)

    @functools.cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function reads or writes, found by a run without effects."""
        return variables_used(self._call, self.structured_input_signature)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The signature as text, arguments and results in lines of their own."""
        inputs = [f"    {n}: {value!r}" for n, value in self._bound.arguments.items()]
        lines = [f"{self.name}{self._bound.signature}", "  Args:", *inputs, "  Returns:"]
        return "\n".join([*lines, f"    {self.structured_outputs!r}"])

    @property
    def output_shapes(self) -> Any:
        """The shapes of what the function returns."""
        return nest.map_structure(lambda s: s.shape, self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what the function returns."""
        return nest.map_structure(lambda s: s.dtype, self.structured_outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = list(args)
        for parameter, name in list(self._parameters.items())[len(args) :]:
            given.extend(kwargs.pop(key) for key in {parameter, name} & kwargs.keys())
        if len(given) != len(self._specs):
            given = nest.flatten(given)
        if kwargs or len(given) != len(self._specs):
            return self._call(*self._structured(args, kwargs))
        tensors = iter([self._checked(x, s) for x, s in zip(given, self._specs, strict=True)])
        args, kwargs = nest.map_structure(
            lambda x: next(tensors) if _is_spec(x) else x, self.structured_input_signature
        )
        return self._call(*args, **kwargs)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def _checked(self, value: Any, spec: TensorSpec) -> Tensor:
        x = tensor(value)
        if x.dtype is not spec.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"cannot compute {self.name}: the argument {spec.name!r} was expected to be a "
                f"{spec.dtype.name} tensor but is a {x.dtype.name} tensor (tf.cast it)",
            )
        return x

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Arguments for every parameter, Python values among them; those must be the same."""
        try:
            bound = signature_of(self._function.python_function).bind(*args, **kwargs)
            bound.apply_defaults()
            found = [*bound.args, *bound.kwargs.values()]
            positional, named = self.structured_input_signature
            wanted = [*positional, *named.values()]
            nest.assert_same_structure(found, wanted)
        except (TypeError, ValueError) as error:
            raise self._no_binding(str(error), args, kwargs) from None
        for value, want in zip(nest.flatten(found), nest.flatten(wanted), strict=True):
            if not _is_spec(want) and value != want:
                raise self._no_binding(
                    f"it is {want!r} here, but {value!r} was given", args, kwargs
                )
        return found

    def _no_binding(self, why: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{why}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {self.structured_input_signature}. The "
            f"{len(self._specs)} tensors alone may be given, too."
        )

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{self.structured_input_signature[0]}>"


def _is_spec(value: Any) -> bool:
    return isinstance(value, TypeSpec)


def _named(value: Any, name: str) -> Any:
    """An example argument with a named spec in the place of each tensor."""
    if nest.is_nested(value):
        return nest.map_structure(lambda x: _named(x, name), value)
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        x = tensor(value)
        return TensorSpec(x.shape, x.dtype, name)
    return value
