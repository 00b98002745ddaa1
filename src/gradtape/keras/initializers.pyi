# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
from gradtape._src.core.tensor import Tensor

class Constant(Initializer):
    def __init__(self, value: Any = ...) -> None: ...
    value: Any
class GlorotNormal(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class GlorotUniform(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class HeNormal(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class HeUniform(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class Identity(Initializer):
    def __init__(self, gain: Any = ...) -> None: ...
    gain: Any
IdentityInitializer: Any
class Initializer:
    def __call__(self, shape: Any, dtype: Any = ...) -> Tensor: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    def clone(self) -> Any: ...
class LecunNormal(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class LecunUniform(VarianceScaling):
    def __init__(self, seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
class Ones(Initializer):
    ...
class Orthogonal(Initializer):
    def __init__(self, gain: Any = ..., seed: Any = ...) -> None: ...
    gain: Any
    seed: Any
OrthogonalInitializer: Any
class RandomNormal(Initializer):
    def __init__(self, mean: Any = ..., stddev: Any = ..., seed: Any = ...) -> None: ...
    mean: Any
    stddev: Any
    seed: Any
class RandomUniform(Initializer):
    def __init__(self, minval: Any = ..., maxval: Any = ..., seed: Any = ...) -> None: ...
    minval: Any
    maxval: Any
    seed: Any
class STFT(Initializer):
    def __init__(self, side: Any = ..., window: Any = ..., scaling: Any = ..., periodic: Any = ...) -> None: ...
    side: Any
    window: Any
    scaling: Any
    periodic: Any
STFTInitializer: Any
class TruncatedNormal(Initializer):
    def __init__(self, mean: Any = ..., stddev: Any = ..., seed: Any = ...) -> None: ...
    mean: Any
    stddev: Any
    seed: Any
class VarianceScaling(Initializer):
    def __init__(self, scale: Any = ..., mode: Any = ..., distribution: Any = ..., seed: Any = ..., input_axes: Any = ..., output_axes: Any = ...) -> None: ...
    scale: Any
    mode: Any
    distribution: Any
    input_axes: Any
    output_axes: Any
    seed: Any
class Zeros(Initializer):
    ...
constant: Any
def deserialize(config: Any, custom_objects: Any = ...) -> Any: ...
def get(identifier: Any) -> Any: ...
glorot_normal: Any
glorot_uniform: Any
he_normal: Any
he_uniform: Any
identity: Any
lecun_normal: Any
lecun_uniform: Any
ones: Any
orthogonal: Any
random_normal: Any
random_uniform: Any
def serialize(initializer: Any) -> Any: ...
stft: Any
truncated_normal: Any
variance_scaling: Any
zeros: Any
