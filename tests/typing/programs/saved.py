"""A module that is saved, loaded and called, and checkpoints."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gradtape as tf


class Scaler(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.scale = tf.Variable([1.0, 2.0], name="scale")
        self.calls = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        self.calls.assign_add(1)
        return {"scaled": x * self.scale, "sum": tf.reduce_sum(x, axis=-1)}


def main(folder: Path) -> None:
    module = Scaler("scaler")
    outputs = module(tf.ones([3, 2]))
    print(outputs["scaled"].shape.as_list(), [v.name for v in module.trainable_variables])
    tf.saved_model.save(module, str(folder / "model"), signatures={"serve": module.__call__})
    loaded = tf.saved_model.load(str(folder / "model"))
    serve = loaded.signatures["serve"]
    found = serve(x=tf.ones([1, 2]))
    print(sorted(found), float(found["sum"][0]))

    step = tf.Variable(7)
    checkpoint = tf.train.Checkpoint(module=module, step=step)
    manager = tf.train.CheckpointManager(checkpoint, str(folder / "steps"), max_to_keep=2)
    path = manager.save()
    assert path is not None
    step.assign(0)
    status = checkpoint.restore(manager.latest_checkpoint)
    status.assert_existing_objects_matched()
    print(int(step), Path(path).name, len(manager.checkpoints))
    for name, shape in tf.train.list_variables(path):
        if name.startswith("step"):
            print(shape, tf.train.load_variable(path, name))
    concrete = module.__call__.get_concrete_function()
    print(concrete.structured_outputs["sum"].shape.rank)


with tempfile.TemporaryDirectory() as made:
    main(Path(made))
