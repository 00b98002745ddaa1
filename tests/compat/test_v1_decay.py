"""Learning rates that fall, and the global step; values from TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

train = tf.compat.v1.train


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (train.polynomial_decay(0.1, 3, 10), 0.07003),
        (train.polynomial_decay(0.1, 13, 10, cycle=True, power=2.0), 0.01233775),
        (train.exponential_decay(0.1, 3, 10, 0.9, staircase=True), 0.1),
        (train.inverse_time_decay(0.1, 3, 10, 0.5), 0.08695652),
        (train.natural_exp_decay(0.1, 3, 10, 0.5), 0.0860708),
        (train.cosine_decay(0.1, 3, 10), 0.07938927),
        (train.piecewise_constant(tf.Variable(5), [3, 7], [1.0, 0.5, 0.1]), 0.5),
    ],
)
def test_rates(rate, expected):
    assert rate().dtype is tf.float32
    assert float(rate()) == pytest.approx(expected, rel=1e-6)


def test_global_step():
    step = train.get_or_create_global_step()
    assert train.get_global_step() is step
    assert step.name == "global_step:0"
    assert step.dtype is tf.int64
    with pytest.raises(ValueError, match="already exists"):
        train.create_global_step()
    rate = train.exponential_decay(1.0, step, 1, 0.5)
    before = float(rate())
    step.assign_add(1)
    assert float(rate()) == before / 2


def test_noise_falls_with_the_steps():
    def rates(step, **options):
        rate = train.noisy_linear_cosine_decay(1.0, step, 100, **options)
        return [float(rate()) for _ in range(50)]

    assert rates(50, initial_variance=0.0) == pytest.approx([0.251] * 50, abs=1e-6)
    assert np.std(rates(1)) > 5 * np.std(rates(90, variance_decay=2.0)) > 0
