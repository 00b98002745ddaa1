"""Errors in compiled functions name the user's line."""

import pytest

import gradtape as tf
from gradtape._src.graph.tracing import trace_errors


def test_the_users_line_that_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018
    assert "test_trace_errors.py" in trace_errors.where_raised(caught.value)


def test_what_xla_lacks():
    error = trace_errors.cannot_compile("Unique", "its shape depends on values")
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert "Unique" in str(error)
    assert "its shape depends on values" in str(error)


def test_without_jax_the_extra_is_named():
    for error in (trace_errors.no_jax("f"), trace_errors.jit_without_jax()):
        assert isinstance(error, ImportError)
        assert "gradtape[xla]" in str(error)


LACKING = {
    "as_string": tf.strings.as_string,
    "unique": lambda x: tf.unique(x)[0],
    "zeros": lambda x: tf.zeros([tf.cast(x[0], tf.int32)]),
    "reshape": lambda x: tf.reshape(x, [tf.cast(x[0], tf.int32), -1]),
    "indexing": lambda x: x[: tf.cast(x[0], tf.int32)],
    "from_dense": tf.sparse.from_dense,
    "a loop over a dataset": lambda x: _total(tf.data.Dataset.from_tensor_slices(x)),
    "tf.py_function": lambda x: tf.py_function(lambda v: v, [x], tf.float32),
    "encode_jpeg": lambda x: tf.io.encode_jpeg(tf.cast(tf.reshape(x, [1, 2, 1]), tf.uint8)),
    "Where": lambda x: tf.boolean_mask(x, x > 1.0),
}


def _total(dataset):
    total = 0.0
    for x in dataset:
        total += x
    return total


@pytest.mark.parametrize("operation", LACKING)
def test_an_operation_that_can_not_be_compiled_is_named_with_the_line(operation):
    pytest.importorskip("jax")
    run = LACKING[operation]

    @tf.function(jit_compile=True)
    def f(x):
        return run(x * 2.0)

    with pytest.raises(tf.errors.InvalidArgumentError, match="can't be compiled") as caught:
        f(tf.constant([1.0, 2.0]))
    assert operation in str(caught.value)
    assert "test_trace_errors.py" in str(caught.value)
    assert "converted to" not in str(caught.value)
