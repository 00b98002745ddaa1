"""Exports graphs as TensorFlow functions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import NeedsSize, Size, UnknownRank, is_unknown
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.nested.custom_gradients import Results
from gradtape._src.graphdef_export.lengths import LengthsOfValues
from gradtape._src.graphdef_export.nodes import Nodes, Value, dtype_name, shape_proto
from gradtape._src.graphdef_export.rules import RULES
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import is_defined, op_definition
from gradtape._src.sessions.at_run import AtRun
from gradtape._src.text.assets import Asset


@dataclass(frozen=True)
class UserGradient:
    """A custom gradient, as a function.

    Attributes:
      operation: The name by which nodes refer to this gradient.
      function: The name of the function.
      cotangents: The arguments of the function.
      captures: The function's captures: values of the outer part, variables, other resources.
      gives: For each input of the operation its gradient, or None.
      part: The part that contains the operation.
    """

    operation: str
    function: str
    cotangents: Sequence[Value]
    captures: Sequence[Any]
    gives: Sequence[Value | None]
    part: Part


class Library:
    """The functions that were exported so far.

    Args:
      keeps_gradients: Whether custom gradients are exported.

    Attributes:
      functions: The messages of the functions, in the order of their export.
      gradients: The custom gradients.
    """

    def __init__(self, keeps_gradients: bool = True) -> None:
        self.keeps_gradients = keeps_gradients
        self.gradients: list[UserGradient] = []
        self.functions: list[protos.FunctionDef] = []
        self._numbers: dict[str, int] = {}
        self._taken: set[str] = set()

    def free(self, name: str) -> str:
        """Returns a unique name for a named function: its own name if that is unused."""
        while name in self._taken:
            name += "_again"
        self._taken.add(name)
        return name

    def unique(self, name: str) -> str:
        """Returns a unique name for a function."""
        name = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name) or "function"
        number = self._numbers[name] = self._numbers.get(name, -1) + 1
        return self.free(f"__inference_{name}_{number}")

    def without_rule(
        self, part: Part, node: Node, inputs: Sequence[Value], error: UnimplementedError
    ) -> Sequence[Value]:
        """Handles an operation that TensorFlow lacks.

        Raises:
          UnimplementedError: Always, since other programs could not run such a function.
        """
        raise placed(error, node) from None


class Part(Nodes):
    """A function that is being built from one or more graphs.

    Args:
      library: The library for it and the functions that it calls.
      name: Its name, to which a number is added.
      is_function: See `Nodes`.

    Attributes:
      captures: The argument for each captured variable and table.
      effects: The names of the nodes that always have to run.
      node: The operation that is being exported.
      used: The outputs that operations use.
      is_stateful: Whether at least one node is stateful.
      orders_effects: Whether nodes with side effects must run in the order of the program.
      finished_as: The final name of the function, set by `finish`.
    """

    def __init__(self, library: Library, name: str, is_function: bool = True) -> None:
        super().__init__(is_function)
        self.library, self.name = library, name
        self.arguments: list[Value] = []
        self.captures: dict[int, tuple[Any, Value]] = {}
        self.effects: list[str] = []
        self.lengths = LengthsOfValues(self)
        self.node: Node | None = None
        self.used: set[Symbol] = set()
        self.is_stateful = False
        self.orders_effects = True
        self.finished_as = ""
        self._written: dict[int, list[str]] = {}
        self._read: dict[int, list[str]] = {}
        self._values: dict[Symbol, Value] = {}

    def op(self, kind: str, *inputs: Any, **attributes: Any) -> Any:
        """Adds a node; see `Nodes`."""
        self.is_stateful = self.is_stateful or op_definition(kind).stateful
        return super().op(kind, *inputs, **attributes)

    def argument(self, name: str, dtype: Any, shape: Any = None) -> Value:
        """Returns a new argument of the function."""
        plain = re.sub(r"[^a-z0-9_]", "_", name.lower()) or "input"
        plain = plain if plain[0].isalpha() else f"arg_{plain}"
        made = Value(self.unique(plain), dtype_name(dtype), shape=shape)
        self.arguments.append(made)
        return made

    def arguments_for(self, symbols: Sequence[Symbol], name: str = "arg") -> list[Value]:
        """Returns new arguments for the inputs of a graph."""
        return [self.argument(f"{name}_{i}", x.np_dtype, x.shape) for i, x in enumerate(symbols)]

    def capture(self, thing: Any) -> Value:
        """Returns the argument for a captured object: a variable or table, or an asset's path."""
        found = self.captures.get(id(thing))
        if found is None:
            kind = "string" if isinstance(thing, Asset) else "resource"
            handle = Value(self.unique(kind), kind, shape=())
            found = self.captures[id(thing)] = (thing, handle)
        return found[1]

    def value(self, x: Any) -> Value:
        """Returns the value of an input of an operation."""
        if type(x) is Symbol:
            return self._values[x]
        known = np.asarray(x)
        return self.const(known, known.dtype)

    def ints(self, numbers: Sequence[Any], dtype: str = "int32") -> Value:
        """Returns a vector of numbers, some of which may be lengths that the graph computes."""
        if type(numbers) is UnknownRank:
            shape: Value = self.op("Shape", self.lengths.value_of(numbers), out_type=dtype)
            return shape
        if any(isinstance(n, Value) for n in numbers):
            mixed: Value = self.op("Pack", [self._entry(n, dtype) for n in numbers])
            return mixed
        if not is_unknown(numbers):
            return self.const(np.array(numbers, dtype), dtype)
        packed: Value = self.op("Pack", [self.lengths.of(n) for n in numbers])
        return packed if dtype == "int32" else self.op("Cast", packed, DstT=dtype)

    def _entry(self, n: Any, dtype: str) -> Value:
        return self.cast(n, dtype) if isinstance(n, Value) else self.number(n, dtype)

    def number(self, n: Any, dtype: Any = "int32") -> Value:
        """Returns a number, which may be a length that is known only when the graph runs."""
        if type(n) is not Size:
            return self.const(n, dtype)
        found = self.lengths.of(n)
        return found if dtype_name(dtype) == "int32" else self.cast(found, dtype)

    def cast(self, x: Value, dtype: Any) -> Value:
        """Casts a value to another dtype."""
        if x.dtype == dtype_name(dtype):
            return x
        made: Value = self.op("Cast", x, DstT=dtype)
        return made if x.shape is None else made.of_shape(x.shape)

    def like(self, number: Any, x: Value) -> Value:
        """Returns a constant of a value's dtype."""
        return self.const(number, x.dtype)

    def reshaped(self, x: Value, shape: Sequence[Any]) -> Value:
        """Reshapes a value."""
        made: Value = self.op("Reshape", x, self.ints(shape))
        return made.of_shape(shape)

    def transposed(self, x: Value, perm: Sequence[int]) -> Value:
        """Transposes a value."""
        made: Value = self.op("Transpose", x, self.const(perm, "int32"))
        return made if x.shape is None else made.of_shape([x.shape[p] for p in perm])

    @property
    def outputs(self) -> tuple[Symbol, ...]:
        """Returns the outputs of the operation that is being exported."""
        assert self.node is not None
        return self.node.outputs

    def unknown(self, why: str = "TensorFlow has no such operation") -> UnimplementedError:
        """Returns the error for an operation that has no counterpart."""
        return UnimplementedError(None, None, why)

    def effect(self, kind: str, *inputs: Any, **attributes: Any) -> Any:
        """Adds a node that always has to run, after the earlier such nodes."""
        before = self.effects[-1:] if self.orders_effects else ()
        out = self.op(kind, *inputs, after=before, **attributes)
        self.effects.append(self.made[-1].name)
        return out

    def read(self, variable: Any) -> Value:
        """Adds an operation that reads a variable after the earlier assignments."""
        kind, shape = variable.dtype.name, variable.shape
        before = self._written.get(id(variable), [])
        made: Value = self.op("ReadVariableOp", self.capture(variable), dtype=kind, after=before)
        self._read.setdefault(id(variable), []).append(self.made[-1].name)
        return made.of_shape(shape.as_list())

    def assign(self, variable: Any, value: Value) -> None:
        """Adds an operation that assigns a variable after the earlier reads and assignments."""
        key = id(variable)
        before = [*self._written.get(key, []), *self._read.pop(key, [])]
        name = self.op("AssignVariableOp", self.capture(variable), value, after=before)
        self._written[key] = [name]
        self.effects.append(name)

    def call_operation(self, kind: str, acts: bool, *inputs: Any, **attributes: Any) -> Any:
        """Adds an operation that calls functions; it always runs if they have side effects."""
        return (self.effect if acts else self.op)(kind, *inputs, **attributes)

    def rename(self, old: str, new: str) -> None:
        """Renames a node in all places where it is stored for later use."""
        self.lengths.rename(old, new)
        self.effects = [new if name == old else name for name in self.effects]
        for held in (self._written, self._read):
            for key, names in held.items():
                held[key] = [new if name == old else name for name in names]

    # Lists of tensors.

    def length_of(self, x: Value) -> Value:
        """Returns the number of rows of a value."""
        assert x.shape is not None
        return self.number(x.shape[0])

    def zeros_like(self, x: Value) -> Value:
        """Returns zeros of a value's shape and dtype."""
        made: Value = self.op("ZerosLike", x)
        return made.of_shape(x.shape or ())

    def _element(self, shape: Sequence[Any]) -> Value:
        sizes = [-1 if type(n) is Size else n for n in shape]
        return self.const(np.array(sizes, np.int32), "int32")

    def empty_list(self, like: Value) -> Value:
        """Returns an empty list for values of a shape and dtype."""
        shape, most = self._element(like.shape or ()), self.const(-1, "int32")
        made: Value = self.op("EmptyTensorList", shape, most, element_dtype=like.dtype)
        return made.of_shape(())

    def reserved_list(self, shape: Sequence[Any], dtype: str, count: Value) -> Value:
        """Returns a list with a given number of elements."""
        made: Value = self.op("TensorListReserve", self._element(shape), count, element_dtype=dtype)
        return made.of_shape(())

    def list_of_rows(self, x: Value) -> Value:
        """Returns the rows of a value as a list."""
        assert x.shape is not None
        made: Value = self.op("TensorListFromTensor", x, self._element(x.shape[1:]))
        return made.of_shape(())

    def item(self, handle: Value, at: Value, shape: Any, dtype: str) -> Value:
        """Returns an element of a list."""
        made: Value = self.op(
            "TensorListGetItem", handle, at, self._element(shape), element_dtype=dtype
        )
        return made.of_shape(shape)

    def set_item(self, handle: Value, at: Value, x: Value) -> Value:
        """Returns a list with one element replaced."""
        made: Value = self.op("TensorListSetItem", handle, at, x)
        return made.of_shape(())

    def pushed(self, handle: Value, x: Value) -> Value:
        """Returns a list with one more element."""
        made: Value = self.op("TensorListPushBack", handle, x)
        return made.of_shape(())

    def stacked(self, handle: Value, shape: Sequence[Any], dtype: str) -> Value:
        """Returns the elements of a list as the rows of a value."""
        found: Value = self.op("TensorListStack", handle, self.ints(shape), element_dtype=dtype)
        return found

    def run(self, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """Adds the operations of a graph; returns its outputs."""
        given = [*[x for node in graph.nodes for x in node.inputs], *graph.outputs]
        self.used |= {x for x in given if type(x) is Symbol}
        for symbol, x in zip(graph.inputs, inputs, strict=True):
            self._give(symbol, x)
        for node in graph.nodes:
            self._add(node)
        return [self.value(y) for y in graph.outputs]

    def _give(self, symbol: Symbol, x: Value) -> None:
        known = x.of_shape(symbol.shape)
        self._values[symbol] = known
        self.lengths.note(known, symbol.shape)
        if symbol.elements is not None and np.ndim(symbol.elements) == 1:
            self.lengths.note_elements(known, symbol.elements)

    def _add(self, node: Node) -> None:
        around, self.node = self.node, node
        inputs = [self.value(x) for x in node.inputs]
        try:
            outs = self._exported(node, inputs)
        except NeedsSize as error:
            outs = self.library.without_rule(self, node, inputs, self.unknown(str(error)))
        except UnimplementedError as error:
            outs = self.library.without_rule(self, node, inputs, error)
        finally:
            self.node = around
        outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
        for symbol, x in zip(node.outputs, outs, strict=len(outs) < len(node.outputs)):
            self._give(symbol, x)

    def _exported(self, node: Node, inputs: Sequence[Value]) -> Any:
        of = node.params.get("of")
        if not isinstance(of, AtRun):
            return rule_of(node)(self, *inputs, **node.params)
        name = node.primitive.name
        if name in RULES:
            return RULES[name](self, *inputs)
        if not is_defined(name):
            raise UnimplementedError(None, None, "it is known only when a session runs it")
        try:
            return self.op(name, *inputs)
        except TypeError as error:
            raise UnimplementedError(None, None, str(error)) from error

    def inner(self, name: str) -> Part:
        """Returns a new part, for a function that this one calls."""
        return Part(self.library, f"{self.name}_{name}")

    def finish(self, results: Sequence[Value], captures: Sequence[Any] | None = None) -> str:
        """Adds the function to the library; returns its name.

        Args:
          results: The function's results.
          captures: The captures, which follow the arguments. Defaults to those that the function
            uses.
        """
        given = [x for x, _ in self.captures.values()] if captures is None else captures
        return self._enter(self._definition(results, given), self.name)

    def _definition(self, results: Sequence[Value], captures: Sequence[Any]) -> protos.FunctionDef:
        """Returns the message of the function, which has no name yet."""
        arguments = [*self.arguments, *[self.capture(x) for x in captures]]
        made = protos.FunctionDef()
        for x in arguments:
            self._enter_argument(made, x)
        done = [self.op("NoOp", after=self.effects)] if self.effects else []
        passed = [self.op("Identity", x, after=done) for x in results]
        made.node_def.extend(self.made)
        for i, x in enumerate(passed):
            name = f"output_{i}"
            made.signature.output_arg.add(name=name, type=as_dtype(x.dtype).as_datatype_enum)
            made.ret[name] = x.in_function()
        for name in self.effects:
            made.signature.control_output.append(name)
            made.control_ret[name] = name
        made.signature.is_stateful = self.is_stateful
        return made

    def _enter(self, made: protos.FunctionDef, name: str) -> str:
        """Adds the function to the library; returns its final name."""
        self.finished_as = self.library.unique(name)
        made.signature.name = self.finished_as
        self.library.functions.append(made)
        return self.finished_as

    def _enter_argument(self, made: protos.FunctionDef, x: Value) -> None:
        argument = made.signature.input_arg.add(
            name=x.node, type=as_dtype(x.dtype).as_datatype_enum
        )
        made.attr["_input_shapes"].list.shape.append(shape_proto(x.shape))
        variable = _variable_of(self, x)
        if variable is not None:
            kind, shape = variable.dtype.as_datatype_enum, shape_proto(variable.shape.as_list())
            argument.handle_data.add(dtype=kind, shape=shape)


def finish_together(
    parts: Sequence[Part], results: Sequence[Sequence[Value]], captures: Sequence[Any]
) -> list[str]:
    """Finishes the functions of one conditional or loop, whose arguments are the same.

    When TensorFlow takes the gradient of an imported conditional or loop, it changes the functions,
    and registers them for the whole process under names derived from the given ones. Functions of
    different graphs therefore need different names, which a digest of the functions provides.
    """
    made = [part._definition(outs, captures) for part, outs in zip(parts, results, strict=True)]
    whole = b"".join(x.SerializeToString(deterministic=True) for x in made)
    mark = hashlib.blake2s(whole, digest_size=4).hexdigest()
    return [part._enter(x, f"{part.name}_{mark}") for part, x in zip(parts, made, strict=True)]


def _variable_of(part: Part, x: Value) -> Variable | None:
    """Returns the variable whose handle an argument is, or None."""
    found = next((v for v, handle in part.captures.values() if handle.node == x.node), None)
    return found if isinstance(found, Variable) else None


def rule_of(node: Node) -> Callable[..., Any]:
    """Finds the rule of an operation.

    Raises:
      UnimplementedError: There is no rule.
    """
    kind = type(node.primitive).__name__
    of = node.params.get("of")
    acts = getattr(of, "repeatable", False)
    has_own_rule = of is None or acts or hasattr(of, "graphs") or isinstance(of, Results)
    found = RULES.get(node.primitive.name if has_own_rule else kind)
    found = found or (None if acts else RULES.get(kind))
    if found is None:
        raise placed(
            UnimplementedError(None, None, "TensorFlow has no corresponding operation"), node
        )
    return found


def placed(error: UnimplementedError, node: Node) -> UnimplementedError:
    """Adds the operation, and the program's line that ran it, to an error's message."""
    message = str(error.message if hasattr(error, "message") else error)
    if message.startswith("the operation "):
        return error
    place = node.line.place if node.line else ""
    where = f" ({place})" if place else ""
    return UnimplementedError(
        None, None, f"the operation {node.primitive.name}{where} can't be saved: {message}"
    )
