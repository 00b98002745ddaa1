"""The object graph of a saved model, including its functions, as a message."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int32, resource, string
from gradtape._src.base.errors import NotFoundError, UnimplementedError
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import Size, UnknownRank
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.function import Function
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.tables import (
    creator,
    initializer,
    is_fixed,
    is_table,
    restored_specs,
    restored_tensors,
    saved_tensors,
)
from gradtape._src.messages import protos
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.saving.bundle import shape_message
from gradtape._src.saving.export.meta_graph import MetaGraph
from gradtape._src.saving.export.retraced import Retraced
from gradtape._src.saving.export.saved_functions import SavedFunction, SavedFunctions
from gradtape._src.saving.export.structured_values import (
    function_spec,
    names_alone,
    parameters_alone,
    structured,
)
from gradtape._src.saving.functions.kept import CapturedTensor, Kept, Source, functions_in
from gradtape._src.saving.functions.restored import (
    RestoredConcrete,
    RestoredFunction,
    UnavailableFunction,
)
from gradtape._src.saving.object_graph import View, variable_of
from gradtape._src.text.assets import Asset

KEPT = (RestoredFunction, RestoredConcrete, UnavailableFunction)
"""The functions of loaded models."""
Exported = Function | ConcreteFunction | RestoredFunction | RestoredConcrete | UnavailableFunction


class Objects:
    """The object graph of a saved model.

    Args:
      view: The objects to save.
      graph: The main graph of the model.
      message: The message to which nodes are added.
      retraced: The functions, which have new traces.
      keeps_gradients: Whether custom gradients are saved.

    Attributes:
      functions: The saved functions.
      files: The file names of assets in the model's directory, by their original paths.
      gradients: The names of the functions that compute custom gradients, by the name that the
        nodes refer to.
    """

    def __init__(
        self,
        view: View,
        graph: MetaGraph,
        message: protos.SavedObjectGraph,
        retraced: Retraced,
        keeps_gradients: bool = True,
    ) -> None:
        self.functions, self._retraced = SavedFunctions(keeps_gradients), retraced
        self._view, self._graph, self._message = view, graph, message
        self._numbers: dict[int, int] = {}
        self.files: dict[str, str] = {}
        self.gradients: dict[str, str] = {}
        self._sources: dict[int, dict[str, str]] = {}
        self._constants: dict[tuple[int, int], Any] = {}
        self._kept: list[Any] = []  # Keeps objects alive while their ids are in use.
        for number, (part, children) in enumerate(zip(view, view.children, strict=True)):
            message.nodes.append(node_of(part))
            for name, child in children:
                message.nodes[number].children.add(node_id=child, local_name=name)
            variable = variable_of(part)
            self._numbers[id(part if variable is None else variable)] = number

    def add_resources(self) -> None:
        """Adds asset files, and the functions that create, fill, save and restore tables.

        Raises:
          NotFoundError: There is no such file.
        """
        for number, part in enumerate(self._view):
            if isinstance(part, Asset):
                self._asset(number, part)
        for number, part in enumerate(self._view):
            if is_table(part):
                self._table(number, part)

    def _asset(self, number: int, asset: Asset) -> None:
        files = self.files
        path = asset._path._value.item().decode()
        if path not in files:
            name = Path(path).name
            taken = sum(Path(other).name == name for other in files)
            if not Path(path).is_file():
                raise NotFoundError(
                    None,
                    None,
                    f"{path}: the file, which is to be saved as an asset, does not exist",
                )
            files[path] = f"{name}_{taken}" if taken else name
        self._message.nodes[number].asset.asset_file_def_index = self._graph.asset(
            asset, files[path]
        )

    def _table(self, number: int, table: Any) -> None:
        library = self.functions.library
        nothing: tuple[Any, Any] = ((), {})
        handle = TensorSpec([], resource, "output_0")
        done = TensorSpec([], int32, "output_0")
        name = creator(library, table, self._graph.table_name(table))
        make = SavedFunction(name, nothing, handle, [], is_stateful=True)
        name, uses = initializer(library, table)
        fill = SavedFunction(name, nothing, done, uses, is_stateful=bool(uses))
        self._graph.filled(name, uses, fill.is_stateful)
        for part, function in (("_create_resource", make), ("_initialize", fill)):
            place = self._without_arguments(function)
            node = self._message.nodes[number]
            node.children.add(node_id=place, local_name=part)
            if part == "_create_resource":
                node.dependencies.add(node_id=place, local_name=part)
        if not is_fixed(table):
            self._checkpointed(number, table)

    def _checkpointed(self, number: int, table: Any) -> None:
        """Adds the functions by which checkpoints save and restore a table."""
        library = self.functions.library
        key = TensorSpec([], string, "checkpoint_key")
        fields = [
            {
                "name": TensorSpec([], string, f"tensor_{i}_name"),
                "slice_spec": TensorSpec([], string, f"tensor_{i}_slice_spec"),
                "tensor": TensorSpec(None, spec.dtype, f"tensor_{i}_tensor"),
            }
            for i, spec in enumerate(restored_specs(table))
        ]
        name, uses = saved_tensors(library, table)
        save = SavedFunction(name, ((key,), {}), fields, uses, is_stateful=True)
        name, uses = restored_tensors(library, table)
        given: tuple[Any, Any] = (tuple(restored_specs(table)), {})
        done = TensorSpec([], int32, "output_0")
        restore = SavedFunction(name, given, done, uses, is_stateful=True)
        places = [
            self._bare(f, parameters_alone([str(spec.name) for spec in f.specs()]))
            for f in (save, restore)
        ]
        functions = self._message.nodes[number].saveable_objects["table"]
        functions.save_function, functions.restore_function = places

    def _without_arguments(self, saved: SavedFunction) -> int:
        """Adds a function without arguments, and returns its number."""
        place = self._bare(saved, parameters_alone([]))
        node = self._message.nodes.add()
        node.function.function_spec.CopyFrom(parameters_alone([]))
        node.function.concrete_functions.append(saved.name)
        node.children.add(node_id=place, local_name="trace_0")
        node.dependencies.add(node_id=place, local_name="trace_0")
        return len(self._message.nodes) - 1

    def add_functions(self) -> None:
        """Adds the functions that are attributes of objects."""
        for number, part in enumerate(self._view):
            for name, function in functions_of(part):
                made = self._function(self._retraced.of(function))
                self._message.nodes[number].children.add(node_id=made, local_name=name)

    def add_signatures(self, signatures: Mapping[str, ConcreteFunction | RestoredConcrete]) -> None:
        """Adds signatures, and a map of the signatures as a child of the root."""
        node = self._message.nodes.add()
        number = len(self._message.nodes) - 1
        self._message.nodes[0].children.add(node_id=number, local_name="signatures")
        user_object(node, "signature_map")
        for key, concrete in signatures.items():
            if isinstance(concrete, RestoredConcrete):
                wrapper = self.functions.signature(self._kept_concrete(concrete))
            else:
                wrapper = self.functions.signature(self.functions.of(concrete))
            place = self._bare(wrapper, names_alone([str(s.name) for s in wrapper.specs()]))
            self._message.nodes[number].children.add(node_id=place, local_name=key)
            self._graph.signature(key, wrapper)

    def add_gradients(self) -> None:
        """Adds the custom gradients of the functions.

        Raises:
          UnimplementedError: A gradient uses a tensor from inside a conditional or loop.
        """
        entries = self._message.concrete_functions
        for gradient in self.functions.library.gradients:
            self.gradients[gradient.operation] = gradient.function
            around = gradient.part.finished_as
            entry = entries[gradient.function]
            given = tuple([_spec_of(x) for x in gradient.cotangents])
            entry.canonicalized_input_signature.CopyFrom(structured((given, {})))
            results = [None if x is None else _spec_of(x) for x in gradient.gives]
            entry.output_signature.CopyFrom(structured(results))
            for x in gradient.captures:
                if not isinstance(x, Value):
                    entry.bound_inputs.append(self._captured(x, gradient.function))
                    continue
                if around not in entries:
                    raise UnimplementedError(
                        None,
                        None,
                        f"a custom gradient in {around} uses a tensor from inside a branch or "
                        "loop, which a saved model cannot express: compute the tensor in the "
                        "gradient, or save with SaveOptions(experimental_custom_gradients=False)",
                    )
                tensor = CapturedTensor(f"{x.node}:{x.place}", around)
                entry.bound_inputs.append(self._number_of(tensor, {around: around}, around))

    def names_of(self, function: Function | ConcreteFunction) -> list[str]:
        """Returns the names of a saved function's graphs."""
        if isinstance(function, ConcreteFunction):
            return [self.functions.of(function).name]
        traced: Function = self._retraced.of(function)
        return [self.functions.of(c).name for c in traced._list_all_concrete_functions()]

    def _function(self, function: Exported) -> int:
        """Adds a function, and returns its number."""
        if isinstance(function, KEPT):
            return self._kept_function(function)
        if isinstance(function, ConcreteFunction):
            return self._concrete(function)
        known = self._numbers.get(id(function._unbound)) if _is_plain(function) else None
        if known is not None:
            return known
        node = self._message.nodes.add()
        number = len(self._message.nodes) - 1
        if _is_plain(function):
            self._kept.append(function)
            self._numbers[id(function._unbound)] = number
        spec = function_spec(function._python_function, function.input_signature)
        node.function.function_spec.CopyFrom(spec)
        for i, concrete in enumerate(function._list_all_concrete_functions()):
            place = self._concrete(concrete)
            node = self._message.nodes[number]
            node.function.concrete_functions.append(self.functions.of(concrete).name)
            node.children.add(node_id=place, local_name=f"trace_{i}")
            node.dependencies.add(node_id=place, local_name=f"trace_{i}")
        return number

    def _kept_function(self, function: Any) -> int:
        """Adds a function of a loaded model unchanged, and returns its number."""
        kept: Kept = function.kept
        known = self._numbers.get(id(kept.message))
        if known is not None:
            return known
        names = self._adopted(kept.source, kept.names)
        node = self._message.nodes.add()
        number = self._numbers[id(kept.message)] = len(self._message.nodes) - 1
        self._kept.append(kept)
        if isinstance(kept.message, protos.SavedFunction):
            node.function.CopyFrom(kept.message)
            node.function.ClearField("concrete_functions")
            node.function.concrete_functions.extend(names)
        else:
            node.bare_concrete_function.CopyFrom(kept.message)
            node.bare_concrete_function.concrete_function_name = names[0]
        return number

    def _adopted(self, source: Source, names: list[str]) -> list[str]:
        """Adds functions of a loaded model and all that they call, and returns their names."""
        known = self._sources.setdefault(id(source), {})
        self._kept.append(source)
        new = [name for name in source.needed(names) if name not in known]
        known |= {name: self.functions.library.free(name) for name in new}
        self.functions.library.functions.extend(
            [renamed(source.definitions[name], known) for name in new]
        )
        for operation, gradient in source.gradients_of(new).items():
            self.gradients[operation] = known[gradient]
        for name in new:
            if name in source.described:
                described = source.described[name]
                entry = self._message.concrete_functions[known[name]]
                entry.CopyFrom(described)
                entry.ClearField("bound_inputs")
                held = [self._held(source, n) for n in described.bound_inputs]
                entry.bound_inputs.extend([self._number_of(x, known, name) for x in held])
        return [known[name] for name in names]

    def _kept_concrete(self, concrete: RestoredConcrete) -> SavedFunction:
        """Returns a function of a loaded model as a function that a signature can call."""
        assert concrete.kept is not None
        source = concrete.kept.source
        (name,) = self._adopted(source, [concrete.name])
        return SavedFunction(
            name,
            concrete.structured_input_signature,
            concrete.structured_outputs,
            [self._held(source, n) for n in source.described[concrete.name].bound_inputs],
            source.definitions[concrete.name].signature.is_stateful,
        )

    def _held(self, source: Source, number: int) -> Any:
        """Returns the captures of a function of a loaded model, with constants as arrays."""
        key = id(source), number
        if key not in self._constants:
            x = source.value(number)
            self._constants[key] = np.asarray(x._value) if type(x) is Tensor else x
        return self._constants[key]

    def _number_of(self, x: Any, names: Mapping[str, str], function: str) -> int:
        """Returns the number of an object that a function of a loaded model captures."""
        if isinstance(x, CapturedTensor):
            node = self._message.nodes.add()
            node.captured_tensor.name = x.name
            node.captured_tensor.concrete_function = names[x.function]
            return len(self._message.nodes) - 1
        return self._captured(x, function)

    def _concrete(self, concrete: ConcreteFunction) -> int:
        known = self._numbers.get(id(concrete))
        if known is None:
            saved = self.functions.of(concrete)
            spec = function_spec(concrete._function._python_function)
            known = self._numbers[id(concrete)] = self._bare(saved, spec)
        return known

    def _bare(self, saved: SavedFunction, spec: protos.FunctionSpec) -> int:
        """Adds a concrete function, and returns its number."""
        bound = [self._captured(x, saved.name) for x in saved.captures]
        entry = self._message.concrete_functions[saved.name]
        entry.bound_inputs.extend(bound)
        entry.canonicalized_input_signature.CopyFrom(structured(saved.inputs))
        entry.output_signature.CopyFrom(structured(saved.outputs))
        node = self._message.nodes.add()
        number = len(self._message.nodes) - 1
        bare = node.bare_concrete_function
        bare.concrete_function_name = saved.name
        names = [str(spec.name) for spec in saved.specs()]
        bare.argument_keywords.extend(names)
        # A signature's only argument may be given by position.
        by_place = bool(saved.inputs[0]) or len(names) == 1
        bare.allowed_positional_arguments = len(names) if by_place else 0
        bare.function_spec.CopyFrom(spec)
        for i, (x, place) in enumerate(zip(saved.captures, bound, strict=True)):
            if isinstance(x, np.ndarray):
                node.children.add(node_id=place, local_name=f"capture_{i}")
                node.dependencies.add(node_id=place, local_name=f"capture_{i}")
        return number

    def _captured(self, x: Any, function: str) -> int:
        """Returns the number of an object that a function captures.

        Raises:
          AssertionError: A variable or table is not a part of the saved object.
        """
        known = self._numbers.get(id(x))
        if known is not None:
            return known
        if not isinstance(x, np.ndarray):
            shown = x.name if isinstance(x, Variable) else repr(x)
            raise AssertionError(
                "Tried to export a function which references an 'untracked' resource. TensorFlow "
                "objects (e.g. tf.Variable) captured by functions must be 'tracked' by assigning "
                "them to an attribute of a tracked object or assigned to an attribute of the main "
                f"object directly: {shown} (used by {function})"
            )
        node = self._message.nodes.add()
        node.constant.operation = self._graph.constant(x)
        node.registered_name = "tf.TrackableConstant"
        number = self._numbers[id(x)] = len(self._message.nodes) - 1
        self._kept.append(x)
        return number


