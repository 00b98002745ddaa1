"""Concrete functions: functions for tensors of certain shapes and dtypes."""

from __future__ import annotations

import functools
import inspect
import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import About, invalid_argument
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.resource_handles import variable_of
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.core.variable import Variable
from gradtape._src.graph.function_types import CallableOfTensors, FunctionType, type_of
from gradtape._src.graph.input_signatures import is_made_of_tensors
from gradtape._src.graph.named.operations import definitions
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from gradtape._src.graph.function import Function
    from gradtape._src.graph.named.func_graph import FuncGraph
    from gradtape._src.graph.trace import Trace
    from gradtape._src.messages import protos


class RequestedFunction:
    """A request for a concrete function, which is made again if the program has dropped it.

    Functions keep these requests rather than graphs. This avoids reference cycles, and lets the
    instance of a method be freed.

    Args:
      arguments: The arguments, with a spec or an example for each tensor.
      trace: The trace; None if the function runs as Python code.
    """

    def __init__(self, arguments: inspect.BoundArguments, trace: Trace | None) -> None:
        arguments.arguments.update(named_arguments(arguments))
        self.arguments, self.trace, self.number = arguments, trace, next(_numbers)
        self._made: Callable[[], ConcreteFunction | None] = lambda: None

    def is_same(self, other: RequestedFunction) -> bool:
        """Whether another request is for the same function."""
        if self.trace is not None or other.trace is not None:
            return self.trace is other.trace
        return repr(self.arguments) == repr(other.arguments)

    def of(self, whole: Function) -> ConcreteFunction:
        """Returns the concrete function of a function, or of a method."""
        made = self._made()
        if made is None:
            made = ConcreteFunction(whole, self)
            self._made = weakref.ref(made)
        return made


