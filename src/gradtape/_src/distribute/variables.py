"""Variables of strategies with several replicas.

All replicas share one value as long as they agree on it. A replica that writes a different value
gets separate memory, so that values may differ between replicas, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.device_values import MISSING, state_lock
from gradtape._src.base.dtypes import DType
from gradtape._src.base.replication import VariableAggregation, VariableSynchronization
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.operators import VariableMethods, register_method
from gradtape._src.core.recorder import next_id, replaced
from gradtape._src.core.stored_value import Array
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.open_graphs import new_variable
from gradtape._src.distribute.context import (
    ReduceOp,
    Strategy,
    current,
    inside,
    local_place,
    placed,
    replica_context,
)
from gradtape._src.distribute.replica_values_in_jit import is_for_xla
from gradtape._src.distribute.values import DistributedValues, split
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.identities import stop_gradient

_new = new_variable
_LEFT = ("_value", "_buffer", "_device", "_own")  # the attributes that all shares have in common
_SYNCHRONIZATION = 9  # the position of the argument in `Variable`'s signature


class DistributedVariable(DistributedValues, Variable):
    """The base class of the variables of strategies with several replicas.

    Attributes:
      _strategy: The strategy; None while the variable is being made.
      _kept: The raw value that is kept while a function that uses the variable is traced.
      _shares: The objects that graphs hold in place of the variable if replicas may differ.
      _own: The raw values of the replicas of this process if they differ, else None.
      _parts: In place of `_own`, one array on the devices whose first axis is that of replicas.
      _differs: Whether compiled functions keep a value for each replica.
    """

    _replicated = True
    _strategy: Any = None
    _kept: Any = MISSING
    _shares: list[Share] | None = None
    _own: list[Any] | None
    _parts: Any
    _differs: bool

    def __init__(self, initial_value: Any = None, *args: Any, **kwargs: Any) -> None:
        if "_id" in self.__dict__:
            return  # the variable that the first replica created
        self._own = self._parts = None
        self._differs = False
        with inside(None):
            super().__init__(initial_value, *args, **kwargs)
            self.__dict__["_value"] = self._strategy._first_value(self.__dict__["_value"])
        if isinstance(self, SyncOnReadVariable):
            self._trainable = _trainable(args, kwargs) is True
        else:
            self._synchronization = VariableSynchronization.ON_WRITE

    # Storage of the values.

    @property
    def _value(self) -> Any:
        kept = self.__dict__
        if self._shares is not None and (held := self._shares[local_place() or 0]).held:
            return held.symbol
        if self._kept is MISSING and (self._own is not None or self._parts is not None):
            return self._owned()[local_place() or 0]
        return kept["_value"] if "_value" in kept else self._missing("_value")

    @_value.setter
    def _value(self, value: Any) -> None:
        kept = self.__dict__
        if self._kept is not MISSING or self._strategy is None:
            kept["_value"] = value
            return
        place = local_place()
        if self._shares is not None and self._shares[0].held:
            for share in self._shares if place is None else [self._shares[place]]:
                share.symbol = value
            return
        if place is None:
            kept["_value"] = value
            self._settle()
            return
        own = self._owned()
        own[place] = value
        if not place:
            kept["_value"] = value

    def _missing(self, name: str) -> Any:
        if name == "_value":
            with state_lock:  # No other thread writes in the meantime.
                kept = self.__dict__
                device = kept.get("_device")
                if device is not None and "_value" not in kept:  # The value is only on the devices.
                    kept["_value"] = value = self._strategy._fetched(device[0])
                    self._device = (device[0], value)
                    return value
        return super()._missing(name)

    if not TYPE_CHECKING:  # Type checkers report an unknown name as an error.
        __getattr__ = _missing

    def _owned(self) -> list[Any]:
        """Returns the values of the replicas of this process, which may be changed."""
        if self._own is None:
            if self._parts is not None:
                self._own, self._parts = self._strategy._taken_apart(self._parts), None
                self.__dict__["_value"] = self._own[0]
            else:
                # The replicas have different values, so that the combined value is computed.
                shared = self._primary()
                self._own = [shared] * self._strategy._local_replicas
            self.__dict__.pop("_device", None)
        return self._own

    def _primary(self) -> Any:
        """Returns the raw value of the first replica."""
        if self._own is not None:
            return self._own[0]
        if self._parts is not None:
            return self._owned()[0]
        kept = self.__dict__
        return kept["_value"] if "_value" in kept else self._missing("_value")

    def _begin_tracing(self, value: Any) -> None:
        self._kept = self._primary()
        self.__dict__["_value"] = value

    def _end_tracing(self) -> Any:
        last, self.__dict__["_value"] = self.__dict__["_value"], self._kept
        del self._kept
        return last

    def _at_hand(self) -> Any:
        return self.__dict__["_value"] if self._is_traced() else super()._at_hand()

    def _is_traced(self) -> bool:
        return self._kept is not MISSING

    def _raw(self) -> Any:
        return self._kept if self._is_traced() else self._primary()

    def _read(self) -> Tensor:
        out = super()._read()
        if local_place() and type(out._value) is Symbol:
            # In TensorFlow, tapes around the function follow the first replica's variable only.
            tracer = active_compiler()
            with replaced((tracer,)):
                return Tensor(stop_gradient(Tensor(out._value))._value, self._id)
        return out

    def _in_graphs(self, written: bool = False) -> list[Any]:
        may_differ = isinstance(self, SyncOnReadVariable) or not self._alike
        if is_for_xla(active_compiler()):
            if may_differ or written:
                self._strategy._traced_context()  # Every replica must run this operation.
            return [self]
        if self._kept is not MISSING or not (
            may_differ or self._aggregation is VariableAggregation.NONE
        ):
            return [self]
        if self._shares is None:
            self._shares = [Share(self, i) for i in range(self._strategy._local_replicas)]
        place = local_place() if written else None
        return self._shares if place is None else [self._shares[place]]

    def _settle(self) -> None:
        """Discards separate values of replicas."""
        self._own = self._parts = None

    @property
    def _alike(self) -> bool:
        return self._own is None and self._parts is None

    @property
    def values(self) -> tuple[Any, ...]:
        """The variables of the replicas of this process."""
        return tuple([_Part(self, i) for i in range(self._strategy._local_replicas)])

    _values = values  # libraries read this name of TensorFlow's, too

    def _part(self, i: int) -> Any:
        return self

    @property
    def distribute_strategy(self) -> Strategy | None:
        """The strategy that the variable was made under."""
        strategy: Strategy | None = self._strategy
        return strategy

    def __repr__(self) -> str:
        shown = ",\n".join(f"  {i}: {v!r}" for i, v in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{shown}\n}}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied = Variable.__deepcopy__(self, memo)
        for name in ("_strategy", "_kept", "_own", "_parts", "_differs"):
            copied.__dict__.pop(name, None)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return self.__deepcopy__({}).__reduce__()

    def _store(self, value: Any, read_value: bool = True, fits: bool = False) -> Any:
        context = replica_context()
        if context is not None and context.traced:
            self._differs = True
        super()._store(value, read_value=False)
        return self if read_value else None

    def _change(self, edit: Callable[[Array], object]) -> Any:
        array = self._value.copy()
        edit(array)
        return self._store(array)

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Assigns a value; in a replica, the replicas' values are combined by `aggregation`."""
        out: Variable = self._changed("assign", value, read_value)
        return out

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Adds to the value; in a replica, the replicas' summands are combined by `aggregation`."""
        out: Variable = self._changed("assign_add", delta, read_value)
        return out

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Subtracts from the value; in a replica, the values are combined by `aggregation`."""
        out: Variable = self._changed("assign_sub", delta, read_value)
        return out

    def _changed(self, name: str, value: Any, read_value: bool) -> Any:
        self._check_strategy()
        return getattr(super(), name)(value, read_value=read_value)

    def _check_strategy(self) -> None:
        """Raises an error if replicas of another strategy write to the variable."""
        context = replica_context()
        if context is not None and context.strategy is not self._strategy:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: the variable {self.name!r} is "
                f"of {self._strategy!r}, and {context.strategy!r} runs the replica that writes it"
            )


class MirroredVariable(DistributedVariable):
    """A variable with the same value in all replicas."""

    def _changed(self, name: str, value: Any, read_value: bool) -> Any:
        context = replica_context()
        if context is None or self._aggregation is VariableAggregation.NONE:
            return super()._changed(name, value, read_value)
        self._check_strategy()

        def change(strategy: Any, value: Any) -> Any:
            method = getattr(Variable, name)
            return method(self, self._aggregated(strategy, value), read_value=read_value)

        context.merge_call(change, args=(value,))
        return self if read_value else None

    def _change(self, edit: Callable[[Array], object]) -> Any:
        if not self._alike or local_place() is not None or self._kept is not MISSING:
            return super()._change(edit)
        Variable._change(self, edit)
        return self

    def _aggregated(self, strategy: Any, value: Any) -> Any:
        """Combines the replicas' values by the variable's `aggregation`."""
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return strategy._of_first_replica(value)
        reduce_op = ReduceOp.from_variable_aggregation(self._aggregation)
        reduced = strategy.reduce(reduce_op, value, axis=None)
        return convert_to_tensor(reduced, self.dtype) if isinstance(reduced, float) else reduced

    def _update(self, key: Any, values: Any, combine: str) -> Any:
        context = replica_context()
        aggregation = self._aggregation
        if context is None or aggregation is VariableAggregation.NONE:
            return Variable._update(self, key, values, combine)
        self._check_strategy()
        first = aggregation is VariableAggregation.ONLY_FIRST_REPLICA
        if combine in ("update", "maximum", "minimum") and not first:
            raise NotImplementedError(
                f"scatter_{combine}: replicas can do this to a variable with the aggregation NONE "
                f"or ONLY_FIRST_REPLICA, but {self.name!r} has {aggregation.name}"
            )

        def change(strategy: Any, given: Any) -> None:
            if first:
                keys, rows = strategy._of_first_replica(given)
                Variable._update(self, _raw_key(keys), rows, combine)
                return
            scale = strategy.num_replicas_in_sync if aggregation is VariableAggregation.MEAN else 1
            for keys, rows in strategy._everywhere(given):
                Variable._update(self, _raw_key(keys), convert_to_tensor(rows) / scale, combine)

        context.merge_call(change, args=((_key(key), values),))
        return self


def _key(key: Any) -> Any:
    """Converts raw values in a key to tensors, so that the keys of replicas may differ."""
    raw = (np.ndarray, np.generic, Symbol)
    return nest.map_structure(lambda x: Tensor(x) if isinstance(x, raw) else x, key)


def _raw_key(key: Any) -> Any:
    return nest.map_structure(lambda x: x._value if type(x) is Tensor else x, key)


class SyncOnReadVariable(DistributedVariable):
    """A variable with a value for each replica, which are combined when it is read."""

    @property
    def _value(self) -> Any:
        if self._kept is not MISSING:
            return self._combined_when_traced(self.__dict__["_value"])
        if local_place() is not None:
            return DistributedVariable._value.fget(self)  # type: ignore[attr-defined]
        return self._combined()

    @_value.setter
    def _value(self, value: Any) -> None:
        DistributedVariable._value.fset(self, value)  # type: ignore[attr-defined]

    def _combined_when_traced(self, part: Any) -> Any:
        if replica_context() is not None:
            return part
        how, strategy = self._aggregation, self._strategy
        if how is VariableAggregation.ONLY_FIRST_REPLICA:
            return strategy._first_part(split(Tensor(part)))._value
        whole = strategy._across(Tensor(part), ReduceOp.from_variable_aggregation(how))
        return cast(whole, self.dtype)._value

    def _combined(self) -> Any:
        if replica_context() is not None:  # this process has a single replica
            return DistributedVariable._value.fget(self)  # type: ignore[attr-defined]
        how = self._aggregation
        if self._shares is not None and self._shares[0].held:
            parts: Any = [Tensor(share.symbol) for share in self._shares]
        else:
            parts = [Tensor(v) for v in self._owned()] if not self._alike else None
        if parts is None:
            value = DistributedVariable._value.fget(self)  # type: ignore[attr-defined]
            parts = [Tensor(value)] * self._strategy._local_replicas
        if how is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._strategy._first_of_all(parts[0]._value)
        op = ReduceOp.from_variable_aggregation(how)
        out = self._strategy._reduced(op, parts)
        return cast(out, self.dtype)._value

    def _changed(self, name: str, value: Any, read_value: bool) -> Any:
        if self._is_summed_here() and name != "assign":
            raise ValueError(
                f"SyncOnReadVariable does not support `{name}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )
        if self._aggregation is VariableAggregation.NONE and self._is_across():
            raise ValueError(
                f"SyncOnReadVariable does not support `{name}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.NONE`: assign in a replica."
            )
        return super()._changed(name, value, read_value)

    def _is_across(self) -> bool:
        """Whether the program runs for all replicas together."""
        return replica_context() is None and current.place is None

    def _is_summed_here(self) -> bool:
        """Whether a value written in the cross-replica context is the sum of all shares."""
        return self._aggregation is VariableAggregation.SUM and self._is_across()

    def _store(self, value: Any, read_value: bool = True, fits: bool = False) -> Any:
        if not self._is_summed_here():
            return super()._store(value, read_value)
        strategy, count = self._strategy, self._strategy.num_replicas_in_sync
        if value.dtype.kind in "iu" and self._kept is MISSING:
            share, left = np.divmod(value, value.dtype.type(count))
            super()._store(share, read_value=False)
            first = strategy._first_replica
            self._own = [
                share + (left > first + i).astype(value.dtype)
                for i in range(strategy._local_replicas)
            ]
        else:
            super()._store((value / count).astype(value.dtype), read_value=False)
        return self if read_value else None


class _Part(Variable):
    """A replica's component of a variable, as in the property `values`."""

    _of_replica = True
    _whole_variable: DistributedVariable
    _place: int

    def __init__(self, whole: DistributedVariable, place: int) -> None:
        kept = {k: v for k, v in whole.__dict__.items() if k not in _LEFT}
        self.__dict__.update(kept, _whole_variable=whole, _place=place)

    def _change(self, edit: Callable[[Array], object]) -> Any:
        array = self._value.copy()
        edit(array)
        return self._store(array)

    @property
    def _value(self) -> Any:
        with placed(self._place):
            return self._whole_variable._value

    @_value.setter
    def _value(self, value: Any) -> None:
        with placed(self._place):
            self._whole_variable._value = value

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._whole_variable.dtype

    @property
    def name(self) -> str:
        """The name, which includes the replica's index."""
        stem, place = self._name[:-2], self._place
        return f"{stem}/replica_{place}:0" if place else self._name

    def __repr__(self) -> str:
        return Variable.__repr__(self).replace(repr(self._name), repr(self.name), 1)


