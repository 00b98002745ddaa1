"""Functions are traced once more when their model is saved."""

import gradtape as tf
from gradtape._src.saving.export.retraced import Retraced


class Scaled(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(self, x):
        return x * self.scale


def test_a_saved_model_and_its_signature_have_the_values_of_now(tmp_path):
    module = Scaled()
    assert module.f(1.0) == 2.0
    module.scale = 5.0
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.f(1.0) == 5.0
    assert loaded.signatures["serving_default"](tf.constant(1.0))["output_0"] == 5.0
    assert module.f(1.0) == 2.0  # its own trace is as it was
    assert module.f.experimental_get_tracing_count() == 2


def test_each_function_is_traced_once_more_at_most():
    module = Scaled()
    assert Retraced().of(module.f)._unbound is module.f._unbound  # it has no traces
    module.f(1.0)
    retraced = Retraced()
    made = retraced.of(module.f)
    assert made._unbound is not module.f._unbound
    assert retraced.of(module.f) is made
    assert retraced.of(made) is made
    assert retraced.of("other") == "other"


def test_traces_for_handles_are_left_out(tmp_path):
    class Reader(tf.Module):
        def __init__(self):
            self.v = tf.Variable([1.0, 2.0])

        @tf.function
        def read(self, handle):
            return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

        @tf.function
        def next(self):
            return self.read(self.v.handle) + 1.0

    model = Reader()
    model.read(model.v.handle)
    model.next()
    tf.saved_model.save(model, tmp_path)
    assert tf.saved_model.load(tmp_path).next().numpy().tolist() == [2.0, 3.0]
