"""`tf.distribute`: strategies for one process and one device."""

from gradtape._compile.distribute import DistributedDataset as DistributedDataset
from gradtape._compile.distribute import DistributedIterator as DistributedIterator
from gradtape._compile.distribute import DistributedValues as DistributedValues
from gradtape._compile.distribute import InputContext as InputContext
from gradtape._compile.distribute import MirroredStrategy as MirroredStrategy
from gradtape._compile.distribute import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from gradtape._compile.distribute import OneDeviceStrategy as OneDeviceStrategy
from gradtape._compile.distribute import ReduceOp as ReduceOp
from gradtape._compile.distribute import ReplicaContext as ReplicaContext
from gradtape._compile.distribute import Strategy as Strategy
from gradtape._compile.distribute import StrategyExtended as StrategyExtended
from gradtape._compile.distribute import TPUStrategy as TPUStrategy
from gradtape._compile.distribute import experimental_set_strategy as experimental_set_strategy
from gradtape._compile.distribute import get_replica_context as get_replica_context
from gradtape._compile.distribute import get_strategy as get_strategy
from gradtape._compile.distribute import has_strategy as has_strategy
from gradtape._compile.distribute import in_cross_replica_context as in_cross_replica_context
