"""`tf.data.experimental`: less common parts of `tf.data`."""

from gradtape._src.data.cardinality import INFINITE as _INFINITE_CARDINALITY
from gradtape._src.data.cardinality import UNKNOWN as _UNKNOWN_CARDINALITY
from gradtape._src.data.dataset import assert_cardinality as assert_cardinality
from gradtape._src.data.dataset import cardinality as cardinality
from gradtape._src.data.experimental.example_records import TFRecordWriter as TFRecordWriter
from gradtape._src.data.experimental.example_records import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from gradtape._src.data.experimental.example_records import (
    parse_example_dataset as parse_example_dataset,
)
from gradtape._src.data.experimental.sql import SqlDataset as SqlDataset
from gradtape._src.data.experimental.steps import SHARD_HINT as SHARD_HINT
from gradtape._src.data.experimental.steps import AutotuneAlgorithm as AutotuneAlgorithm
from gradtape._src.data.experimental.steps import RandomDataset as RandomDataset
from gradtape._src.data.experimental.steps import Reducer as Reducer
from gradtape._src.data.experimental.steps import copy_to_device as copy_to_device
from gradtape._src.data.experimental.steps import from_list as from_list
from gradtape._src.data.experimental.steps import get_next_as_optional as get_next_as_optional
from gradtape._src.data.experimental.steps import get_structure as get_structure
from gradtape._src.data.experimental.steps import group_by_reducer as group_by_reducer
from gradtape._src.data.experimental.steps import pad_to_cardinality as pad_to_cardinality
from gradtape._src.data.experimental.steps import parallel_interleave as parallel_interleave
from gradtape._src.data.experimental.steps import prefetch_to_device as prefetch_to_device
from gradtape._src.data.experimental.tables import DatasetInitializer as DatasetInitializer
from gradtape._src.data.experimental.tables import (
    index_table_from_dataset as index_table_from_dataset,
)
from gradtape._src.data.experimental.tables import table_from_dataset as table_from_dataset
from gradtape._src.data.functions import at as at
from gradtape._src.data.functions import bucket_by_sequence_length as bucket_by_sequence_length
from gradtape._src.data.functions import choose_from_datasets as choose_from_datasets
from gradtape._src.data.functions import counter as _Counter
from gradtape._src.data.functions import dense_to_ragged_batch as dense_to_ragged_batch
from gradtape._src.data.functions import dense_to_sparse_batch as dense_to_sparse_batch
from gradtape._src.data.functions import enumerate_dataset as enumerate_dataset
from gradtape._src.data.functions import get_single_element as get_single_element
from gradtape._src.data.functions import group_by_window as group_by_window
from gradtape._src.data.functions import ignore_errors as ignore_errors
from gradtape._src.data.functions import load as load
from gradtape._src.data.functions import map_and_batch as map_and_batch
from gradtape._src.data.functions import rejection_resample as rejection_resample
from gradtape._src.data.functions import sample_from_datasets as sample_from_datasets
from gradtape._src.data.functions import save as save
from gradtape._src.data.functions import scan as scan
from gradtape._src.data.functions import shuffle_and_repeat as shuffle_and_repeat
from gradtape._src.data.functions import snapshot as snapshot
from gradtape._src.data.functions import take_while as take_while
from gradtape._src.data.functions import unbatch as unbatch
from gradtape._src.data.functions import unique as unique
from gradtape._src.data.make_csv import make_csv_dataset as make_csv_dataset
from gradtape._src.data.optional import Optional as Optional
from gradtape._src.data.options import AutoShardPolicy as AutoShardPolicy
from gradtape._src.data.options import AutotuneOptions as AutotuneOptions
from gradtape._src.data.options import DistributeOptions as DistributeOptions
from gradtape._src.data.options import ExternalStatePolicy as ExternalStatePolicy
from gradtape._src.data.options import OptimizationOptions as OptimizationOptions
from gradtape._src.data.options import ThreadingOptions as ThreadingOptions
from gradtape._src.data.readers import CsvDataset as CsvDataset
from gradtape._src.data.transformations import AUTOTUNE as AUTOTUNE

Counter = _Counter
INFINITE_CARDINALITY = _INFINITE_CARDINALITY
UNKNOWN_CARDINALITY = _UNKNOWN_CARDINALITY

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "ThreadingOptions",
    "assert_cardinality",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "enumerate_dataset",
    "get_single_element",
    "group_by_window",
    "ignore_errors",
    "load",
    "make_csv_dataset",
    "map_and_batch",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "take_while",
    "unbatch",
    "unique",
]
