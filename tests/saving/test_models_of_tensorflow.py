"""Models that TensorFlow saved: loaded, run, differentiated and trained as TensorFlow does it.

`tensorflow_models/make.py` has made them, and recorded what TensorFlow computes.
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

MODELS = sorted((Path(__file__).parent / "tensorflow_models").glob("*.zip"))
TOLERANCE = 2e-6


class Recorded:
    """A model, and what TensorFlow has computed with it."""

    def __init__(self, file, folder):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        self.about = json.loads((folder / "recorded.json").read_text(encoding="utf-8"))
        with np.load(folder / "recorded.npz") as arrays:
            self.arrays = {key: arrays[key] for key in arrays.files}
        self.model = tf.saved_model.load(folder)
        self.variables = [found(self.model, path) for path in self.about["variables"]]

    def inputs(self, number):
        keys = [key for key in self.arrays if key.startswith(f"{number}/in/")]
        return [tensor(self.arrays[key]) for key in sorted(keys, key=place_of)]


def place_of(key):
    return int(key.rpartition("/")[2])


def tensor(array):
    """A recorded array as a tensor; strings are recorded as hexadecimal digits."""
    if array.dtype.kind != "S":
        return tf.constant(array)
    texts = [bytes.fromhex(digits.decode()) for digits in array.ravel()]
    return tf.constant(np.array(texts, object).reshape(array.shape))


def found(root, path):
    """The part of a model at a path such as `signatures.serving_default`."""
    kind, _, name = path.partition("the variable ")
    if name and not kind:
        return next(v for v in root.variables if v.name == name)
    for name in path.split(".") if path else []:
        if isinstance(root, (list, tuple)):
            root = root[int(name)]
        else:
            root = root[name] if isinstance(root, dict) else getattr(root, name)
    return root


def structured(shown, tensors):
    """Arguments of the structure that was recorded."""
    if isinstance(shown, dict):
        return {key: structured(value, tensors) for key, value in shown.items()}
    if isinstance(shown, list):
        return [structured(value, tensors) for value in shown]
    if shown == "RaggedTensor":
        return tf.RaggedTensor.from_row_splits(next(tensors), next(tensors))
    if shown == "SparseTensor":
        return tf.SparseTensor(next(tensors), next(tensors), next(tensors))
    return next(tensors) if type(shown) is int and shown == 0 else shown


def flat(value):
    leaves = tf.nest.flatten(value, expand_composites=True)
    return [x if isinstance(x, tf.Tensor) else tf.convert_to_tensor(x) for x in leaves]


def loss_of(value):
    reals = [x for x in flat(value) if x.dtype.is_floating]
    return tf.add_n([tf.reduce_sum(tf.square(x)) for x in reals]) if reals else None


def check(actual, wanted, what):
    if wanted.dtype.kind == "S":
        digits = [text.hex().encode() for text in np.ravel(np.asarray(actual, object))]
        assert digits == wanted.ravel().tolist(), what
        return
    actual = tf.convert_to_tensor(actual).numpy()
    assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), what
    scale = 1 + np.max(np.abs(wanted), initial=0)
    np.testing.assert_allclose(actual, wanted, rtol=TOLERANCE, atol=TOLERANCE * scale, err_msg=what)


def check_call(recorded, number, call):
    """Compares results, and gradients of the sum of their squares."""
    tensors = recorded.inputs(number)
    given = iter(tensors)
    args, kwargs = (structured(call[key], given) for key in ("args", "kwargs"))
    function = found(recorded.model, call["path"])
    sources = [*recorded.variables, *[x for x in tensors if x.dtype.is_floating]]
    with tf.GradientTape() as tape:
        tape.watch([x for x in tensors if x.dtype.is_floating])
        out = function(*args, **kwargs)
        loss = loss_of(out)
    for place, x in enumerate(flat(out)):
        check(x.numpy(), recorded.arrays[f"{number}/out/{place}"], f"{call['path']}: {place}")
    if not call["losses"]:
        return None
    for place, gradient in enumerate(tape.gradient(loss, sources)):
        wanted = recorded.arrays.get(f"{number}/gradient/{place}")
        if wanted is None:  # a source that is not connected
            assert gradient is None or not np.any(gradient), f"{call['path']}: gradient {place}"
        else:
            check(gradient, wanted, f"{call['path']}: gradient {place}")
    return lambda: loss_of(function(*args, **kwargs))


def check_training(recorded, losses, loss_now):
    """Compares the losses of some steps of gradient descent, and puts the variables back."""
    before = [v.numpy() for v in recorded.variables]
    for wanted in losses:
        with tf.GradientTape() as tape:
            loss = loss_now()
        assert float(loss) == pytest.approx(wanted, rel=TOLERANCE, abs=TOLERANCE)
        gradients = tape.gradient(loss, recorded.variables)
        for v, gradient in zip(recorded.variables, gradients, strict=True):
            if gradient is not None:
                v.assign_sub(recorded.about["rate"] * tf.convert_to_tensor(gradient))
    for v, value in zip(recorded.variables, before, strict=True):
        v.assign(value)


@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_model_gives_what_it_gives_in_tensorflow(file, tmp_path):
    recorded = Recorded(file, tmp_path)
    for number, call in enumerate(recorded.about["calls"]):
        loss_now = check_call(recorded, number, call)
        if loss_now is not None:
            check_training(recorded, call["losses"], loss_now)


def test_all_models_are_there():
    assert len(MODELS) >= 30
