"""The graphs of saved functions, one for each trace, and their captures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.graphdef_export import all_rules as _all_rules  # noqa: F401 (declares the rules)
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Library, Part
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.saving.export.structured_values import components


@dataclass(slots=True)
class SavedFunction:
    """A concrete function as a definition in a function library.

    Attributes:
      name: The definition's name.
      inputs: The positional and keyword arguments, with specs for tensors.
      outputs: The outputs, with specs for tensors.
      captures: The captures: variables, and constants as arrays.
      is_stateful: Whether the function is stateful.
      concrete: The saved concrete function.
      names: Names for the arguments that have no parameter name.
    """

    name: str
    inputs: Any
    outputs: Any
    captures: list[Any]
    is_stateful: bool
    concrete: ConcreteFunction | None = None
    names: list[str] | None = None

    def specs(self) -> list[TensorSpec]:
        """The specs of the tensors that the function takes."""
        names = self.names or [""] * len(nest.flatten(self.inputs))
        return [
            TensorSpec(part.shape, part.dtype, _own_name(part, name) or name or None)
            for x, name in zip(nest.flatten(self.inputs), names, strict=True)
            if isinstance(x, TypeSpec)
            for part in components(x)
        ]

    def results(self) -> list[TensorSpec]:
        """The specs of the tensors that the function returns."""
        flat = [x for x in nest.flatten(self.outputs) if isinstance(x, TypeSpec)]
        return [part for x in flat for part in components(x)]


class SavedFunctions:
    """The functions of a model.

    Args:
      keeps_gradients: Whether custom gradients are saved.

    Attributes:
      library: The definitions of the functions.
    """

    def __init__(self, keeps_gradients: bool = True) -> None:
        self.library = Library(keeps_gradients)
        self._known: dict[int, SavedFunction] = {}

    def of(self, concrete: ConcreteFunction) -> SavedFunction:
        """Exports a concrete function.

        Raises:
          UnimplementedError: The function has no graph, or has an operation without a counterpart
            in TensorFlow.
        """
        found = self._known.get(id(concrete))
        if found is None:
            found = self._known[id(concrete)] = self._exported(concrete)
        return found

    def _exported(self, concrete: ConcreteFunction) -> SavedFunction:
        trace = _trace_of(concrete)
        graph = trace.call.graph
        part = Part(self.library, concrete._function.name)
        leaves = graph.inputs[: trace.leaves]
        given = _arguments(part, concrete, leaves)
        constants = [
            part.argument(f"capture_{i}", x.np_dtype, x.shape)
            for i, x in enumerate(graph.inputs[len(leaves) :])
        ]
        outs = part.run(graph, [*given, *constants])
        variables = [x for x, _ in part.captures.values()]
        name = part.finish(outs)
        values = [np.asarray(x._numpy()) for x in trace.captured]
        args, kwargs = concrete.structured_input_signature
        return SavedFunction(
            name,
            (_plain(args), _plain(kwargs)),
            _named(concrete.output_specs),
            [*values, *variables],
            part.is_stateful,
            concrete,
            _names(concrete),
        )

    def signature(self, function: SavedFunction) -> SavedFunction:
        """Adds a function that calls another one, with named tensors as arguments and results."""
        specs = _by_name(function)
        part = Part(self.library, f"signature_wrapper_{function.name.removeprefix('__inference_')}")
        order = sorted(specs)
        given = {name: part.argument(name, specs[name].dtype) for name in order}
        captures = [
            part.capture(x) if not isinstance(x, np.ndarray) else part.argument("capture", x.dtype)
            for x in function.captures
        ]
        results = _results_by_name(function)
        found = part.op(
            "StatefulPartitionedCall" if function.is_stateful else "PartitionedCall",
            [*[given[name] for name in specs], *captures],
            Tout=[spec.dtype.name for spec in function.results()],
            f=function.name,
        )
        following = iter(found)
        by_name = {
            key: [next(following) for _ in components(spec)] for key, spec in results.items()
        }
        part.effects += [part.made[-1].name] if function.is_stateful else []
        constants = [x for x in function.captures if isinstance(x, np.ndarray)]
        variables = [x for x in function.captures if not isinstance(x, np.ndarray)]
        name = part.finish([x for key in sorted(results) for x in by_name[key]], variables)
        inputs = ((), {key: specs[key] for key in order})
        outputs = {key: results[key] for key in sorted(results)}
        return SavedFunction(name, inputs, outputs, [*constants, *variables], function.is_stateful)


def _arguments(part: Part, concrete: ConcreteFunction, leaves: Sequence[Symbol]) -> list[Value]:
    """Adds the arguments of a function, and returns those that its graph takes.

    A graph that was traced for a sparse tensor does not take its dense shape, which is static.
    """
    specs = [x for x in nest.flatten(concrete.structured_input_signature) if _is_spec(x)]
    whole = [
        (isinstance(spec, SparseTensorSpec) and place == _SHAPE, own)
        for spec in specs
        for place, own in enumerate(components(spec))
    ]
    if len(whole) == len(leaves):
        return part.arguments_for(leaves, "input")
    following, given = iter(leaves), []
    for i, (is_known, own) in enumerate(whole):
        if is_known:
            part.argument(f"input_{i}", own.dtype, own.shape.as_list())
            continue
        x = next(following)
        given.append(part.argument(f"input_{i}", x.np_dtype, x.shape))
    return given


_SHAPE = 2  # the position of the dense shape among the components of a sparse tensor


def _is_spec(x: Any) -> bool:
    return isinstance(x, TypeSpec)


def _names(concrete: ConcreteFunction) -> list[str]:
    """Returns the parameter name of each leaf of a function's arguments."""
    found = []
    for name, value in concrete._bound.arguments.items():
        kind = concrete._bound.signature.parameters[name].kind
        given = value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
        for key in sorted(given):
            found += [key] * len(nest.flatten(given[key]))
    return found


