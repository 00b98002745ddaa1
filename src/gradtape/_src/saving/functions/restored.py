"""The functions of a loaded model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import (
    About,
    UnimplementedError,
    invalid_argument,
)
from gradtape._src.base.export import shorten_errors_of_methods
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.graph.function import Function
from gradtape._src.graph.function_types import CallableOfTensors, FunctionSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec, type_spec_from_value
from gradtape._src.saving.functions.kept import Kept
from gradtape._src.saving.functions.structured_values import Parameters, count_of, packed

if TYPE_CHECKING:
    from gradtape._src.graph.concrete_function import ConcreteFunction
    from gradtape._src.graph.named.func_graph import FuncGraph

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@shorten_errors_of_methods
@dataclass(repr=False)
class RestoredConcrete(CallableOfTensors):
    """A function for arguments of certain shapes and dtypes.

    Attributes:
      parameters: The parameters; for a signature, those that may be given by position.
      structured_input_signature: The arguments, tensors as specs.
      structured_outputs: The result, tensors as specs.
      run: A function that runs the program on the arguments' tensors.
      variables: The variables that the function reads and writes.
      name: Its name.
      by_name: Whether all arguments are keyword arguments, as for a signature.
      kept: The function as it was saved, if it can be saved again in that form.
    """

    parameters: Parameters
    structured_input_signature: Arguments
    structured_outputs: Any
    run: Callable[[Sequence[Tensor]], Sequence[Tensor]]
    variables: Sequence[Any]
    name: str = ""
    by_name: bool = False
    kept: Kept | None = None

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are trainable."""
        return tuple([v for v in self.variables if v.trainable])

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.structured_input_signature} -> {self.structured_outputs}>"

    def fitted(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], converts: bool = True
    ) -> list[Tensor] | None:
        """Returns the tensors of a call's arguments in order, or None if they don't match.

        Args:
          args: The positional arguments, as `Parameters.arranged` returns them.
          kwargs: The keyword arguments.
          converts: Whether Python numbers and arrays are converted to tensors.
        """
        wanted = self.structured_input_signature
        try:
            pairs = list(_paired(wanted, (args, kwargs)))
        except (TypeError, ValueError):
            return None
        tensors: list[Tensor] = []
        for want, value in pairs:
            parts = _parts(value, want, converts)
            if parts is None:
                return None
            tensors += parts
        return tensors

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Raises:
          TypeError: The arguments do not match the function's.
          InvalidArgumentError: The dtype of a tensor is not the expected one.
        """
        if self.by_name and args and (kwargs or len(args) > 1):
            raise TypeError(
                f"Binding inputs to tf.function failed due to `too many positional arguments`: a "
                f"signature takes its tensors by name, as keywords: {sorted(self._names)}."
            )
        tensors = self._bound(args, kwargs)
        if tensors is None:
            self._check_dtypes(args, kwargs)
            raise TypeError(
                f"The function was saved for the arguments {self.structured_input_signature}; got "
                f"{args} {kwargs}"
            )
        return self.called(tensors)

    @property
    def _names(self) -> Mapping[str, Any]:
        return self.structured_input_signature[1]

    def _check_dtypes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raises InvalidArgumentError if the dtype of a tensor is the reason for a mismatch."""
        try:
            given = (args, kwargs) if self.by_name else self.parameters.arranged(args, kwargs)
            pairs = list(_paired(self.structured_input_signature, given))
        except (TypeError, ValueError):
            return
        for i, (want, value) in enumerate(pairs):
            typed = isinstance(value, (TensorLike, Variable))
            if typed and isinstance(want, TensorSpec) and value.dtype != want.dtype:
                raise invalid_argument(
                    f"cannot compute {self.name} as input #{i}(zero-based) was expected to be a "
                    f"{want.dtype.name} tensor but is a {value.dtype.name} tensor",
                    About.DTYPES,
                )

    @cached_property
    def _traced(self) -> ConcreteFunction:
        """The function, traced again."""
        run = getattr(self.run, "untraced", self.run)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.called(nest.flatten([args, kwargs], expand_composites=True), run)

        call.__name__ = call.__qualname__ = self.name
        args, kwargs = self.structured_input_signature
        traced = Function(call, None, False, conversion=None).get_concrete_function(*args, **kwargs)
        traced.graph.captures_constants = False  # those of the saved graph are nodes
        return traced

    @property
    def graph(self) -> FuncGraph:
        """The function's graph, for a trace that is made when it is first asked for."""
        return self._traced.graph

    @property
    def inputs(self) -> list[Tensor]:
        """The graph's inputs: arguments, then captures, variables first."""
        return self._traced.inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The graph's outputs."""
        return self._traced.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The inputs of the graph that are not arguments, variables first."""
        return self._traced.captured_inputs

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor] | None:
        if self.by_name and args and self._names:
            kwargs, args = {next(iter(self._names)): args[0]}, ()
        try:
            given = (args, kwargs) if self.by_name else self.parameters.arranged(args, kwargs)
        except TypeError:
            given = None
        tensors = None if given is None else self.fitted(*given)
        # The arguments may also be given as a flat list of tensors.
        if tensors is None and not kwargs:
            flat = nest.flatten(args, expand_composites=True)
            tensors = self.fitted(*self._packed(flat)) if len(flat) == self._takes else None
        return tensors

    @property
    def _takes(self) -> int:
        """Returns the number of tensors that the function takes."""
        specs = nest.flatten(self.structured_input_signature)
        return sum(count_of(x) for x in specs if isinstance(x, TypeSpec))

    def _packed(self, flat: Sequence[Any]) -> Any:
        return _filled(self.structured_input_signature, flat)

    def as_function(self) -> Function:
        """Returns a `tf.function` of the keyword arguments, in alphabetical order."""
        named = self.structured_input_signature[1]
        run = getattr(self.run, "untraced", self.run)

        def call(*args: Any) -> Any:
            return self.called(nest.flatten(args, expand_composites=True), run)

        call.__name__ = call.__qualname__ = self.name
        call.__signature__ = Parameters(sorted(named)).signature()  # type: ignore[attr-defined]
        specs = tuple([named[name] for name in sorted(named)])
        return Function(call, specs, jit_compile=False, conversion=None)

    def called(
        self, tensors: Sequence[Tensor], run: Callable[..., Sequence[Tensor]] | None = None
    ) -> object:
        """Returns the result for the tensors of the arguments.

        Args:
          tensors: The arguments' tensors.
          run: A function that runs the program. Defaults to `self.run`.
        """
        return _filled(self.structured_outputs, (run or self.run)(tensors))


def _tensor_specs(structure: Any) -> list[TensorSpec]:
    """Returns the specs of the tensors in a structure of specs, in order."""
    found = [x for x in nest.flatten(structure) if isinstance(x, TypeSpec)]
    return [x for spec in found for x in spec.flatten()]


def _filled(structure: Any, tensors: Sequence[Any]) -> Any:
    """Returns a structure with values in place of specs."""
    following = iter(tensors)

    def value(want: Any) -> Any:
        if not isinstance(want, TypeSpec):
            return want
        return packed(want, [next(following) for _ in range(count_of(want))])

    return nest.map_structure(value, structure)


def _paired(wanted: Any, given: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs the expected leaves with the given ones; a list may be given for a tensor.

    Raises:
      ValueError: The structures differ.
    """
    if not nest.is_nested(wanted):
        yield wanted, given
        return
    if isinstance(wanted, Mapping) != isinstance(given, Mapping) or not nest.is_nested(given):
        raise ValueError("the structures differ")
    if isinstance(wanted, Mapping):
        if sorted(wanted) != sorted(given):
            raise ValueError("the keys of the dictionaries differ")
        parts = [(wanted[key], given[key]) for key in sorted(wanted)]
    else:
        parts = list(zip(nest.children_of(wanted), nest.children_of(given), strict=True))
    for part, value in parts:
        yield from _paired(part, value)


