"""TensorFlow's raw operations by name: `tf.raw_ops`."""