class Share(_Part):
    """A replica's component of a variable in a graph.

    That of the first replica has the id of the variable, so that tapes around the function follow
    it.

    Attributes:
      symbol: Its symbol while a function is traced.
      held: Whether a function that uses it is being traced.
    """

    def __init__(self, whole: DistributedVariable, place: int) -> None:
        super().__init__(whole, place)
        self._id = next_id() if place else whole._id
        self.symbol: Any = None
        self.held = False

    def _at_hand(self) -> Any:
        return self.symbol if self.held else self._value

    def _is_traced(self) -> bool:
        return self.held

    def _raw(self) -> Any:
        owned = self._whole_variable._owned()
        return owned[self._place]

    def _begin_tracing(self, value: Any) -> None:
        if is_for_xla(active_compiler()):  # a function that was traced earlier left it
            self._whole_variable._strategy._traced_context()
        self.symbol, self.held = value, True

    def _put(self, value: Any) -> None:
        if self.held:
            self.symbol = value
        else:
            self._value = value

    def _end_tracing(self) -> Any:
        last, self.symbol, self.held = self.symbol, None, False
        return last


def _make(cls: type, *args: Any, **kwargs: Any) -> Any:
    """Replaces `Variable.__new__`, to create the variables of strategies with replicas."""
    if cls is not Variable or not (current.scopes or current.contexts):
        return _new(cls)
    context = current.contexts[-1] if current.contexts else None
    if context is None and not current.scopes:
        return _new(cls)
    strategy = current.scopes[-1] if context is None else context.strategy
    if strategy._alone and not strategy._mirrors:
        return _new(cls)
    run = None if context is None else context._run
    if run is not None:
        assert context is not None
        context.made += 1
        if context.local and context.made <= len(run.made):
            return run.made[context.made - 1]
    made: Any = _new(_kind(args, kwargs))
    made._strategy = strategy
    if run is not None and context is not None and not context.local:
        run.made.append(made)
    return made


def _kind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> type[DistributedVariable]:
    place = _SYNCHRONIZATION
    asked = args[place] if len(args) > place else kwargs.get("synchronization")
    if asked is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {kwargs.get('name')}"
        )
    if asked is not VariableSynchronization.ON_READ:
        return MirroredVariable
    return SyncOnReadVariable


def _trainable(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[1] if len(args) > 1 else kwargs.get("trainable")


register_method(VariableMethods, "__new__", _make)


def is_variable_of(strategy: Any, v: Any) -> bool:
    """Whether a variable was made under a strategy."""
    return getattr(v, "_strategy", None) is strategy
