"""Tracebacks of converted functions show the user's lines."""

from __future__ import annotations

import inspect
import sys
import tempfile
import traceback

import pytest
from autograph_checks import jit

import gradtape as tf
from gradtape._src.autograph.calls import converted


def failing(x):
    scaled = x * 2.0
    if x > 0:
        for i in tf.range(3):
            if i > 1:
                scaled = helper(
                    scaled,
                    1,
                )
    return scaled


def helper(x, n):
    y = x + n
    raise KeyError("helper failed")
    return y


def users_lines(error):
    frames = traceback.extract_tb(error.__traceback__)
    return [(f.name, f.line) for f in frames if f.filename == __file__]


def test_every_line_is_the_users():
    with pytest.raises(KeyError, match="helper failed") as caught:
        jit(failing)(tf.constant(1.0))
    lines = users_lines(caught.value)[1:]
    assert lines == [
        ("failing", "if x > 0:"),
        ("failing", "for i in tf.range(3):"),
        ("failing", "if i > 1:"),
        ("failing", "scaled = helper("),
        ("helper", 'raise KeyError("helper failed")'),
    ]
    assert "_src/autograph" not in "".join(
        f.filename
        for f in traceback.extract_tb(caught.value.__traceback__)
        if f.filename != __file__
    )


def test_the_exception_keeps_the_class_and_attributes_of_the_users():
    class OwnError(Exception):
        def __init__(self, code, where):
            super().__init__(code, where)
            self.code = code

    error = OwnError(7, "here")

    def f(x):
        if x > 0:
            y = x
        else:
            raise error
        return y

    with pytest.raises(OwnError) as caught:
        jit(f)(tf.constant(1.0))
    assert caught.value.args == error.args
    assert caught.value.code == 7


def test_an_operations_error_keeps_one_frame_after_the_users_line():
    def f(x):
        if x > 0:
            return tf.reshape(x, [2, 3])
        return x

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        jit(f)(tf.constant(1.0))
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2] == "f"


def test_no_file_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def f(x):
        return x if x > 0 else -x

    jit(f)(tf.constant(1.0))
    converted(f)(tf.constant(1.0))
    assert list(tmp_path.iterdir()) == []
    assert converted(f).__code__.co_filename == __file__
    assert inspect.getsource(converted(f)) == inspect.getsource(f)


def test_lines_after_a_continued_line():
    def f(x):
        y = x + 1.0
        text = """
        of several lines
        """
        raise ValueError(text)
        return y

    with pytest.raises(ValueError, match="several") as caught:
        converted(f)(tf.constant(1.0))
    assert users_lines(caught.value)[-1] == ("f", "raise ValueError(text)")


def test_positions_underline_the_call():
    def f(x):
        return 1.0 + tf.reshape(x, [7]) * 2.0

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        converted(f)(tf.constant(1.0))
    frame = next(f for f in traceback.extract_tb(caught.value.__traceback__) if f.name == "f")
    assert frame.line[frame.colno - 8 : frame.end_colno - 8] == "tf.reshape(x, [7])"


def test_a_debugger_finds_the_users_file_and_line():
    def f(x):
        frame = sys._getframe()
        return frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno

    first = f.__code__.co_firstlineno
    assert converted(f)(tf.constant(1.0)) == (__file__, "f", first + 2)
