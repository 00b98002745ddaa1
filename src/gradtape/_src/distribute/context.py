"""Replica contexts and the cross-replica context, in which programs run."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from gradtape._src.base.device_values import DEVICE
from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import Scope, Setting
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor

R = TypeVar("R")
V = TypeVar("V")


class Strategy(Protocol):
    """The part of a strategy that its replicas use."""

    extended: Any
    _first_replica: int
    _mirrors: bool
    _processes: Any

    def _gather_processes(self, raws: list[Any], axis: int) -> list[Any]: ...
    def _sum_processes(self, raws: list[Any]) -> list[Any]: ...

    @property
    def _alone(self) -> bool: ...

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        ...


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """The ways to combine the values of replicas."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """Returns the reduction for a variable's aggregation.

        Args:
          aggregation: A `tf.VariableAggregation`.

        Returns:
          SUM or MEAN.

        Raises:
          ValueError: `aggregation` is not a reduction.
        """
        if aggregation.name not in ("SUM", "MEAN"):
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to "
                "`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


def reduction(reduce_op: Any) -> ReduceOp:
    """Converts `reduce_op` to a member; raises ValueError if it is unknown."""
    if isinstance(reduce_op, ReduceOp):
        return reduce_op
    try:
        return ReduceOp(str(reduce_op).upper())
    except ValueError:
        raise ValueError(
            f"{reduce_op!r} is not a valid ReduceOp: reduce_op must be 'SUM' or 'MEAN'"
        ) from None


class _Current(threading.local):
    """The current state, an immutable tuple that is replaced in one step."""

    def __init__(self) -> None:
        self.state: tuple[list[Any], list[Any], int | None] = ([], [], None)

    @property
    def scopes(self) -> list[Any]:
        """The strategies whose `scope` is entered."""
        return self.state[0]

    @property
    def contexts(self) -> list[ReplicaContext | None]:
        """The active replicas, innermost last; None for the cross-replica context."""
        return self.state[1]

    @property
    def place(self) -> int | None:
        """The replica for which `extended.update` runs."""
        return self.state[2]


current = _Current()


class Collectives(Protocol):
    """Sums and concatenations over replicas."""

    def all_reduce(self, group: ReplicaContext, op: ReduceOp, value: V) -> V:
        """Combines the values of all replicas."""

    def all_gather(self, group: ReplicaContext, value: V, axis: int) -> V:
        """Concatenates the values of all replicas."""


collective_operations: ExtensionPoint[Collectives] = ExtensionPoint("sums over replicas")
"""Provided by `strategy`, since the module `collectives` needs the context."""


@export("distribute.ReplicaContext")
class ReplicaContext:
    """The context of a replica, for functions that run in it.

    Args:
      strategy: The strategy.
      replica_id_in_sync_group: The index of the replica among all.
      run: The `Lockstep` of the replicas of this process, or None if there is only one.

    Attributes:
      strategy: The strategy.
      local: The index among the replicas of this process.
    """

    traced = False
    """Whether the program is being compiled, once for all replicas."""

    def __init__(
        self, strategy: Strategy, replica_id_in_sync_group: int = 0, run: Any = None
    ) -> None:
        self.strategy = strategy
        self._id = replica_id_in_sync_group
        self.local = replica_id_in_sync_group - strategy._first_replica if run else 0
        self._run = run  # None if there is a single replica
        self.made = 0  # the number of variables that this replica has created

    @property
    def replica_id_in_sync_group(self) -> Tensor | int:
        """The number of the replica among all of them, an int32 tensor."""
        return Tensor(np.int32(self._id))

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this replica."""
        return (self.strategy.extended.worker_devices[self.local],)

    def all_reduce(self, reduce_op: Any, value: V, options: Any = None) -> V:
        """Combines the replicas' values; each replica gets the result.

        Differentiable: the gradient is the all-reduce of the replicas' gradients.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value: This replica's tensor, `IndexedSlices` or nested structure of them.
          options: Accepted for compatibility.

        Returns:
          Tensors in the structure of `value`, equal in all replicas.

        Raises:
          ValueError: The reduction is unknown.
          InvalidArgumentError: The replicas' shapes differ, or the dtype can't be summed.
          RuntimeError: Another replica does not make this call.
          UnavailableError: Another process is lost.
        """
        return collective_operations.get().all_reduce(self, reduction(reduce_op), value)

    def all_gather(self, value: V, axis: int, options: Any = None) -> V:
        """Concatenates the replicas' values along an axis; each replica gets the result.

        Args:
          value: A tensor or nested structure of them; lengths along `axis` may differ.
          axis: The axis, not negative.
          options: Accepted for compatibility.

        Returns:
          Tensors in the structure of `value`, equal in all replicas.

        Raises:
          ValueError: The axis is out of range.
        """
        return collective_operations.get().all_gather(self, value, axis)

    def sum_of_each(self, x: V) -> V:
        """Returns the sum of an array over all replicas, computed in a compiled program.

        Args:
          x: The array of this replica.

        Returns:
          The sum, an array of the same shape.
        """
        if self.strategy._alone:
            return x
        raise RuntimeError("a function that is compiled in one replica can't sum over all of them")

    def merge_call(
        self,
        merge_fn: Callable[..., R],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> R:
        """Calls `merge_fn(strategy, *args, **kwargs)` once for all replicas together.

        Args:
          merge_fn: A function that is given the replicas' arguments as `PerReplica`. Each replica
            gets its part of the result.
          args: The positional arguments of `merge_fn`.
          kwargs: The keyword arguments of `merge_fn`.

        Returns:
          The result of `merge_fn`, with this replica's part of each `PerReplica`.

        Raises:
          RuntimeError: Another replica does not make this call.
        """
        if self._run is None:
            with inside(None):
                return merge_fn(self.strategy, *args, **(kwargs or {}))
        merged: R = self._run.merge(self.local, merge_fn, tuple(args), kwargs or {})
        return merged


class DefaultContext(ReplicaContext):
    """The context without a strategy, with a single replica, whose index is the Python int 0."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica, 0 outside of strategies."""
        return 0


def _state() -> tuple[list[Any], list[Any], int | None]:
    return current.state


def start_thread(scopes: list[Any]) -> None:
    """Starts a new thread with the current strategy of another thread, outside of replicas."""
    current.state = (scopes, [], None)


def _put(state: tuple[list[Any], list[Any], int | None]) -> None:
    current.state = state


class chosen(Scope):  # noqa: N801 (callers use it like a function)
    """Returns a context manager in which a strategy is the current one."""

    def __init__(self, strategy: Strategy, check: Callable[[], None]) -> None:
        super().__init__()
        self._strategy, self._check = strategy, check

    def _chosen(self) -> Any:
        self._check()
        return [*current.scopes, self._strategy], [], current.place

    def _now(self) -> Any:
        return _state()

    def _put(self, there: Any) -> None:
        _put(there)

    def __enter__(self) -> Strategy:
        super().__enter__()
        return self._strategy


def inside(context: ReplicaContext | None) -> Scope:
    """Returns a context manager for a replica, or, with None, for the cross-replica context."""
    return Setting(_state, _put, (current.scopes, [*current.contexts, context], current.place))


def placed(i: int | None) -> Scope:
    """Returns a cross-replica context manager that writes the i-th local replica's value."""
    return Setting(_state, _put, (current.scopes, [*current.contexts, None], i))


def local_place() -> int | None:
    """Returns the index of the local replica whose values are used, or None for all."""
    contexts = current.contexts
    if not contexts:
        return current.place
    context = contexts[-1]
    if context is None:
        return current.place
    return None if context._run is None else context.local


def replica_context() -> ReplicaContext | None:
    """Returns the current replica of a strategy with several replicas, or None."""
    contexts = current.contexts
    context = contexts[-1] if contexts else None
    return None if context is None or context.strategy._alone else context


def merging(strategy: Strategy) -> RuntimeError:
    """Returns the error for a call that is not allowed in a replica."""
    return RuntimeError(
        "Method requires being in cross-replica context, use get_replica_context().merge_call()"
    )


def device_names(count: int) -> tuple[str, ...]:
    """Returns the full names of the first processors."""
    stem = DEVICE.rpartition(":")[0]
    return tuple(f"{stem}:{i}" for i in range(count))
