"""Checkpoints and saved models, in TensorFlow's own file formats."""
