"""`tf.distribute`: strategies for one process and one device, that is, one replica.

What TensorFlow does on a machine with one device: every strategy has one replica, so that an
all-reduce is the value itself, and a data set is distributed by handing it over.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from gradtape._base import nest
from gradtape._compile.config import list_logical_devices
from gradtape._core.convert import convert_to_tensor
from gradtape._core.tensor import DEVICE
from gradtape._ops.reduction import reduce_sum


class ReduceOp(enum.Enum):
    """How the values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """The reduction that a variable's aggregation asks for."""
        return ReduceOp[aggregation.name]


class DistributedValues:
    """The base of values with a part for each replica; with one replica there are none."""


class DistributedDataset:
    """The base of data sets with a part for each replica; with one replica there are none."""


class DistributedIterator:
    """The base of their iterators."""


class _Current(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Strategy] = []  # the strategies whose `scope` is entered
        self.contexts: list[ReplicaContext | None] = []  # those whose `run` is running


class ReplicaContext:
    """What a function sees of the replica in which it runs.

    Attributes:
      strategy: The strategy.
      replica_id_in_sync_group: The number of the replica.
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        self.strategy = strategy
        self.replica_id_in_sync_group = replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this replica."""
        return (DEVICE,)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Combines the replicas' values: those of the one replica.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value: A tensor or nested structure of them.
          options: Accepted for compatibility.

        Raises:
          ValueError: The reduction is unknown.
        """
        _reduction(reduce_op)
        return value

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The replicas' values one after the other: those of the one replica."""
        return value

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Calls `merge_fn(strategy, *args, **kwargs)` for all replicas together."""
        with _inside(None):
            return merge_fn(self.strategy, *args, **(kwargs or {}))


class StrategyExtended:
    """What libraries need of a strategy beyond what programs do."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute."""
        return (DEVICE,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return (DEVICE,)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A scope for variables that shall lie with another."""
        return nullcontext()

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made under this strategy; any was, with one device."""
        return True

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` where the variable lies."""
        return fn(var, *args, **kwargs) if kwargs else fn(var, *args)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Combines the replicas' values: those of the one replica."""
        _reduction(reduce_op)
        return value

    def read_var(self, v: Any) -> Any:
        """A variable's value."""
        return convert_to_tensor(v)

    def call_for_each_replica(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """The same as the strategy's `run`."""
        return self._strategy.run(fn, args, kwargs)


class Strategy:
    """A way to compute on several devices; here, on one.

    Attributes:
      extended: What libraries need beyond this.
      cluster_resolver: None: there is one process.
    """

    def __init__(self) -> None:
        self.extended = StrategyExtended(self)
        self.cluster_resolver = None

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return 1

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A scope in which this strategy is the current one."""
        _current.scopes.append(self)
        try:
            yield self
        finally:
            _current.scopes.pop()

    def run(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls a function in each replica.

        Args:
          fn: The function.
          args: Its arguments.
          kwargs: Its keyword arguments.
          options: Accepted for compatibility.
        """
        with _inside(ReplicaContext(self)):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """Combines the replicas' values, and the elements along an axis.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value: A tensor or nested structure of them.
          axis: The axis along which to reduce as well; None for none.

        Raises:
          ValueError: The reduction is unknown.
        """
        operation = _reduction(reduce_op)
        if axis is None:
            return value
        return nest.map_structure(lambda x: _reduced(convert_to_tensor(x), operation, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The replicas' values one after the other: those of the one replica."""
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """A replica's value each."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A data set with a part for each replica: the whole for the one replica."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: Any = None
    ) -> Any:
        """The data set that a function gives for each process."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable[[Any], Any]) -> Any:
        """The value that a function gives for each replica."""
        return value_fn(ReplicaContext(self))


class InputContext:
    """Which part of the data a process reads: all of it.

    Attributes:
      num_input_pipelines, input_pipeline_id: How many processes read, and which this is.
      num_replicas_in_sync: The number of replicas.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch; ValueError where it can't be shared evenly."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync


class OneDeviceStrategy(Strategy):
    """Puts everything on one device.

    Args:
      device: Its name.

    Raises:
      ValueError: It is not the processor.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        _check_devices([device])


class MirroredStrategy(Strategy):
    """One replica on each device of this machine, that is, one.

    Args:
      devices: Their names; all unless said.
      cross_device_ops: Accepted for compatibility.

    Raises:
      ValueError: One of them is not there.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        if devices is not None:
            _check_devices([devices] if isinstance(devices, str) else list(devices))


class MultiWorkerMirroredStrategy(Strategy):
    """Replicas in several processes, which gradtape can't do yet: making one is an error."""

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        raise NotImplementedError("MultiWorkerMirroredStrategy: gradtape runs in one process")


class TPUStrategy(Strategy):
    """Replicas on TPUs, which gradtape does not use: making one is an error."""

    def __init__(self, tpu_cluster_resolver: Any = None, **options: Any) -> None:
        raise NotImplementedError("TPUStrategy: gradtape does not compute on TPUs")


def _check_devices(devices: list[str]) -> None:
    there = [d.name.rpartition("device:")[2] for d in list_logical_devices()]
    for name in devices:
        if name.upper().rpartition("DEVICE:")[2].lstrip("/") not in there:
            raise ValueError(f"{name!r} is not there: the devices of this process are {there}")
    if len(devices) != 1:
        raise ValueError(f"a device was named more than once, or none was: {devices}")


def _reduction(reduce_op: Any) -> ReduceOp:
    if isinstance(reduce_op, ReduceOp):
        return reduce_op
    try:
        return ReduceOp(str(reduce_op).upper())
    except ValueError:
        raise ValueError(f"reduce_op must be 'SUM' or 'MEAN', got {reduce_op!r}") from None


def _reduced(x: Any, operation: ReduceOp, axis: int) -> Any:
    total = reduce_sum(x, axis)
    return total / x.shape[axis] if operation is ReduceOp.MEAN else total


class _DefaultDistributionStrategy(Strategy):
    """The strategy where a program chose none."""


_current = _Current()
_default = _DefaultDistributionStrategy()
_default_context = ReplicaContext(_default)


@contextmanager
def _inside(context: ReplicaContext | None) -> Iterator[None]:
    """Runs a block in a replica, or for None across all of them."""
    _current.contexts.append(context)
    try:
        yield
    finally:
        _current.contexts.pop()


def get_strategy() -> Strategy:
    """The current strategy: that of the innermost scope, or the default one."""
    inner = _current.contexts[-1] if _current.contexts else None
    if inner is not None:
        return inner.strategy
    return _current.scopes[-1] if _current.scopes else _default


def has_strategy() -> bool:
    """Whether the current strategy is another than the default one."""
    return get_strategy() is not _default


def get_replica_context() -> ReplicaContext | None:
    """The replica in which the program runs; None inside a strategy's scope but outside `run`."""
    if _current.contexts:
        return _current.contexts[-1]
    return None if _current.scopes else _default_context


def in_cross_replica_context() -> bool:
    """Whether the program runs for all replicas together, as in a strategy's scope."""
    return get_replica_context() is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one of this thread without a `with` block.

    Args:
      strategy: The strategy; None for the default one.

    Raises:
      RuntimeError: A strategy's scope is entered.
    """
    if len(_current.scopes) > 1:
        raise RuntimeError("experimental_set_strategy must not be called inside a strategy's scope")
    _current.scopes[:] = [] if strategy is None else [strategy]


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Calls `fn(strategy, *args, **kwargs)`: one replica has nothing to merge."""
    return fn(strategy, *args, **kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Whether optimizers may update without a merge call: with one replica they may."""
    return True
