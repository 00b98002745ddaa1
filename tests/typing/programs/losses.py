"""Losses and metrics of one's own, and a metric over batches."""

from __future__ import annotations

import gradtape as tf


class Focal(tf.keras.losses.Loss):
    def __init__(self, gamma: float = 2.0, name: str = "focal") -> None:
        super().__init__(name=name)
        self.gamma = gamma

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        p = tf.clip_by_value(y_pred, 1e-7, 1.0 - 1e-7)
        cross = -(y_true * tf.math.log(p) + (1.0 - y_true) * tf.math.log1p(-p))
        weight = tf.where(y_true > 0.5, 1.0 - p, p) ** self.gamma
        return tf.reduce_mean(weight * cross, axis=-1)


class RelativeError(tf.keras.metrics.Metric):
    def __init__(self, name: str = "relative_error") -> None:
        super().__init__(name=name)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(
        self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
    ) -> None:
        error = tf.abs(y_pred - y_true) / tf.maximum(tf.abs(y_true), 1e-6)
        if sample_weight is not None:
            error *= sample_weight
        self.total.assign_add(tf.reduce_sum(error))
        self.count.assign_add(tf.cast(tf.size(y_true), tf.float32))

    def result(self) -> tf.Tensor:
        return tf.math.divide_no_nan(tf.convert_to_tensor(self.total), self.count)


def main() -> None:
    y = tf.constant([[1.0], [0.0]])
    p = tf.Variable([[0.9], [0.2]])
    losses: list[tf.keras.losses.Loss] = [
        Focal(),
        tf.keras.losses.BinaryCrossentropy(from_logits=False, label_smoothing=0.1),
        tf.losses.Huber(delta=0.5),
    ]
    for loss in losses:
        with tf.GradientTape() as tape:
            value = loss(y, p)
        gradient = tape.gradient(value, p)
        print(loss.name, float(value), gradient.shape.as_list())
    error = RelativeError()
    error.update_state(y, tf.convert_to_tensor(p))
    print(float(error.result()))
    mae = tf.keras.losses.mae(y, p)
    print(mae.numpy().tolist(), tf.keras.losses.get("mse") is not None)
    auc = tf.keras.metrics.AUC(num_thresholds=50)
    auc.update_state(y, p)
    print(float(auc.result()), [m.name for m in (auc, error)])


main()
