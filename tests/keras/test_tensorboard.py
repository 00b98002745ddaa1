import numpy as np
import pytest

import gradtape as tf
from gradtape._src.files.event_files import summary_iterator

pytestmark = pytest.mark.slow


def test_the_callback_writes_what_tensorboard_reads(tmp_path):
    keras = tf.keras
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="d")])
    model.compile("sgd", "mse")
    x, y = np.ones((4, 2)), np.ones((4, 1))
    board = keras.callbacks.TensorBoard(tmp_path, histogram_freq=1, update_freq=1)
    model.fit(x, y, epochs=2, verbose=0, validation_data=(x, y), callbacks=[board])

    def tags(part):
        (path,) = (tmp_path / part).iterdir()
        return [v.tag for event in summary_iterator(path) for v in event.summary.value]

    assert tags("train").count("epoch_loss") == 2
    assert {"keras", "d/kernel/histogram"} <= {
        tag.replace("sequential/", "") for tag in tags("train")
    }
    assert "evaluation_loss_vs_iterations" in tags("validation")
