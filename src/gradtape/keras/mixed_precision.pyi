# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
from gradtape.keras.optimizers import Optimizer
import gradtape.keras.optimizers

from gradtape.keras.dtype_policies import DTypePolicy as DTypePolicy
class LossScaleOptimizer(gradtape.keras.optimizers.Optimizer):
    def __init__(self, inner_optimizer: Any, initial_scale: Any = ..., dynamic_growth_steps: Any = ..., name: Any = ..., *, weight_decay: Any = ..., clipnorm: Any = ..., clipvalue: Any = ..., global_clipnorm: Any = ..., use_ema: Any = ..., ema_momentum: Any = ..., ema_overwrite_frequency: Any = ..., loss_scale_factor: Any = ..., gradient_accumulation_steps: Any = ...) -> None: ...
    def check_finite(self, grads: Any) -> Any: ...
    inner_optimizer: Any
    initial_scale: Any
    dynamic_growth_steps: Any
    step_counter: Any
    dynamic_scale: Any
from gradtape.keras.dtype_policies import DTypePolicy as Policy
def dtype_policy() -> Any: ...
def global_policy() -> Any: ...
def set_dtype_policy(policy: Any) -> Any: ...
def set_global_policy(policy: Any) -> Any: ...
