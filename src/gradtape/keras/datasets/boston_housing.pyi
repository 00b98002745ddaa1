# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any

def load_data(path: Any = ..., test_split: Any = ..., seed: Any = ...) -> Any: ...
