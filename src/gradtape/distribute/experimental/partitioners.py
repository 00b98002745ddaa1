"""Numbers of parts of variables: `tf.distribute.experimental.partitioners`."""

from gradtape._src.distribute.partitioners import FixedShardsPartitioner as FixedShardsPartitioner
from gradtape._src.distribute.partitioners import MaxSizePartitioner as MaxSizePartitioner
from gradtape._src.distribute.partitioners import MinSizePartitioner as MinSizePartitioner
from gradtape._src.distribute.partitioners import Partitioner as Partitioner
