"""`tf.experimental.dtensor`: nothing yet; Keras wants to import the module."""
