"""NumPy's functions on tensors: what `tf.experimental.numpy` is made of."""