def copied(path: str, target: Path) -> None:
    """Copies a file.

    Raises:
      NotFoundError: There is no such file.
    """
    try:
        if Path(path).resolve() != target.resolve():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    except OSError as error:
        raise NotFoundError(
            None, None, f"{path}: the asset can't be saved: {error.strerror}"
        ) from None


def _is_plain(function: Function) -> bool:
    """Returns whether an attribute is a plain function, not a method."""
    return function._unbound is function


def node_of(part: Any) -> protos.SavedObject:
    """Returns the message of an object, without its children."""
    made = protos.SavedObject()
    variable = variable_of(part)
    if variable is not None:
        made.variable.dtype = variable.dtype.as_datatype_enum
        made.variable.shape.CopyFrom(shape_message(variable.shape.as_list()))
        made.variable.trainable = variable.trainable
        made.variable.name = variable._shared_name
        return made
    if is_table(part):
        made.resource.SetInParent()
        return made
    kind = next((kind.__name__ for kind in (list, dict, tuple) if isinstance(part, kind)), "")
    user_object(made, f"trackable_{kind}_wrapper" if kind else "_generic_user_object")
    return made


def user_object(made: protos.SavedObject, identifier: str) -> None:
    """Fills in a message for a generic object."""
    made.user_object.identifier = identifier
    made.user_object.version.producer = made.user_object.version.min_consumer = 1


