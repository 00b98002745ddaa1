"""`tf.data.experimental`: less common parts of `tf.data`."""

from gradtape._data.cardinality import INFINITE as INFINITE_CARDINALITY
from gradtape._data.cardinality import UNKNOWN as UNKNOWN_CARDINALITY
from gradtape._data.dataset import assert_cardinality as assert_cardinality
from gradtape._data.dataset import cardinality as cardinality
from gradtape._data.options import AutoShardPolicy as AutoShardPolicy
from gradtape._data.options import AutotuneOptions as AutotuneOptions
from gradtape._data.options import DistributeOptions as DistributeOptions
from gradtape._data.options import ExternalStatePolicy as ExternalStatePolicy
from gradtape._data.options import OptimizationOptions as OptimizationOptions
from gradtape._data.transformations import AUTOTUNE as AUTOTUNE

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneOptions",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "assert_cardinality",
    "cardinality",
]
