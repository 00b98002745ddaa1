"""The values of replicas, for `isinstance` and annotations: `tf.types.experimental.distributed`."""

from gradtape._src.distribute.values import Mirrored as Mirrored
from gradtape._src.distribute.values import PerReplica as PerReplica
