"""Graphs as TensorFlow writes them: `GraphDef` and its functions."""
