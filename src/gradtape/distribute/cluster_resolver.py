"""The addresses of the processes of a cluster: `tf.distribute.cluster_resolver`."""

from gradtape._src.distribute.cluster import ClusterResolver as ClusterResolver
from gradtape._src.distribute.cluster import SimpleClusterResolver as SimpleClusterResolver
from gradtape._src.distribute.cluster import TFConfigClusterResolver as TFConfigClusterResolver
from gradtape._src.distribute.cluster import UnionResolver as UnionResolver
