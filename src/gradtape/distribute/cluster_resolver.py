"""`tf.distribute.cluster_resolver`."""

from gradtape._distribute.cluster import ClusterResolver as ClusterResolver
from gradtape._distribute.cluster import SimpleClusterResolver as SimpleClusterResolver
from gradtape._distribute.cluster import TFConfigClusterResolver as TFConfigClusterResolver
