"""The older form of a dataset's methods: functions that make one for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.export import export
from gradtape._src.data.dataset import Dataset

Step = Callable[[Dataset], Dataset]


@export("data.experimental.bucket_by_sequence_length")
def bucket_by_sequence_length(*args: Any, **options: Any) -> Step:
    """Does the work of `Dataset.bucket_by_sequence_length`; see there.

    Args:
      *args: The arguments of that method.
      **options: Its named arguments.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **options)


@export("data.experimental.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Step:
    """Does the work of `Dataset.group_by_window`; see there.

    Args:
      key_func: `element -> int64`: the group of an element.
      reduce_func: `(key, elements) -> data set`: what becomes of a window of a group.
      window_size: How many elements of a group make a window.
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
    """Does the work of `Dataset.rejection_resample`; see there.

    Args:
      class_func: `element -> int32`: the class of an element.
      target_dist: How frequent each class is to be.
      initial_dist: How frequent it is; counted if not given.
      seed: For a choice that can be repeated.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@export("data.experimental.ignore_errors")
def ignore_errors(log_warning: bool = False) -> Step:
    """Does the work of `Dataset.ignore_errors`; see there.

    Args:
      log_warning: Whether to log each error.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


@export("data.experimental.unbatch")
def unbatch() -> Step:
    """Does the work of `Dataset.unbatch`; see there.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.unbatch()


@export("data.experimental.unique")
def unique() -> Step:
    """Does the work of `Dataset.unique`; see there.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.unique()


@export("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Step:
    """Does the work of `Dataset.take_while`; see there.

    Args:
      predicate: `element -> bool`: whether to go on.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.take_while(predicate)


@export("data.experimental.scan")
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Step:
    """Does the work of `Dataset.scan`; see there.

    Args:
      initial_state: The first state, a tensor or nested structure of tensors.
      scan_func: `(state, element) -> (state, result)`.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


@export("data.experimental.enumerate_dataset")
def enumerate_dataset(start: Any = 0) -> Step:
    """Does the work of `Dataset.enumerate`; see there.

    Args:
      start: The number of the first element.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.enumerate(start)


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Step:
    """See `Dataset.shuffle` and `Dataset.repeat`.

    Args:
      buffer_size: From how many elements at a time the next one is drawn.
      count: How often to repeat; without an end by default.
      seed: For an order that can be repeated.

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
    """See `Dataset.map` and `Dataset.batch`.

    Args:
      map_func: Applied to each element.
      batch_size: How many results make a batch.
      num_parallel_batches: Accepted for compatibility.
      drop_remainder: Whether a last batch that is smaller is left out.
      num_parallel_calls: How many calls run at once.

    Returns:
      A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@export("data.experimental.choose_from_datasets")
def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Does the work of `Dataset.choose_from_datasets`; see there.

    Args:
      datasets: The data sets.
      choice_dataset: A data set of int64 scalars, the indices of the data sets to take from.
      stop_on_empty_dataset: Whether to end with the first data set that ends, or to skip it.

    Returns:
      A data set of the elements taken.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@export("data.experimental.sample_from_datasets")
def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Does the work of `Dataset.sample_from_datasets`; see there.

    Args:
      datasets: The data sets.
      weights: How often each is chosen, equally often by default.
      seed: For a choice that can be repeated.
      stop_on_empty_dataset: Whether to end with the first data set that ends, or to skip it.

    Returns:
      A data set of the elements taken.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@export("data.experimental.Counter")
def counter(start: int = 0, step: int = 1, dtype: Any = int64) -> Dataset:
    """Does the work of `Dataset.counter`; see there.

    Args:
      start: The first number.
      step: What is added to it each time.
      dtype: The dtype of the elements.

    Returns:
      A data set without an end.
    """
    return Dataset.counter(start, step, dtype)


@export("data.experimental.save")
def save(dataset: Dataset, path: Any, compression: str | None = None) -> None:
    """Does the work of `Dataset.save`; see there.

    Args:
      dataset: The data set.
      path: The directory to write.
      compression: "GZIP", or None for none.
    """
    dataset.save(path, compression)


@export("data.experimental.load")
def load(path: Any, element_spec: Any = None, compression: str | None = None) -> Dataset:
    """Does the work of `Dataset.load`; see there.

    Args:
      path: The directory that `save` wrote.
      element_spec: The specs of the elements; read from the directory by default.
      compression: As given to `save`.

    Returns:
      The data set.
    """
    return Dataset.load(path, element_spec, compression)


@export("data.experimental.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """Does the work of `Dataset.get_single_element`; see there.

    Args:
      dataset: A data set of one element.

    Returns:
      The element.
    """
    return dataset.get_single_element()
