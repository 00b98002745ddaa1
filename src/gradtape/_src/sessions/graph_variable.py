"""Variables of graphs; each session has its own values for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

import numpy as np

from gradtape._src.base.dtypes import DType, dtype_of, resource
from gradtape._src.base.error_messages import unassignable, unequal_shapes
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.replication import VariableAggregation, VariableSynchronization, mode_of
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, readers
from gradtape._src.core.recorder import STACK, next_id, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.named.operations import Operation
from gradtape._src.ops.elementwise.identities import identity_p
from gradtape._src.sessions.handles import (
    assign_add_p,
    assign_p,
    assign_sub_p,
    handle_p,
    is_initialized_p,
    read_p,
)
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.save_slices import SaveSliceInfo

_HANDLE = ((), resource.np_dtype)


class GraphVariable(Variable):
    """A variable of a graph.

    Args:
      initial_value: The value that its initializer assigns, or a function that returns one.
      trainable: Whether optimizers update the variable. Defaults to True, or to False if
        `synchronization` is ON_READ.
      validate_shape: Whether the shape of the initial value is the static shape of the variable.
      caching_device, variable_def, import_scope: Accepted for compatibility.
      name: The variable's name, to which the names of scopes are prepended.
      dtype: The dtype to convert the initial value to.
      constraint: A function that optimizers apply after an update.
      synchronization: See `VariableSynchronization`.
      aggregation: See `VariableAggregation`.
      shape: The shape of values that may be assigned.
      collections: The names of the collections that the variable is added to, in addition to that
        of trainable variables.
    """

    _save_slice_info: SaveSliceInfo | None = None  # the place in a larger variable

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
        collections: Sequence[str] | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        graph: Any = open_graph()
        self.graph: Any = graph
        self._id = next_id()
        self._inside: list[Any] = [None]  # the value in a branch or loop that is being built
        self._synchronization = mode_of(VariableSynchronization, synchronization, name)
        self._aggregation = mode_of(VariableAggregation, aggregation, name)
        unasked = self._synchronization is not VariableSynchronization.ON_READ
        self._trainable = unasked if trainable is None else bool(trainable)
        self._constraint = constraint
        with graph.tracer.after(None), name_scope(name or "Variable") as scope:
            self._name = scope[:-1] + ":0"
            self._key = scope[:-1]  # the key under which sessions store its value
            value = self._first(initial_value, dtype, scope)
            given = value.shape if validate_shape else None
            self._shape = TensorShape(given) if shape is None else TensorShape(shape)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"The initial value's shape {value.shape} is not compatible with the "
                    f"explicitly supplied `shape` argument {self._shape}."
                )
            self._build(value, scope)
        found = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in found:
            found.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(found, self)

    @classmethod
    def imported(cls, graph: Any, name: str, dtype: DType, shape: TensorShape) -> GraphVariable:
        """Returns a variable of an imported graph, which contains its initializer.

        Args:
          graph: The graph.
          name: The variable's name, which is also the key under which sessions store its value.
          dtype: The type of its elements.
          shape: Its shape.
        """
        made = object.__new__(cls)
        made.graph, made._inside, made._name = graph, [None], f"{name}:0"
        made._synchronization = VariableSynchronization.AUTO
        made._aggregation = VariableAggregation.NONE
        made._trainable, made._constraint = False, None
        made._dtype, made._shape = dtype, shape
        known = graph.variables_of_handles.values()
        made._key = name
        same = next((v for v in known if v._key == name), None)
        made._id = next_id() if same is None else same._id
        made._initialized = made._assign_node = made._snapshot = None
        attributes = {"shared_name": name, "dtype": dtype, "shape": shape}
        node = graph.tracer.operation(handle_p, (), _HANDLE, attributes, stateful=False)
        made._handle = node.outputs[0]
        graph.variables_of_handles[made._handle] = made
        return made

    def described_by(self, name: str, initializer: Any, initial: Any, trainable: bool) -> None:
        """Sets the properties of an imported variable that are in its message.

        Args:
          name: The name of the node that makes it.
          initializer: The operation that assigns the initial value.
          initial: The initial value, a tensor.
          trainable: Whether optimizers update the variable.
        """
        self._name = f"{name}:0"
        self._assign_node, self._initial = initializer.node, initial
        self._trainable = trainable

    def begins_with(self, value: Tensor) -> None:
        """Makes the initializer assign another value.

        Args:
          value: The value.
        """
        tracer = self.graph.tracer
        with tracer.after(None):
            self._initial = self.graph.constant(value)
            self._assign_node = tracer.operation(assign_p, [self._handle, self._initial._value])

    def _first(self, initial_value: Any, dtype: Any, scope: str) -> Tensor:
        """Returns the initial value as a tensor of the graph."""
        if callable(initial_value):
            with name_scope("Initializer"):
                initial_value = initial_value()
        value = convert_to_tensor(initial_value, dtype)
        made: Tensor = self.graph.constant(value, whole_name=f"{scope}initial_value")
        return made

    def _build(self, value: Tensor, scope: str) -> None:
        """Adds the operations that every variable has."""
        tracer = self.graph.tracer
        self._dtype = dtype_of(value._value)
        entry = value._value
        attributes = {"shared_name": scope[:-1], "dtype": self._dtype, "shape": self._shape}
        handle = tracer.operation(handle_p, (), _HANDLE, attributes, scope[:-1], stateful=False)
        self._handle: Symbol = handle.outputs[0]
        self.graph.variables_of_handles[self._handle] = self
        where = f"{scope}IsInitialized/VarIsInitializedOp"
        spec = ((), np.dtype(bool))
        self._initialized = tracer.operation(is_initialized_p, [self._handle], spec, name=where)
        self._assign_node = tracer.operation(assign_p, [self._handle, entry], name=f"{scope}Assign")
        self._initial = value
        name = f"{scope}Read/ReadVariableOp"
        self._snapshot = tracer.operation(read_p, [self._handle], self._spec(), name=name)

    def _spec(self) -> Any:
        dims = None if self._shape.rank is None else self._shape.as_list()
        return self.graph.tracer.decisions.shape_of(dims), self._dtype.np_dtype

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The resource handle, a tensor that represents the variable itself, not its value."""
        return Tensor(self._handle)

    @property
    def op(self) -> Operation:
        """The operation that creates the handle."""
        found: Operation = self.graph.producer(self._handle)[0]
        return found

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        found: Operation = self.graph.operation_of(self._assign_node)
        return found

    @property
    def initial_value(self) -> Tensor:
        """The tensor that the initializer assigns."""
        found: Tensor = self._initial
        return found

    @property
    def device(self) -> str:
        return ""

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Returns a bool tensor: whether the variable is initialized in the running session."""
        if self._initialized is None:
            spec = ((), np.dtype(bool))
            operation = self.graph.tracer.operation
            self._initialized = operation(is_initialized_p, [self._handle], spec)
        return Tensor(self._initialized.outputs[0])

    def initialized_value(self) -> Tensor:
        """Returns the value after initialization."""
        with self.graph.tracer.after([self._assign_node]):
            return self.read_value()

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self._shape} dtype={self._dtype.name}>"

    def __hash__(self) -> int:
        return id(self._inside)

    def __eq__(self, other: object) -> Any:
        return isinstance(other, GraphVariable) and other._inside is self._inside

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise NotImplementedError("__deepcopy__() is only available when eager execution is on.")

    def numpy(self) -> NoReturn:
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def _numpy(self) -> Any:
        raise self.graph.tracer.needs_value(f"the value of the variable {self._name!r}")

    def fetched(self) -> Symbol:
        """Returns the value of the variable that a session returns."""
        found: Symbol = self.node().outputs[0]
        return found

    def node(self) -> Node:
        """Returns the operation that a control dependency on the variable runs."""
        if self._snapshot is None:
            with replaced((self.graph.tracer,)), self.graph.extended():
                self._snapshot = self.graph.tracer.producer(self._read_now())
        found: Node = self._snapshot
        return found

    def _read(self) -> Tensor:
        recorders = STACK.recorders
        if recorders and recorders[0].defers and recorders[0].open_graph is None:
            for watcher in recorders:
                watcher.variable_read(self)
            return Tensor(self._value, self._id)
        for watcher in recorders:
            watcher.variable_read(self)
        return Tensor(self._read_now(), self._id)

    def _after(self) -> Sequence[Node]:
        """Returns the operations that have to run before the variable is read."""
        return ()

    def _read_now(self) -> Symbol:
        """Returns the result of a new read operation."""
        tracer = self.graph.tracer
        after = self._after()
        with tracer.after(after) if after else nullcontext():
            node: Node = tracer.operation(read_p, [self._handle], self._spec())
        return node.outputs[0]

    @property
    def _value(self) -> Any:
        inside = self._inside[0]
        if inside is not None:
            return inside
        with replaced((self.graph.tracer,)):
            return self._read_now()

    def _at_hand(self) -> Any:
        return self._value

    def _described(self) -> Any:
        return self._initial._value

    def _present(self) -> Any:
        return self._value

    def _raw(self) -> Any:
        return self._value

    def _is_traced(self) -> bool:
        return False

    def _put(self, value: Any) -> None:
        """Sets the current value inside a branch or loop that is being built."""
        own = type(value) is Symbol and value.owner is self.graph.tracer
        self._inside[0] = None if own else value

    def eval(self, session: Any = None) -> object:
        """Returns the value in a session. Defaults to the default session."""
        return self.graph.evaluation(self.fetched())(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Assigns a value in a session. Defaults to the default session."""
        self.graph.session_or_default(session, "load").load(self, value)

    def _incoming(self, value: Any) -> Any:
        if isinstance(value, Variable):
            value = value._read()
        return convert_to_tensor(value, self._dtype)._value

    def _store(self, value: Any, read_value: bool = True, fits: bool = False) -> Any:
        if not self._shape.is_compatible_with(Tensor(value).shape):
            raise unassignable(self._name, self._shape, value.shape)
        return self._changed(assign_p, value, read_value)

    def _changed(self, operation: Any, value: Any, read_value: bool) -> Any:
        recorders = STACK.recorders
        if recorders and recorders[0].defers and recorders[0].open_graph is None:
            return self._changed_inside(operation, value, read_value)
        tracer = self.graph.tracer
        with replaced((tracer,)):
            entry = tracer.entry(Tensor(value))
            if operation is not assign_p:
                self._check_equal(operation.name, entry)
            node = tracer.operation(operation, [self._handle, entry])
        if not read_value:
            return self.graph.operation_of(node)
        face = object.__new__(_Assigned)
        face.__dict__.update(self.__dict__)
        face._done = node
        return face

    def _changed_inside(self, operation: Any, value: Any, read_value: bool) -> Any:
        """Assigns inside a branch or loop, which returns the new value."""
        for watcher in STACK.recorders:
            watcher.variable_written(self)
        if operation is not assign_p:
            own, delta = Tensor(self._value), Tensor(value)
            whole: Any = own + delta if operation is assign_add_p else own - delta
            value = whole._value
        if type(value) is Symbol and value.owner is self.graph.tracer:
            value = identity_p(Tensor(value))._value  # the branch's own value, not the variable's
        self._put(value)
        return self if read_value else None

    def _check_equal(self, name: str, delta: Any) -> None:
        if not self._shape.is_compatible_with(Tensor(delta).shape):
            raise unequal_shapes(name, self._described(), delta)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Returns an operation that adds to the value."""
        added: Variable = self._changed(assign_add_p, self._incoming(delta), read_value)
        return added

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Returns an operation that subtracts from the value."""
        left: Variable = self._changed(assign_sub_p, self._incoming(delta), read_value)
        return left


class _Assigned(GraphVariable):
    """The result of an assignment: the variable, which is read after the assignment."""

    _done: Node
    _result: Symbol | None = None

    @property
    def name(self) -> str:
        """The assignment's name."""
        found: str = self.op.name
        return found

    @property
    def op(self) -> Operation:
        """The operation that assigns."""
        found: Operation = self.graph.operation_of(self._done)
        return found

    def _after(self) -> Sequence[Node]:
        return (self._done,)

    def fetched(self) -> Symbol:
        if self._result is None:
            with replaced((self.graph.tracer,)), self.graph.extended():
                self._result = self._read_now()
        return self._result

    def node(self) -> Node:
        return self._done

    def _read(self) -> Tensor:
        return identity_p(super()._read())


GraphVariable.__name__ = "ResourceVariable"  # the name that programs see as type(variable).__name__
readers[GraphVariable] = GraphVariable._read
readers[_Assigned] = _Assigned._read
