"""The functions of a loaded model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from gradtape._src.base import nest
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.ops.types.specs import TensorSpec


@dataclass(repr=False)
class RestoredConcrete:
    """A function for arguments of certain shapes and dtypes.

    Attributes:
      names: The names of the positional parameters.
      structured_input_signature: The arguments, tensors as specs.
      structured_outputs: The result, tensors as specs.
      run: Runs the program on the arguments' tensors.
      variables: What it reads and writes.
    """

    names: list[str]
    structured_input_signature: tuple[tuple[Any, ...], dict[str, Any]]
    structured_outputs: Any
    run: Callable[[Sequence[Tensor]], Sequence[Tensor]]
    variables: list[Any]

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of the variables that are trainable."""
        return [v for v in self.variables if v.trainable]

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.structured_input_signature} -> {self.structured_outputs}>"

    def fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor] | None:
        """The tensors of a call's arguments; None if the call is not for this function."""
        wanted = self.structured_input_signature
        given = self._completed(args, dict(kwargs))
        try:
            nest.assert_same_structure(given, wanted, check_types=False)
        except (TypeError, ValueError):
            return None
        tensors = []
        for value, want in zip(nest.flatten(given), nest.flatten(wanted), strict=True):
            if isinstance(want, TensorSpec):
                tensors.append(_as(value, want))
            elif isinstance(value, TensorLike) or value != want:
                return None
        return None if any(x is None for x in tensors) else tensors  # type: ignore[return-value]

    def _completed(self, args: tuple[Any, ...], left: dict[str, Any]) -> Any:
        """The arguments of a call in their places, with the defaults of those left out."""
        positional, named = self.structured_input_signature
        given = [*args]
        for place, default in enumerate(positional[len(args) :], len(args)):
            name = self.names[place] if place < len(self.names) else ""
            given.append(left.pop(name, default))
        return tuple(given), {name: left.pop(name, named[name]) for name in named} | left

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function; raises TypeError if the arguments don't fit."""
        if len(self.structured_input_signature[0]) == 0 and args:  # a signature: names alone
            names = list(self.structured_input_signature[1])
            args, kwargs = (), dict(zip(names, args, strict=False)) | kwargs
        tensors = self.fitted(args, kwargs)
        if tensors is None:
            raise TypeError(
                f"The function was saved for the arguments {self.structured_input_signature}; got "
                f"{args} {kwargs}"
            )
        return self.called(tensors)

    def called(self, tensors: Sequence[Tensor]) -> object:
        """The result for the arguments' tensors."""
        outs = iter(self.run(tensors))
        return nest.map_structure(
            lambda want: next(outs) if isinstance(want, TensorSpec) else want,
            self.structured_outputs,
        )


def _as(value: Any, want: TensorSpec) -> Tensor | None:
    """An argument as a tensor, or None if it is not as the spec says."""
    try:
        typed = isinstance(value, TensorLike)
        x = convert_to_tensor(value, None if typed else want.dtype)
    except (TypeError, ValueError):
        return None
    return x if want.is_compatible_with(x) else None


class RestoredFunction(Trackable):
    """A `tf.function` of a loaded model: it knows the signatures that it was saved with."""

    def __init__(self, name: str, concrete_functions: list[RestoredConcrete]) -> None:
        self.name = name
        self.concrete_functions = concrete_functions

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> RestoredConcrete:
        """The first of the saved functions; with specs as arguments the one that fits.

        Raises:
          ValueError: The function has no such trace.
        """
        for concrete in self.concrete_functions:
            if not (args or kwargs) or concrete.structured_input_signature[0] == args:
                return concrete
        raise self._none(args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for concrete in self.concrete_functions:
            tensors = concrete.fitted(args, kwargs)
            if tensors is not None:
                return concrete.called(tensors)
        raise self._none(args, kwargs)

    def _none(self, args: Any, kwargs: Any) -> ValueError:
        if not self.concrete_functions:
            return ValueError(
                f"Found zero restored functions for caller function: {self.name!r} had no "
                "input_signature, and get_concrete_function was not called, when it was saved."
            )
        known = "\n".join(str(c.structured_input_signature) for c in self.concrete_functions)
        return ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"{args} {kwargs}\nExpected one of:\n{known}"
        )


class UnavailableFunction(Trackable):
    """A function of a model that TensorFlow saved: its graph is not for gradtape to run."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise UnimplementedError(None, None, f"{self.name!r} can't be called: {self._why}")