def _spec_of(x: Value) -> TensorSpec:
    shape = None
    if x.shape is not None and type(x.shape) is not UnknownRank:
        shape = [None if type(n) is Size else n for n in x.shape]
    return TensorSpec(shape, x.dtype, x.node)


def renamed(definition: protos.FunctionDef, names: Mapping[str, str]) -> protos.FunctionDef:
    """Returns a copy of a definition in which it and the functions that it calls are renamed."""
    made = protos.FunctionDef()
    made.CopyFrom(definition)
    made.signature.name = names[definition.signature.name]
    for node in made.node_def:
        node.op = names.get(node.op, node.op)
        for attribute in node.attr.values():
            for function in functions_in(attribute):
                function.name = names.get(function.name, function.name)
    return made


def _is_kept(x: Any) -> bool:
    """Returns whether an object is a function of a loaded model that can be saved unchanged."""
    return isinstance(x, KEPT) and x.kept is not None


def functions_of(part: Any) -> Iterator[tuple[str, Exported]]:
    """Yields the functions that are attributes of an object, methods of its class, or elements."""
    if isinstance(part, (list, tuple, dict)):
        pairs = part.items() if isinstance(part, dict) else enumerate(part)
        for key, x in pairs:
            if isinstance(x, (Function, ConcreteFunction)) or _is_kept(x):
                yield str(key), x
    if not hasattr(part, "__dict__"):
        return
    names = dict.fromkeys([*vars(part), *(n for kind in type(part).__mro__ for n in vars(kind))])
    for name in names:
        found = vars(part).get(name)
        if found is None:
            found = next((vars(k)[name] for k in type(part).__mro__ if name in vars(k)), None)
        if isinstance(found, (Function, ConcreteFunction)):
            yield name, getattr(part, name)
        elif _is_kept(found):
            yield name, found
        elif isinstance(found, RestoredFunction) and found.concrete_functions:
            yield name, found.as_function()