def _parts(value: Any, want: Any, converts: bool) -> list[Tensor] | None:
    """Returns the tensors of an argument, or None if the argument does not match the specs."""
    if isinstance(want, TensorSpec):
        x = _as(value, want, converts)
        return None if x is None else [x]
    if isinstance(want, TypeSpec):
        described = want.describes(value)
        return want.to_tensors(value) if described else None
    if isinstance(value, TensorLike) or isinstance(want, TensorLike):
        same = isinstance(want, TensorLike) and value is want
        return [] if same else None
    return [] if type(value) is type(want) and value == want else None


def _as(value: Any, want: TensorSpec, converts: bool) -> Tensor | None:
    """Returns an argument as a tensor, or None if it does not match the spec."""
    typed = isinstance(value, (TensorLike, Variable))
    if not typed and not converts:
        return None
    try:
        x: Tensor = convert_to_tensor(value, None if typed else want.dtype)
    except (TypeError, ValueError):
        return None
    return x if want.is_compatible_with(x) else None


@shorten_errors_of_methods
class RestoredFunction(Trackable, CallableOfTensors):
    """A `tf.function` of a loaded model, with the traces that were saved.

    Args:
      name: Its name.
      parameters: Its parameters.
      concrete_functions: The traces.
      kept: The function as it was saved, if it can be saved again in that form.
    """

    def __init__(
        self,
        name: str,
        parameters: Parameters,
        concrete_functions: list[RestoredConcrete],
        kept: Kept | None = None,
    ) -> None:
        self.kept = kept
        self.name = self.__name__ = name
        self.parameters = parameters
        self.concrete_functions = concrete_functions
        self.__signature__ = parameters.signature()  # `inspect` looks for it

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The specs that arguments must have, or None."""
        return self.parameters.input_signature

    @property
    def function_spec(self) -> FunctionSpec:
        """The function's parameters."""
        return FunctionSpec(self, self.input_signature)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> RestoredConcrete:
        """Returns the first trace, or the one that matches the specs or tensors given as arguments.

        Raises:
          ValueError: The function has no such trace.
        """
        if not (args or kwargs) and self.concrete_functions:
            return self.concrete_functions[0]
        given = nest.map_structure(
            lambda x: type_spec_from_value(x) if isinstance(x, (np.ndarray, Tensor)) else x,
            self._arranged(args, kwargs),
        )
        for concrete in self.concrete_functions:
            if given == concrete.structured_input_signature or _is_within(given, concrete):
                return concrete
        raise self._none(*given)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        concrete, tensors = self._fitting(args, kwargs)
        return concrete.called(tensors)

    def _fitting(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[RestoredConcrete, list[Tensor]]:
        """Returns the trace for a call, and the tensors of the call's arguments."""
        given = self._arranged(args, kwargs)
        for converts in (False, True):
            for concrete in self.concrete_functions:
                tensors = concrete.fitted(*given, converts)
                if tensors is not None:
                    return concrete, tensors
        if self.input_signature is None:
            raise self._none(*given)
        raise _unbound("the arguments do not match the signature", args, kwargs, self.name)

    def as_function(self) -> Function:
        """Returns a `tf.function` with these traces, which can be saved again."""

        def call(*args: Any, **kwargs: Any) -> Any:
            concrete, tensors = self._fitting(args, kwargs)
            return concrete.called(tensors, getattr(concrete.run, "untraced", concrete.run))

        call.__name__ = call.__qualname__ = self.name
        call.__signature__ = self.parameters.signature()  # type: ignore[attr-defined]
        made = Function(call, None, jit_compile=False, conversion=None)
        for concrete in self.concrete_functions:
            args, kwargs = concrete.structured_input_signature
            made.get_concrete_function(*args, **kwargs)
        return made

    def _arranged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        try:
            given: Arguments = self.parameters.arranged(args, kwargs)
        except TypeError as error:
            raise _unbound(error, args, kwargs, self.name) from None
        return given

    def _none(self, args: Any, kwargs: Any) -> ValueError:
        if not self.concrete_functions:
            return ValueError(
                f"Found zero restored functions for caller function: {self.name!r} had no "
                "input_signature, and get_concrete_function was not called, when it was saved."
            )
        options = "\n\n".join(
            f"Option {i}:\n  {_format_arguments(*c.structured_input_signature)}"
            for i, c in enumerate(self.concrete_functions, 1)
        )
        return ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {_format_arguments(args, kwargs)}\n\nExpected these arguments to match one of "
            f"the following {len(self.concrete_functions)} option(s):\n\n{options}"
        )


