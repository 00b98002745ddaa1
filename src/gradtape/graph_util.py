"""`tf.graph_util`: graphs as messages."""

from gradtape._src.graphdef.graph_import import import_graph_def as import_graph_def
