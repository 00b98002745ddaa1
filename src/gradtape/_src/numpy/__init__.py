"""NumPy's functions on tensors: the implementation of `tf.experimental.numpy`."""
