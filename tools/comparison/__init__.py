"""The parts of `tools/compare_with_tensorflow.py`."""
