"""`tf.function`: traces a Python function to a graph.

The function's Python code runs once for each kind of call, to trace it; later calls run the graph,
or XLA's program. A function that can't be traced runs as Python code on every call.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import inspect
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from gradtape._src.autograph.calls import converted
from gradtape._src.autograph.features import STANDARD, Options, options_of
from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable
from gradtape._src.compute.parallel import Engine
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.graph_operations import deferral
from gradtape._src.declare.open_graphs import is_part_of_open_graph
from gradtape._src.graph.call_order import parameters_of
from gradtape._src.graph.concrete_function import (
    ConcreteFunction,
    RequestedFunction,
    named_arguments,
)
from gradtape._src.graph.function_types import CallableOfTensors, FunctionSpec
from gradtape._src.graph.inference import gradients_at_run
from gradtape._src.graph.inference.deferred import deferring
from gradtape._src.graph.input_signatures import (
    Examples,
    bound,
    cast_to,
    check_parameters,
    checked_signature,
    example_of,
    incoming,
    is_traceable,
    parameter_names,
    shapes_in,
)
from gradtape._src.graph.nested import custom_gradients, loop_values, traced_control_flow
from gradtape._src.graph.replica_hooks import CACHE_MISS
from gradtape._src.graph.retracing import retracing_of
from gradtape._src.graph.trace import Trace
from gradtape._src.graph.traces import Traces
from gradtape._src.graph.tracing.trace_errors import no_jax
from gradtape._src.graph.tracing.tracer import control_flow as control_flow_in_graphs
from gradtape._src.graph.tracing.tracer import custom_gradients as custom_gradients_in_graphs
from gradtape._src.graph.tracing.tracer import with_gradients_at_run
from gradtape._src.graph.typed_function import FunctionOptions, P
from gradtape._src.ops.types import tensor_array
from gradtape._src.ops.types.specs import TypeSpec

if TYPE_CHECKING:
    from gradtape._src.graph.typed_function import TypedFunction

tensor_array.stacked.provide(loop_values.stacked)
control_flow_in_graphs.provide(traced_control_flow)
custom_gradients_in_graphs.provide(custom_gradients.traced)
deferral.provide(deferring)
with_gradients_at_run.provide(gradients_at_run.recorded)

R = TypeVar("R")
_run_eagerly = False
_making = threading.Lock()  # held while the traces of a function are created


@export("config.experimental_run_functions_eagerly", "config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Sets whether every `tf.function` runs as a plain Python call, without conversions.

    Args:
      run_eagerly: Whether functions run eagerly.
    """
    global _run_eagerly  # noqa: PLW0603 (a switch of the process, as TensorFlow has it)
    _run_eagerly = bool(run_eagerly)


