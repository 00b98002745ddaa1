# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
import gradtape.keras.utils

class DirectoryIterator(Iterator):
    allowed_class_modes: Any
    def __init__(self, directory: Any, image_data_generator: Any, target_size: Any = ..., color_mode: Any = ..., classes: Any = ..., class_mode: Any = ..., batch_size: Any = ..., shuffle: Any = ..., seed: Any = ..., data_format: Any = ..., save_to_dir: Any = ..., save_prefix: Any = ..., save_format: Any = ..., follow_links: Any = ..., subset: Any = ..., interpolation: Any = ..., keep_aspect_ratio: Any = ..., dtype: Any = ...) -> None: ...
    @property
    def filepaths(self) -> Any: ...
    @property
    def labels(self) -> Any: ...
    @property
    def sample_weight(self) -> Any: ...
    def set_processing_attrs(self, image_data_generator: Any, target_size: Any, color_mode: Any, data_format: Any, save_to_dir: Any, save_prefix: Any, save_format: Any, subset: Any, interpolation: Any, keep_aspect_ratio: Any) -> Any: ...
    directory: Any
    classes: Any
    class_mode: Any
    dtype: Any
    samples: Any
    num_classes: Any
    class_indices: Any
    filenames: Any
    image_data_generator: Any
    target_size: Any
    keep_aspect_ratio: Any
    color_mode: Any
    data_format: Any
    save_to_dir: Any
    save_prefix: Any
    save_format: Any
    interpolation: Any
    split: Any
    subset: Any
    image_shape: Any
class ImageDataGenerator:
    def __init__(self, featurewise_center: Any = ..., samplewise_center: Any = ..., featurewise_std_normalization: Any = ..., samplewise_std_normalization: Any = ..., zca_whitening: Any = ..., zca_epsilon: Any = ..., rotation_range: Any = ..., width_shift_range: Any = ..., height_shift_range: Any = ..., brightness_range: Any = ..., shear_range: Any = ..., zoom_range: Any = ..., channel_shift_range: Any = ..., fill_mode: Any = ..., cval: Any = ..., horizontal_flip: Any = ..., vertical_flip: Any = ..., rescale: Any = ..., preprocessing_function: Any = ..., data_format: Any = ..., validation_split: Any = ..., interpolation_order: Any = ..., dtype: Any = ...) -> None: ...
    def flow(self, x: Any, y: Any = ..., batch_size: Any = ..., shuffle: Any = ..., sample_weight: Any = ..., seed: Any = ..., save_to_dir: Any = ..., save_prefix: Any = ..., save_format: Any = ..., ignore_class_split: Any = ..., subset: Any = ...) -> Any: ...
    def flow_from_directory(self, directory: Any, target_size: Any = ..., color_mode: Any = ..., classes: Any = ..., class_mode: Any = ..., batch_size: Any = ..., shuffle: Any = ..., seed: Any = ..., save_to_dir: Any = ..., save_prefix: Any = ..., save_format: Any = ..., follow_links: Any = ..., subset: Any = ..., interpolation: Any = ..., keep_aspect_ratio: Any = ...) -> Any: ...
    def flow_from_dataframe(self, dataframe: Any, directory: Any = ..., x_col: Any = ..., y_col: Any = ..., weight_col: Any = ..., target_size: Any = ..., color_mode: Any = ..., classes: Any = ..., class_mode: Any = ..., batch_size: Any = ..., shuffle: Any = ..., seed: Any = ..., save_to_dir: Any = ..., save_prefix: Any = ..., save_format: Any = ..., subset: Any = ..., interpolation: Any = ..., validate_filenames: Any = ..., **kwargs: Any) -> Any: ...
    def standardize(self, x: Any) -> Any: ...
    def get_random_transform(self, img_shape: Any, seed: Any = ...) -> Any: ...
    def apply_transform(self, x: Any, transform_parameters: Any) -> Any: ...
    def random_transform(self, x: Any, seed: Any = ...) -> Any: ...
    def fit(self, x: Any, augment: Any = ..., rounds: Any = ..., seed: Any = ...) -> Any: ...
    featurewise_center: Any
    samplewise_center: Any
    featurewise_std_normalization: Any
    samplewise_std_normalization: Any
    zca_whitening: Any
    zca_epsilon: Any
    rotation_range: Any
    width_shift_range: Any
    height_shift_range: Any
    shear_range: Any
    zoom_range: Any
    channel_shift_range: Any
    fill_mode: Any
    cval: Any
    horizontal_flip: Any
    vertical_flip: Any
    rescale: Any
    preprocessing_function: Any
    dtype: Any
    interpolation_order: Any
    data_format: Any
    mean: Any
    std: Any
    zca_whitening_matrix: Any
    brightness_range: Any
    channel_axis: Any
    row_axis: Any
    col_axis: Any