def _own_name(spec: TensorSpec, parameter: str) -> str | None:
    """Returns the name that a program gave a tensor, or the name of the tensor's parameter."""
    of_place = re.fullmatch(rf"{re.escape(parameter)}(_\w+)", str(spec.name)) if parameter else None
    return parameter if of_place else spec.name


def _trace_of(concrete: ConcreteFunction) -> Any:
    """Returns the graph of a function.

    Raises:
      UnimplementedError: The function has no graph.
    """
    function, trace = concrete._function, concrete.traced()
    if trace is None:
        traces = function._traces()
        why = traces.as_python or str(traces.refusal or "its shapes are not all known")
        raise UnimplementedError(
            None,
            None,
            f"{function.name} can't be saved for {concrete.structured_input_signature}: it has no "
            f"graph ({why}). See Function.explain()",
        )
    return trace


def _plain(structure: Any) -> Any:
    """Converts arguments that were not traced as tensors to Python values."""
    return nest.map_structure(
        lambda x: np.asarray(x._numpy()).tolist() if isinstance(x, Tensor) else x, structure
    )


def _named(outputs: Any) -> Any:
    """Returns results with a name for each tensor, as TensorFlow names them."""
    if isinstance(outputs, Mapping):
        return {k: _with_name(v, str(k)) for k, v in outputs.items()}
    return _with_name(outputs, "output_0" if isinstance(outputs, TensorSpec) else "tensor")


def _with_name(x: Any, name: str) -> Any:
    if isinstance(x, TensorSpec):
        return TensorSpec(x.shape, x.dtype, name)
    if isinstance(x, Mapping):
        return nest.rebuild(x, [_with_name(x[k], f"{name}_{k}") for k in sorted(x)])
    if nest.is_nested(x):
        parts = enumerate(nest.children_of(x))
        return nest.rebuild(x, [_with_name(part, f"{name}_{i}") for i, part in parts])
    return x


def _by_name(function: SavedFunction) -> dict[str, TensorSpec]:
    """Returns the specs of a function's arguments by name."""
    found: dict[str, TensorSpec] = {}
    for i, spec in enumerate(function.specs()):
        first = name = spec.name or f"args_{i}"
        number = 0
        while name in found:
            number += 1
            name = f"{first}_{number}"
        found[name] = TensorSpec(spec.shape, spec.dtype, name)
    return found


def _results_by_name(function: SavedFunction) -> dict[str, TypeSpec]:
    """Returns the results of a function by the names that they have in a signature.

    Raises:
      ValueError: The function returns a value that is not a tensor.
    """
    out = function.outputs
    if isinstance(out, Mapping):
        found = {str(k): out[k] for k in sorted(out)}
    else:
        found = {f"output_{i}": x for i, x in enumerate(_sequence(out))}
    wrong = [x for x in found.values() if not isinstance(x, TypeSpec)]
    if wrong:
        raise ValueError(
            f"Got a non-Tensor value {wrong[0]!r} for an output of the function {function.name}, "
            "which is to be a signature: return a flat sequence or a dictionary of tensors."
        )
    return {
        k: TensorSpec(x.shape, x.dtype, k) if isinstance(x, TensorSpec) else x
        for k, x in found.items()
    }


def _sequence(out: Any) -> Sequence[Any]:
    return list(out) if isinstance(out, (list, tuple)) else [] if out is None else [out]
