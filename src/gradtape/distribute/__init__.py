"""`tf.distribute`: programs that run on several devices and in several processes."""

from gradtape._distribute.cluster import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from gradtape._distribute.cluster import NcclAllReduce as NcclAllReduce
from gradtape._distribute.cluster import ReductionToOneDevice as ReductionToOneDevice
from gradtape._distribute.context import ReduceOp as ReduceOp
from gradtape._distribute.context import ReplicaContext as ReplicaContext
from gradtape._distribute.datasets import DistributedDataset as DistributedDataset
from gradtape._distribute.datasets import DistributedIterator as DistributedIterator
from gradtape._distribute.datasets import InputContext as InputContext
from gradtape._distribute.extended import StrategyExtended as StrategyExtended
from gradtape._distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from gradtape._distribute.strategy import MirroredStrategy as MirroredStrategy
from gradtape._distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from gradtape._distribute.strategy import Strategy as Strategy
from gradtape._distribute.strategy import TPUStrategy as TPUStrategy
from gradtape._distribute.strategy import experimental_set_strategy as experimental_set_strategy
from gradtape._distribute.strategy import get_replica_context as get_replica_context
from gradtape._distribute.strategy import get_strategy as get_strategy
from gradtape._distribute.strategy import has_strategy as has_strategy
from gradtape._distribute.strategy import in_cross_replica_context as in_cross_replica_context
from gradtape._distribute.values import DistributedValues as DistributedValues
from gradtape.distribute import cluster_resolver as cluster_resolver
from gradtape.distribute import experimental as experimental
