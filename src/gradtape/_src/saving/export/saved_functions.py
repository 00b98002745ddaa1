"""The graphs of saved functions: one for each kind of call, and what it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.input_signatures import signature_of
from gradtape._src.graphdef_export import all_rules as _all_rules  # noqa: F401 (declares the rules)
from gradtape._src.graphdef_export.parts import Library, Part
from gradtape._src.ops.types.specs import TensorSpec


@dataclass(slots=True)
class SavedFunction:
    """A function for one kind of call, as a definition in a library.

    Attributes:
      name: The definition's name.
      inputs: Its arguments and named arguments, with specs for tensors.
      outputs: What it gives, with specs for tensors.
      captures: What it gets after its arguments: variables, and arrays for constants.
      is_stateful: Whether it has state.
      concrete: What was saved.
    """

    name: str
    inputs: Any
    outputs: Any
    captures: list[Any]
    is_stateful: bool
    concrete: ConcreteFunction | None = None

    def specs(self) -> list[TensorSpec]:
        """The specs of the tensors that it takes."""
        return [x for x in nest.flatten(self.inputs) if isinstance(x, TensorSpec)]

    def results(self) -> list[TensorSpec]:
        """The specs of the tensors that it gives."""
        return [x for x in nest.flatten(self.outputs) if isinstance(x, TensorSpec)]


class SavedFunctions:
    """The functions of a model.

    Attributes:
      library: Their definitions.
    """

    def __init__(self) -> None:
        self.library = Library()
        self._known: dict[int, SavedFunction] = {}

    def of(self, concrete: ConcreteFunction) -> SavedFunction:
        """Exports a function for one kind of call.

        Raises:
          UnimplementedError: The function has no graph, or does what no operation of TensorFlow's
            does.
        """
        found = self._known.get(id(concrete))
        if found is None:
            found = self._known[id(concrete)] = self._exported(concrete)
        return found

    def _exported(self, concrete: ConcreteFunction) -> SavedFunction:
        trace = _trace_of(concrete)
        graph = trace.call.graph
        part = Part(self.library, concrete._function.name)
        leaves = graph.inputs[: len(trace.specs)]
        given = part.arguments_for(leaves, "input")
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
        )

    def signature(self, function: SavedFunction) -> SavedFunction:
        """A function that takes tensors by name and gives tensors by name, and calls another."""
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
        by_name = dict(zip(results, found, strict=True))
        part.effects += [part.made[-1].name] if function.is_stateful else []
        constants = [x for x in function.captures if isinstance(x, np.ndarray)]
        variables = [x for x in function.captures if not isinstance(x, np.ndarray)]
        name = part.finish([by_name[key] for key in sorted(results)], variables)
        inputs = ((), {key: specs[key] for key in order})
        outputs = {key: results[key] for key in sorted(results)}
        return SavedFunction(name, inputs, outputs, [*constants, *variables], function.is_stateful)


def _trace_of(concrete: ConcreteFunction) -> Any:
    """The graph of a function.

    Raises:
      UnimplementedError: The function has none.
    """
    if concrete._trace is not None:
        return concrete._trace
    function = concrete._function
    bound = signature_of(function._python_function).bind(
        *concrete._bound.args, **concrete._bound.kwargs
    )
    trace = function._trace_of(bound)
    if trace is None:
        traces = function._traces()
        why = traces.as_python or str(traces.refusal or "its shapes are not all known")
        raise UnimplementedError(
            None,
            None,
            f"{function.name} can't be saved for {concrete.structured_input_signature}: it has no "
            f"graph ({why}). Function.explain() tells more",
        )
    return trace


def _plain(structure: Any) -> Any:
    """Arguments with Python values in the place of tensors that were given as they are."""
    return nest.map_structure(
        lambda x: np.asarray(x._numpy()).tolist() if isinstance(x, Tensor) else x, structure
    )


def _named(outputs: Any) -> Any:
    """Results with a name for each tensor, as TensorFlow gives them."""
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
    """The tensors that a function takes, by name."""
    found: dict[str, TensorSpec] = {}
    for i, spec in enumerate(function.specs()):
        name = spec.name or f"args_{i}"
        while name in found:
            name += f"_{i}"
        found[name] = TensorSpec(spec.shape, spec.dtype, name)
    return found


def _results_by_name(function: SavedFunction) -> dict[str, TensorSpec]:
    """The tensors that a function gives, by the names that a signature gives them.

    Raises:
      ValueError: The function gives something besides tensors.
    """
    out = function.outputs
    if isinstance(out, Mapping):
        found = {str(k): out[k] for k in sorted(out)}
    else:
        found = {f"output_{i}": x for i, x in enumerate(_sequence(out))}
    wrong = [x for x in found.values() if not isinstance(x, TensorSpec)]
    if wrong:
        raise ValueError(
            f"Got a non-Tensor value {wrong[0]!r} for an output of the function {function.name} "
            "that is to be a signature: give a flat sequence or a dictionary of tensors."
        )
    return {k: TensorSpec(x.shape, x.dtype, k) for k, x in found.items()}


def _sequence(out: Any) -> Sequence[Any]:
    return list(out) if isinstance(out, (list, tuple)) else [] if out is None else [out]
