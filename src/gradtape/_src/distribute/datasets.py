"""Datasets whose batches are divided among replicas."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import NotFoundError, OutOfRangeError, UnimplementedError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.data import iteration as walk
from gradtape._src.data.argument_handles import described
from gradtape._src.data.dataset import Dataset, DatasetV2
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import in_graph
from gradtape._src.data.elements.lineage import divided, with_common_seed
from gradtape._src.data.optional import Optional
from gradtape._src.data.options import AutoShardPolicy
from gradtape._src.data.pipeline import OwnedIterator
from gradtape._src.distribute.values import PerReplica, PerReplicaSpec
from gradtape._src.ops.random.distributions import own_seed
from gradtape._src.ops.types.specs import TensorSpec


@export("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator over the elements of a distributed dataset, which several threads may share.

    Args:
      dataset: The dataset that is divided among replicas.
    """

    def __init__(self, dataset: DistributedDataset) -> None:
        self._dataset = dataset
        self._parts = iter(dataset._parts)

    @classmethod
    def _of_parts(cls, parts: OwnedIterator, dataset: DistributedDataset) -> DistributedIterator:
        """Makes an iterator from an iterator over the replicas' parts."""
        iterator = cls.__new__(cls)
        iterator._dataset, iterator._parts = dataset, parts
        return iterator

    def _described_parts(self, leaves: list[Tensor], *_: object) -> Any:
        return described(self, self._parts._dataset, leaves, self._parts._source)

    def _filled(self, tensors: Iterator[Tensor], *_: object) -> Any:
        parts = self._parts._filled(tensors)
        return self if parts is self._parts else self._of_parts(parts, self._dataset)

    def _traced_loop(self, first: Any, step: Any, goes: Any) -> Any:
        """Traces a loop over the elements; see `graph_iteration.loop`."""
        return self._parts._traced_loop(first, _of_together(step), goes)

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        if in_graph("next(iterator)"):
            return _together(next(self._parts))
        return _together(next(self._parts._elements))

    def get_next(self) -> Any:
        """Returns the next element; raises OutOfRangeError at the end.

        Returns:
          The next element, with a `PerReplica` in place of each tensor if there are several
          replicas.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """Returns an optional with the next element, or without a value at the end.

        Returns:
          An `Optional`.
        """
        if in_graph("next(iterator)"):
            return _OptionalParts(self._parts.get_next_as_optional(), self.element_spec)
        for element in self:
            return Optional.from_value(element)
        return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._dataset.element_spec


class _OptionalParts(Optional):
    """An optional with the parts of an element of a distributed iterator, in a graph.

    Args:
      parts: The optional that has the parts.
      element_spec: The spec of the element.
    """

    def __init__(self, parts: Optional, element_spec: Any) -> None:
        super().__init__(element_spec)
        self._parts = parts

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element."""
        return self._parts.has_value()

    def get_value(self, name: str | None = None) -> el.Element:
        """Returns the element that consists of these parts."""
        return _together(self._parts.get_value())


nest.register_composite(
    _OptionalParts,
    nest.Container(
        lambda x: [x._parts], lambda like, parts: _OptionalParts(parts[0], like.element_spec)
    ),
)


