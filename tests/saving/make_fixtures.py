"""Makes the checkpoints in from_tensorflow/ with the real TensorFlow (2.21), to be run with it.

python tests/saving/make_fixtures.py
"""

from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

HERE = Path(__file__).parent / "from_tensorflow"
DTYPES = ["float16", "float32", "float64", "bfloat16", "complex64", "complex128"]
DTYPES += ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="weights")
        self.many = [tf.Variable(5.0), "no part", tf.Variable(6.0)]
        self.named = {"a/b.c": tf.Variable(7), "inner": {"x": tf.Variable([8.0])}}
        self.pair = (tf.Variable(9.0),)
        self.empty, self.text = [], tf.Variable(["a", "", "\0z" * 200])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x):
        return x @ self.w


def network():
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(2), keras.layers.BatchNormalization()]
    )
    model.compile("adam", "mse")
    return model


def main():
    model = Model()
    checkpoint = tf.train.Checkpoint(
        model=model, step=tf.Variable(3, dtype=tf.int64), rng=tf.random.Generator.from_seed(4)
    )
    checkpoint.save(HERE / "module")
    tf.train.Checkpoint(model).write(HERE / "root")
    tf.saved_model.save(model, HERE / "saved_model")

    trained = network()
    trained.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    tf.train.Checkpoint(model=trained, optimizer=trained.optimizer).write(HERE / "keras")
    np.savez(HERE / "keras.npz", *[v.numpy() for v in trained.variables])

    values = {name: tf.cast(tf.constant([[0.0, 1.0, 2.0], [3.0, 4.0, 100.0]]), name)
              for name in DTYPES}  # fmt: skip
    values |= {
        "bool": tf.constant([True, False]),
        "float8_e5m2": tf.cast(tf.constant([1.0, -2.0]), tf.dtypes.experimental.float8_e5m2),
        "string": tf.constant([["a", "b" * 300], ["", "\0z"]]),
        "one string": tf.constant("hello"),
        "nothing": tf.zeros([0, 3]),
    }
    names = sorted(values)
    tf.raw_ops.SaveV2(
        prefix=str(HERE / "dtypes"),
        tensor_names=names,
        shape_and_slices=[""] * len(names),
        tensors=[values[n] for n in names],
    )
    whole = np.arange(140, dtype=np.float32).reshape(70, 2)
    tf.raw_ops.SaveV2(
        prefix=str(HERE / "sliced"),
        tensor_names=["rows", "rows", "columns", "columns"],
        shape_and_slices=["70 2 0,66:-", "70 2 66,4:-", "70 2 -:0,1", "70 2 -:1,1"],
        tensors=[whole[:66], whole[66:], whole[:, :1], whole[:, 1:]],
    )


if __name__ == "__main__":
    main()
