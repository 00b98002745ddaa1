"""Sums and concatenations over replicas: first within this process, then over all processes."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound, Plan, Primitive, bind
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler, is_traced
from gradtape._src.declare.general import NUMERIC, general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import zeros
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.unknown_sizes import is_unknown, may_be_equal
from gradtape._src.distribute.context import ReduceOp, ReplicaContext
from gradtape._src.graph.nested.whole_calls import whole_call
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, unstack
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.reduce.reductions import reduce_prod

V = TypeVar("V")


def _all_reduce(x: Any, *, group: ReplicaContext, once: bool = False) -> Any:
    return x if once else summed(group, [x])[0]


def _in_graph(x: Tensor, *, group: ReplicaContext, once: bool = False) -> Tensor:
    """Returns the sum of the replicas' values, as one node if one replica is traced for all."""
    if once:
        return Tensor(x._value)
    if group.traced:
        tracer, spec = active_compiler(), (shape_of(x), x._value.dtype)
        total: Tensor = tracer.add(
            all_reduce_p.primitive, [tracer.entry(x)], {"group": group}, spec
        )
        return total
    return Tensor(summed(group, [x._value])[0])


all_reduce_p: Bound = general(
    "CollectiveReduceV2",
    _all_reduce,
    {"x": lambda g, group: _reduced(g, group)},
    linear=["x"],
    batching="leading",
    dtypes=NUMERIC,
    xla=lambda x, *, group, once=False: group.sum_of_each(x),
    traits=Traits(in_graph=_in_graph),
)


def _reduced(x: Any, group: ReplicaContext, once: bool = False) -> Any:
    """Returns the sum over all replicas; in a graph, each run sums known values, too.

    Args:
      x: The value of this replica.
      group: The context of this replica.
      once: Whether all replicas passed the same object, which counts once; its gradient is the sum
        of the replicas' gradients nevertheless, as in TensorFlow.
    """
    if once:
        return all_reduce_p(x, group=group, once=True)
    several = group.strategy._processes is not None and not group.traced
    if several and type(x) is Tensor and active_compiler() is not None and not is_traced(x):
        return Tensor(summed(group, [x._value])[0])
    return all_reduce_p(x, group=group)


def summed(group: ReplicaContext, raws: list[Any]) -> list[Any]:
    """Sums lists of raw values over all replicas, given the list of this replica."""
    # A value that is known during compilation is the same in every replica.
    if group.traced:
        return [raw * raw.dtype.type(group.num_replicas_in_sync) for raw in raws]

    def combine(offers: list[list[Any]]) -> list[Any]:
        totals = [total(column) for column in zip(*offers, strict=True)]
        return [group.strategy._sum_processes(totals)] * len(offers)

    if group._run is None:
        out: list[Any] = combine([raws])[0]
        return out
    other: list[Any] = group._run.meet(group.local, raws, combine)
    return other


class _ProcessSum(Primitive):
    """The operation that sums tensors over processes."""

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._vjp)

    def _keep(self, inputs: Sequence[Tensor], out: Any, params: Any) -> Any:
        return (), (params["strategy"], [(shape_of(y), y._value.dtype) for y in out])

    def _vjp(self, g: Any, ids: Any, saved: Any, static: Any) -> Any:
        strategy, specs = static
        given = [zeros(*spec) if d is None else d for d, spec in zip(g, specs, strict=True)]
        return list(_process_sum_p(*given, strategy=strategy))


_process_sum_p = several(
    None,
    bind(
        _ProcessSum(
            "CollectiveReduceProcesses",
            lambda *raws, strategy: tuple(strategy._processes.summed(list(raws))),
        )
    ),
)


def summed_in_graph(strategy: Any, raws: Sequence[Any]) -> list[Any]:
    """Returns the sums over processes, computed in each run of the graph that is being traced."""

    def run(xs: list[Tensor]) -> list[Tensor]:
        return list(_process_sum_p(*xs, strategy=strategy))

    def specs(new: Any, xs: list[Tensor]) -> list[Tensor]:
        return [new(shape_of(x), x._value.dtype) for x in xs]

    given = ([Tensor(raw) for raw in raws],)
    outs: Any = whole_call("CollectiveReduceV2", run, given, {}, specs, stateful=True, waits=True)
    return [y._value for y in outs]


