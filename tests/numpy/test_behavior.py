"""NumPy's behaviour for tensors, once it is switched on."""

import subprocess
import sys

ENABLED = """
import numpy as np, gradtape as tf
import gradtape.experimental.numpy as tnp
tnp.experimental_enable_numpy_behavior()
tnp.experimental_enable_numpy_behavior()
i, x = tf.constant([1, 2]), tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
assert (i + 1.5).dtype == (1.5 * i).dtype == (i / 2).dtype == tf.float64
assert (x + 1.5).dtype == (x * i[:, None].astype(np.float32)).dtype == tf.float32
assert x.T.shape == x.reshape(3, -1).shape == x.transpose(1, 0).shape == (3, 2)
assert x.astype(np.int32).dtype == tf.int32 and x.size == 6 and x.max() == 6
value = x.numpy()
for key in ([0, 1, 1], ([0, 1], [1, 2]), (slice(None), [1, -1]), value > 2, (None, [0], ..., 1)):
    np.testing.assert_array_equal(x[key], value[key])
np.testing.assert_array_equal(x[tf.constant([-1, 0])], value[[-1, 0]])
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = ((v @ v) * x[:, [0, 2]] ** 2).mean() + v[[1, 1]].ravel()[0]
np.testing.assert_allclose(tape.gradient(y, v), [31.0, 63.0])
"""


def test_numpy_behavior():
    subprocess.run([sys.executable, "-W", "error", "-c", ENABLED], check=True)
