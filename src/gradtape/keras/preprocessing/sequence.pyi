# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
import gradtape.keras.utils

class TimeseriesGenerator(gradtape.keras.utils.PyDataset):
    def __init__(self, data: Any, targets: Any, length: Any, sampling_rate: Any = ..., stride: Any = ..., start_index: Any = ..., end_index: Any = ..., shuffle: Any = ..., reverse: Any = ..., batch_size: Any = ..., **kwargs: Any) -> None: ...
    def get_config(self) -> Any: ...
    def to_json(self, **kwargs: Any) -> Any: ...
    data: Any
    targets: Any
    length: Any
    sampling_rate: Any
    stride: Any
    start_index: Any
    end_index: Any
    shuffle: Any
    reverse: Any
    batch_size: Any
def make_sampling_table(size: Any, sampling_factor: Any = ...) -> Any: ...
def pad_sequences(sequences: Any, maxlen: Any = ..., dtype: Any = ..., padding: Any = ..., truncating: Any = ..., value: Any = ...) -> Any: ...
def skipgrams(sequence: Any, vocabulary_size: Any, window_size: Any = ..., negative_samples: Any = ..., shuffle: Any = ..., categorical: Any = ..., sampling_table: Any = ..., seed: Any = ...) -> Any: ...
