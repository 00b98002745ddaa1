"""Datasets of serialized examples, and files of records from datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.data.dataset import Dataset
from gradtape._src.data.functions import Step
from gradtape._src.data.readers import TFRecordDataset
from gradtape._src.files.features import FixedLenFeature
from gradtape._src.files.parsing import parse_example
from gradtape._src.files.records import TFRecordWriter as RecordWriter
from gradtape._src.ops.types.specs import TensorSpec


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Step:
    """Parses batches of serialized `Example`s.

    Args:
      features: The wanted features, as for `tf.io.parse_example`.
      num_parallel_calls: Accepted for compatibility.
      deterministic: Accepted for compatibility.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: There are no features.
      TypeError: The elements are not batches of strings; raised when the function is applied.
    """
    if features is None:
        raise ValueError("Argument `features` should not be None.")

    def apply(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not string or spec.shape.rank != 1:
            raise TypeError(f"the elements of the dataset must be vectors of strings, got {spec}")
        parsed = dataset.map(lambda serialized: parse_example(serialized, dict(features)))
        known = {
            key: TensorSpec([*spec.shape, *feature.shape], feature.dtype)
            for key, feature in features.items()
            if isinstance(feature, FixedLenFeature)
        }
        parsed._spec = {**parsed.element_spec, **known}
        return parsed

    return apply


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Mapping[str, Any],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Makes a dataset of batches of parsed `Example`s from files.

    Args:
      file_pattern: The files: a pattern of their names, or several patterns.
      batch_size: The number of examples in a batch.
      features: The wanted features, as for `tf.io.parse_example`.
      reader: A function that makes a dataset of the records of a file; `tf.data.TFRecordDataset`
        by default.
      label_key: The feature that is the label.
      reader_args: Further arguments of `reader`.
      num_epochs: The number of repetitions. Unlimited by default.
      shuffle: Whether to shuffle the examples.
      shuffle_buffer_size: See `Dataset.shuffle`.
      shuffle_seed: See `Dataset.shuffle`.
      prefetch_buffer_size: The number of batches to make in advance.
      reader_num_threads: Accepted for compatibility.
      parser_num_threads: Accepted for compatibility.
      sloppy_ordering: Accepted for compatibility.
      drop_final_batch: Whether to leave out a smaller last batch.

    Returns:
      A dataset of dictionaries of features, or of pairs of a dictionary and the label.

    Raises:
      ValueError: `label_key` is not one of the features.
      InvalidArgumentError: No file matches.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(f"`label_key` {label_key!r} must be one of the features {[*features]}.")
    made, more = reader or TFRecordDataset, list(reader_args or [])
    files: Any = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    records: Any = files.interleave(lambda name: made(name, *more), cycle_length=1)
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        records = records.repeat(num_epochs)
    fixed = drop_final_batch or num_epochs is None
    batches = records.batch(batch_size, fixed).apply(parse_example_dataset(features))
    if label_key is not None:
        batches = batches.map(lambda found: (found, found.pop(label_key)))
    out: Dataset = batches.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)
    return out


@export("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes the elements of a dataset to a file of records.

    Args:
      filename: The file.
      compression_type: "GZIP", "ZLIB" or "".
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename = filename
        self._compression_type = compression_type

    def write(self, dataset: Dataset) -> None:
        """Writes the file.

        Args:
          dataset: A dataset of strings.

        Raises:
          TypeError: The argument is not a dataset, or its elements are not scalar strings.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"`dataset` must be a dataset, got {type(dataset).__name__}")
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not string or spec.shape.rank != 0:
            raise TypeError(f"the elements of `dataset` must be scalar strings, got {spec}")
        with RecordWriter(self._filename, self._compression_type) as writer:
            for record in dataset:
                writer.write(record.numpy())
