"""Operations that programs for GPUs compute in another way than those for processors."""

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf
from gradtape._src.compute.jax_modules import lax

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _for_gpu(monkeypatch):
    """Programs are made as for a GPU, and run on the device that there is."""
    monkeypatch.setattr(lax, "platform_dependent", lambda *xs, cpu, default: default(*xs))


@pytest.mark.parametrize("length", [4, 5, 6, 9])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_inverse_transforms_ignore_what_no_real_signal_has(axes, length):
    draw = np.random.default_rng(0).standard_normal
    x = tf.constant(draw((3, 2, 4, 4)) + 1j * draw((3, 2, 4, 4)))
    run = {1: tf.signal.irfft, 2: tf.signal.irfft2d, 3: tf.signal.irfft3d}[axes]
    lengths = [3, 4, length][-axes:]
    found = tf.function(lambda x: run(x, lengths), jit_compile=True)(x)
    expected = np.fft.irfftn(x.numpy(), lengths, range(-axes, 0))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9, atol=1e-12)
