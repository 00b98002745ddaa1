"""The manifest of what gradtape replaces in Keras, and how a target is checked before that."""

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from fake_patches import patch

import gradtape as tf
from gradtape._src.compat.patch import minor, requirement
from gradtape._src.keras.manifest import BRIDGE, OLDEST, PATCHES, REQUIREMENT

pytestmark = pytest.mark.slow

SOURCES = Path(tf.__file__).parent / "_src" / "keras"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def expected(patch):
    return minor(tf.keras.__version__) >= minor(patch.versions[0])


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.target)
def test_each_entry_applies_to_the_installed_keras(patch):
    assert (patch.target in BRIDGE.applied) == expected(patch)


def test_targets_are_named_once_and_explained():
    assert len({patch.target for patch in PATCHES}) == len(PATCHES)
    assert all(patch.why.endswith(".") and len(patch.why) > 20 for patch in PATCHES)


def test_keras_is_changed_through_the_manifest_alone():
    for path in SOURCES.glob("*.py"):
        text = path.read_text()
        assignment = r"^\s*(module|keras)\.[\w.]+ = |\bsetattr\((module|keras)"
        assert not re.search(assignment, text, re.MULTILINE)


def test_the_extra_asks_for_what_the_manifest_was_checked_with():
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    assert extras["keras"] == [REQUIREMENT]


def test_a_requirement_spans_the_versions_that_every_patch_knows():
    patches = [patch("f", "(x)"), patch("g", "(x)", versions=("2.3", "2.12"))]
    assert requirement("lib", patches) == "lib>=2.1,<2.10"
    assert minor(OLDEST) <= (3, 11)


TRAINED = """
import warnings
warnings.simplefilter("error", UserWarning)
import gradtape
gradtape.install()
import keras, numpy as np, tensorflow as tf
from gradtape._src.keras.manifest import BRIDGE
assert bool(BRIDGE.applied) == {applied}
keras.utils.set_random_seed(1)
layers, rng = keras.layers, np.random.default_rng(0)
x = rng.standard_normal((16, 6)).astype("float32")
y = x[:, :1] * 2
a = keras.Input((6,))
both = layers.Concatenate()([layers.Dense(4, "tanh")(a), layers.Dense(4)(a)])
model = keras.Model(a, layers.Dense(1)(layers.Reshape((8,))(both)))
assert model.output_shape == (None, 1)
model.compile("adam", "mse", metrics=["mae"])
losses = model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]
assert losses[-1] < losses[0]
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
losses += model.fit(data, epochs=2, verbose=0, shuffle=False).history["loss"]
text = keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.LSTM(5), layers.Dense(1)])
text.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
words = -np.sort(-rng.integers(0, 9, (16, 7)))  # cuDNN takes padding at the end alone
losses += text.fit(words, y, epochs=2, shuffle=False, verbose=0).history["loss"]
steps = keras.Sequential([keras.Input((None, 6)), layers.LSTM(3), layers.Dense(1)])
steps.compile("sgd", "mse")
losses += steps.fit(x[:, None], y, epochs=2, shuffle=False, verbose=0).history["loss"]
import importlib.util
groups = 2 if BRIDGE.applied or importlib.util.find_spec("jax") else 1  # Keras asks XLA for groups
image = keras.Sequential([layers.Conv2D(4, 3, groups=groups), layers.Flatten(), layers.Dense(1)])
assert image(np.ones((2, 5, 5, 4), "float32")).shape == (2, 1)
model.save("{path}")
again = keras.models.load_model("{path}")
np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0))
losses += again.fit(x, y, epochs=1, shuffle=False, verbose=0).history["loss"]
print(*losses)
"""


SIMULATED = """
import jax
from gradtape._src.compute import devices
cpus = jax.local_devices(backend="cpu")
devices.physical_devices = lambda: {"CPU": cpus, "GPU": cpus[:1]}
assert len(devices.all_names()) == len(cpus) + 1
"""


def trained(path, off, before=""):
    program = before + TRAINED.format(path=path / f"{off}.keras", applied=not off)
    code = f"import os; os.environ['GRADTAPE_NO_KERAS_PATCHES'] = '{off:d}'\n{program}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [float(number) for number in done.stdout.split()]


def test_keras_works_without_any_patch_and_gives_what_it_gives_with_them(tmp_path):
    assert trained(tmp_path, True) == pytest.approx(trained(tmp_path, False), rel=1e-4)


def test_keras_works_with_and_without_patches_if_it_finds_a_gpu(tmp_path):
    """It then compiles the steps of `fit` by default, and calls `CudnnRNNV3`."""
    pytest.importorskip("jax")
    losses = trained(tmp_path, False)
    for off in (False, True):
        assert trained(tmp_path, off, SIMULATED) == pytest.approx(losses, rel=1e-4)


CHANGED = """
import sys, warnings, gradtape
gradtape.install()
from gradtape._src.keras.manifest import BRIDGE
(found,) = [p for p in BRIDGE._by_module["keras.src.tree.optree_impl"] if p.name == "flatten"]
patches = BRIDGE._by_module["keras.src.tree.optree_impl"]
patches[patches.index(found)] = found._replace(looks="(structure, new)")
BRIDGE._by_module["keras.src.moved"] = [found._replace(module="keras.src.moved")]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", UserWarning)
    import keras
    keras.Sequential([keras.layers.Dense(2)])(keras.ops.ones((2, 3)))
(message,) = [str(w.message) for w in caught if w.category is UserWarning]
assert message.startswith(f"Keras {keras.__version__} differs from"), message
assert ": 2 of the functions" in message and 'pip install "keras>=' in message, message
assert "keras.src.tree.optree_impl.flatten: expected (structure, new)" in message, message
assert "keras.src.moved.flatten: its module is missing" in message, message
"""


def test_keras_warns_once_when_it_has_loaded():
    subprocess.run([sys.executable, "-c", CHANGED], check=True)


def test_what_the_manifest_knows_of_loading_is_true():
    for name in BRIDGE.modules:
        assert importlib.import_module(name).__spec__.loader.__class__.__name__ == "_AdaptingLoader"
