"""`tf.distribute`: programs that run on several devices and in several processes."""

from gradtape._src.distribute.cluster import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from gradtape._src.distribute.cluster import NcclAllReduce as NcclAllReduce
from gradtape._src.distribute.cluster import ReductionToOneDevice as ReductionToOneDevice
from gradtape._src.distribute.context import ReduceOp as ReduceOp
from gradtape._src.distribute.context import ReplicaContext as ReplicaContext
from gradtape._src.distribute.datasets import DistributedDataset as DistributedDataset
from gradtape._src.distribute.datasets import DistributedIterator as DistributedIterator
from gradtape._src.distribute.extended import StrategyExtended as StrategyExtended
from gradtape._src.distribute.input_options import InputContext as InputContext
from gradtape._src.distribute.input_options import InputOptions as InputOptions
from gradtape._src.distribute.input_options import InputReplicationMode as InputReplicationMode
from gradtape._src.distribute.input_options import RunOptions as RunOptions
from gradtape._src.distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from gradtape._src.distribute.single_process import MirroredStrategy as MirroredStrategy
from gradtape._src.distribute.single_process import OneDeviceStrategy as OneDeviceStrategy
from gradtape._src.distribute.single_process import TPUStrategy as TPUStrategy
from gradtape._src.distribute.strategy import Strategy as Strategy
from gradtape._src.distribute.strategy import experimental_set_strategy as experimental_set_strategy
from gradtape._src.distribute.strategy import get_replica_context as get_replica_context
from gradtape._src.distribute.strategy import get_strategy as get_strategy
from gradtape._src.distribute.strategy import has_strategy as has_strategy
from gradtape._src.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from gradtape._src.distribute.values import DistributedValues as DistributedValues
from gradtape.distribute import cluster_resolver as cluster_resolver
from gradtape.distribute import experimental as experimental
