"""`Strategy.extended`: methods of a strategy that are mainly used by libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.device_values import DEVICE
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.distribute import variables
from gradtape._src.distribute.context import placed, replica_context
from gradtape._src.distribute.replica_values_in_jit import is_traced_once, parts
from gradtape._src.distribute.values import Mirrored, PerReplica, part_of, regroup, same

R = TypeVar("R")
V = TypeVar("V")


@export("distribute.StrategyExtended")
class StrategyExtended:
    """Methods of a strategy that are mainly used by libraries.

    Args:
      container_strategy: The strategy.
    """

    def __init__(self, container_strategy: Any) -> None:
        self._strategy = container_strategy
        self._devices: tuple[str, ...] = (DEVICE,)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of this process that compute."""
        return self._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return self._devices

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process is the one to save checkpoints."""
        return bool(self._strategy._first_replica == 0)

    @property
    def should_save_summary(self) -> bool:
        """Whether this process is the one to write summaries."""
        return bool(self._strategy._first_replica == 0)

    def _in_multi_worker_mode(self) -> bool:
        return self._strategy._processes is not None

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """Returns a scope for variables on the same device as another, which has no effect.

        Args:
          colocate_with_variable: Accepted for compatibility.

        Returns:
          A context manager.
        """
        return nullcontext()

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made under this strategy.

        Args:
          v: A variable.

        Returns:
          Whether it was made under this strategy.
        """
        strategy = self._strategy
        return strategy._alone or variables.is_variable_of(strategy, v)

    def update(
        self,
        var: Any,
        fn: Callable[..., R],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> R | tuple[R, ...]:
        """Calls `fn(var, *args, **kwargs)` for all replicas together.

        Args:
          var: A variable.
          fn: A function that updates the variable.
          args: Arguments, with a `PerReplica` for each value that differs by replica.
          kwargs: Keyword arguments.
          group: Whether to merge the replicas' results into one structure.

        Returns:
          The result of `fn`; with `group=False`, a tuple with a result for each replica of this
              process.
        """
        named = kwargs or {}
        strategy = self._strategy
        if strategy._alone:
            alone: R = fn(var, *args, **named)
            return alone
        context = replica_context()
        if context is not None:
            merged: R | tuple[R, ...] = context.merge_call(
                lambda s, *a, **k: s.extended.update(var, fn, a, k, group), args, named
            )
            return merged
        if is_traced_once():
            with placed(None):
                out = fn(var, *parts(list(args)), **parts(named))
            return out if group else (out,)
        given, asked = _simplified(list(args)), _simplified(named)
        count = strategy._local_replicas
        alike = getattr(var, "_alike", True) and not any(
            isinstance(x, PerReplica) for x in nest.flatten([given, asked])
        )
        if alike:
            with placed(None):
                out = fn(var, *given, **asked)
            return out if group else (out,) * count
        outs = []
        for i in range(count):
            with placed(i):
                outs.append(fn(var, *part_of(i, given, count), **part_of(i, asked, count)))
        return regroup(outs, Mirrored) if group else tuple(outs)

    def reduce_to(self, reduce_op: Any, value: V, destinations: Any, options: Any = None) -> V:
        """Combines the replicas' values; see `Strategy.reduce`.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value: A tensor, `PerReplica` or nested structure of them.
          destinations: Accepted for compatibility.
          options: Accepted for compatibility.

        Returns:
          Tensors in the structure of `value`.
        """
        reduced: V = self._strategy.reduce(reduce_op, value, axis=None)
        return reduced

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Calls `reduce_to` for each pair of a value and a destination.

        Args:
          reduce_op: "SUM", "MEAN" or a `ReduceOp`.
          value_destination_pairs: Pairs of a value and a destination, as for `reduce_to`.
          options: Accepted for compatibility.

        Returns:
          A list of the combined values.
        """
        return [self.reduce_to(reduce_op, v, d) for v, d in value_destination_pairs]

    def read_var(self, v: Any) -> Tensor:
        """Returns a variable's value; if replicas have different values, they are combined.

        Args:
          v: The variable.

        Returns:
          A tensor.
        """
        return convert_to_tensor(v)

    def call_for_each_replica(
        self,
        fn: Callable[..., R],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> R:
        """Runs a function in each replica, as the strategy's `run` does.

        Args:
          fn: The function.
          args: The arguments; each replica gets its part of a `PerReplica`.
          kwargs: The keyword arguments.

        Returns:
          The replicas' results, as `Strategy.run` returns them.
        """
        results: R = self._strategy.run(fn, args, kwargs)
        return results


def _simplified(structure: Any) -> Any:
    """Replaces each `PerReplica` by its value if all parts are the same."""

    def simple(x: Any) -> Any:
        return x.values[0] if isinstance(x, PerReplica) and same(x) else x

    return nest.map_structure(simple, structure)
