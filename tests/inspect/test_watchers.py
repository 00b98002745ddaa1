"""Watchers' events for values that leave, and for tapes that pause."""

import ast
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.inspect import watchers
from gradtape._src.inspect.watchers import ARGUMENT, Watcher


class Listener(Watcher):
    def __init__(self):
        self.events = []

    def escaped(self, value, how):
        self.events.append((value, how))

    def tape_stopped(self, tape, paused):
        self.events.append((tape, paused))


@pytest.fixture
def listener():
    listener = Listener()
    watchers.start(listener)
    yield listener
    watchers.stop(listener)


WAYS = {
    "numpy": lambda x: x.numpy(),
    "__array__": np.asarray,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
    "__bool__": bool,
    "__index__": lambda n: [0, 1, 2, 3][n],
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_each_way_out_is_reported_once_with_the_method(how, make, listener):
    x = make(2)
    WAYS[how](x)
    ((value, way),) = listener.events
    assert value is x
    assert way == how


def test_the_caller_of_a_method_does_not_change_the_reported_way(listener):
    def __repr__(x):  # noqa: N807
        return x.numpy()

    def __bool__(x):  # noqa: N807
        return x.numpy()

    x = tf.constant(2)
    __repr__(x), __bool__(x)
    assert [how for _, how in listener.events] == ["numpy", "numpy"]


@pytest.mark.parametrize("show", [repr, str, "{}".format, "{:.1f}".format], ids=range(4))
def test_what_is_shown_does_not_leave(show, listener):
    show(tf.constant(2.0))
    repr(tf.Variable(2.0))
    assert listener.events == []


def test_an_argument_that_must_be_known(listener):
    n = tf.constant([3])
    tf.reshape([1.0, 2.0, 3.0], n)
    assert [(v, how) for v, how in listener.events if v is n] == [(n, ARGUMENT)]


def test_a_tape_pauses_or_stops(listener):
    with tf.GradientTape() as tape, tape.stop_recording():
        pass
    assert listener.events == [(tape, True), (tape, False)]


READ_FROM_CODE = {"co_names", "co_code", "co_consts", "co_name"}
MAY = {
    "_src/graph/ir/origins.py",  # where in the program an operation of a graph is
    "_src/core/tracebacks.py",  # whether two lines of a traceback are of one function
    "_src/profiling/hooks.py",  # where in the program time is spent ...
    "_src/profiling/python_lines.py",  # ... and in which of its functions
    "_src/inspect/source_lines.py",  # where in the program something is
    "_src/base/dispatch.py",  # gives functions of the library other code, and reads no program's
    "_src/autograph/conversion.py",  # the one thing that converts a program's code ...
    "_src/autograph/source.py",  # ... finds its source ...
    "_src/autograph/errors_in_user_code.py",  # ... and names its lines in errors
    "_src/graph/views/graph_picture.py",  # ... and in pictures
    "_src/data/elements/fingerprints.py",  # whether two functions are the same
    "_src/compat/internals/benchmark.py",  # reports bear the names of their methods
    "_src/compat/patch.py",  # whether a library's function is the one that a patch was made for
}


@pytest.mark.slow
def test_no_behavior_is_told_from_how_code_is_written():
    """Names in a program are the user's: what the library does must not hang on them."""
    root = Path(tf.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in READ_FROM_CODE:
                found.add(path.relative_to(root).as_posix())
    assert found == MAY


def test_nothing_is_left_when_the_last_mode_ends():
    owners = [tf.Tensor, tf.Variable, tf.GradientTape, *tf.Tensor.__mro__[1:2]]
    before = [dict(vars(owner)) for owner in owners]
    first, second = Listener(), Listener()
    watchers.start(first)
    watchers.start(second)
    watchers.stop(first)
    assert vars(tf.Tensor)["numpy"] is not before[0]["numpy"]
    watchers.stop(second)
    assert [dict(vars(owner)) for owner in owners] == before
