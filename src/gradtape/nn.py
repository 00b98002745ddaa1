"""Neural networks: TensorFlow's `tf.nn`."""


from gradtape._ops.sorting import top_k as top_k
from gradtape._ops.padding import depth_to_space as depth_to_space
from gradtape._ops.padding import space_to_batch as space_to_batch
from gradtape._ops.padding import space_to_depth as space_to_depth