class Iterator(gradtape.keras.utils.PyDataset):
    white_list_formats: Any
    def __init__(self, n: Any, batch_size: Any, shuffle: Any, seed: Any, **kwargs: Any) -> None: ...
    def reset(self) -> Any: ...
    n: Any
    batch_size: Any
    seed: Any
    shuffle: Any
    batch_index: Any
    total_batches_seen: Any
    lock: Any
    index_array: Any
    index_generator: Any
class NumpyArrayIterator(Iterator):
    def __init__(self, x: Any, y: Any, image_data_generator: Any, batch_size: Any = ..., shuffle: Any = ..., sample_weight: Any = ..., seed: Any = ..., data_format: Any = ..., save_to_dir: Any = ..., save_prefix: Any = ..., save_format: Any = ..., subset: Any = ..., ignore_class_split: Any = ..., dtype: Any = ...) -> None: ...
    dtype: Any
    x: Any
    x_misc: Any
    image_data_generator: Any
    data_format: Any
    save_to_dir: Any
    save_prefix: Any
    save_format: Any
    y: Any
    sample_weight: Any
def apply_affine_transform(x: Any, theta: Any = ..., tx: Any = ..., ty: Any = ..., shear: Any = ..., zx: Any = ..., zy: Any = ..., row_axis: Any = ..., col_axis: Any = ..., channel_axis: Any = ..., fill_mode: Any = ..., cval: Any = ..., order: Any = ...) -> Any: ...
def apply_brightness_shift(x: Any, brightness: Any, scale: Any = ...) -> Any: ...
def apply_channel_shift(x: Any, intensity: Any, channel_axis: Any = ...) -> Any: ...
def array_to_img(x: Any, data_format: Any = ..., scale: Any = ..., dtype: Any = ...) -> Any: ...
def img_to_array(img: Any, data_format: Any = ..., dtype: Any = ...) -> Any: ...
def load_img(path: Any, color_mode: Any = ..., target_size: Any = ..., interpolation: Any = ..., keep_aspect_ratio: Any = ...) -> Any: ...
def random_brightness(x: Any, brightness_range: Any, scale: Any = ...) -> Any: ...
def random_channel_shift(x: Any, intensity_range: Any, channel_axis: Any = ...) -> Any: ...
def random_rotation(x: Any, rg: Any, row_axis: Any = ..., col_axis: Any = ..., channel_axis: Any = ..., fill_mode: Any = ..., cval: Any = ..., interpolation_order: Any = ...) -> Any: ...
def random_shear(x: Any, intensity: Any, row_axis: Any = ..., col_axis: Any = ..., channel_axis: Any = ..., fill_mode: Any = ..., cval: Any = ..., interpolation_order: Any = ...) -> Any: ...
def random_shift(x: Any, wrg: Any, hrg: Any, row_axis: Any = ..., col_axis: Any = ..., channel_axis: Any = ..., fill_mode: Any = ..., cval: Any = ..., interpolation_order: Any = ...) -> Any: ...
def random_zoom(x: Any, zoom_range: Any, row_axis: Any = ..., col_axis: Any = ..., channel_axis: Any = ..., fill_mode: Any = ..., cval: Any = ..., interpolation_order: Any = ...) -> Any: ...
def save_img(path: Any, x: Any, data_format: Any = ..., file_format: Any = ..., scale: Any = ..., **kwargs: Any) -> Any: ...
def smart_resize(x: Any, size: Any, interpolation: Any = ..., data_format: Any = ..., **kwargs: Any) -> Any: ...
