"""Optimizers, schedules, and an optimizer of one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import gradtape as tf


class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak: float, steps: int) -> None:
        super().__init__()
        self.peak, self.steps = peak, steps

    def __call__(self, step: tf.Tensor | tf.Variable | int) -> tf.Tensor:
        t = tf.cast(step, tf.float32)
        warm = self.peak * (t + 1.0) / self.steps
        cold = self.peak * 0.5 * (1.0 + tf.cos(math.pi * tf.minimum(t / 100.0, 1.0)))
        return tf.where(t < self.steps, warm, cold)

    def get_config(self) -> dict[str, float]:
        return {"peak": self.peak, "steps": self.steps}


def train(
    optimizer: tf.keras.optimizers.Optimizer,
    loss: Callable[[], tf.Tensor],
    variables: Sequence[tf.Variable],
    steps: int,
) -> list[float]:
    history: list[float] = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            value = loss()
        gradients = tape.gradient(value, list(variables))
        gradients, norm = tf.clip_by_global_norm(gradients, 5.0)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        history.append(float(value) + 0.0 * float(norm))
    return history


def bowl(w: tf.Variable, b: tf.Variable) -> tf.Tensor:
    return tf.reduce_sum(w**2) + b * b


def main() -> None:
    decay = tf.keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=10, decay_rate=0.9)
    for optimizer in (
        tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9, nesterov=True),
        tf.keras.optimizers.Adam(Warmup(0.1, 5), beta_1=0.8),
        tf.optimizers.RMSprop(decay),
        tf.keras.optimizers.AdamW(1e-2, weight_decay=1e-3, clipnorm=1.0),
    ):
        w = tf.Variable([3.0, -2.0])
        b = tf.Variable(1.0, name="b")
        history = train(optimizer, partial(bowl, w, b), [w, b], 5)
        print(optimizer.name, history[-1] < history[0], int(optimizer.iterations))
    average = tf.train.ExponentialMovingAverage(0.9)
    v = tf.Variable(1.0)
    average.apply([v])
    shadow = average.average(v)
    print(None if shadow is None else float(shadow))
    rate: tf.Tensor = decay(tf.constant(10))
    print(round(float(rate), 4))


main()
