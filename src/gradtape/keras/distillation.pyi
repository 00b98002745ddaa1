# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any
import gradtape.keras.models

class DistillationLoss:
    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **kwargs: Any) -> Any: ...
    def validate_outputs(self, teacher_outputs: Any, student_outputs: Any) -> Any: ...
    def validate_model_compatibility(self, teacher: Any, student: Any) -> Any: ...
class Distiller(gradtape.keras.models.Model):
    def __init__(self, teacher: Any, student: Any, distillation_losses: Any, distillation_loss_weights: Any = ..., student_loss_weight: Any = ..., name: Any = ..., **kwargs: Any) -> None: ...
    teacher: Any
    student: Any
    student_loss_weight: Any
    student_loss_tracker: Any
    distillation_loss_tracker: Any
    total_loss_tracker: Any
    distillation_losses: Any
    distillation_loss_weights: Any
class FeatureDistillation(DistillationLoss):
    def __init__(self, loss: Any = ..., teacher_layer_name: Any = ..., student_layer_name: Any = ...) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    teacher_layer_name: Any
    student_layer_name: Any
    loss: Any
class LogitsDistillation(DistillationLoss):
    def __init__(self, temperature: Any = ..., loss: Any = ...) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    temperature: Any
    loss: Any