def gathered_in_graph(strategy: Any, raws: Sequence[Any], axis: int) -> list[Any]:
    """Returns all replicas' values, exchanged in each run of the graph that is being traced.

    Args:
      strategy: The strategy.
      raws: The values of the replicas of this process.
      axis: The axis along which the lengths may differ.
    """

    def run(xs: list[Tensor]) -> list[Tensor]:
        return [Tensor(raw) for raw in strategy._processes.gathered([x._value for x in xs])]

    def specs(new: Any, xs: list[Tensor]) -> list[Tensor]:
        lengths: list[Any] = list(shape_of(xs[0]))
        if lengths:
            lengths[axis] = None
        return [new(lengths, xs[0]._value.dtype) for _ in range(strategy.num_replicas_in_sync)]

    given = ([Tensor(raw) for raw in raws],)
    outs: Any = whole_call(
        "CollectiveGatherV2", run, given, {}, specs, stateful=True, has_gradient=False, waits=True
    )
    return [y._value for y in outs]


def first_in_graph(strategy: Any, raw: Any) -> RawValue:
    """Returns the first process's value, which is requested in each run of the traced graph."""
    if raw.dtype.kind in "bO":
        active_compiler().refuse("a value of the first process that is not a number")
    own = zeros(raw.shape, raw.dtype) if strategy._first_replica else raw
    first: RawValue = summed_in_graph(strategy, [own])[0]
    return first


def count(x: Tensor, axes: Sequence[int]) -> Tensor | int:
    """Returns the number of elements along axes, as a tensor if it is known only at run time."""
    lengths = shape_of(x)
    if is_unknown(lengths):
        return reduce_prod(gather(shape(x), list(axes)))
    return math.prod([lengths[a] for a in axes])


def total(parts: Sequence[V]) -> V:
    """Returns the sum of the values of this process' replicas, which are arrays or tensors."""
    given: Sequence[Any] = parts
    raws = [part._value if type(part) is Tensor else part for part in given]
    first = raws[0]
    for i, part in enumerate(raws[1:], 1):
        if part.dtype != first.dtype or not may_be_equal(part.shape, first.shape):
            raise InvalidArgumentError(
                None,
                None,
                "all_reduce: all replicas must pass values of one shape and dtype, but replica 0 "
                f"passed {first.dtype} of shape {first.shape} and replica {i} passed {part.dtype} "
                f"of shape {part.shape} (use all_gather for lengths that differ)",
            )
    whole: V = reduce(operator.add, parts)
    return whole


def all_reduce(group: ReplicaContext, op: ReduceOp, value: V) -> V:
    """Combines the values of all replicas; see `ReplicaContext.all_reduce`."""
    strategy = group.strategy
    if strategy._alone:
        own: V = nest.map_structure(_as_it_is, value)
        return own
    leaves = nest.flatten(value)
    rows = [i for i, x in enumerate(leaves) if isinstance(x, IndexedSlices)]
    dense = [i for i, x in enumerate(leaves) if not isinstance(x, IndexedSlices)]
    xs = [convert_to_tensor(leaves[i]) for i in dense]
    for x in xs:
        if x._value.dtype.kind in "Ob":
            raise InvalidArgumentError(
                None, None, f"all_reduce: a value of dtype {x.dtype.name} can't be summed"
            )
    single = _single_objects(group, leaves)
    once = [single[i] for i in dense]
    followed = group.traced or any(not r.defers for r in STACK.recorders)
    if followed or not xs or any(once):
        totals = [_reduced(x, group, o) for x, o in zip(xs, once, strict=True)]
    else:
        totals = [Tensor(v) for v in summed(group, [x._value for x in xs])]
    for i, total, o in zip(dense, totals, once, strict=True):
        divide = op is ReduceOp.MEAN and not o
        leaves[i] = total / strategy.num_replicas_in_sync if divide else total
    for i in rows:
        if single[i]:
            continue
        values = all_gather(group, convert_to_tensor(leaves[i].values), 0)
        if op is ReduceOp.MEAN:
            values /= strategy.num_replicas_in_sync
        indices = all_gather(group, convert_to_tensor(leaves[i].indices), 0)
        leaves[i] = IndexedSlices(values, indices, leaves[i].dense_shape)
    reduced: V = nest.pack_sequence_as(value, leaves)
    return reduced


