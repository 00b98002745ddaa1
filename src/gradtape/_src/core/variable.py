"""Variables: values that can be assigned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base import name_scope
from gradtape._src.base.composite_tensor import AnyCompositeTensor
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.display import Reference, hash_of_variable, repr_of_variable
from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.error_messages import unassignable, unequal_shapes
from gradtape._src.base.export import export
from gradtape._src.base.replication import VariableAggregation, VariableSynchronization, mode_of
from gradtape._src.base.scope_stacks import around_init_scope
from gradtape._src.base.shapes import TensorShape
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import convert_to_tensor, readers, register_converter
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.operators import VariableMethods
from gradtape._src.core.recorder import STACK, active_tapes, next_id, outside_of_traces
from gradtape._src.core.resource_handles import handle_of
from gradtape._src.core.stored_value import NOT_COPIED, WRITES, Array, Stored
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import filter_methods, shorten
from gradtape._src.core.variable_creators import VariableMetaclass
from gradtape._src.core.version_1_methods import Version1Methods

if TYPE_CHECKING:
    from gradtape._src.core.operators import VariableSlice

_WRITING = ("assign", "assign_add", "assign_sub")
_new = object.__new__
_NOBODY = ()  # the recorders of a variable that no tape or other recorder watches


@export("Variable")
@AnyCompositeTensor.register
@wrappable("_numpy", "numpy", "to_numpy", "__array__", "__bool__", "_incoming", *_WRITING)
class Variable(  # type: ignore[misc]  # mypy meets the slots of TensorLike before their type
    TensorLike, VariableMethods, Version1Methods, Stored, Trackable, metaclass=VariableMetaclass
):
    """A tensor-valued state that is read like a tensor, changed by `assign` and watched by tapes.

    Any number of threads may read and change it: changes are atomic, and values that were read
    don't change.

    Args:
      initial_value: A value that `convert_to_tensor` takes, or a function without arguments that
        returns one.
      trainable: Whether tapes watch the variable when it is read. Defaults to True, and to False if
        `synchronization` is ON_READ.
      validate_shape, caching_device, variable_def, import_scope: Accepted for compatibility.
      name: The name, which is prefixed with the open name scopes.
      dtype: The dtype to which the initial value is converted.
      constraint: A function of the value, which optimizers apply after an update.
      synchronization: See `VariableSynchronization`.
      aggregation: See `VariableAggregation`.
      shape: The shape of values that may be assigned; defaults to the initial value's shape.
      experimental_enable_variable_lifting: Accepted for compatibility.

    Raises:
      ValueError: `initial_value` is missing, or its shape is incompatible with `shape`.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([0.5, 0.5]).numpy()
    array([1.5, 2.5], dtype=float32)
    """

    _asks_creators = True

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
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        if callable(initial_value):
            initial_value = outside_of_traces(initial_value)
        value = convert_to_tensor(initial_value, dtype)._value
        self._shape = TensorShape.of(value.shape) if shape is None else TensorShape(shape)
        if not self._shape.is_compatible_with(TensorShape.of(value.shape)):
            raise ValueError(
                f"The initial value's shape {value.shape} is not compatible with the explicitly "
                f"supplied `shape` argument {self._shape}."
            )
        self._value, self._id = value, next_id()
        self._synchronization = mode_of(VariableSynchronization, synchronization, name)
        self._aggregation = mode_of(VariableAggregation, aggregation, name)
        unasked = self._synchronization is not VariableSynchronization.ON_READ
        self._trainable = unasked if trainable is None else bool(trainable)
        self._name = name_scope.current() + (name or "Variable") + ":0"
        self._constraint = constraint
        self.__dict__ = {**self.__dict__}  # without shared keys, which Python 3.11 reads slowly
        for maker in STACK.recorders[:1] or around_init_scope.get():
            maker.variable_made(self)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        value = self.__dict__.get("_value")
        return dtype_of(self._described() if value is None else value)

    @property
    def shape(self) -> TensorShape:
        """The shape that values must have."""
        return self._shape

    @property
    def name(self) -> str:
        """The name with its scopes, ending in ":0"."""
        return self._name

    @property
    def _shared_name(self) -> str:
        return self._name[:-2]

    @property
    def _unique_id(self) -> str:
        return f"{self._name[:-2]}_{self._id}"

    handle = property(handle_of, doc="A scalar of dtype `resource` that represents the variable.")
    trainable = property(attrgetter("_trainable"), doc="Whether tapes watch it when it is read.")
    constraint = property(
        attrgetter("_constraint"), doc="The function that optimizers apply after an update."
    )
    synchronization = property(
        attrgetter("_synchronization"), doc="The time at which replicas synchronize the variable."
    )
    aggregation = property(
        attrgetter("_aggregation"), doc="The way to combine updates of replicas."
    )

    def set_shape(self, shape: Any) -> None:
        """Checks the shape.

        Args:
          shape: The expected shape, in which None is an unknown length.

        Raises:
          ValueError: The variable's shape is incompatible with `shape`.
        """
        self.read_value().set_shape(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Returns whether the variable has a value, which is always true.

        Args:
          name: Accepted for compatibility.

        Returns:
          A bool tensor.
        """
        return Tensor(np.True_)

    def ref(self) -> Reference[Variable]:
        """Returns a hashable reference to this variable.

        Returns:
          A reference, equal to others to the same variable; `deref` returns the variable.
        """
        return Reference(self)

    def __hash__(self) -> int:
        return hash_of_variable(self)

    def __repr__(self) -> str:
        return repr_of_variable(self, STACK.recorders)

    if TYPE_CHECKING:

        def __getitem__(self, key: Any, /) -> VariableSlice: ...

    def _read(self) -> Tensor:
        """Returns the value as a tensor that tapes identify with the variable, without a record."""
        tapes = active_tapes()
        for watcher in STACK.recorders if tapes is None else tapes:
            watcher.variable_read(self)
        out = _new(Tensor)
        out._value = self._value
        out._id = self._id
        return out

    def read_value(self) -> Tensor:
        """Returns the current value, which later assignments do not change.

        Returns:
          A tensor.
        """
        return self._copy_of(self._read())

    def value(self) -> Tensor:
        """Returns the current value, which later assignments do not change.

        Returns:
          A tensor.
        """
        return self.read_value()

    def numpy(self) -> Any:
        """Copies the current value into a NumPy array.

        Returns:
          An array, or a NumPy scalar for a variable of rank 0.
        """
        return Tensor(self._present()).numpy()

    to_numpy = numpy  # as for a tensor

    def _numpy(self) -> Any:
        return Tensor(self._present())._numpy()

    def __bool__(self) -> bool:
        return bool(Tensor(self._present()))

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def _incoming(self, value: Any) -> Any:
        """Returns a raw value to assign, of the variable's dtype."""
        if type(value) is Tensor and (raw := value._value).dtype is self._value.dtype:
            return raw
        if isinstance(value, Variable):
            value = value.read_value()
        try:
            return convert_to_tensor(value, self.dtype)._value
        except Exception as error:
            shorten(error)
            raise

    def _store(self, value: Any, read_value: bool = True, fits: bool = False) -> Variable:
        """Replaces the value, if it `fits` or has such a shape; `state_lock` must be held."""
        kept = self.__dict__
        if not fits:
            shape = value.shape
            equal = type(shape) is tuple and self._shape._dims == shape
            if not (equal or self._shape.is_compatible_with(Tensor(value).shape)):
                raise unassignable(self._name, self._shape, shape)
        WRITES[0] += 1
        if active_tapes() == _NOBODY:
            self._value = value
        else:
            for watcher in STACK.recorders:
                watcher.variable_written(self)
            self._put(value)
        if "_buffer" in kept:
            del kept["_buffer"]
        if not read_value:
            return None  # type: ignore[return-value]  # not requested
        unread = _new(_UnreadVariable)
        unread.__dict__ = kept  # both objects share the state of the variable
        return unread

    def _replace(self, value: Any) -> None:
        """Replaces the value by a raw one of the right dtype."""
        with state_lock:
            self._store(value, read_value=False)

    def _change(self, edit: Callable[[Array], object]) -> Variable:
        """Lets a function change the array in place; `state_lock` must be held."""
        for watcher in STACK.recorders:
            watcher.variable_written(self)
        WRITES[0] += 1
        edit(self._writable())
        unread = object.__new__(_UnreadVariable)
        unread.__dict__ = self.__dict__
        return unread

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Gives the variable a new value.

        Args:
          value: A value that `convert_to_tensor` takes, of the variable's dtype and shape.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether to return the variable rather than None.

        Returns:
          The variable, if `read_value` is True.

        Raises:
          ValueError: The dtype or shape of `value` differs from the variable's.
        """
        value = self._incoming(value)
        with state_lock:
            return self._store(value, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Adds to the variable's value.

        Args:
          delta: The value to add, of the variable's dtype and shape.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether to return the variable rather than None.

        Returns:
          The variable, if `read_value` is True.

        Raises:
          ValueError: The dtype or shape of `delta` differs from the variable's.
        """
        delta = self._incoming(delta)
        with state_lock:
            value = self._value if active_tapes() == _NOBODY else self._present()
            if delta.shape != value.shape:
                raise unequal_shapes("AssignAddVariableOp", value, delta)
            return self._store(value + delta, read_value, True)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Subtracts from the variable's value.

        Args:
          delta: The value to subtract, of the variable's dtype and shape.
          use_locking: Accepted for compatibility.
          name: Accepted for compatibility.
          read_value: Whether to return the variable rather than None.

        Returns:
          The variable, if `read_value` is True.

        Raises:
          ValueError: The dtype or shape of `delta` differs from the variable's.
        """
        delta = self._incoming(delta)
        with state_lock:
            value = self._value if active_tapes() == _NOBODY else self._present()
            if delta.shape != value.shape:
                raise unequal_shapes("AssignSubVariableOp", value, delta)
            return self._store(value - delta, read_value, True)

    def _present(self) -> Any:
        """Returns the raw value for an update that computes a new one; tapes are not notified."""
        for watcher in STACK.recorders:
            watcher.hold(self)
        return self._value

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied = object.__new__(Variable)
        value = self._value  # this fetches the value from its device
        copied.__dict__.update(self.__dict__)
        for name in NOT_COPIED:
            copied.__dict__.pop(name, None)
        copied._value, copied._id = value, next_id()
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        left = ("_id", "_constraint", *NOT_COPIED)
        state = {k: v for k, v in self.__dict__.items() if k not in left}
        return _unpickle, ({**state, "_value": self._value},)


Variable.__name__ = "ResourceVariable"  # what programs print of type(variable).__name__


class _UnreadVariable(Variable):
    """The result of an assignment: another object for the same variable."""

    name = "UnreadVariable"
    op = None  # that of an assignment which is not part of a graph of TensorFlow 1


def _unpickle(state: dict[str, Any]) -> Variable:
    variable = object.__new__(Variable)
    variable.__dict__.update(state)
    variable._id, variable._constraint = next_id(), None
    return variable


def _convert(variable: Variable, dtype: DType | None) -> Any:
    if getattr(variable, "_id", None) is None:
        return NotImplemented  # a subclass without a value of its own registers its conversion
    if dtype is not None and as_dtype(dtype) is not variable.dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type {dtype.name!r} for variable of type "
            f"{variable.dtype.name!r} (tf.cast converts)"
        )
    return variable._read()


filter_methods(Variable, *_WRITING)
readers[Variable] = Variable._read
register_converter(Variable, _convert, priority=0)
