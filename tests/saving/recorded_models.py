"""Models that TensorFlow saved, with what it computed, loaded by any library."""

import contextlib
import json

import numpy as np

TOLERANCE = 1e-6
SECOND = 1e-5
"""The tolerance of second gradients in float32."""
ROUNDED = {"generate": 3e-6}
"""The tolerances of long chains of float32 operations, by the path of the call."""


class Recorded:
    """A model, and what TensorFlow has computed with it.

    Args:
      tf: The library that loads it: gradtape or TensorFlow.
      folder: The folder of `recorded.json` and `recorded.npz`.
      model: The folder of the model; by default the same.
      wrap: Makes of each function the one that is called, such as a compiled one.
    """

    def __init__(self, tf, folder, model=None, wrap=lambda function: function):
        self.tf, self.wrap = tf, wrap
        self.about = json.loads((folder / "recorded.json").read_text(encoding="utf-8"))
        with np.load(folder / "recorded.npz") as arrays:
            self.arrays = {key: arrays[key] for key in arrays.files}
        self.model = tf.saved_model.load(str(model or folder))
        self.variables = [found(self.model, path) for path in self.about["variables"]]

    def inputs(self, number):
        keys = [key for key in self.arrays if key.startswith(f"{number}/in/")]
        return [self.tensor(self.arrays[key]) for key in sorted(keys, key=place_of)]

    def tensor(self, array):
        """A recorded array as a tensor; strings are recorded as hexadecimal digits."""
        if array.dtype.kind != "S":
            return self.tf.constant(array)
        texts = [bytes.fromhex(digits.decode()) for digits in array.ravel()]
        return self.tf.constant(np.array(texts, object).reshape(array.shape))

    def structured(self, shown, tensors):
        """Arguments of the structure that was recorded."""
        if isinstance(shown, dict):
            return {key: self.structured(value, tensors) for key, value in shown.items()}
        if isinstance(shown, list):
            return [self.structured(value, tensors) for value in shown]
        if shown == "RaggedTensor":
            return self.tf.RaggedTensor.from_row_splits(next(tensors), next(tensors))
        if shown == "SparseTensor":
            return self.tf.SparseTensor(next(tensors), next(tensors), next(tensors))
        return next(tensors) if type(shown) is int and shown == 0 else shown

    def flat(self, value):
        tf = self.tf
        leaves = tf.nest.flatten(value, expand_composites=True)
        return [x if isinstance(x, tf.Tensor) else tf.convert_to_tensor(x) for x in leaves]

    def loss_of(self, value):
        tf = self.tf
        reals = [x for x in self.flat(value) if x.dtype.is_floating]
        return tf.add_n([tf.reduce_sum(tf.square(x)) for x in reals]) if reals else None

    def check_all(self):
        """Compares all calls: results, gradients, and losses of training."""
        for number, call in enumerate(self.about["calls"]):
            loss_now = self.check_call(number, call)
            if loss_now is not None:
                self.check_training(call["losses"], loss_now)

    def check_call(self, number, call):
        """Compares results, gradients of the sum of their squares, and gradients of those."""
        tf, tensors = self.tf, self.inputs(number)
        given = iter(tensors)
        args, kwargs = (self.structured(call[key], given) for key in ("args", "kwargs"))
        function = self.wrap(found(self.model, call["path"]))
        watched = [x for x in tensors if x.dtype.is_floating]
        sources = [*self.variables, *watched]
        tapes = [tf.GradientTape() for _ in range(bool(call["losses"]) + call.get("second", False))]
        gradients = []
        with contextlib.ExitStack() as stack:
            for tape in tapes:
                stack.enter_context(tape)
                tape.watch(watched)
            out = function(*args, **kwargs)
            loss = self.loss_of(out)
            for tape in reversed(tapes):
                of_loss = tape.gradient(loss, sources)
                gradients.append([d if d is None else tf.convert_to_tensor(d) for d in of_loss])
                loss = self.loss_of([d for d in gradients[-1] if d is not None])
        for place, x in enumerate(self.flat(out)):
            check(x.numpy(), self.arrays[f"{number}/out/{place}"], f"{call['path']}: {place}")
        for key, values in zip(("gradient", "second"), gradients, strict=False):
            for place, gradient in enumerate(values):
                what = f"{call['path']}: {key} {place}"
                wanted = self.arrays.get(f"{number}/{key}/{place}")
                if wanted is None:  # a source that is not connected
                    assert gradient is None or not np.any(gradient), what
                else:
                    assert gradient is not None or not np.any(wanted), what
                    single = key == "second" and wanted.dtype == np.float32
                    actual = np.zeros_like(wanted) if gradient is None else gradient.numpy()
                    tolerance = ROUNDED.get(call["path"], TOLERANCE)
                    check(actual, wanted, what, SECOND if single else tolerance)
        if not call["losses"]:
            return None
        return lambda: self.loss_of(function(*args, **kwargs))

    def check_training(self, losses, loss_now):
        """Compares the losses of some steps of gradient descent, and puts the variables back."""
        tf = self.tf
        before = [v.numpy() for v in self.variables]
        for wanted in losses:
            with tf.GradientTape() as tape:
                loss = loss_now()
            np.testing.assert_allclose(float(loss), wanted, rtol=TOLERANCE, atol=TOLERANCE)
            gradients = tape.gradient(loss, self.variables)
            for v, gradient in zip(self.variables, gradients, strict=True):
                if gradient is not None:
                    v.assign_sub(self.about["rate"] * tf.convert_to_tensor(gradient))
        for v, value in zip(self.variables, before, strict=True):
            v.assign(value)


def place_of(key):
    return int(key.rpartition("/")[2])


def found(root, path):
    """The part of a model at a path such as `signatures.serving_default`."""
    kind, _, name = path.partition("the variable ")
    if name and not kind:
        return next(v for v in root.variables if v.name == name)
    for name in path.split(".") if path else []:
        if isinstance(root, (list, tuple)) or name.isdecimal():
            root = root[int(name)]
        elif isinstance(root, dict) or hasattr(root, "keys"):
            root = root[name]
        else:
            root = getattr(root, name)
    return root


def check(actual, wanted, what, tolerance=TOLERANCE):
    if wanted.dtype.kind == "S":
        digits = [text.hex().encode() for text in np.ravel(np.asarray(actual, object))]
        assert digits == wanted.ravel().tolist(), what
        return
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), what
    scale = 1 + np.max(np.abs(wanted), initial=0)
    np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=tolerance * scale, err_msg=what)