def _single_objects(group: ReplicaContext, leaves: list[Any]) -> list[bool]:
    """Returns which values are one tensor that all replicas of this process have in common.

    TensorFlow's strategies for one process take such a value as that of all replicas together.
    """
    if group._run is None or group.strategy._processes is not None:
        return [False] * len(leaves)
    kinds = (Tensor, IndexedSlices)

    def compare(offers: list[list[Any]]) -> list[list[bool]]:
        first, *others = offers
        same = [
            type(x) in kinds and all(x is y for y in column)
            for x, *column in zip(first, *others, strict=True)
        ]
        return [same] * len(offers)

    found: list[bool] = group._run.meet(group.local, leaves, compare)
    return found


def _as_it_is(x: Any) -> Any:
    return x if isinstance(x, IndexedSlices) else convert_to_tensor(x)


def all_gather(group: ReplicaContext, value: V, axis: int) -> V:
    """Concatenates the values of all replicas; see `ReplicaContext.all_gather`."""

    def gathered(given: Any) -> Any:
        x = convert_to_tensor(given)
        if not 0 <= axis < x.ndim:
            raise ValueError(
                f"all_gather: axis must be from 0 to {x.ndim - 1} for a value of shape {x.shape}, "
                f"got {axis} (a scalar has no axis: tf.expand_dims gives it one)"
            )
        if group.strategy._alone:
            return x
        if _single_objects(group, [given])[0]:
            return all_reduce_p(x, group=group, once=True)
        if group.traced:
            return _joined_when_traced(group, x, axis)
        parts = _exchanged(group, x._value, axis)
        if not STACK.recorders:
            return Tensor(joined(parts, axis, "all_gather"))
        tracer = active_compiler()
        if group.strategy._processes is not None and tracer is not None:
            if any(not r.defers for r in STACK.recorders):
                tracer.refuse("a gradient through joined values of several processes")
            return concat([Tensor(part) for part in parts], axis)
        own = group._id
        before = sum(p.shape[axis] for p in parts[:own])
        after = sum(p.shape[axis] for p in parts[own + 1 :])
        pieces = [_zeros(x, axis, before), x, _zeros(x, axis, after)]
        return all_reduce_p(concat(pieces, axis), group=group)

    whole: V = nest.map_structure(gathered, value)
    return whole


def joined(parts: Sequence[Any], axis: int, caller: str) -> np.ndarray[Any, Any]:
    """Concatenates arrays; raises InvalidArgumentError if their other lengths differ."""
    others = [(p.ndim, p.shape[:axis], p.shape[axis + 1 :]) for p in parts]
    if others.count(others[0]) != len(others):
        raise InvalidArgumentError(
            None,
            None,
            f"{caller}: the replicas' values must have the same lengths along all axes but {axis}, "
            f"but their shapes are {[p.shape for p in parts]}",
        )
    return np.concatenate(parts, axis)


def _exchanged(group: ReplicaContext, raw: Any, axis: int) -> list[Any]:
    """Returns the values of all replicas, in order."""

    def combine(offers: list[Any]) -> list[Any]:
        everything = group.strategy._gather_processes(offers, axis)
        return [everything] * len(offers)

    if group._run is None:
        out: list[Any] = combine([raw])[0]
        return out
    answer: list[Any] = group._run.meet(group.local, raw, combine)
    return answer


def _zeros(x: Tensor, axis: int, length: int) -> Tensor:
    shape = list(x._value.shape)
    shape[axis] = length
    return Tensor(np.zeros(shape, x._value.dtype))


def _joined_when_traced(group: ReplicaContext, x: Tensor, axis: int) -> Any:
    """Concatenates parts of one shape, as the sum of each replica's part padded with zeros."""
    return concat(unstack(_rows(group, x), group.num_replicas_in_sync), axis)


def _rows(group: ReplicaContext, x: Any) -> Tensor:
    count = group.num_replicas_in_sync
    own = tensor(np.arange(count, dtype=np.int32).reshape(count, *(1,) * x.ndim))
    placed = where(own == group.replica_id_in_sync_group, x, x.dtype.as_numpy_dtype(0))
    return all_reduce_p(placed, group=group)


def every_part(group: ReplicaContext, x: Tensor) -> list[Any]:
    """Returns the parts of all replicas of a value inside a compiled function."""
    return unstack(_rows(group, x), group.num_replicas_in_sync)