@export("config.experimental_functions_run_eagerly", "config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether functions run as plain Python, as chosen with `run_functions_eagerly`.

    Returns:
      True after `run_functions_eagerly(True)`.
    """
    return _run_eagerly


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[Any] | None = None,
    **options: Unpack[FunctionOptions],
) -> TypedFunction[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[Any] | None = None,
    **options: Unpack[FunctionOptions],
) -> Callable[[Callable[P, R]], TypedFunction[P, R]]: ...
@export("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Mapping[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> object:
    """Converts a Python function to a `Function`, which is traced once and then run as a graph.

    It can also be used as a decorator, with or without arguments.

    Args:
      func: The function to call.
      input_signature: The shapes and dtypes that arguments must have, a `TensorSpec` for each
        tensor in them; arguments are converted to them.
      autograph: Whether `if`, `while` and `for` on tensors become part of the graph.
      jit_compile: Whether XLA compiles the function.
      reduce_retracing: Whether lengths that differ between calls are traced as unknown, once for
        all lengths. This also omits warnings about repeated compilation.
      experimental_implements: The name of a known function that this one implements, which
        becomes an attribute of its `function_def`.
      experimental_autograph_options: AutoGraph's conversions in addition to control flow: one or
        several of `tf.autograph.experimental.Feature`.
      experimental_attributes: More attributes of its `function_def`.
      experimental_relax_shapes: The old name of `reduce_retracing`.
      experimental_compile: The old name of `jit_compile`.
      experimental_follow_type_hints: Accepted for compatibility.

    Returns:
      A `Function`, or without `func` a decorator that makes one.

    Raises:
      TypeError: `func` is not callable, or `input_signature` is not a sequence of specs, one for
        each parameter.
      ValueError: TensorFlow knows no attribute of one of the names.

    >>> @tf.function
    ... def cube(x):
    ...     return x**3
    >>> cube(tf.constant(2.0))
    <tf.Tensor: shape=(), dtype=float32, numpy=8.0>
    """
    signature = checked_signature(input_signature)
    jit = bool(experimental_compile if jit_compile is None else jit_compile)
    relaxed = reduce_retracing or bool(experimental_relax_shapes)
    conversion = options_of(experimental_autograph_options) if autograph else None
    attributes = dict(experimental_attributes or {})
    for name in attributes.keys() - _ATTRIBUTES:
        raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
    if experimental_implements is not None:
        attributes["_implements"] = experimental_implements

    def decorate(python_function: Callable[..., Any]) -> Function:
        made = Function(python_function, signature, jit, relaxed, conversion)
        made._attributes = attributes
        return made

    return decorate if func is None else decorate(func)


_ATTRIBUTES = frozenset(
    {
        *("api_implements", "api_preferred_device", "_disable_acd", "_implements", "_noinline"),
        *("disable_summaries_at_runtime", "experimental_ints_on_device", "go_backwards"),
        *("function_runs_at_most_once", "runtime_constant_optimization", "_tf_data_function"),
        *("time_major", "_OutputsOnOpDevice"),
    }
)
"""The names of attributes that TensorFlow accepts."""


@export(
    "types.experimental.GenericFunction",
    "types.experimental.PolymorphicFunction",
    "__internal__.function.Function",
)
@wrappable("__call__")
class Function(Trackable, CallableOfTensors):
    """The result of `tf.function`: a callable that traces a Python function.

    NumPy arrays in the arguments and all results except None are converted to tensors; Python
    numbers and strings are passed unchanged.

    Args:
      python_function: The function.
      input_signature: The specs that arguments must have; None to let each call decide.
      jit_compile: Whether XLA compiles the function.
      reduce_retracing: Whether shapes that vary between calls are traced as unknown.
      conversion: The options of AutoGraph's conversion; None for no conversion.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: tuple[Any, ...] | None,
        jit_compile: bool,
        reduce_retracing: bool = False,
        conversion: Options | None = STANDARD,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"{python_function} is not a callable object")
        if input_signature is not None:
            check_parameters(python_function, input_signature)
        if hasattr(python_function, "__dict__"):  # with a module's variables, for example
            functools.update_wrapper(self, python_function, assigned=())
        self._python_function = python_function
        self._input_signature = input_signature
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._conversion = conversion  # the options of AutoGraph's conversion, if there is one
        self._attributes: dict[str, Any] = {}  # of its message `FunctionDef`
        self._runs = 0
        self._traced: Traces | None = None
        self._traced_by: dict[int, Traces] = {}  # the traces of methods, by instance
        self._in_replicas: dict[tuple[int, int, bool], Any] = {}  # the programs of strategies
        target = python_function
        while isinstance(target, functools.partial):
            target = target.func
        functools.update_wrapper(self, target, updated=())
        self.__wrapped__ = self.__original_wrapped__ = python_function

    @property
    def _unbound(self) -> Function:
        """The function itself; for a method, the function without an instance."""
        return self  # not cached, so that a function and its graphs form no reference cycle

    @property
    def python_function(self) -> Callable[..., Any]:
        """The original function."""
        return self._python_function

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The specs that arguments must have, or None."""
        return self._input_signature

    @property
    def function_spec(self) -> FunctionSpec:
        """The function's parameters; those of a bound method are without `self`."""
        return FunctionSpec(self._python_function, self._input_signature)

    @property
    def name(self) -> str:
        """The Python function's name."""
        return getattr(self, "__name__", type(self._python_function).__name__)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Wraps the Python function, before the first call; libraries add name scopes this way."""
        self._python_function = self.__wrapped__ = decorator(self._python_function)

    def experimental_get_tracing_count(self) -> int:
        """Returns the number of traces, for each of which the Python code ran once.

        Returns:
          The number of traces.
        """
        return self._traces().counted + self._runs

    def explain(self) -> str:
        """Explains how the function runs.

        Returns:
          A text that says whether the function was traced or runs as Python code, the number of
          traces, the differences between calls that caused traces, and what was compiled.
        """
        return self._traces().explain(self._runs)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Returns the program that XLA compiles for certain arguments, as text.

        Args:
          *args: Arguments for a call, with tensors or `TensorSpec`s.
          **kwargs: Keyword arguments for a call, in the same form.

        Returns:
          `(stage="hlo", device_name=None, platform_name=None) -> text`; the stages are "hlo",
          "stablehlo", "optimized_hlo" and "hlo_serialized" (bytes).

        Raises:
          ValueError: The function is not compiled, or the stage is unknown.
        """
        if not self._jit_compile:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with jit_compile=True"
            )
        args, kwargs = nest.map_structure(example_of, (args, kwargs))
        stages = ("hlo", "stablehlo", "optimized_hlo", "hlo_serialized")

        def text(stage: str = "hlo", device_name: Any = None, platform_name: Any = None) -> Any:
            if stage not in stages:
                raise ValueError(f"Invalid value {stage!r} for `stage`: expected one of {stages}")
            traces: Any = self._callable_traces()
            return traces.program_text(self._python_function, args, kwargs, stage)

        return text

    def __get__(self, instance: Any, owner: type | None = None) -> Function:
        return self if instance is None else _Method(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        traces = self._traced
        if traces is not None and (fast := traces.fast_call) is not None and not _run_eagerly:
            if kwargs:
                args, kwargs = traces.ordered(args, kwargs)
            if not kwargs and (out := fast(args)) is not CACHE_MISS:
                return out
        try:
            return self._call(args, kwargs)
        except Exception as error:
            shorten(error, to_program=True)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function on the general path, which handles all cases."""
        whole = self._unbound
        if _run_eagerly:
            whole._runs += 1
            return self._python_function(*args, **kwargs)
        if whole._input_signature is not None:
            args, kwargs = self._cast(args, kwargs), {}
        if (around := active_compiler()) is not None:
            return self._call_within(around, args, kwargs)
        traces = self._callable_traces() if whole._jit_compile else self._traces()
        if Engine.is_xla is (traces.compile_again is None):  # after set_jit
            traces.compile_again = _xla().compile_again if Engine.is_xla else None
        signature = whole._input_signature
        specs = None if signature is None else shapes_in(signature)
        out = traces(self._python_function, args, kwargs, specs)
        if out is not CACHE_MISS:
            return out
        if not whole._jit_compile:  # otherwise, replicas have values of different shapes
            whole._runs += 1
        out = self._run_as_python(args, kwargs)
        if not whole._jit_compile:
            traces.ran_as_python()
        return out

    def _call_within(self, around: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function while another one is traced."""
        whole, jit = self._unbound, self._unbound._jit_compile
        if around.defers and around.sharding is None and not is_part_of_open_graph(around):
            out = CACHE_MISS if jit else self._traces()(self._python_function, args, kwargs)
            if out is not CACHE_MISS:
                return out
            if jit and not around.for_xla:
                traces: Any = self._callable_traces()
                out = traces.as_operation(self._python_function, args, kwargs)
                if out is CACHE_MISS:
                    around.refuse("a function that XLA compiles, with arguments of unknown lengths")
                return out
        conversion, function = whole._conversion, self._python_function
        plain = function if conversion is None else converted(function, conversion)
        if around.open_graph is None:
            return whole._outgoing(plain(*args, **kwargs))
        return around.as_one(lambda: whole._outgoing(plain(*args, **kwargs)))

    def _run_as_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs the function's Python code on the arguments."""
        given = tuple([x if type(x) is Tensor else incoming(x) for x in args])
        named = {name: incoming(x) for name, x in kwargs.items()} if kwargs else kwargs
        return self._unbound._outgoing(self._python_function(*given, **named))

    def _callable_traces(self) -> Traces:
        """Returns the traces for a call.

        Raises:
          ImportError: XLA must compile the traces, but JAX is not installed.
        """
        traces = self._traces()
        if self._unbound._jit_compile and not traces.for_xla:
            raise no_jax(self.name)
        return traces

    def _traces(self) -> Traces:
        """Returns the traces of the function."""
        if self._traced is None:
            with _making:
                if self._traced is None:
                    self._traced = self._new_traces()
        return self._traced

    def _new_traces(self) -> Traces:
        whole, function = self._unbound, self._python_function
        options = (
            self.name,
            parameters_of(function),
            whole._outgoing,
            self._reduce_retracing,
            whole._conversion,
            retracing_of(function),
        )
        if not whole._jit_compile or importlib.util.find_spec("jax") is None:
            return Traces(*options)
        compiled: Traces = _xla().CompiledTraces(*options)
        return compiled

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        copied = memo[id(self)] = object.__new__(type(self))
        own = {k: v for k, v in self.__dict__.items() if k not in _OF_VARIABLES}
        copied.__dict__.update({k: copy.deepcopy(v, memo) for k, v in own.items()})
        copied._traced, copied._traced_by, copied._in_replicas = None, {}, {}
        return copied

    @property
    def _outgoing(self) -> Callable[[Any], Any]:
        """The conversion of results, which does not keep the function alive."""
        return functools.partial(_converted_result, self._python_function)

    def _cast(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the arguments in order, as tensors of the signature's shapes and dtypes."""
        specs = self._input_signature or ()
        names = parameter_names(self._python_function, len(specs))
        try:
            given = bound(names, args, kwargs, self._python_function)
            xla = self._jit_compile
            return tuple([cast_to(given[n], s, xla) for n, s in zip(names, specs, strict=True)])
        except (TypeError, ValueError) as error:
            shown = ", ".join(f"{n}: {s!r}" for n, s in zip(names, specs, strict=True))
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} "
                f"and kwargs: {kwargs} for signature: ({shown})."
            ) from None

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the function traced for arguments of certain shapes and dtypes.

        Args:
          *args: A `TensorSpec` or an example for each tensor, and Python values; empty if there is
            an `input_signature`.
          **kwargs: The keyword arguments, in the same form as `args`.

        Returns:
          A function that takes tensors only.

        Raises:
          TypeError: The arguments do not match the function's parameters.
        """
        if self._input_signature is not None:
            flat = nest.flatten((args, kwargs))
            if flat and not any(isinstance(x, TypeSpec) for x in flat):
                self._cast(args, kwargs)  # which raises the error for these arguments
            args, kwargs = self._input_signature, {}
        return self._concrete_of(args, kwargs)

    def _concrete_of(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace | None = None
    ) -> ConcreteFunction:
        signature = inspect.signature(self._python_function)
        arguments = signature.bind(*args, **kwargs)
        arguments.apply_defaults()
        if trace is None and not self._jit_compile:
            trace = self._trace_of(signature.bind(*args, **kwargs))
        requested = self._traces().of_requests.requested
        wanted = RequestedFunction(arguments, trace)
        known = next((r for r in requested if r.is_same(wanted)), None)
        if known is None:
            requested.append(known := wanted)
        return known.of(self)

    def _trace_of(self, arguments: inspect.BoundArguments) -> Trace | None:
        """Returns the trace for arguments with specs or example tensors, or None."""
        arguments.arguments.update(named_arguments(arguments, keeps_handles=True))
        flat = nest.flatten((arguments.args, arguments.kwargs))
        if not all(map(is_traceable, [x for x in flat if isinstance(x, TypeSpec)])):
            return None
        made = Examples()
        args, kwargs = nest.map_structure(made.of, (arguments.args, arguments.kwargs))
        return self._traces().trace_of(self._python_function, args, kwargs, made)

    def _own_concrete(self) -> list[ConcreteFunction]:
        """Returns the concrete functions that were requested, of an instance if it is a method."""
        return [r.of(self) for r in self._traces().of_requests.requested]

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the concrete functions of all calls and requests so far."""
        if self._input_signature is not None:
            return [self.get_concrete_function()]
        for trace in list(self._traces().of_requests.traces.values()):
            self._concrete_of(*trace.arguments(), trace)
        return self._own_concrete()

    def _saved_concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the concrete functions for a saved model: those that were requested."""
        if self._input_signature is not None:
            return [self.get_concrete_function()]
        return self._own_concrete()

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        if save_type == "checkpoint":
            return {}
        found = self._saved_concrete_functions()
        return {f"trace_{i}": concrete for i, concrete in enumerate(found)}

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of the function's traces as text.

        Args:
          verbose: Whether parameters, results and captures are listed on separate lines.

        Returns:
          The signatures, with an empty line between two of them.
        """
        found = self._list_all_concrete_functions()
        return "\n\n".join([c.pretty_printed_signature(verbose) for c in found])


