"""Transforms over named axes, against NumPy."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_transforms_over_named_axes(norm):
    z = np.exp(1j * np.arange(24.0) ** 2).reshape(2, 3, 4)
    close(tf.signal.fftnd(z, [3, 2], [2, 0], norm), np.fft.fftn(z, [3, 2], [2, 0], norm))
    close(tf.signal.ifftnd(z, norm=norm), np.fft.ifftn(z, norm=norm))
    x = tf.constant(z.real)
    close(tf.signal.rfftnd(x, axes=[0, 2], norm=norm), np.fft.rfftn(z.real, None, [0, 2], norm))
    close(tf.signal.irfftnd(z, [3, 5], [1, 2], norm), np.fft.irfftn(z, [3, 5], [1, 2], norm))
