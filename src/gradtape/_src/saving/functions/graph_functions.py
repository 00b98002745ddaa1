"""The functions of a saved model, made from TensorFlow's graphs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.function import function
from gradtape._src.graphdef.attributes import dtype_of_number
from gradtape._src.graphdef.bodies import Body, Functions, Problem, UnavailableError
from gradtape._src.graphdef.gradients import Gradient
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.graphdef.plain_kernels import constant
from gradtape._src.graphdef.table_kernels import Table
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.saving.functions.kept import CapturedTensor, Kept, Source
from gradtape._src.saving.functions.restored import (
    RestoredConcrete,
    RestoredFunction,
    UnavailableFunction,
)
from gradtape._src.saving.functions.structured_values import Parameters, count_of, value_of
from gradtape._src.text.assets import Asset

_INNER = frozenset({"resource", "variant"})  # the dtypes of values that are not tensors
_NUMBERED = re.compile(r"^__(inference|forward)_(.*?)(_\d+)?$")
_SHOWN = 10


class GraphRun:
    """Runs a function of a graph on the tensors of its arguments.

    Args:
      name: The function's name.
      captures: A function that returns the captures: variables, tables, constants.
      traced: Whether the function may be traced to a graph.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        specs: Sequence[TensorSpec | None],
        captures: Any,
        traced: bool,
    ) -> None:
        self._body, self._captures = body, captures
        self._held: list[Any] | None = None
        self._function: Any = None
        if traced:
            self._function = function(
                self._named(name), input_signature=_signature(specs), autograph=False
            )

    def _named(self, name: str) -> Any:
        def run(*tensors: Tensor) -> list[Any]:
            return self.untraced(tensors)

        run.__name__ = run.__qualname__ = name
        return run

    def untraced(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs the nodes one by one, which adds them to the graph of an active tracer."""
        if self._held is None:
            self._held = self._captures()
        return self._body.run([*tensors, *map(_used, self._held)])

    def __call__(self, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
        if self._function is None:
            return self.untraced(tensors)
        results: Sequence[Tensor] = self._function(*tensors)
        return results


def _used(captured: Any) -> Any:
    """Returns the value of a captured object, which is the path if it is an asset."""
    return captured.asset_path if isinstance(captured, Asset) else captured


def _signature(specs: Sequence[TensorSpec | None]) -> list[TensorSpec] | None:
    """Returns the specs as an input signature, or None if a rank is unknown."""
    known = [x for x in specs if x is not None and x.shape.rank is not None]
    return known if known and len(known) == len(specs) else None


class ModelFunctions:
    """The functions, constants and resources of a saved model.

    Args:
      meta: The message of the model, a `MetaGraphDef`.
      directory: The model's directory.
      variables: The model's variables by the numbers of their objects.
      allow_io: Whether the functions may access files other than assets.
    """

    def __init__(
        self,
        meta: protos.MetaGraphDef,
        directory: Path,
        variables: dict[int, Variable],
        allow_io: bool,
    ) -> None:
        self._meta, self._directory, self._variables = meta, directory, variables
        self._nodes = meta.object_graph_def.nodes
        surroundings = Surroundings(str(directory / "assets"), allow_io)
        self._functions = Functions(meta.graph_def.library.function, surroundings)
        self._constants = {n.name: n for n in meta.graph_def.node if n.op == "Const"}
        self._concrete: dict[str, RestoredConcrete | UnavailableFunction] = {}
        self._values: dict[int, Any] = {}
        self.problems: dict[Problem, None] = {}
        registered = meta.graph_def.library.registered_gradients
        gradients = {x.registered_op_type: x.gradient_func for x in registered}
        for operation, name in gradients.items():
            self._functions.gradients[operation] = self._gradient(name)
        self._source = Source(
            {f.signature.name: f for f in meta.graph_def.library.function},
            meta.object_graph_def.concrete_functions,
            gradients,
            self._value_again,
        )

    def _gradient(self, name: str) -> Gradient:
        """Returns a custom gradient, given the name of its function."""
        described = self._described(name)
        captures = [self._captured_later(n) for n in described.bound_inputs]
        gives = [x is not None for x in nest.flatten(value_of(described.output_signature))]
        return Gradient(name, captures, gives)

    def _captured_later(self, number: int) -> Any:
        """Returns a gradient's capture: a tensor's name, or a function that returns its value."""
        if not 0 <= number < len(self._nodes):
            raise DecodeError("a gradient uses a missing object")
        node = self._nodes[number]
        if node.WhichOneof("kind") == "captured_tensor":
            return node.captured_tensor.name
        return lambda: _used(self._value(number))

    def _value_again(self, number: int) -> Any:
        """Returns a captured value, for a model that saves the function again."""
        node = self._nodes[number]
        if node.WhichOneof("kind") == "captured_tensor":
            tensor = node.captured_tensor
            return CapturedTensor(tensor.name, tensor.concrete_function)
        return self._value(number)

    def made(self, number: int) -> object:
        """Returns the object with a number, or None for a kind of object that is made elsewhere."""
        node = self._nodes[number]
        kind = node.WhichOneof("kind")
        if kind == "function":
            return self._function(node.function)
        if kind == "bare_concrete_function":
            return self._bare(node.bare_concrete_function)
        if kind in ("constant", "asset"):
            return self._value(number)
        if kind == "resource" and self._creators(number):
            return self._table(number)
        return None

    def _table(self, number: int) -> Any:
        """Returns the table with a number, or None if it can't be made."""
        try:
            found = self._value(number)
        except UnimplementedError:
            return None  # Functions that use it raise an error when they are called.
        return found if isinstance(found, Table) else None

    def _function(self, saved: protos.SavedFunction) -> Any:
        parameters = Parameters.of(saved.function_spec)
        concrete = [self._concrete_function(name, parameters) for name in saved.concrete_functions]
        usable = [x for x in concrete if isinstance(x, RestoredConcrete)]
        kept = Kept(self._source, saved)
        if concrete and not usable:
            return replace(concrete[0], kept=kept)
        name = _plain(saved.concrete_functions[0]) if concrete else "function"
        return RestoredFunction(name, parameters, usable, kept)

    def _bare(self, saved: protos.SavedBareConcreteFunction) -> Any:
        if saved.HasField("function_spec"):
            parameters = Parameters.of(saved.function_spec)
        else:
            parameters = Parameters(list(saved.argument_keywords))
        name = saved.concrete_function_name
        keywords = list(saved.argument_keywords)
        described = self._described(name)
        positional, named = value_of(described.canonicalized_input_signature)
        if not positional and named:
            parameters = Parameters(keywords)
        return replace(self._concrete_function(name, parameters), kept=Kept(self._source, saved))

    def _described(self, name: str) -> protos.SavedConcreteFunction:
        if name not in self._meta.object_graph_def.concrete_functions:
            raise DecodeError(f"the function {name!r} is missing")
        return self._meta.object_graph_def.concrete_functions[name]

    def _concrete_function(
        self, name: str, parameters: Parameters
    ) -> RestoredConcrete | UnavailableFunction:
        """Returns a concrete function of the graph."""
        described = self._described(name)
        try:
            body = self._functions.body(name)
        except UnavailableError as error:
            self.problems.update(dict.fromkeys(error.problems))
            return UnavailableFunction(_plain(name), error.message)
        bound = list(described.bound_inputs)
        if any(not 0 <= n < len(self._nodes) for n in bound):
            raise DecodeError(f"the function {name!r} uses a missing object")
        arguments = value_of(described.canonicalized_input_signature)
        results = value_of(described.output_signature)
        specs = [x for x in nest.flatten(arguments) if isinstance(x, TypeSpec)]
        taken = sum(map(count_of, specs))
        given = sum(count_of(x) for x in nest.flatten(results) if isinstance(x, TypeSpec))
        if taken + len(bound) != body.takes or given != body.gives:
            raise DecodeError(
                f"the signature of the function {name!r} has {taken} arguments, {len(bound)} "
                f"captures and {given} results, but its graph has {body.takes} inputs and "
                f"{body.gives} outputs"
            )
        run = GraphRun(
            _plain(name),
            body,
            self._tensors(name, specs, taken),
            lambda: [self._value(n) for n in bound],
            self._is_traced(name, taken),
        )
        positional, named = arguments
        variables = [self._variables[n] for n in dict.fromkeys(bound) if n in self._variables]
        by_name = not positional and bool(named)
        kept = Kept(self._source, protos.SavedBareConcreteFunction(concrete_function_name=name))
        return RestoredConcrete(
            parameters, (positional, named), results, run, variables, name, by_name, kept
        )

    def _tensors(self, name: str, specs: Sequence[Any], taken: int) -> list[TensorSpec | None]:
        """Returns the specs of the arguments' tensors; for composite tensors, only their dtypes."""
        if all(isinstance(x, TensorSpec) for x in specs):
            return list(specs)
        return [None] * taken

    def _is_traced(self, name: str, taken: int) -> bool:
        """Returns whether a function takes and returns only tensors."""
        signature = self._functions.definition(name).signature
        arguments = [*signature.input_arg[:taken], *signature.output_arg]
        return not any(dtype_of_number(x.type).name in _INNER for x in arguments)

    def _value(self, number: int) -> Any:
        """Returns the value of an object that a function captures.

        Raises:
          UnimplementedError: gradtape does not support this kind of object.
        """
        if number in self._variables:
            return self._variables[number]
        if number not in self._values:
            self._values[number] = self._captured(number)
        return self._values[number]

    def _captured(self, number: int) -> Any:
        node = self._nodes[number]
        kind = node.WhichOneof("kind")
        if kind == "constant":
            return self._constant(node.constant.operation)
        if kind == "asset":
            return self._asset(node.asset.asset_file_def_index)
        if kind == "resource":
            return self._resource(number)
        raise UnimplementedError(
            None,
            None,
            f"a function of a loaded model uses a {kind or 'nothing'}, which gradtape does not "
            "support",
        )

    def _constant(self, name: str) -> Tensor:
        if name not in self._constants:
            raise DecodeError(f"there is no constant {name!r}")
        return constant(self._constants[name].attr["value"].tensor)

    def _asset(self, place: int) -> Asset:
        files = self._meta.asset_file_def
        if not 0 <= place < len(files):
            raise DecodeError("an asset is missing")
        return Asset(str(asset_path(self._directory, files[place])))

    def _resource(self, number: int) -> Any:
        creators = self._creators(number)
        if not creators:
            raise UnimplementedError(None, None, "a resource has no function that makes it")
        return self._call(creators[0])[0]

    def _creators(self, number: int) -> list[int]:
        """Returns the numbers of the functions that create a resource."""
        return [x.node_id for x in self._nodes[number].children if x.local_name == _CREATE]

    def _call(self, number: int) -> Sequence[Any]:
        """Calls a function without arguments."""
        found = self.made(number)
        if isinstance(found, RestoredFunction) and found.concrete_functions:
            found = found.concrete_functions[0]
        if isinstance(found, RestoredConcrete):
            results: Sequence[Any] = getattr(found.run, "untraced", found.run)([])
            return results
        if isinstance(found, UnavailableFunction):
            found()
        raise DecodeError("a resource has no function that makes it")

    def initialize(self, restored: dict[int, list[Any]]) -> None:
        """Creates and fills the tables and other resources.

        Args:
          restored: The values of resources in the checkpoint.
        """
        for number, node in enumerate(self._nodes):
            if node.WhichOneof("kind") != "resource":
                continue
            parts = {x.local_name: x.node_id for x in node.children}
            if _CREATE not in parts:
                continue
            try:
                self._value(number)
                if _FILL in parts:
                    self._call(parts[_FILL])
                if number in restored:
                    self._restore(node, restored[number])
            except UnimplementedError:
                continue  # Functions that use it raise an error when they are called.

    def _restore(self, node: protos.SavedObject, values: list[Any]) -> None:
        """Restores a table from the checkpoint."""
        for saveable in node.saveable_objects.values():
            found = self.made(saveable.restore_function)
            if isinstance(found, RestoredConcrete):
                found.run([convert_to_tensor(x) for x in values])

    def warn(self) -> None:
        """Warns of functions that can't be run."""
        warn_of(self.problems, self._directory)


def warn_of(problems: Iterable[Problem], directory: Path) -> None:
    """Warns of nodes of a model that can't be run, if there are any.

    Args:
      problems: The nodes that can't be run.
      directory: The directory of the model.
    """
    messages = list(map(str, problems))
    if messages:
        warnings.warn(
            f"{len(messages)} operations of the saved model at {directory} can't be run; the "
            "functions that need them raise UnimplementedError when they are called: "
            f"{'; '.join(messages[:_SHOWN])}",
            stacklevel=5,
        )


_CREATE, _FILL = "_create_resource", "_initialize"


def asset_path(directory: Path, file: protos.AssetFileDef) -> Path:
    """Returns the path of an asset.

    Raises:
      DecodeError: The file is outside of the model's assets.
    """
    folder = directory / "assets"
    path = folder / file.filename
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DecodeError(f"the asset {file.filename!r} lies outside of the model")
    return path


def _plain(name: str) -> str:
    """Returns the name of a Python function, given the name of its graph in TensorFlow."""
    found = _NUMBERED.match(name)
    return found[2] if found else name
