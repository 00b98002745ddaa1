"""Saved models as TensorFlow has them: functions, signatures and the graph around them."""
