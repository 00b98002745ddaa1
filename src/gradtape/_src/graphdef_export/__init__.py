"""Graphs of functions as TensorFlow's `GraphDef`."""