@export("types.experimental.ConcreteFunction")
class ConcreteFunction(CallableOfTensors):
    """A `Function` for tensors of certain shapes and dtypes: a graph, if there is one.

    Args:
      whole: The function.
      request: Its arguments and trace.
    """

    def __init__(self, whole: Function, request: RequestedFunction) -> None:
        self._function, self._request = whole, request
        self._trace = request.trace
        self.name = f"__inference_{whole.name}_{request.number}".encode()
        bound = self._bound = request.arguments
        self.structured_input_signature = (bound.args, bound.kwargs)
        self._specs = [x for x in nest.flatten([*bound.args, bound.kwargs]) if _is_spec(x)]
        self._parameters = {
            name: str(value.name)
            for name, value in bound.arguments.items()
            if isinstance(value, TensorSpec)
        }

    @functools.cached_property
    def structured_outputs(self) -> Any:
        """The function's results, as tensors of its graph."""
        trace = self._trace_with_graph("structured_outputs")
        return trace.packed(trace.view.outputs)

    @functools.cached_property
    def output_specs(self) -> object:
        """The function's results, with a spec for each tensor, including ragged and sparse ones."""
        return self._trace_with_graph("output_specs").result_specs

    def traced(self) -> Trace | None:
        """Returns the trace; a function that XLA compiles is traced for it at the first request.

        Returns:
          The trace, or None if the function runs as Python code.
        """
        if self._trace is None and self._function._jit_compile:
            arguments = inspect.signature(self._function.python_function).bind(
                *self._bound.args, **self._bound.kwargs
            )
            self._trace = self._function._trace_of(arguments)
        return self._trace

    def _trace_with_graph(self, what: str) -> Trace:
        trace = self.traced()
        if trace is None:
            why = self._function._traces().of_requests.as_python or "its shapes are not all known"
            raise ValueError(
                f"{self._function.name} has no {what}: it runs as Python ({why}). "
                "See Function.explain()"
            )
        return trace

    @property
    def graph(self) -> FuncGraph:
        """The function's graph.

        Raises:
          ValueError: The function has no graph, because it runs as Python code.
        """
        return self._trace_with_graph("graph").view

    @property
    def function_def(self) -> protos.FunctionDef:
        """The function as TensorFlow's message `FunctionDef`."""
        graph = self._trace_with_graph("function_def").call.graph
        attributes = self._function._unbound._attributes
        return definitions.get().function_def(self.name.decode(), graph, attributes)

    @property
    def inputs(self) -> list[Tensor]:
        """The graph's inputs: arguments, then captures, variables first."""
        return self._trace_with_graph("inputs").view.inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The graph's outputs."""
        return self._trace_with_graph("outputs").view.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The inputs of the graph that are not arguments, variables first."""
        return self._trace_with_graph("captured_inputs").view.external_captures

    @property
    def inference_fn(self) -> AtomicFunction:
        """The function that computes the results."""
        return AtomicFunction(self._function, self._request)

    @functools.cached_property
    def function_type(self) -> FunctionType:
        """The types of the parameters and of the results."""
        return FunctionType.of(self._bound, self.output_specs)

    @functools.cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function reads or writes."""
        return self._trace_with_graph("variables").variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones among the variables."""
        return tuple(v for v in self.variables if v.trainable)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the signature as text.

        Args:
          verbose: Whether parameters, results and captures are listed on separate lines.

        Returns:
          Text of several lines.
        """
        kind = self.function_type
        if not verbose:
            return str(kind)
        lines = ["Input Parameters:"]
        parameters = kind.parameters.values()
        lines += [f"  {p.name} ({p.kind.name}): {p.annotation!r}" for p in parameters]
        lines += ["Output Type:", f"  {kind.output!r}", "Captures:"]
        lines += [f"  {id(x)}: {type_of(x)!r}" for x in self.captured_inputs] or ["  None"]
        return "\n".join(lines)

    def add_to_graph(self, g: object = None, overwrite: bool = False) -> None:
        """Leaves graphs unchanged: each contains the functions that it calls already.

        Args:
          g: Accepted for compatibility.
          overwrite: Accepted for compatibility.
        """

    def add_gradient_functions_to_graph(self, g: object = None) -> None:
        """Leaves graphs unchanged: a tape makes the gradient of a function when it needs it.

        Args:
          g: Accepted for compatibility.
        """

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results."""
        return nest.map_structure(lambda s: getattr(s, "shape", s), self.output_specs)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results."""
        return nest.map_structure(lambda s: getattr(s, "dtype", s), self.output_specs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            given = list(args)
            for parameter, name in list(self._parameters.items())[len(args) :]:
                given.extend(kwargs.pop(key) for key in {parameter, name} & kwargs.keys())
            if len(given) != len(self._specs):
                given = nest.flatten(given)
            if kwargs or len(given) != len(self._specs):
                return self._call(*self._structured(args, kwargs))
            if len(given) < len(self._bound.signature.parameters):
                self._check_flat(given)
            tensors = iter([self._checked(x, s) for x, s in zip(given, self._specs, strict=True)])
            args, kwargs = nest.map_structure(
                lambda x: next(tensors) if _is_spec(x) else x, self.structured_input_signature
            )
            return self._call(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def _checked(self, value: Any, spec: TypeSpec) -> Any:
        if not isinstance(spec, TensorSpec):
            fits = is_made_of_tensors(spec) and spec.is_compatible_with(value)
            return spec._as_argument(value) if fits and not self._function._jit_compile else value
        typed = isinstance(value, TensorLike)
        x = tensor(value) if typed else convert_to_tensor(value, spec.dtype)
        if x.dtype is not spec.dtype:
            raise invalid_argument(
                f"cannot compute {self._function.name}: the argument {spec.name!r} was "
                f"expected to be a {spec.dtype.name} tensor but is a {x.dtype.name} tensor "
                "(tf.cast it)",
                About.DTYPES,
            )
        return x

    def _check_flat(self, given: Sequence[Any]) -> None:
        """Raises TypeError unless all arguments are tensors, since Python values were omitted."""
        for i, x in enumerate(given):
            if isinstance(x, (list, tuple, int, float, str)):
                raise TypeError(
                    f"{self._function.name}: expected argument #{i}(zero-based) to be a Tensor; "
                    f"got {type(x).__name__} ({x})"
                )

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the arguments for all parameters; checks the Python values among them."""
        try:
            bound = inspect.signature(self._function.python_function).bind(*args, **kwargs)
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
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at {id(self):#x}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


class AtomicFunction(ConcreteFunction):
    """The function that computes the results of a concrete function."""

    def __repr__(self) -> str:
        return f"<AtomicFunction> {self.name.decode()}{self.function_type}"

    __str__ = __repr__


def _is_spec(value: Any) -> bool:
    return isinstance(value, TypeSpec)


_numbers = itertools.count(1)


def named_arguments(
    bound: inspect.BoundArguments, *, keeps_handles: bool = False
) -> dict[str, Any]:
    """Replaces each tensor in the arguments by a named spec.

    Args:
      bound: The arguments, with a spec or an example for each tensor.
      keeps_handles: Whether the handles of variables stay, since their specs don't tell of which
        shape and dtype the variables are.
    """

    def named_part(value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            parts = [named_part(value[key], f"{name}_{key}") for key in sorted(value)]
            return nest.rebuild(value, parts)
        if nest.is_nested(value):
            pairs = enumerate(nest.children_of(value))
            return nest.rebuild(value, [named_part(x, f"{name}_{i}") for i, x in pairs])
        if isinstance(value, TensorSpec):
            return TensorSpec(value.shape, value.dtype, value.name or name)
        if keeps_handles and variable_of(value) is not None:
            return value
        if isinstance(value, (Tensor, np.ndarray, np.generic)):
            x = tensor(value)
            return TensorSpec(x.shape, x.dtype, name)
        return value._argument_spec() if hasattr(type(value), "_argument_spec") else value

    named = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named[name] = {key: named_part(x, key) for key, x in value.items()}
        else:
            named[name] = named_part(value, name)
    return named