def _unbound(why: object, args: Any, kwargs: Any, name: str) -> TypeError:
    return TypeError(
        f"Binding inputs to tf.function failed due to `{why}`. Received args: {args} and kwargs: "
        f"{kwargs} for the loaded function {name!r}."
    )


def _format_arguments(args: Any, kwargs: Any) -> str:
    """Formats arguments as in TensorFlow's message."""
    shown = "\n".join(f"    * {x!r}" for x in args)
    return f"Positional arguments ({len(args)} total):\n{shown}\n  Keyword arguments: {kwargs}"


def _is_within(given: Any, concrete: RestoredConcrete) -> bool:
    """Returns whether a function accepts specs or tensors as arguments."""
    wanted = concrete.structured_input_signature
    try:
        nest.assert_same_structure(given, wanted, check_types=False)
    except (TypeError, ValueError):
        return False
    return all(
        want.is_compatible_with(x) if isinstance(want, TypeSpec) else x == want
        for x, want in zip(nest.flatten(given), nest.flatten(wanted), strict=True)
    )


@dataclass(eq=False)
class UnavailableFunction(Trackable):
    """A function of a loaded model that gradtape can't run.

    Attributes:
      name: Its name.
      why: The reason.
    """

    name: str
    why: str
    kept: Kept | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise UnimplementedError(None, None, f"{self.name!r} can't be called: {self.why}")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(f"{self.name!r} has no {name!r}, since it can't be called: {self.why}")
