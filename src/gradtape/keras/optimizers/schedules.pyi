# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
from gradtape._src.core.tensor import Tensor

class CosineDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate: Any, decay_steps: Any, alpha: Any = ..., name: Any = ..., warmup_target: Any = ..., warmup_steps: Any = ...) -> None: ...
    initial_learning_rate: Any
    decay_steps: Any
    alpha: Any
    name: Any
    warmup_steps: Any
    warmup_target: Any
class CosineDecayRestarts(LearningRateSchedule):
    def __init__(self, initial_learning_rate: Any, first_decay_steps: Any, t_mul: Any = ..., m_mul: Any = ..., alpha: Any = ..., name: Any = ...) -> None: ...
    initial_learning_rate: Any
    first_decay_steps: Any
    alpha: Any
    name: Any
class ExponentialDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: Any = ..., name: Any = ...) -> None: ...
    initial_learning_rate: Any
    decay_steps: Any
    decay_rate: Any
    staircase: Any
    name: Any
class InverseTimeDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: Any = ..., name: Any = ...) -> None: ...
    initial_learning_rate: Any
    decay_steps: Any
    decay_rate: Any
    staircase: Any
    name: Any
class LearningRateSchedule:
    def __call__(self, step: Any) -> Tensor: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
class PiecewiseConstantDecay(LearningRateSchedule):
    def __init__(self, boundaries: Any, values: Any, name: Any = ...) -> None: ...
    boundaries: Any
    values: Any
    name: Any
class PolynomialDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate: Any, decay_steps: Any, end_learning_rate: Any = ..., power: Any = ..., cycle: Any = ..., name: Any = ...) -> None: ...
    initial_learning_rate: Any
    decay_steps: Any
    end_learning_rate: Any
    power: Any
    cycle: Any
    name: Any
def deserialize(config: Any, custom_objects: Any = ...) -> Any: ...
def serialize(learning_rate_schedule: Any) -> Any: ...
