"""`tf.profiler`: where the time of a program goes."""

from gradtape.profiler import experimental as experimental