@export("distribute.DistributedDataset")
class DistributedDataset(DatasetV2):
    """Divides each batch of a dataset among the replicas.

    An element is a structure of `PerReplica` values, or of tensors if the process has one replica.

    Args:
      dataset: A dataset of batches for all replicas.
      strategy: The strategy that divides them.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> batches = tf.data.Dataset.range(4).batch(2)
    >>> [x.numpy() for x in strategy.experimental_distribute_dataset(batches)]
    [array([0, 1]), array([2, 3])]
    """

    def __init__(self, dataset: Any, strategy: Any) -> None:
        self._dataset = dataset
        self._strategy = strategy
        self._count = strategy.num_replicas_in_sync
        self._first = strategy._first_replica
        self._policy = AutoShardPolicy.DATA
        if strategy._processes is not None:
            self._policy = _policy_of(dataset)
        self._parts = Dataset("Distributed", self._produce, self._spec_of_parts, self.cardinality)

    def _with_parts(self, parts: Dataset) -> DistributedDataset:
        """Returns a distributed dataset with the parts of another dataset."""
        made = copy.copy(self)
        made._parts = parts
        return made

    def _described_parts(self, leaves: list[Tensor], *_: object) -> Any:
        return described(self, self._parts, leaves, self._parts._variant())

    def _filled(self, tensors: Iterator[Tensor], *_: object) -> Any:
        parts = self._parts._filled(tensors)
        return self if parts is self._parts else self._with_parts(parts)

    def _traced_loop(self, first: Any, step: Any, goes: Any) -> Any:
        """Traces a loop over the elements; see `graph_iteration.loop`."""
        in_graph("a loop over a dataset")
        return self._parts._traced_loop(first, _of_together(step), goes)

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self)

    def _produce(self) -> Iterator[Any]:
        if self._policy is not AutoShardPolicy.DATA:
            yield from self._in_step(self._own_parts())
            return
        count, first, local = self._count, self._first, self._strategy._local_replicas
        for batch in self._batches():
            length = _length(batch)
            chunk = -(-length // count)
            places = range(first, first + local)
            parts = [_rows(batch, i * chunk, (i + 1) * chunk) for i in places]
            uneven = length % count and self._strategy._processes is not None
            yield (el.UnevenParts if uneven else el.Parts)(parts)

    def _batches(self) -> Iterator[Any]:
        """Starts an iteration over batches; all workers shuffle in the same order."""
        produce: walk.Produce = self._dataset._produce
        processes = self._strategy._processes
        if processes is not None and self._dataset._lineage.unseeded:
            drawn = np.int64(own_seed(None))
            produce = with_common_seed(produce, int(processes.from_first(drawn)))
        return produce()

    def _own_parts(self) -> Iterator[list[Any]]:
        """Yields parts of this process's own batches, one for each of its replicas."""
        rows = self._own_rows()
        while parts := list(islice(rows, self._strategy._local_replicas)):
            yield parts

    def _own_rows(self) -> Iterator[Any]:
        """Divides each batch of this process into parts for its replicas, as TensorFlow does."""
        lineage, produce = self._dataset._lineage, self._dataset._produce
        count, local = self._count, self._strategy._local_replicas
        if self._policy is AutoShardPolicy.FILE:
            workers = count // local
            produce = divided(produce, lineage, workers, self._first // local)
        if lineage.batch is not None:
            sizes = [lineage.batch // count + (i < lineage.batch % count) for i in range(count)]
            sizes = [*sizes[self._first :], *sizes[: self._first]]
            yield from Dataset("Own", produce, self._dataset.element_spec).rebatch(sizes)._produce()
            return
        for batch in produce():
            length = _length(batch)
            chunk = -(-length // count)
            for at in range(0, length, chunk):
                yield _rows(batch, at, at + chunk)

    def _in_step(self, own: Iterator[list[Any]]) -> Iterator[Any]:
        """Yields elements as long as any process has one; the other processes yield empty parts."""
        local, processes = self._strategy._local_replicas, self._strategy._processes
        like = None
        while True:
            parts = next(own, [])
            like = parts[-1] if parts else like
            if processes is None:
                lengths = [len(parts)]
            else:
                table = np.zeros([self._count], np.int64)  # the lengths of the shape, and 1 more
                for i, part in enumerate(parts):
                    table[self._first + i] = 1 + _length_of_any(part)
                lengths = processes.summed([table])[0].tolist()
            if not any(lengths):
                return
            if len(parts) < local:
                empty = self._empty() if like is None else _rows(like, 0, 0)
                parts = [*parts, *[empty] * (local - len(parts))]
            even = processes is None or len(set(lengths)) == 1
            yield (el.Parts if even else el.UnevenParts)(parts)

    def _empty(self) -> Any:
        """Returns an element without rows, for a process that has no data at all."""

        def rows(spec: Any) -> Any:
            if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
                raise UnimplementedError(
                    None, None, f"a worker has no data, and there is no empty batch of {spec}"
                )
            lengths = [size or 0 for size in spec.shape.as_list()]
            return np.zeros([0, *lengths[1:]] if lengths else [], spec.dtype.as_numpy_dtype)

        return el.raw_element(nest.map_structure(rows, self._dataset.element_spec), Dataset)

    @property
    def element_spec(self) -> Any:
        """The spec of the elements, with a `PerReplicaSpec` for each tensor."""
        local = self._strategy._local_replicas
        part = self._parts.element_spec[0]
        if local == 1:
            return part
        return nest.map_structure(lambda spec: PerReplicaSpec(*[spec] * local), part)

    def _spec_of_parts(self) -> el.Parts:
        part = nest.map_structure(self._part_spec, self._dataset.element_spec)
        return el.Parts([part] * self._strategy._local_replicas)

    def _part_spec(self, spec: Any) -> Any:
        if not isinstance(spec, TensorSpec) or not spec.shape.rank:
            return spec
        length, *rest = spec.shape.as_list()
        even = length is not None and length % self._count == 0
        return TensorSpec([length // self._count if even else None, *rest], spec.dtype)

    @property
    def cardinality(self) -> int:
        """The number of elements; negative if it is infinite or unknown."""
        return int(self._dataset.cardinality())


class DistributedDatasetsFromFunction(DistributedDataset):
    """Assigns the batches of a dataset to the replicas, one after another."""

    def _produce(self) -> Iterator[Any]:
        yield from self._in_step(self._own_parts())

    def _own_rows(self) -> Iterator[Any]:
        yield from self._dataset._produce()

    def _part_spec(self, spec: Any) -> Any:
        if not isinstance(spec, TensorSpec) or not spec.shape.rank:
            return spec
        local = self._strategy._local_replicas
        shape = spec.shape.as_list()
        return TensorSpec([None, *shape[1:]] if local > 1 else shape, spec.dtype)

    @property
    def cardinality(self) -> int:
        """The number of elements; negative if it is infinite or unknown."""
        whole = super().cardinality
        return whole if whole < 0 else -(-whole // self._strategy._local_replicas)


def _policy_of(dataset: Any) -> AutoShardPolicy:
    """Returns how a dataset is divided among processes.

    Raises:
      NotFoundError: The policy is FILE, and the elements are not those of files.
    """
    asked = dataset.options().experimental_distribute.auto_shard_policy
    files = bool(dataset._lineage.files)
    if asked is AutoShardPolicy.FILE and not files:
        raise NotFoundError(
            None,
            None,
            "Found an unshardable source dataset: the elements are not those of files that a "
            "reader such as TFRecordDataset opens, so that the policy FILE can't divide them "
            "(AUTO and DATA can)",
        )
    if asked is AutoShardPolicy.AUTO and files:
        return AutoShardPolicy.FILE
    by_own = asked in (AutoShardPolicy.FILE, AutoShardPolicy.OFF)
    return asked if by_own else AutoShardPolicy.DATA


def _length_of_any(part: Any) -> int:
    """Returns the length of a part of any rank; a part without axes counts as one row."""
    shapes: list[Any] = [getattr(x, "shape", ()) for x in nest.flatten(part)]
    return next((int(shape[0]) for shape in shapes if len(shape)), 1)


def _length(batch: Any) -> int:
    for x in nest.flatten(batch):
        shape: Any = getattr(x, "shape", ())
        if len(shape):
            return int(shape[0])
    raise ValueError(
        "a dataset must be batched (dataset.batch(n)) to be divided among replicas: an element "
        f"is {nest.map_structure(lambda x: getattr(x, 'shape', x), batch)}"
    )


def _rows(batch: Any, begin: int, end: int) -> Any:
    """Returns the rows of a batch from `begin` up to `end`, or to the last row."""
    return nest.map_structure(lambda x: x[begin:end] if len(getattr(x, "shape", ())) else x, batch)


def _together(parts: el.Parts) -> Any:
    """Combines the replicas' parts into one element."""
    each = [el.to_tensors(part) for part in parts]
    if type(parts) is el.UnevenParts:
        for x in nest.flatten(each):
            if type(x) is Tensor:
                x._is_uneven = True
    if len(parts) == 1:
        return each[0]
    return nest.map_structure(lambda *xs: PerReplica(xs), *each)


def _of_together(step: Any) -> Any:
    """Converts a loop body for whole elements to a body for the parts of elements."""
    return lambda state, parts: step(state, _together(parts))
