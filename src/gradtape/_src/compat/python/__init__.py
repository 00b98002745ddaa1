"""The private modules of TensorFlow that libraries import, under TensorFlow's names."""
