"""Strategies, which run a program's replicas on several devices and in several processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.replication import here, replicas
from gradtape._src.base.scope_stacks import Scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.distribute import collectives, compiled
from gradtape._src.distribute.context import (
    DefaultContext,
    ReduceOp,
    ReplicaContext,
    chosen,
    collective_operations,
    current,
    inside,
    merging,
    reduction,
    replica_context,
)
from gradtape._src.distribute.datasets import (
    DistributedDataset,
    DistributedDatasetsFromFunction,
)
from gradtape._src.distribute.extended import StrategyExtended
from gradtape._src.distribute.input_options import (
    InputContext,
    made_dataset,
    refuse_for_each_replica,
)
from gradtape._src.distribute.lockstep import one_by_one
from gradtape._src.distribute.replica_values_in_jit import is_for_xla, parts, splits
from gradtape._src.distribute.values import DistributedValues, PerReplica, ValueContext, part_of
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.reduce.reductions import reduce_sum

R = TypeVar("R")
V = TypeVar("V")

collective_operations.provide(collectives)


@export("distribute.Strategy")
class Strategy:
    """The base class of strategies, which compute on several devices.

    Attributes:
      extended: Additional methods, which are mainly used by libraries.
      cluster_resolver: The object for communication with other processes; None if there are none.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> float(strategy.run(lambda: v * 3.0))
    6.0
    """

    cluster_resolver: Any = None
    _local_replicas = 1  # the number of replicas in this process
    _mirrors = False  # whether variables are mirrored even if there is only one replica
    _first_replica = 0  # the index of the first replica in this process
    _processes: Any = None  # the object that sums over processes; None for a single process
    _sharding: Any = None  # the compiler for several devices, made on first use

    def __init__(self) -> None:
        self.extended = StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._local_replicas

    @property
    def _alone(self) -> bool:
        """Whether there is only one replica."""
        return self._local_replicas == 1 and self._processes is None

    def scope(self) -> Scope:
        """Returns a scope in which this strategy is the current one, and variables are made for it.

        Returns:
          A context manager, which returns the strategy when it is entered.

        Raises:
          RuntimeError: Another strategy is the current one, or a replica is running.
        """
        return chosen(self, self._check_scope)

    def _check_scope(self) -> None:
        """Raises RuntimeError if this strategy can't become the current one."""
        context = current.contexts[-1] if current.contexts else None
        before = _innermost()
        if before is not self and before is not _default:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {self!r} is not {before!r}"
            )
        if context is not None and before is not _default:
            raise merging(self)

    def run(
        self,
        fn: Callable[..., R],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> R:
        """Calls a function in each replica.

        Args:
          fn: The function. A `tf.function` with `jit_compile=True` becomes one program for all
            devices.
          args: The arguments; a replica gets its part of a `PerReplica`.
          kwargs: The keyword arguments.
          options: Accepted for compatibility.

        Returns:
          The result of `fn`, with a `PerReplica` for each value if there are several replicas.

        Raises:
          RuntimeError: A replica is running already.
          ValueError: `args` is not a sequence.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        named = kwargs or {}
        if self._alone:
            with inside(ReplicaContext(self)):
                return fn(*args, **named)
        if replica_context() is not None:
            raise merging(self)
        traced: R = self._when_traced(fn, args, named)
        if traced is not NotImplemented:
            return traced
        if self._local_replicas == 1:
            with inside(ReplicaContext(self, self._first_replica)):
                return fn(*args, **named)
        return one_by_one(self, fn, args, named)

    def _when_traced(self, fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Runs replicas as part of a compiled function; returns NotImplemented elsewhere."""
        compiler = active_compiler()
        if not compiler:
            whole = compiled.program_of(self, fn)
            return NotImplemented if whole is None else whole(list(args), kwargs)
        if not is_for_xla(compiler):
            if self._local_replicas == 1:
                with replaced((compiler,)), inside(ReplicaContext(self, self._first_replica)):
                    return fn(*args, **kwargs)
            return one_by_one(self, fn, args, kwargs, compiler)
        context = self._traced_context()
        with inside(context):
            out = fn(*parts(list(args)), **parts(kwargs))
        return splits(out)

    def _traced_context(self) -> Any:
        """Returns the context of a replica in a function that is compiled once for all replicas."""
        return compiled.context_of(self)

    def reduce(self, reduce_op: Any, value: V, axis: Any) -> V:
        """Combines the replicas' values, and the elements along an axis.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value: A `PerReplica` or nested structure of them.
          axis: An axis along which elements are also reduced, whose length may differ between
            replicas, or None.

        Returns:
          Tensors in the structure of `value`.

        Raises:
          ValueError: The reduction is unknown, or a value does not come from several replicas.
          InvalidArgumentError: The replicas' shapes differ.
        """
        op = reduction(reduce_op)
        if replica_context() is not None:
            raise merging(self)
        reduced: V = nest.map_structure(lambda v: self._reduce(op, v, axis), value)
        return reduced

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is not None:
            return self._reduce_along(op, value, axis)
        if self._alone:
            return (
                convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value
            )
        if isinstance(value, PerReplica):
            if value._traced:
                return self._across(value._whole, op)
            return self._reduced(op, value.values)
        if op is ReduceOp.MEAN and self._processes is None:
            return value
        if self._local_replicas == 1 and not isinstance(value, (bool, int, float, str)):
            return self._reduced(op, [value])
        raise ValueError(
            f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce op "
            f"{op}."
        )

    def _reduce_along(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        """Reduces along an axis and over replicas; a mean is taken over all elements."""
        if self._alone or not isinstance(value, PerReplica):
            parts = [convert_to_tensor(value)] * self._local_replicas
        elif value._traced:
            parts = [convert_to_tensor(value._whole)]
        else:
            parts = [convert_to_tensor(v) for v in value.values]
        totals = [reduce_sum(x, axis) for x in parts]
        traced = isinstance(value, PerReplica) and value._traced
        if traced:
            total = self._across(totals[0], ReduceOp.SUM)
        else:
            total = self._reduced(ReduceOp.SUM, totals)
        if op is ReduceOp.SUM:
            return total
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        counts = [collectives.count(x, axes) for x in parts]
        if traced:
            return total / (counts[0] * self.num_replicas_in_sync)
        later = self._processes is not None and active_compiler() is not None
        if later or any(type(n) is Tensor for n in counts):
            return total / cast(self._reduced(ReduceOp.SUM, counts), total.dtype)
        return total / int(self._sum_processes([np.float64(sum(counts))])[0])

    def _across(self, x: Any, op: ReduceOp) -> Any:
        """Combines a traced value over all replicas."""
        return collectives.all_reduce(self._traced_context(), op, x)

    def _reduced(self, op: ReduceOp, parts: Sequence[Any]) -> Any:
        """Returns the sum or mean of values over the replicas of all processes."""
        if isinstance(parts[0], IndexedSlices):
            context = ReplicaContext(self, self._first_replica)
            values = concat([p.values for p in parts], 0)
            indices = concat([p.indices for p in parts], 0)
            rows = IndexedSlices(values, indices, parts[0].dense_shape)
            return collectives.all_reduce(context, op, rows) if self._processes else rows
        xs = [convert_to_tensor(p) for p in parts]
        for x in xs:
            if x._value.dtype.kind in "Ob":
                raise InvalidArgumentError(
                    None,
                    None,
                    f"reduce: values of dtype {xs[0].dtype.name} "
                    "can't be summed (tf.cast converts booleans to numbers)",
                )
        total: Tensor = collectives.total(xs)
        if self._processes is not None:
            total = Tensor(self._sum_processes([total._value])[0])
        return total / self.num_replicas_in_sync if op is ReduceOp.MEAN else total

    def gather(self, value: V, axis: int) -> V:
        """Concatenates the replicas' values along an axis.

        Args:
          value: A `PerReplica` or nested structure of them; lengths along `axis` may differ.
          axis: The axis, not negative.

        Returns:
          Tensors in the structure of `value`.

        Raises:
          ValueError: There is no such axis.
        """
        if replica_context() is not None:
            raise merging(self)

        def gathered(v: Any) -> Any:
            if isinstance(v, PerReplica) and v._traced:
                return collectives.all_gather(self._traced_context(), v._whole, axis)
            if not isinstance(v, PerReplica) and self._processes is None:
                return v
            parts = v.values if isinstance(v, PerReplica) else [v]
            xs = [convert_to_tensor(p) for p in parts]
            raws = [x._value for x in xs]
            if not 0 <= axis < raws[0].ndim:
                raise ValueError(
                    f"gather: axis must be from 0 to {raws[0].ndim - 1} for values of shape "
                    f"{raws[0].shape}, got {axis} (a scalar has no axis: tf.expand_dims)"
                )
            everything = self._gather_processes(raws, axis)
            if STACK.recorders:
                others = [Tensor(raw) for raw in everything]
                return concat(others if self._processes is not None else xs, axis)
            return Tensor(collectives.joined(everything, axis, "gather"))

        whole: V = nest.map_structure(gathered, value)
        return whole

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of the replicas of this process.

        Args:
          value: A result of `run`, or a nested structure of results. Any other value is treated as
            the value of a single replica.

        Returns:
          A tuple with the value of each replica of this process.
        """
        if isinstance(value, DistributedValues):
            return value.values
        if nest.is_nested(value):
            count = self._local_replicas
            return tuple([part_of(i, value, count) for i in range(count)])
        return (value,)

    unwrap = experimental_local_results  # TensorFlow's older name

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> Dataset | DistributedDataset:
        """Divides the batches of a dataset among the replicas.

        Each batch of b elements is divided into parts of ⌈b/n⌉; the last parts may be shorter, or
        empty. Several processes share the elements by the dataset's `auto_shard_policy`: every n-th
        file for each (FILE, and AUTO if all elements come from files), the parts of each batch
        (DATA, and AUTO otherwise), or all elements for each (OFF).

        Args:
          dataset: A batched `tf.data.Dataset`.
          options: A `tf.distribute.InputOptions`.

        Returns:
          A `DistributedDataset`; for the default strategy, the dataset itself.

        Raises:
          TypeError: `dataset` is not a dataset.
          NotImplementedError: The options' replication mode is PER_REPLICA.
          NotFoundError: The policy is FILE, and the elements are not those of files.
          ValueError, InvalidArgumentError: The dataset is not batched, or there are fewer files
            than processes; raised during iteration.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"dataset must be a tf.data.Dataset, got {type(dataset).__name__}")
        refuse_for_each_replica(options)
        if type(self) is _DefaultDistributionStrategy:
            return dataset
        return DistributedDataset(dataset, self)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Dataset | DistributedDatasetsFromFunction:
        """Distributes a dataset whose batches have the size of one replica, made by a function.

        Args:
          dataset_fn: A function that is called with an `InputContext` in each process. It returns a
            dataset from which the replicas take batches in turn.
          options: A `tf.distribute.InputOptions`. With the replication mode PER_REPLICA, the
            function is called for each replica, and the `InputContext` counts replicas.

        Returns:
          A distributed dataset; for the default strategy, the function's result.

        Raises:
          TypeError: `dataset_fn` does not return a dataset.
        """
        count, local = self.num_replicas_in_sync, self._local_replicas
        dataset = made_dataset(dataset_fn, options, self._first_replica, local, count)
        if type(self) is _DefaultDistributionStrategy:
            return dataset
        return DistributedDatasetsFromFunction(dataset, self)

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[Any], R]
    ) -> R | PerReplica:
        """Calls a function for each replica, and combines the values into a `PerReplica`.

        Args:
          value_fn: A function of a `ValueContext`.

        Returns:
          A `PerReplica`, or the value itself if this process has one replica.
        """
        first, count = self._first_replica, self.num_replicas_in_sync
        parts = [value_fn(ValueContext(first + i, count)) for i in range(self._local_replicas)]
        return parts[0] if len(parts) == 1 else PerReplica(parts)

    # Communication between processes, which a single process doesn't need.

    def _sum_processes(self, raws: list[Any]) -> list[Any]:
        if self._processes is None:
            return raws
        if active_compiler() is not None:
            return collectives.summed_in_graph(self, raws)
        sums: list[Any] = self._processes.summed(raws)
        return sums

    def _gather_processes(self, raws: list[Any], axis: int) -> list[Any]:
        """Returns all replicas' values, whose lengths along an axis differ, given the own ones."""
        if self._processes is None:
            return raws
        if active_compiler() is not None:
            return collectives.gathered_in_graph(self, raws, axis)
        joined: list[Any] = self._processes.gathered(raws)
        return joined

    def _first_of_all(self, raw: Any) -> Any:
        """Returns the first process's value."""
        if self._processes is None:
            return raw
        if active_compiler() is not None:
            return collectives.first_in_graph(self, raw)
        return self._processes.from_first(raw)

    def _first_value(self, raw: Any) -> Any:
        """Returns the initial value of a variable, which is the first process's value."""
        if self._processes is None or type(raw) is Symbol:
            return self._first_of_all(raw)
        return self._processes.from_first(raw)

    def _of_first_replica(self, value: Any) -> Any:
        return nest.map_structure(self._first_part, value)

    def _first_part(self, v: Any) -> Any:
        if isinstance(v, PerReplica):
            if v._traced:
                return collectives.every_part(self._traced_context(), convert_to_tensor(v._whole))[
                    0
                ]
            v = v.values[0]
        if self._processes is None or not isinstance(v, Tensor):
            return v
        return Tensor(self._first_of_all(v._value))

    def _everywhere(self, value: Any) -> list[Any]:
        """Converts a structure of `PerReplica`s to one structure for each replica."""
        count = self._local_replicas
        if self._processes is not None:
            value = nest.map_structure(self._everyones, value)
            count = self.num_replicas_in_sync
        return [part_of(i, value, count) for i in range(count)]

    def _everyones(self, x: Any) -> Any:
        """Converts a value of this process' replicas to a value of all replicas."""
        if not isinstance(x, (PerReplica, Tensor)):
            return x
        parts = x.values if isinstance(x, PerReplica) else [x] * self._local_replicas
        raws = self._gather_processes([convert_to_tensor(p)._value for p in parts], 0)
        return PerReplica([Tensor(raw) for raw in raws])

    # Arrays on the devices, handled by `sharded_program`.

    def _fetched(self, array: Any) -> Any:
        return self._sharding.fetched(array)

    def _taken_apart(self, array: Any) -> list[Any]:
        out: list[Any] = self._sharding.taken_apart(array)
        return out


