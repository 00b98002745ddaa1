"""Replicas in compiled functions: their code runs once, for all devices; JAX loads when it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.autograph.calls import converted
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.distribute.context import ReplicaContext, replica_context
from gradtape._src.graph.function import Function, functions_run_eagerly
from gradtape._src.graph.replica_hooks import NeedsSharding, eager_in_replica


def context_of(strategy: Any) -> ReplicaContext:
    """The context of a replica in a program for all devices of a strategy.

    Raises:
      NeedsSharding: The program is staged for one device; this begins it again.
      CannotTrace: It is not a program but a graph, which has no operations between replicas.
    """
    compiler = active_compiler()
    if compiler.defers and not compiler.for_xla:
        compiler.refuse("replicas of a strategy in a graph")
    from gradtape._src.distribute.sharded_program import Sharding  # loads JAX

    if strategy._sharding is None:
        strategy._sharding = Sharding(strategy)
    if compiler.defers or compiler.sharding is not strategy._sharding:
        raise NeedsSharding(strategy._sharding)
    context: ReplicaContext = strategy._sharding.context()
    return context


def check_traceable(strategy: Any, tracer: Any) -> None:
    """Ends the tracing of a function whose replicas a graph can't have.

    Raises:
      CannotTrace: The replicas are in several processes.
    """
    if strategy._processes is not None:
        tracer.refuse("replicas in several processes")


def program_of(strategy: Any, fn: Any) -> Callable[[list[Any], dict[str, Any]], Any] | None:
    """Returns one graph or program that runs a `tf.function` in all replicas, or None."""
    if not isinstance(fn, Function) or functions_run_eagerly():
        return None
    if not fn._jit_compile and strategy._processes is not None:
        return None
    instance = getattr(fn._python_function, "__self__", None)
    made = fn._unbound._in_replicas
    key = (id(strategy), id(instance))
    found = made.get(key)
    if found is None or found[0] is not instance:

        def together(args: list[Any], kwargs: dict[str, Any]) -> Any:
            function = fn._python_function
            if fn._conversion is not None:
                function = converted(function, fn._conversion)
            return strategy.run(function, args, kwargs)

        together.__name__ = fn.name
        whole = Function(together, None, fn._jit_compile, fn._reduce_retracing)
        found = made[key] = (instance, whole)
    return found[1]


def _eager_in_replica() -> bool:
    context = replica_context()
    return context is not None and not context.traced


eager_in_replica.append(_eager_in_replica)
