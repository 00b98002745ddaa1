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
    """Does the work of `Dataset.bucket_by_sequence_length`; see there."""
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **options)


@export("data.experimental.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Step:
    """Does the work of `Dataset.group_by_window`; see there."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


@export("data.experimental.rejection_resample")
def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Step:
    """Does the work of `Dataset.rejection_resample`; see there."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@export("data.experimental.ignore_errors")
def ignore_errors(log_warning: bool = False) -> Step:
    """Does the work of `Dataset.ignore_errors`; see there."""
    return lambda dataset: dataset.ignore_errors(log_warning)


@export("data.experimental.unbatch")
def unbatch() -> Step:
    """Does the work of `Dataset.unbatch`; see there."""
    return lambda dataset: dataset.unbatch()


@export("data.experimental.unique")
def unique() -> Step:
    """Does the work of `Dataset.unique`; see there."""
    return lambda dataset: dataset.unique()


@export("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Step:
    """Does the work of `Dataset.take_while`; see there."""
    return lambda dataset: dataset.take_while(predicate)


@export("data.experimental.scan")
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Step:
    """Does the work of `Dataset.scan`; see there."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


@export("data.experimental.enumerate_dataset")
def enumerate_dataset(start: Any = 0) -> Step:
    """Does the work of `Dataset.enumerate`; see there."""
    return lambda dataset: dataset.enumerate(start)


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Step:
    """See `Dataset.shuffle` and `Dataset.repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Step:
    """See `Dataset.map` and `Dataset.batch`."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@export("data.experimental.choose_from_datasets")
def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Does the work of `Dataset.choose_from_datasets`; see there."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@export("data.experimental.sample_from_datasets")
def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Does the work of `Dataset.sample_from_datasets`; see there."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@export("data.experimental.Counter")
def counter(start: int = 0, step: int = 1, dtype: Any = int64) -> Dataset:
    """Does the work of `Dataset.counter`; see there."""
    return Dataset.counter(start, step, dtype)


@export("data.experimental.save")
def save(dataset: Dataset, path: Any, compression: str | None = None) -> None:
    """Does the work of `Dataset.save`; see there."""
    dataset.save(path, compression)


@export("data.experimental.load")
def load(path: Any, element_spec: Any = None, compression: str | None = None) -> Dataset:
    """Does the work of `Dataset.load`; see there."""
    return Dataset.load(path, element_spec, compression)


@export("data.experimental.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """Does the work of `Dataset.get_single_element`; see there."""
    return dataset.get_single_element()
