# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any

class Adagrad:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
Adam: Any
Ftrl: Any
Optimizer: Any
RMSprop: Any
SGD: Any