class _DefaultDistributionStrategy(Strategy):
    """The default strategy."""


_default = _DefaultDistributionStrategy()
_default_context = DefaultContext(_default)


def _innermost() -> Strategy:
    context = current.contexts[-1] if current.contexts else None
    scoped = current.scopes[-1] if current.scopes else _default
    found: Any = scoped if context is None else context.strategy
    innermost: Strategy = found
    return innermost


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """Returns the strategy of the innermost scope or run, or the default strategy.

    Returns:
      The current strategy.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _innermost()


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Returns whether a strategy other than the default one is current.

    Returns:
      True inside a strategy's scope, and in replicas.

    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not _default


@export("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """Returns the context of the replica in which the program runs.

    Returns:
      A `ReplicaContext`, or None in a strategy's scope outside of `run`.

    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    if current.contexts:
        return current.contexts[-1]
    return None if current.scopes else _default_context


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Returns whether the program runs for all replicas together.

    Returns:
      True in a strategy's scope, False in replicas and outside of scopes.

    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return get_replica_context() is None


@export("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one of this thread without a `with` block.

    Args:
      strategy: The strategy, or None for the default strategy.

    Raises:
      RuntimeError: A strategy's scope is entered.
    """
    if len(current.scopes) > 1:
        raise RuntimeError("experimental_set_strategy must not be called inside a strategy's scope")
    current.scopes[:] = [] if strategy is None else [strategy]


@export("__internal__.distribute.interim.maybe_merge_call")
def maybe_merge_call(fn: Callable[..., R], strategy: Strategy, *args: Any, **kwargs: Any) -> R:
    """Calls a function once for all replicas together.

    Args:
      fn: A function of the strategy and more arguments.
      strategy: The strategy.
      *args: The arguments for `fn`.
      **kwargs: The keyword arguments for `fn`.

    Returns:
      The result of `fn(strategy, *args, **kwargs)`.
    """
    context = replica_context()
    if context is None:
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args, kwargs)


@export("__internal__.distribute.strategy_supports_no_merge_call")
def strategy_supports_no_merge_call() -> bool:
    """Returns whether optimizers may update variables without a merge call.

    Returns:
      True if the strategy has one replica.
    """
    return get_strategy()._alone


def _replicas(caller: str) -> int:
    strategy = get_strategy()
    if strategy is not _default and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{caller}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    return strategy.num_replicas_in_sync


def _here() -> int:
    context = replica_context()
    return 0 if context is None else context._id


replicas.append(_replicas)
here.append(_here)
