"""Queues of inputs, which `QueueRunner` fills, such as `tf.compat.v1.train.input_producer`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int32, int64, string
from gradtape._src.base.export import export
from gradtape._src.compat.contexts import control_dependencies
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.queues.fifo import FIFOQueue, QueueBase
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.ops.array.creation import range as range_
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.identities import identity
from gradtape._src.ops.random.distributions import shuffle as shuffled
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.monitored.queue_runners import QueueRunner, add_queue_runner
from gradtape._src.sessions.training.variables import VariableV1, count_up_to


@export("compat.v1.train.limit_epochs")
def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """Returns a tensor that can be computed a limited number of times.

    Args:
      tensor: The tensor.
      num_epochs: The number of times; None for no limit.
      name: The operation's name.

    Returns:
      The tensor. Further runs raise OutOfRangeError.

    Raises:
      ValueError: `num_epochs` is not positive.
    """
    x = convert_to_tensor(tensor)
    if num_epochs is None:
        return x
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    keys = [GraphKeys.LOCAL_VARIABLES]
    make: Any = VariableV1
    epochs = make(0, name="epochs", trainable=False, dtype=int64, collections=keys)
    with control_dependencies([count_up_to(epochs, num_epochs)]):
        return identity(x)


@export("compat.v1.train.input_producer")
def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Returns a queue that a `QueueRunner` fills with the rows of a tensor.

    Args:
      input_tensor: The tensor.
      element_shape: The shape of a row, if it is not known.
      num_epochs: The number of times that the elements are produced; None for no end.
      shuffle: Whether their order is random in each epoch.
      seed: The seed of the random order.
      capacity: The maximum number of elements in the queue.
      shared_name: Accepted for compatibility.
      summary_name: Accepted for compatibility.
      name: The name of the queue.
      cancel_op: The operation that cancels the threads.

    Returns:
      The queue.

    Raises:
      RuntimeError: Execution is eager.
      ValueError: The shape of a row is not known.
    """
    if open_graph() is None:
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. "
            "Please use tf.data to ingest data into your model instead."
        )
    rows = convert_to_tensor(input_tensor)
    shape = rows.shape[1:].merge_with(element_shape)
    if not shape.is_fully_defined():
        raise ValueError("Either `input_tensor` or `element_shape` must have a known shape")
    if shuffle:
        rows = shuffled(rows, seed)
    queue = FIFOQueue(capacity, [rows.dtype], [shape], name=name or "input_producer")
    add = queue.enqueue_many([limit_epochs(rows, num_epochs)])
    add_queue_runner(QueueRunner(queue, [add], cancel_op=cancel_op))
    return queue


@export("compat.v1.train.string_input_producer")
def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Returns a queue that a `QueueRunner` fills with strings, such as names of files.

    Args:
      string_tensor: A vector of strings.
      num_epochs: The number of times that the elements are produced; None for no end.
      shuffle: Whether their order is random in each epoch.
      seed: The seed of the random order.
      capacity: The maximum number of elements in the queue.
      shared_name: Accepted for compatibility.
      name: The name of the queue.
      cancel_op: The operation that cancels the threads.

    Returns:
      The queue.

    Raises:
      ValueError: There are no strings.
    """
    strings = convert_to_tensor(string_tensor, string)
    if strings.shape.as_list()[:1] == [0]:
        raise ValueError("string_input_producer requires a non-null input tensor")
    return input_producer(
        strings, [], num_epochs, shuffle, seed, capacity, None, None, name, cancel_op
    )


@export("compat.v1.train.range_input_producer")
def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """Returns a queue that a `QueueRunner` fills with the integers below a limit.

    Args:
      limit: The limit.
      num_epochs: The number of times that the elements are produced; None for no end.
      shuffle: Whether their order is random in each epoch.
      seed: The seed of the random order.
      capacity: The maximum number of elements in the queue.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The queue.
    """
    numbers = range_(convert_to_tensor(limit, int32))
    return input_producer(numbers, [], num_epochs, shuffle, seed, capacity, name=name)


@export("compat.v1.train.slice_input_producer")
def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Returns rows of tensors, whose numbers a `QueueRunner` puts into a queue.

    Args:
      tensor_list: Tensors with the same number of rows.
      num_epochs: The number of times that the elements are produced; None for no end.
      shuffle: Whether their order is random in each epoch.
      seed: The seed of the random order.
      capacity: The maximum number of elements in the queue.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      A row of each tensor, another one in each run.

    Raises:
      ValueError: There are no tensors.
    """
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    tensors = [convert_to_tensor(x) for x in tensor_list]
    limit = tensors[0].shape[0]
    queue = range_input_producer(limit, num_epochs, shuffle, seed, capacity, name=name)
    index = queue.dequeue()
    return [gather(x, index) for x in tensors]