def _xla() -> Any:
    """Returns the module of compiled traces, which loads JAX."""
    from gradtape._src.xla import compiled_traces

    return compiled_traces


def _converted_result(python_function: Callable[..., Any], value: Any) -> Any:
    """Converts what a Python function returned to tensors, except None."""
    if type(value) is Tensor or value is None:
        return value
    if nest.is_nested(value):
        convert = functools.partial(_converted_result, python_function)
        return nest.map_structure(convert, value)
    if is_composite(type(value)) or hasattr(type(value), "_given_out"):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more "
            "Tensors or ExtensionTypes or None values; in compilation of "
            f"{python_function}, found return value of type {type(value).__name__}, "
            "which is not a Tensor or ExtensionType."
        ) from None


_OF_VARIABLES = ("_traced", "_traced_by", "_in_replicas")  # not copied: the original's


class _Method(Function):
    """A `Function` of a class, for one instance.

    Each method call makes one, so that it has to be cheap.
    """

    def __init__(self, whole: Function, instance: Any) -> None:
        self._whole = whole
        self._instance = instance

    @property
    def _unbound(self) -> Function:
        return self._whole

    def __getattr__(self, name: str) -> Any:
        if name == "_whole":  # The attribute does not exist yet, as in a copy.
            raise AttributeError(name)
        return getattr(self._whole, name)

    __doc__ = property(lambda self: self._unbound.__doc__)

    @property
    def _python_function(self) -> Callable[..., Any]:  # type: ignore[override]
        return MethodType(self._unbound._python_function, self._instance)

    __wrapped__ = _python_function

    @property
    def _traced(self) -> Traces | None:  # type: ignore[override]
        return self._unbound._traced_by.get(id(self._instance))

    def _traces(self) -> Traces:
        table, key = self._unbound._traced_by, id(self._instance)
        found = table.get(key)
        if found is None:
            found = table.setdefault(key, self._new_traces())  # or that of another thread
            try:
                weakref.finalize(self._instance, table.pop, key, None)
            except TypeError:  # it does not support weak references
                found.owner = self._instance
        return found

    def __get__(self, instance: Any, owner: type | None = None) -> Function:
        return self
