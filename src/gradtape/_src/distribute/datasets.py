"""Data sets whose batches are divided among replicas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.dataset import DatasetV2
from gradtape._src.data.optional import Optional
from gradtape._src.data.options import AutoShardPolicy
from gradtape._src.data.shared_iteration import Turns
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.distribute.values import PerReplica, PerReplicaSpec
from gradtape._src.ops.types.specs import TensorSpec


@export("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator over the elements of a distributed data set, which several threads may share.

    Args:
      dataset: The data set that is divided among replicas.
    """

    def __init__(self, dataset: DistributedDataset) -> None:
        self._dataset = dataset
        self._elements = Turns(dataset._produce)

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        refuse_under_jit("next(iterator)")
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element; OutOfRangeError if there isn't one.

        Returns:
          The next element, with a `PerReplica` for each tensor if there are several replicas.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or an optional without a value if there isn't one.

        Returns:
          An `Optional`.
        """
        for element in self:
            return Optional.from_value(element)
        return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._dataset.element_spec


@export("distribute.DistributedDataset")
class DistributedDataset(DatasetV2):
    """Divides each batch of a data set among the replicas.

    An element is a structure of `PerReplica` values, or of tensors if the process has one replica.

    Args:
      dataset: A data set of batches for all replicas.
      strategy: The strategy that divides them.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> batches = tf.data.Dataset.range(4).batch(2)
    >>> [x.numpy() for x in strategy.experimental_distribute_dataset(batches)]
    [array([0, 1]), array([2, 3])]
    """

    def __init__(self, dataset: Any, strategy: Any) -> None:
        self._dataset = dataset
        self._strategy = strategy
        policy = dataset.options().experimental_distribute.auto_shard_policy
        # Where nothing is sharded, each process divides what it reads among its own replicas.
        whole = policy is AutoShardPolicy.OFF and strategy._processes is not None
        self._count = strategy.num_replicas_in_sync
        self._first = strategy._first_replica
        self._wraps = whole and strategy._local_replicas != self._count

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self)

    def _produce(self) -> Iterator[Any]:
        count, first, local = self._count, self._first, self._strategy._local_replicas
        if self._wraps:
            yield from self._unsharded()
            return
        for batch in self._dataset:
            length = _length(batch)
            chunk = -(-length // count)
            parts = [_rows(batch, i * chunk, (i + 1) * chunk) for i in range(first, first + local)]
            if length % count and self._strategy._processes is not None:
                nest.map_structure(_mark, parts)  # other processes have parts of other shapes
            yield _together(parts)

    def _unsharded(self) -> Iterator[Any]:
        """Each of the parts in turn is a batch of this process, as TensorFlow has it."""
        local = self._strategy._local_replicas
        waiting: list[Any] = []
        for batch in self._dataset:
            length = _length(batch)
            chunk = -(-length // self._count)
            waiting += [_rows(batch, at, at + chunk) for at in range(0, length, chunk)]
            while len(waiting) >= local:
                yield _together(waiting[:local])
                del waiting[:local]
        if waiting:
            yield _together([*waiting, *[_rows(waiting[-1], 0, 0)] * (local - len(waiting))])

    @property
    def element_spec(self) -> Any:
        """A `PerReplicaSpec` in the place of each tensor's spec."""
        return nest.map_structure(self._part_spec, self._dataset.element_spec)

    def _part_spec(self, spec: Any) -> Any:
        shape = spec.shape.as_list()
        length = shape[0]
        even = length is not None and length % self._count == 0
        return self._spec([length // self._count if even else None, *shape[1:]], spec.dtype)

    def _spec(self, shape: Any, dtype: Any) -> Any:
        local = self._strategy._local_replicas
        part = TensorSpec(shape, dtype)
        return part if local == 1 else PerReplicaSpec(*[part] * local)

    @property
    def cardinality(self) -> int:
        """The number of elements; negative if it is infinite or unknown."""
        return int(self._dataset.cardinality())


class DistributedDatasetsFromFunction(DistributedDataset):
    """Batches of each replica's size: the replicas take turns in taking one."""

    def _produce(self) -> Iterator[Any]:
        local = self._strategy._local_replicas
        batches = iter(self._dataset)
        while parts := list(islice(batches, local)):
            empty = _rows(parts[-1], 0, 0)
            yield _together([*parts, *[empty] * (local - len(parts))])

    def _part_spec(self, spec: Any) -> Any:
        shape = spec.shape.as_list()
        local = self._strategy._local_replicas
        return self._spec([None, *shape[1:]] if local > 1 else shape, spec.dtype)

    @property
    def cardinality(self) -> int:
        """The number of elements; negative if it is infinite or unknown."""
        whole = super().cardinality
        return whole if whole < 0 else -(-whole // self._strategy._local_replicas)


def _length(batch: Any) -> int:
    for x in nest.flatten(batch):
        if isinstance(x, Tensor) and x.ndim:
            return int(x.shape[0])
    raise ValueError(
        "a data set must be batched (dataset.batch(n)) to be divided among replicas: an element "
        f"is {nest.map_structure(lambda x: getattr(x, 'shape', x), batch)}"
    )


def _rows(batch: Any, begin: int, end: int) -> Any:
    """The rows of a batch from `begin` to before `end`, or to the last."""
    return nest.map_structure(
        lambda x: Tensor(x._value[begin:end]) if isinstance(x, Tensor) else x, batch
    )


def _mark(x: Any) -> None:
    if isinstance(x, Tensor):
        x._is_uneven = True


def _together(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    return nest.map_structure(lambda *xs: PerReplica(xs), *parts)


@export("distribute.InputContext")
class InputContext:
    """The part of the data that a process reads.

    Args:
      num_input_pipelines: How many processes read data.
      input_pipeline_id: The number of this one among them.
      num_replicas_in_sync: How many replicas there are.

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
        """A replica's share of a batch; ValueError where it can't be shared evenly.

        Args:
          global_batch_size: The size of a batch of all replicas together.

        Returns:
          The size of the part of one replica.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )
