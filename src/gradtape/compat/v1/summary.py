"""`tf.compat.v1.summary`: summaries that a session computes, and files of them."""
