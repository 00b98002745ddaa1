"""Errors in compiled functions name the user's line."""

import pytest

import gradtape as tf
from gradtape._src.graph.tracing import trace_errors


def test_the_users_line_that_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018
    assert "test_trace_errors.py" in trace_errors.where_raised(caught.value.__traceback__)


def test_what_xla_lacks():
    error = trace_errors.cannot_compile("Unique", "its shape depends on values")
    assert isinstance(error, tf.errors.UnimplementedError)
    assert "Unique" in str(error)
    assert "its shape depends on values" in str(error)


def test_without_jax_the_extra_is_named():
    for error in (trace_errors.no_jax("f"), trace_errors.jit_without_jax()):
        assert isinstance(error, ImportError)
        assert "gradtape[xla]" in str(error)
