"""`tf.data`: pipelines of elements."""

from gradtape._src.data.cardinality import INFINITE as _INFINITE_CARDINALITY
from gradtape._src.data.cardinality import UNKNOWN as _UNKNOWN_CARDINALITY
from gradtape._src.data.dataset import Dataset as Dataset
from gradtape._src.data.elements.elements import DatasetSpec as DatasetSpec
from gradtape._src.data.options import Options as Options
from gradtape._src.data.options import ThreadingOptions as ThreadingOptions
from gradtape._src.data.pipeline import IteratorSpec as IteratorSpec
from gradtape._src.data.pipeline import NumpyIterator as NumpyIterator
from gradtape._src.data.pipeline import OwnedIterator as _Iterator
from gradtape._src.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from gradtape._src.data.readers import TextLineDataset as TextLineDataset
from gradtape._src.data.readers import TFRecordDataset as TFRecordDataset
from gradtape._src.data.transformations import AUTOTUNE as AUTOTUNE
from gradtape.data import experimental as experimental

INFINITE_CARDINALITY = _INFINITE_CARDINALITY
Iterator = _Iterator
UNKNOWN_CARDINALITY = _UNKNOWN_CARDINALITY

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]
