"""The older form of a dataset's methods: functions for `Dataset.apply`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import in_graph

Step = Callable[[Dataset], Dataset]


@export("data.experimental.bucket_by_sequence_length")
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Step:
    """Implements `Dataset.bucket_by_sequence_length`.

    Args:
      element_length_func: A function that returns the length of an element.
      bucket_boundaries: The lengths at which a bucket ends; the bucket does not include this
        length.
      bucket_batch_sizes: The sizes of batches, one more than there are boundaries.
      padded_shapes: The shapes that elements are padded to.
      padding_values: The padding values.
      pad_to_bucket_boundary: Whether to pad to one less than the boundary of the bucket.
      no_padding: Whether to batch without padding.
      drop_remainder: Whether to leave out a smaller last batch.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


@export("data.experimental.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Step:
    """Implements `Dataset.group_by_window`.

    Args:
      key_func: `element -> int64`: the group of an element.
      reduce_func: `(key, elements) -> dataset`: makes a dataset from the elements of one window.
      window_size: The number of a group's elements in a window.
      window_size_func: `key -> int64`, in place of `window_size`.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


@export("data.experimental.rejection_resample")
def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Step:
    """Implements `Dataset.rejection_resample`.

    Args:
      class_func: `element -> int32`: the class of an element.
      target_dist: The target frequency of each class.
      initial_dist: The initial frequency of each class; estimated if not given.
      seed: The seed for a reproducible choice.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@export("data.experimental.ignore_errors")
def ignore_errors(log_warning: bool = False) -> Step:
    """Implements `Dataset.ignore_errors`.

    Args:
      log_warning: Whether to log each error.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


@export("data.experimental.unbatch")
def unbatch() -> Step:
    """Implements `Dataset.unbatch`.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.unbatch()


@export("data.experimental.unique")
def unique() -> Step:
    """Implements `Dataset.unique`.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.unique()


@export("data.experimental.at")
def at(dataset: Dataset, index: Any) -> object:
    """Returns the element of a dataset at an index.

    The elements before it are computed and skipped.

    Args:
      dataset: The dataset.
      index: The index, an integer.

    Returns:
      The element, in the structure of the dataset's elements.

    Raises:
      OutOfRangeError: The index is out of range.

    >>> int(tf.data.experimental.at(tf.data.Dataset.range(0, 10, 2), 3))
    6
    """
    place = convert_to_tensor(index, int64)
    if in_graph("tf.data.experimental.at"):
        return next(iter(dataset.skip(place)))
    number = int(place._value)
    rest: Iterator[Any] = iter(())
    if number >= 0:
        rest = itertools.islice(dataset._produce(), number, None)
    for element in rest:
        return el.to_tensors(element)
    raise OutOfRangeError(
        None, None, f"Index out of range: there is no element {number} [Op:GetElementAtIndex]"
    )


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64
) -> Step:
    """Implements `Dataset.ragged_batch`.

    Args:
      batch_size: The number of elements in a batch.
      drop_remainder: Whether a smaller last batch is dropped.
      row_splits_dtype: The dtype of the row splits, int32 or int64.

    Returns:
      A function for `Dataset.apply`.

    >>> rows = tf.data.Dataset.range(3).map(tf.range)
    >>> batches = rows.apply(tf.data.experimental.dense_to_ragged_batch(3))
    >>> [x.to_list() for x in batches]
    [[[], [0], [0, 1]]]
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Step:
    """Implements `Dataset.sparse_batch`.

    Args:
      batch_size: The number of elements in a batch.
      row_shape: The shape of a row; None stands for the greatest length in the batch.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


@export("data.experimental.snapshot")
def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Step:
    """Implements `Dataset.snapshot`.

    Args:
      path: A directory.
      compression: "GZIP", or None; "AUTO" and "SNAPPY" stand for None.
      reader_func: A function that makes a dataset of elements from a dataset of shards.
      shard_func: A function that returns the number of an element's shard.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


@export("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Step:
    """Implements `Dataset.take_while`.

    Args:
      predicate: A function `element -> bool`, which returns whether to continue.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.take_while(predicate)


@export("data.experimental.scan")
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Step:
    """Implements `Dataset.scan`.

    Args:
      initial_state: The first state, a tensor or nested structure of tensors.
      scan_func: `(state, element) -> (state, result)`.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


@export("data.experimental.enumerate_dataset")
def enumerate_dataset(start: Any = 0) -> Step:
    """Implements `Dataset.enumerate`.

    Args:
      start: The index of the first element.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.enumerate(start)


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Step:
    """Implements `Dataset.shuffle` followed by `Dataset.repeat`.

    Args:
      buffer_size: The number of elements from which the next one is drawn.
      count: The number of repetitions; unlimited by default.
      seed: The seed for a reproducible order.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Step:
    """Implements `Dataset.map` followed by `Dataset.batch`.

    Args:
      map_func: A function that is applied to each element.
      batch_size: The number of results in a batch.
      num_parallel_batches: Accepted for compatibility.
      drop_remainder: Whether a smaller last batch is dropped.
      num_parallel_calls: The number of concurrent calls.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@export("data.experimental.choose_from_datasets")
def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Implements `Dataset.choose_from_datasets`.

    Args:
      datasets: The datasets.
      choice_dataset: A dataset of int64 scalars, the indices of the datasets to take from.
      stop_on_empty_dataset: Whether to end when one of the datasets ends, rather than to skip it.

    Returns:
      A dataset of the selected elements.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@export("data.experimental.sample_from_datasets")
def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Implements `Dataset.sample_from_datasets`.

    Args:
      datasets: The datasets.
      weights: The probability of each dataset; equal by default.
      seed: The seed for a reproducible choice.
      stop_on_empty_dataset: Whether to end when one of the datasets ends, rather than to skip it.

    Returns:
      A dataset of the selected elements.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@export("data.experimental.Counter")
def counter(start: int = 0, step: int = 1, dtype: Any = int64) -> Dataset:
    """Implements `Dataset.counter`.

    Args:
      start: The first number.
      step: The difference between successive numbers.
      dtype: The dtype of the elements.

    Returns:
      A dataset without an end.
    """
    return Dataset.counter(start, step, dtype)


@export("data.experimental.save")
def save(
    dataset: Dataset,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Implements `Dataset.save`.

    Args:
      dataset: The dataset.
      path: The directory to write.
      compression: "GZIP" or None.
      shard_func: A function that returns the number of an element's shard, an int64.
      checkpoint_args: Accepted for compatibility.
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


@export("data.experimental.load")
def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[..., Any] | None = None,
) -> Dataset:
    """Implements `Dataset.load`.

    Args:
      path: The directory that `save` wrote.
      element_spec: The specs of the elements; read from the directory by default.
      compression: The `compression` of `save`.
      reader_func: A function that makes a dataset of elements from a dataset of the shards.

    Returns:
      The dataset.
    """
    return Dataset.load(path, element_spec, compression, reader_func)


@export("data.experimental.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """Implements `Dataset.get_single_element`.

    Args:
      dataset: A dataset of one element.

    Returns:
      The element.
    """
    return dataset.get_single_element()
