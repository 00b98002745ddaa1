# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any

from gradtape.keras.preprocessing import image as image
def image_dataset_from_directory(directory: Any, labels: Any = ..., label_mode: Any = ..., class_names: Any = ..., color_mode: Any = ..., batch_size: Any = ..., image_size: Any = ..., shuffle: Any = ..., seed: Any = ..., validation_split: Any = ..., subset: Any = ..., interpolation: Any = ..., follow_links: Any = ..., crop_to_aspect_ratio: Any = ..., pad_to_aspect_ratio: Any = ..., data_format: Any = ..., format: Any = ..., verbose: Any = ...) -> Any: ...
from gradtape.keras.preprocessing import sequence as sequence
from gradtape.keras.preprocessing import text as text
def text_dataset_from_directory(directory: Any, labels: Any = ..., label_mode: Any = ..., class_names: Any = ..., batch_size: Any = ..., max_length: Any = ..., shuffle: Any = ..., seed: Any = ..., validation_split: Any = ..., subset: Any = ..., follow_links: Any = ..., format: Any = ..., verbose: Any = ...) -> Any: ...
def timeseries_dataset_from_array(data: Any, targets: Any, sequence_length: Any, sequence_stride: Any = ..., sampling_rate: Any = ..., batch_size: Any = ..., shuffle: Any = ..., seed: Any = ..., start_index: Any = ..., end_index: Any = ..., format: Any = ...) -> Any: ...
