"""Options of the methods of strategies."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from gradtape._src.base.export import export
from gradtape._src.data.dataset import Dataset


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """The number of calls of the function of `distribute_datasets_from_function`.

    PER_WORKER is once in each process; its replicas take batches in turn. PER_REPLICA is once for
    each replica.
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _InputOptions(NamedTuple):
    experimental_fetch_to_device: Any
    experimental_replication_mode: Any
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


@export("distribute.InputOptions")
class InputOptions(_InputOptions):
    """Options for the input of a strategy.

    Args:
      experimental_fetch_to_device: Accepted for compatibility. None stands for True.
      experimental_replication_mode: An `InputReplicationMode`.
      experimental_place_dataset_on_device: Accepted for compatibility.
      experimental_per_replica_buffer_size: Accepted for compatibility.

    >>> tf.distribute.InputOptions().experimental_fetch_to_device
    True
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_fetch_to_device: Any = None,
        experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> Self:
        return super().__new__(
            cls,
            True if experimental_fetch_to_device is None else experimental_fetch_to_device,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )


@export("distribute.RunOptions")
class RunOptions(NamedTuple):
    """Options of `Strategy.run`, which TensorFlow uses for TPUs; none has an effect here.

    Attributes:
      experimental_enable_dynamic_batch_size: Accepted for compatibility.
      experimental_bucketizing_dynamic_shape: Accepted for compatibility.
      experimental_xla_options: Accepted for compatibility.

    >>> tf.distribute.RunOptions().experimental_enable_dynamic_batch_size
    True
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@export("distribute.InputContext")
class InputContext:
    """The part of the data that a process reads.

    Args:
      num_input_pipelines: The number of processes that read data.
      input_pipeline_id: The index of this process among them.
      num_replicas_in_sync: The number of replicas.

    Attributes:
      num_input_pipelines, input_pipeline_id: The number of reading processes, and the index of this
        one.
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
        """Returns the batch size of one replica; raises ValueError if it is not an integer.

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


def _for_each_replica(options: Any) -> bool:
    mode = getattr(options, "experimental_replication_mode", None)
    return mode is InputReplicationMode.PER_REPLICA


def refuse_for_each_replica(options: Any) -> None:
    """Raises NotImplementedError if a given dataset is to be made for each replica."""
    if _for_each_replica(options):
        raise NotImplementedError(
            "InputReplicationMode.PER_REPLICA is only supported in "
            "`distribute_datasets_from_function`."
        )


def made_dataset(
    dataset_fn: Callable[[InputContext], Any], options: Any, first: int, local: int, count: int
) -> Dataset:
    """Returns a dataset from which the replicas of this process take elements in turn.

    Args:
      dataset_fn: A function that makes the dataset of the process, or of each replica.
      options: An `InputOptions` or None.
      first: The number of the first replica of this process.
      local: The number of replicas of this process.
      count: The number of all replicas.

    Raises:
      TypeError: The function does not return a dataset.
    """
    if _for_each_replica(options):
        contexts = [InputContext(count, first + i, count) for i in range(local)]
    else:
        contexts = [InputContext(count // local, first // local, count)]
    datasets: list[Dataset] = [dataset_fn(context) for context in contexts]
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"dataset_fn must return a tf.data.Dataset, got {type(dataset)}")
    if len(datasets) == 1:
        return datasets[0]
    return Dataset.choose_from_datasets(datasets, Dataset.range(local).repeat())
