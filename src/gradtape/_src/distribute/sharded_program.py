"""A program that every device of a strategy runs on its part of the data; needs JAX.

The program is traced once, with a named axis of replicas for sums (`lax.psum`). If there is a
device for each replica, `jax.shard_map` runs it on all of them; otherwise, `jax.vmap` runs all
replicas on one device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from gradtape._src.base import nest
from gradtape._src.base.device_values import device_array, move_variable, note_variable, state_lock
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.compute.devices import apply_processor_count, jax_devices
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.distribute.collectives import every_part
from gradtape._src.distribute.context import ReplicaContext, inside, replica_context
from gradtape._src.distribute.replica_values_in_jit import parts, splits
from gradtape._src.distribute.values import PerReplica, taking_apart
from gradtape._src.distribute.variables import DistributedVariable
from gradtape._src.graph.replica_hooks import ShapesDiffer
from gradtape._src.xla.fast_call import from_device

R = TypeVar("R")

AXIS = "replica"
_SPLIT, _SAME = PartitionSpec(AXIS), PartitionSpec()


_number_p = bind(Primitive("ReplicaId", lambda: lax.axis_index(AXIS).astype(np.int32), tracked=0))


class TracedContext(ReplicaContext):
    """The context of a replica while a function is compiled for all replicas."""

    traced = True

    @property
    def replica_id_in_sync_group(self) -> Tensor:
        """The number of the replica, known when the program runs."""
        number: Tensor = active_compiler().add(_number_p.primitive, (), {}, ((), np.dtype("i4")))
        return number

    def sum_of_each(self, x: Any) -> jax.Array:
        """Returns the sum of a value over all replicas."""
        return lax.psum(x, AXIS)

    def merge_call(self, merge_fn: Callable[..., R], args: Any = (), kwargs: Any = None) -> R:
        """Calls `merge_fn(strategy, *args, **kwargs)`, for all replicas at once."""
        given, named = splits(list(args)), splits(kwargs or {})
        with inside(None):
            out = merge_fn(self.strategy, *given, **named)
        return parts(out)


class Sharding:
    """The devices of a strategy, and programs that run on all of them.

    Args:
      strategy: The strategy.
    """

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        self.count = strategy.num_replicas_in_sync
        self.local = strategy._local_replicas
        self.axes = [(AXIS, self.count)]
        self._context = TracedContext(strategy)
        self._runs: dict[Any, Any] = {}
        devices = _devices(strategy)
        self.mesh = None if devices is None else Mesh(np.array(devices), (AXIS,))

    # The methods below are called while a program is traced.

    def context(self) -> ReplicaContext:
        """Returns the context of the replica for which the program is traced."""
        return self._context

    def in_replica(self) -> bool:
        """Whether the traced code is in a replica context."""
        return replica_context() is not None

    def key(self, key: Any, apart: bool) -> jax.Array:
        """Returns a random key, which differs between replicas in a replica context."""
        if self.strategy._processes is not None:
            key = lax.all_gather(key, AXIS)[0]
        if not apart:
            return key
        return key + lax.axis_index(AXIS).astype(np.uint32) * np.array([0x9E3779B1, 1], np.uint32)

    def check_written(self, variable: Variable) -> None:
        """Raises an error if replicas write to a variable that the strategy did not create."""
        if type(variable) is Variable and self.in_replica():
            raise InvalidArgumentError(
                None,
                None,
                f"the variable {variable.name!r} was made outside of the strategy's scope, and "
                "replicas of a compiled function can't write to it: make it inside "
                "`with strategy.scope():`",
            )

    # The methods below are called when a program runs.

    def outputs(self, program: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Runs a program, and assigns its results to variables.

        Raises:
          ShapesDiffer: Other processes have inputs of other shapes.
        """
        if any(x._is_uneven for x in inputs):
            raise ShapesDiffer
        with state_lock if self.strategy._processes is None else nullcontext():
            return self._outputs(program, inputs)

    def _outputs(self, program: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
        differing = tuple([_differs_by_replica(v) for v in program.state])
        run = self._runner(program, differing, [x._part_spec for x in inputs])
        values = [self._state(v, a) for v, a in zip(program.state, differing, strict=True)]
        values += [self._placed(np.asarray(draw()), _SAME) for draw in program.keys]
        for x in inputs:
            raw = device_array(x)
            split = x._part_spec is not None
            values.append(
                self._placed(x._value if raw is None else raw, _SPLIT if split else _SAME)
            )
        processes = self.strategy._processes
        outs = (
            run(*values)
            if processes is None
            else processes.guarded(lambda: _done(run, values), partial(_named, program, inputs))
        )
        n = len(program.places)
        for variable, array, own in zip(program.written, outs[n:], differing, strict=False):
            self._keep(variable, array, own)
        return [
            self._output(array, split) for array, split in zip(outs[:n], program.split, strict=True)
        ]

    def template(self, result: R) -> R:
        """Returns the structure of a result, with each `PerReplica` replaced by its only value.

        This applies only if the process has a single replica.
        """
        unwrapped: R = _unwrapped(result) if self.local == 1 else result
        return unwrapped

    def _output(self, array: Any, split: bool) -> Tensor:
        if self.mesh is None:
            return from_device(array)
        if split and self.local == 1:
            return Tensor(np.asarray(array.addressable_data(0))[0])
        return from_device(array if split else array.addressable_data(0))

    def _runner(self, program: Any, differing: tuple[bool, ...], parts: list[Any]) -> Any:
        runs = program.sharding_runs
        found = runs.get(differing)
        if found is None:
            found = runs[differing] = self._made(program, differing, [p is not None for p in parts])
        return found

    def _made(self, program: Any, differing: tuple[bool, ...], parts: list[bool]) -> Any:
        """Returns the program for all replicas.

        Args:
          program: The traced program.
          differing: For each variable, whether its values differ between replicas.
          parts: For each input, whether it differs by replica.
        """
        before = [*differing, *[False] * len(program.keys), *parts]
        after = [*program.split, *differing[: len(program.written)]]
        if self.mesh is None:
            axes = [0 if a else None for a in before]
            mapped = jax.vmap(
                program.traced, in_axes=axes, out_axes=0, axis_name=AXIS, axis_size=self.count
            )

            def run(*values: Any) -> Any:
                outs = mapped(*values)
                return [o if a else o[0] for o, a in zip(outs, after, strict=True)]

            return jax.jit(run, donate_argnums=program.donated)

        def local(*values: Any) -> Any:
            outs = program.traced(*[v[0] if a else v for v, a in zip(values, before, strict=True)])
            return [o[None] if a else o for o, a in zip(outs, after, strict=True)]

        mapped = jax.shard_map(
            local,
            mesh=self.mesh,
            in_specs=tuple([_SPLIT if a else _SAME for a in before]),
            out_specs=[_SPLIT if a else _SAME for a in after],
            # Values that are equal on all devices come from the program's own sums.
            check_vma=False,
        )
        # With several processes, no input is donated, so that variables keep their values if a
        # process is lost.
        donated = program.donated if self.strategy._processes is None else ()
        return jax.jit(mapped, donate_argnums=donated)

    def _placed(self, value: Any, spec: Any) -> Any:
        """Puts a value on the devices."""
        if self.mesh is None:
            return value
        sharding = NamedSharding(self.mesh, spec)
        if isinstance(value, jax.Array) and value.sharding == sharding:
            return value
        if self.strategy._processes is None:
            return jax.device_put(value, sharding)
        value = np.asarray(value)
        shape = (self.count, *value.shape[1:]) if spec is _SPLIT else value.shape
        return jax.make_array_from_process_local_data(sharding, value, shape)

    def _state(self, variable: Variable, differing: bool) -> Any:
        if differing:
            assert isinstance(variable, DistributedVariable)
            if variable._parts is None:
                own = variable._owned()
                variable._parts = self._placed(np.stack(own), _SPLIT)
                variable._own = None
            return jnp.asarray(variable._parts) if self.mesh is None else variable._parts
        array = device_array(variable)
        if array is None:
            raw = variable._primary()
            array = jnp.array(raw) if self.mesh is None else np.array(raw)
        array = self._placed(array, _SAME)
        note_variable(variable, array)
        return array

    def _keep(self, variable: Variable, array: Any, differing: bool) -> None:
        if differing:
            assert isinstance(variable, DistributedVariable)
            variable._own, variable._parts = None, array
            return
        move_variable(variable, array)

    def fetched(self, array: Any) -> np.ndarray[Any, Any] | np.generic:
        """Returns a value that all replicas share, as a NumPy array."""
        return np.array(array if self.mesh is None else array.addressable_data(0))[()]

    def taken_apart(self, array: Any) -> list[Any]:
        """Returns the values of the replicas of this process, as NumPy arrays."""
        return [np.array(part)[()] for part in _parts_of(array)]


def _differs_by_replica(variable: Variable) -> bool:
    return isinstance(variable, DistributedVariable) and (variable._differs or not variable._alike)


def _done(run: Any, values: list[Any]) -> Any:
    with jax.enable_x64(True):
        outs = run(*values)
        jax.block_until_ready(outs)
    return outs


def _named(program: Any, inputs: Sequence[Tensor]) -> str:
    """Returns a program's name in messages, which is the same in all processes."""
    if program.sharding_name is None:
        state, given = (
            ", ".join(f"{x.dtype.name}{x.shape.as_list()}" for x in several)
            for several in (program.state, inputs)
        )
        program.sharding_name = (
            f"a compiled function of ({given}) with {program.operations} operations and the "
            f"variables ({state})"
        )
    return str(program.sharding_name)


def _unwrapped(template: Any) -> Any:
    """Replaces the `PerReplica`s in a structure by their only value."""
    return nest.map_structure(lambda x: 0 if isinstance(x, PerReplica) else x, template)


def _parts_of(array: Any) -> list[Any]:
    """Returns the parts of the replicas of this process, as views."""
    shards = getattr(array, "addressable_shards", None)
    if shards is None or len(shards) == 1:
        return list(np.asarray(array if shards is None else shards[0].data))
    ordered = sorted(shards, key=lambda s: s.index[0].start or 0)
    return [np.asarray(s.data)[0] for s in ordered]


def _devices(strategy: Any) -> list[Any] | None:
    """Returns a device for each replica of all processes; None if there are too few."""
    apply_processor_count()
    kind = strategy.extended.worker_devices[0].rpartition(":")[0].rpartition(":")[2].lower()
    processes = strategy._processes
    local = strategy._local_replicas
    if processes is None:
        there = jax_devices().get(kind.upper(), [])
        numbers = [int(name.rpartition(":")[2]) for name in strategy.extended.worker_devices]
        if max(numbers) >= len(there):
            return None
        return [there[n] for n in numbers]
    found = []
    for p in range(processes.count):
        own = sorted((d for d in jax.devices() if d.process_index == p), key=lambda d: d.id)
        found += own[:local]
    return found


def _take_apart(whole: Tensor) -> tuple[Any, ...]:
    if whole._is_part:
        strategy = active_compiler().sharding.strategy
        if strategy._processes is not None:
            raise NotImplementedError(
                "experimental_local_results in a function compiled for several processes: each "
                "would need another program. Call it outside, or use strategy.gather"
            )
        return tuple(every_part(strategy._traced_context(), whole))
    array = device_array(whole)
    parts = list(whole._value) if array is None else _parts_of(array)
    return tuple([Tensor(p if p.ndim else p[()]) for p in parts])


taking_apart.provide(_take_apart)
