"""Batches from a queue that a `QueueRunner` fills: `tf.compat.v1.train.batch` and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gradtape._src.base.dtypes import bool_
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.queues.fifo import FIFOQueue, PaddingFIFOQueue, QueueBase
from gradtape._src.data.queues.ordered import RandomShuffleQueue
from gradtape._src.ops.array.creation import ones
from gradtape._src.ops.array.shaping import expand_dims
from gradtape._src.ops.array.slicing import boolean_mask
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.elementwise.logical import logical_and
from gradtape._src.sessions.monitored.queue_runners import QueueRunner, add_queue_runner

Batch: TypeAlias = Any
"""A tensor, or a list or dictionary of tensors, as the elements were given."""
MakeQueue: TypeAlias = Callable[[Any, Any], QueueBase]


def _in_order(capacity: int, padded: bool, name: str) -> MakeQueue:
    kind = PaddingFIFOQueue if padded else FIFOQueue
    return lambda dtypes, shapes: kind(capacity, dtypes, shapes, name=name)


def _shuffled(capacity: int, least: int, seed: int | None, name: str) -> MakeQueue:
    return lambda dtypes, shapes: RandomShuffleQueue(
        capacity, least, dtypes, shapes, None, seed, None, name
    )


def _batched(
    sources: Sequence[Any],
    count: Any,
    queue_of: MakeQueue,
    many: bool,
    shapes: Any,
    rest: bool,
    keep: Any,
) -> Batch:
    """Returns batches from a queue, which a `QueueRunner` fills from several sources."""
    named = isinstance(sources[0], dict)
    names = sorted(sources[0]) if named else None
    rows = [_parts(source, names) for source in sources]
    if shapes is None:
        shapes = _common_shapes([[x.shape[1:] if many else x.shape for x in row] for row in rows])
    queue = queue_of([x.dtype for x in rows[0]], shapes)
    add_queue_runner(QueueRunner(queue, [_added(queue, row, many, keep) for row in rows]))
    found = queue.dequeue_up_to(count) if rest else queue.dequeue_many(count)
    if names is None:
        return found
    return dict(zip(names, found if isinstance(found, list) else [found], strict=True))


def _parts(source: Any, names: list[Any] | None) -> list[Tensor]:
    """Returns the tensors of an element."""
    given = [source[name] for name in names] if names is not None else source
    return [convert_to_tensor(x) for x in (given if isinstance(given, (list, tuple)) else [given])]


def _common_shapes(shapes: Sequence[Sequence[Any]]) -> list[Any]:
    """Returns, for each component, the shape that fits all sources."""
    common = list(shapes[0])
    for other in shapes[1:]:
        common = [a.most_specific_compatible_shape(b) for a, b in zip(common, other, strict=True)]
    return common


def _added(queue: QueueBase, row: list[Tensor], many: bool, keep: Any) -> Any:
    """Returns the operation that puts elements into a queue, but for those that aren't kept."""
    if keep is None:
        return queue.enqueue_many(row) if many else queue.enqueue(row)
    if not many:
        row = [expand_dims(x, 0) for x in row]
    kept = logical_and(ones(shape_tensor(row[0])[:1], bool_), keep)
    return queue.enqueue_many([boolean_mask(x, kept) for x in row])


@export("compat.v1.train.batch")
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors, which a `QueueRunner` computes and puts into a queue.

    Args:
      tensors: A list or dictionary of tensors.
      batch_size: The number of elements of a batch.
      num_threads: The number of threads that compute elements.
      capacity: The maximum number of elements in the queue.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      dynamic_pad: Whether elements of different shapes are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of `tensors`; one tensor if there is only one.
    """
    queue_of = _in_order(capacity, dynamic_pad, name or "batch")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched([tensors] * num_threads, batch_size, queue_of, *how, None)


@export("compat.v1.train.maybe_batch")
def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors, of which a `QueueRunner` puts some into a queue.

    Args:
      tensors: A list or dictionary of tensors.
      keep_input: Whether the elements are put into the queue: a bool, or one for each element.
      batch_size: The number of elements of a batch.
      num_threads: The number of threads that compute elements.
      capacity: The maximum number of elements in the queue.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      dynamic_pad: Whether elements of different shapes are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of `tensors`; one tensor if there is only one.
    """
    queue_of = _in_order(capacity, dynamic_pad, name or "batch")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched([tensors] * num_threads, batch_size, queue_of, *how, keep_input)


