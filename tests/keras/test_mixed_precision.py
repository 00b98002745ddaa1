"""Training in mixed precision, beside recordings of TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mixed_networks import NETWORKS, POLICIES, losses

import gradtape as tf

pytestmark = pytest.mark.slow

TENSORFLOW = json.loads(
    (Path(__file__).parent / "from_tensorflow/mixed_precision.json").read_text()
)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("network", NETWORKS)
def test_the_losses_are_those_of_tensorflow(network, policy):
    """In 16 bits the order in which an engine adds shifts a loss by rounding.

    How much rounding matters to a network, TensorFlow's own curves tell: no loss here is farther
    from its recording in mixed precision than that is from its recording in float32 at the
    farthest, and a tenth. In float32 both engines round to 24 bits: 100 steps add up to less than
    5e-5 of the loss.
    """
    want = np.array(TENSORFLOW[network][policy])
    rounding = 1.1 * np.abs(want - TENSORFLOW[network]["float32"]).max()
    got = np.array(losses(tf.keras, network, policy))
    assert got[-1] < got[0] / 2
    np.testing.assert_allclose(got, want, 0, rounding if policy != "float32" else 5e-5 * want[0])


def test_a_sum_of_gradients_of_one_sign_is_that_of_float32():
    """Variables and sums are float32: what is rounded, to 8 bits, are single activations.

    TensorFlow's recording in bfloat16 is 40 times as far from that in float32.
    """
    want = np.array(TENSORFLOW["one output"]["float32"])
    got = np.array(losses(tf.keras, "one output", "mixed_bfloat16"))
    np.testing.assert_allclose(got, want, 0, 2.0**-8 * want[0])
