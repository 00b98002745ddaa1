"""`tf.compat.v1.wrap_function`: a function for TensorFlow 1 that runs without a session."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.concrete_function import ConcreteFunction, RequestedFunction
from gradtape._src.graph.function import Function
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.named.operations import Operation
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.sessions.placeholders import new_placeholder
from gradtape._src.sessions.wrapped.graph_parts import GraphPart
from gradtape._src.sessions.wrapped.wrapped_graph import WrappedGraph


class WrappedFunction(ConcreteFunction):
    """A part of the graph of a function for TensorFlow 1, which is called on tensors.

    Args:
      graph: The graph.
      inputs: The tensors of the graph that are the function's inputs.
      outputs: The results: a structure with tensors and operations of the graph.
      name: The function's name.
      specs: The specs of the arguments. Default to the specs of `inputs`.
    """

    def __init__(
        self,
        graph: WrappedGraph,
        inputs: Sequence[Tensor],
        outputs: Any,
        name: str,
        specs: Sequence[TensorSpec] | None = None,
    ) -> None:
        self._wrapped = graph
        self._taken, self._given = list(inputs), outputs
        flat = nest.flatten(outputs, expand_composites=True)
        symbols = [x._value for x in flat if type(x) is Tensor and type(x._value) is Symbol]
        nodes = [x.node for x in flat if isinstance(x, Operation) and x.node is not None]
        whole = Function(
            self._function_of(GraphPart(graph, [x._value for x in inputs], symbols, nodes), name),
            tuple(specs or map(_spec, inputs)),
            jit_compile=False,
            reduce_retracing=True,
            conversion=None,
        )
        made = whole.get_concrete_function()
        super().__init__(whole, RequestedFunction(made._bound, made._trace))

    def _function_of(self, part: GraphPart, name: str) -> Callable[..., Any]:
        outputs = self._given

        def run(*tensors: Tensor) -> Any:
            following = iter(part.run(tensors))

            def filled(x: Any) -> Any:
                if isinstance(x, Operation):
                    return None
                is_symbol = type(x) is Tensor and type(x._value) is Symbol
                return next(following) if is_symbol else x

            return nest.map_structure(filled, outputs, expand_composites=True)

        run.__name__ = run.__qualname__ = name
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(x, _BY_PLACE) for x in _parameters(self._taken)]
        )
        return run

    @property
    def graph(self) -> WrappedGraph:
        """The graph that the function has filled, with all its operations."""
        return self._wrapped

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors of the graph that take the arguments."""
        return list(self._taken)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors of the graph that hold the results."""
        flat = nest.flatten(self._given, expand_composites=True)
        return [x for x in flat if isinstance(x, Tensor)]

    @property
    def structured_outputs(self) -> object:
        """The results as tensors of the graph, in the structure that the function returns."""
        return self._given

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """Returns a function that computes some tensors of the graph from others.

        Only the operations that it needs are run, including their control dependencies.

        Args:
          feeds: A structure of tensors of the graph, or of their names, which become arguments.
          fetches: A structure of tensors, operations, or names of either. An operation is run, and
            its result is None.
          name: The function's name.
          input_signature: The specs of the arguments. Default to the specs of the tensors.

        Returns:
          The function, which takes as many tensors as `feeds` has.

        Raises:
          KeyError: The graph has no such tensor.
          ValueError: An operation needs a placeholder that is not among the feeds.
          TypeError: The type of a feed or fetch is not supported.

        >>> wrapped = tf.compat.v1.wrap_function(
        ...     lambda x: tf.exp(tf.square(x, name="squared")), [tf.TensorSpec([], tf.float32)]
        ... )
        >>> half = wrapped.prune(wrapped.inputs, "squared:0")
        >>> float(half(tf.constant(3.0)))
        9.0
        """
        taken = [self._element(x) for x in nest.flatten(feeds, expand_composites=True)]
        inputs = [x.outputs[0] if isinstance(x, Operation) else x for x in taken]
        given = nest.map_structure(self._element, fetches, expand_composites=True)
        specs = None if input_signature is None else nest.flatten(input_signature)
        return WrappedFunction(self._wrapped, inputs, given, name or "pruned", specs)

    def _element(self, x: Any) -> Tensor | Operation:
        found: Tensor | Operation = self._wrapped.as_graph_element(x)
        return found


_BY_PLACE = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _spec(x: Tensor) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype, _name(x))


def _name(x: Tensor) -> str:
    return str(x._value.tensor_name).partition(":")[0]


def _parameters(inputs: Sequence[Tensor]) -> list[str]:
    """Returns names of parameters for tensors, derived from the tensors' names."""
    found: list[str] = []
    for x in inputs:
        name = re.sub(r"\W|^(?=\d)", "_", _name(x))
        while name in found:
            name += "_"
        found.append(name)
    return found


@export("compat.v1.wrap_function")
def wrap_function(
    fn: Callable[..., Any], signature: Any, name: str | None = None
) -> WrappedFunction:
    """Converts a function for TensorFlow 1 to a function of tensors.

    The function runs once, to fill a graph. It may use placeholders, `get_variable` and
    collections. Its variables are created and initialized at that time, and later calls reuse them.

    Args:
      fn: The function.
      signature: A structure with a `TensorSpec` for each tensor that it takes, and other arguments
        as they are.
      name: The name of the result.

    Returns:
      A function that takes the tensors, in the order of `signature`. Its attribute `graph` is the
      graph, with the variables in `graph.variables`, and its method `prune` returns functions of
      parts of the graph.

    Raises:
      UnimplementedError: The function assigns a variable from outside, or a result needs a value
        that is known only when it runs.
      TypeError: `fn` returns a value that is not a tensor, an operation or a Python value.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("scale", initializer=3.0)
    >>> f = tf.compat.v1.wrap_function(scaled, [tf.TensorSpec([2], tf.float32)])
    >>> f(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    >>> f.graph.variables[0].assign(10.0) and f(tf.constant([1.0, 2.0])).numpy()
    array([10., 20.], dtype=float32)
    """
    graph = WrappedGraph()
    with graph.filled():
        specs = [x for x in nest.flatten(signature) if isinstance(x, TypeSpec)]
        parts = [[_placeholder(graph, x) for x in spec.flatten()] for spec in specs]
        following = iter([spec.from_tensors(iter(x)) for spec, x in zip(specs, parts, strict=True)])
        given = nest.map_structure(
            lambda x: next(following) if isinstance(x, TypeSpec) else x, signature
        )
        args, kwargs = ((), given) if isinstance(given, dict) else (given, {})
        found = nest.map_structure(_result, fn(*args, **kwargs))
    inputs = [x for own in parts for x in own]
    return WrappedFunction(graph, inputs, found, str(name or getattr(fn, "__name__", "wrapped")))


def _placeholder(graph: WrappedGraph, spec: TensorSpec) -> Tensor:
    """Returns a placeholder with the name of a spec."""
    made = new_placeholder(graph.tracer, spec.dtype, spec.shape)
    if spec.name:
        node = graph.tracer.producer(made._value)
        graph.tracer.named[node] = graph.unique_name(spec.name)
    return made


def _result(x: Any) -> Any:
    """Returns a result of a wrapped function: variables as their values."""
    if isinstance(x, Variable):
        return convert_to_tensor(x)
    if x is None or isinstance(x, (Tensor, CompositeTensor, Operation, Node)):
        return x
    return convert_to_tensor(x)