@export("compat.v1.train.batch_join")
def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors from several sources, which a `QueueRunner` puts into a queue.

    Args:
      tensors_list: Lists or dictionaries of tensors; a thread computes each.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      dynamic_pad: Whether elements of different shapes are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of each element of `tensors_list`; or a single tensor.
    """
    queue_of = _in_order(capacity, dynamic_pad, name or "batch_join")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched(tensors_list, batch_size, queue_of, *how, None)


@export("compat.v1.train.maybe_batch_join")
def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors from several sources, some of which are put into a queue.

    Args:
      tensors_list: Lists or dictionaries of tensors; a thread computes each.
      keep_input: Whether the elements are put into the queue: a bool, or one for each element.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      dynamic_pad: Whether elements of different shapes are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of each element of `tensors_list`; or a single tensor.
    """
    queue_of = _in_order(capacity, dynamic_pad, name or "batch_join")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched(tensors_list, batch_size, queue_of, *how, keep_input)


@export("compat.v1.train.shuffle_batch")
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors in random order, which a `QueueRunner` puts into a queue.

    Args:
      tensors: A list or dictionary of tensors.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      min_after_dequeue: The number of elements that remain in the queue, among which is chosen.
      num_threads: The number of threads that compute elements.
      seed: The seed of the random order.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of `tensors`; one tensor if there is only one.
    """
    queue_of = _shuffled(capacity, min_after_dequeue, seed, name or "shuffle_batch")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched([tensors] * num_threads, batch_size, queue_of, *how, None)


@export("compat.v1.train.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors in random order, some of which are put into a queue.

    Args:
      tensors: A list or dictionary of tensors.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      min_after_dequeue: The number of elements that remain in the queue, among which is chosen.
      keep_input: Whether the elements are put into the queue: a bool, or one for each element.
      num_threads: The number of threads that compute elements.
      seed: The seed of the random order.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of `tensors`; one tensor if there is only one.
    """
    queue_of = _shuffled(capacity, min_after_dequeue, seed, name or "shuffle_batch")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched([tensors] * num_threads, batch_size, queue_of, *how, keep_input)


@export("compat.v1.train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors from several sources, in random order.

    Args:
      tensors_list: Lists or dictionaries of tensors; a thread computes each.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      min_after_dequeue: The number of elements that remain in the queue, among which is chosen.
      seed: The seed of the random order.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of each element of `tensors_list`; or a single tensor.
    """
    queue_of = _shuffled(capacity, min_after_dequeue, seed, name or "shuffle_batch_join")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched(tensors_list, batch_size, queue_of, *how, None)


@export("compat.v1.train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Batch:
    """Returns batches of tensors from several sources, some of them, in random order.

    Args:
      tensors_list: Lists or dictionaries of tensors; a thread computes each.
      batch_size: The number of elements of a batch.
      capacity: The maximum number of elements in the queue.
      min_after_dequeue: The number of elements that remain in the queue, among which is chosen.
      keep_input: Whether the elements are put into the queue: a bool, or one for each element.
      seed: The seed of the random order.
      enqueue_many: Whether each tensor holds several elements along its first axis.
      shapes: The shape of each element, if it is not known.
      allow_smaller_final_batch: Whether the last batch may have fewer elements.
      shared_name: Accepted for compatibility.
      name: The name of the queue.

    Returns:
      The batches, in the structure of each element of `tensors_list`; or a single tensor.
    """
    queue_of = _shuffled(capacity, min_after_dequeue, seed, name or "shuffle_batch_join")
    how = enqueue_many, shapes, allow_smaller_final_batch
    return _batched(tensors_list, batch_size, queue_of, *how, keep_input)
