"""Replicas in compiled functions: their code runs once, for all devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.autograph.calls import converted
from gradtape._src.core.recorder import STACK
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.distribute.context import ReplicaContext, replica_context
from gradtape._src.graph.function import Function, functions_run_eagerly
from gradtape._src.graph.replica_hooks import NeedsSharding, eager_in_replica


def context_of(strategy: Any) -> ReplicaContext:
    """Returns the context of a replica in a graph that all replicas of a strategy run.

    Raises:
      NeedsSharding: The graph is traced for one device; tracing starts again for all.
    """
    from gradtape._src.distribute.sharded_program import Sharding  # This import loads JAX.

    if strategy._sharding is None:
        strategy._sharding = Sharding(strategy)
    if active_compiler().sharding is not strategy._sharding:
        raise NeedsSharding(strategy._sharding)
    context: ReplicaContext = strategy._sharding.context()
    return context


def program_of(strategy: Any, fn: Any) -> Callable[[list[Any], dict[str, Any]], Any] | None:
    """Returns one graph or program that runs a `tf.function` in all replicas, or None."""
    if not isinstance(fn, Function) or functions_run_eagerly():
        return None
    instance = getattr(fn._python_function, "__self__", None)
    made = fn._unbound._in_replicas
    jit = fn._jit_compile and not STACK.recorders  # tapes record graphs, and not programs
    key = (id(strategy), id(instance), jit)
    found = made.get(key)
    if found is None or found[0] is not instance:

        def together(args: list[Any], kwargs: dict[str, Any]) -> Any:
            function = fn._python_function
            if fn._conversion is not None:
                function = converted(function, fn._conversion)
            return strategy.run(function, args, kwargs)

        together.__name__ = fn.name
        whole = Function(together, None, jit, fn._reduce_retracing)
        found = made[key] = (instance, whole)
    return found[1]


def _eager_in_replica() -> bool:
    context = replica_context()
    return context is not None and not context.traced


eager_in_replica.append(_eager_in_replica)
