"""The graph of a model's objects, functions among them, as a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradtape._src.core.variable import Variable
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.function import Function
from gradtape._src.messages import protos
from gradtape._src.saving.bundle import shape_message
from gradtape._src.saving.export.meta_graph import MetaGraph
from gradtape._src.saving.export.saved_functions import SavedFunction, SavedFunctions
from gradtape._src.saving.export.structured_values import function_spec, names_alone, structured
from gradtape._src.saving.functions.restored import RestoredFunction
from gradtape._src.saving.object_graph import View, variable_of


class Objects:
    """The nodes of a model's objects.

    Args:
      view: The objects.
      graph: The nodes of operations.
      message: What the nodes go into.

    Attributes:
      functions: What was saved of functions.
    """

    def __init__(self, view: View, graph: MetaGraph, message: protos.SavedObjectGraph) -> None:
        self.functions = SavedFunctions()
        self._view, self._graph, self._message = view, graph, message
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # objects live as long as their ids are used
        for number, (part, children) in enumerate(zip(view, view.children, strict=True)):
            message.nodes.append(node_of(part))
            for name, child in children:
                message.nodes[number].children.add(node_id=child, local_name=name)
            variable = variable_of(part)
            self._numbers[id(part if variable is None else variable)] = number

    def add_functions(self) -> None:
        """Adds the functions that are attributes of objects."""
        for number, part in enumerate(self._view):
            for name, function in functions_of(part):
                made = self._function(function)
                self._message.nodes[number].children.add(node_id=made, local_name=name)

    def add_signatures(self, signatures: Mapping[str, ConcreteFunction]) -> None:
        """Adds signatures, and the map of them as a part of the root."""
        node = self._message.nodes.add()
        number = len(self._message.nodes) - 1
        self._message.nodes[0].children.add(node_id=number, local_name="signatures")
        user_object(node, "signature_map")
        for key, concrete in signatures.items():
            wrapper = self.functions.signature(self.functions.of(concrete))
            place = self._bare(wrapper, names_alone([str(s.name) for s in wrapper.specs()]))
            self._message.nodes[number].children.add(node_id=place, local_name=key)
            self._graph.signature(key, wrapper)

    def names_of(self, function: Function | ConcreteFunction) -> list[str]:
        """The names under which a function was saved."""
        if isinstance(function, ConcreteFunction):
            return [self.functions.of(function).name]
        return [self.functions.of(c).name for c in function._list_all_concrete_functions()]

    def _function(self, function: Function | ConcreteFunction) -> int:
        """Adds a function; answers with its number."""
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

    def _concrete(self, concrete: ConcreteFunction) -> int:
        known = self._numbers.get(id(concrete))
        if known is None:
            saved = self.functions.of(concrete)
            spec = function_spec(concrete._function._python_function)
            known = self._numbers[id(concrete)] = self._bare(saved, spec)
        return known

    def _bare(self, saved: SavedFunction, spec: protos.FunctionSpec) -> int:
        """Adds a function for one kind of call; answers with its number."""
        bound = [self._captured(x, saved) for x in saved.captures]
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
        bare.allowed_positional_arguments = len(names) if saved.inputs[0] else 0
        bare.function_spec.CopyFrom(spec)
        for i, (x, place) in enumerate(zip(saved.captures, bound, strict=True)):
            if isinstance(x, np.ndarray):
                node.children.add(node_id=place, local_name=f"capture_{i}")
                node.dependencies.add(node_id=place, local_name=f"capture_{i}")
        return number

    def _captured(self, x: Any, saved: SavedFunction) -> int:
        """The number of what a function uses.

        Raises:
          AssertionError: A variable is not a part of the object.
        """
        known = self._numbers.get(id(x))
        if known is not None:
            return known
        if isinstance(x, Variable):
            raise AssertionError(
                "Tried to export a function which references an 'untracked' resource. TensorFlow "
                "objects (e.g. tf.Variable) captured by functions must be 'tracked' by assigning "
                "them to an attribute of a tracked object or assigned to an attribute of the main "
                f"object directly: {x.name} (used by {saved.name})"
            )
        node = self._message.nodes.add()
        node.constant.operation = self._graph.constant(x)
        node.registered_name = "tf.TrackableConstant"
        number = self._numbers[id(x)] = len(self._message.nodes) - 1
        self._kept.append(x)
        return number


def _is_plain(function: Function) -> bool:
    """Whether a function is the same for all objects, as a method is not."""
    return function._unbound is function


def node_of(part: Any) -> protos.SavedObject:
    """A saved object, without its parts."""
    made = protos.SavedObject()
    variable = variable_of(part)
    if variable is not None:
        made.variable.dtype = variable.dtype.as_datatype_enum
        made.variable.shape.CopyFrom(shape_message(variable.shape.as_list()))
        made.variable.trainable = variable.trainable
        made.variable.name = variable._shared_name
        return made
    kind = next((kind.__name__ for kind in (list, dict, tuple) if isinstance(part, kind)), "")
    user_object(made, f"trackable_{kind}_wrapper" if kind else "_generic_user_object")
    return made


def user_object(made: protos.SavedObject, identifier: str) -> None:
    """Makes a message that of an object."""
    made.user_object.identifier = identifier
    made.user_object.version.producer = made.user_object.version.min_consumer = 1


def functions_of(part: Any) -> Iterator[tuple[str, Function | ConcreteFunction]]:
    """The functions that are attributes of an object, or methods of its class."""
    if not hasattr(part, "__dict__"):
        return
    names = dict.fromkeys([*vars(part), *(n for kind in type(part).__mro__ for n in vars(kind))])
    for name in names:
        found = vars(part).get(name)
        if found is None:
            found = next((vars(k)[name] for k in type(part).__mro__ if name in vars(k)), None)
        if isinstance(found, (Function, ConcreteFunction)):
            yield name, getattr(part, name)
        elif isinstance(found, RestoredFunction) and found.concrete_functions:
            yield name, found.as_function()
