"""Messages of errors that leave a traced function."""

import pickle

import pytest

import gradtape as tf
from gradtape._src.autograph.errors_in_user_code import StagingError


def message_of(call):
    with pytest.raises(Exception) as caught:
        call()
    return str(caught.value)


def test_the_lines_of_all_functions_are_in_the_message():
    def inner(x):
        raise RuntimeError("deep\ninside")

    @tf.function
    def outer(x):
        if x > 0:
            return inner(x)
        return x

    @tf.function
    def outermost(x):
        return outer(x)

    lines = message_of(lambda: outermost(tf.constant(1))).splitlines()
    assert lines[0] == "in user code:"
    assert [line.rsplit(" in ", 1)[1] for line in lines if 'File "' in line] == [
        "outermost  *",
        "outer  *",
        "inner  *",
    ]
    assert lines[-2:] == ["    RuntimeError: deep", "    inside"]


def test_functions_without_autograph_keep_their_messages():
    @tf.function(autograph=False)
    def f(x):
        raise ValueError("as it is")

    assert message_of(lambda: f(tf.constant(1))) == "as it is"


def test_a_handler_of_the_original_class_catches_a_staging_error():
    class OddError(LookupError):
        def __init__(self, a, b):
            super().__init__(a, b)
            self.a = a

    @tf.function
    def f(x):
        raise OddError(1, 2)

    with pytest.raises(StagingError, match="in user code") as caught:
        f(tf.constant(1))
    assert isinstance(caught.value, OddError)
    assert caught.value.a == 1
    assert type(caught.value).__name__ == "StagingError"


def test_the_cause_the_notes_and_the_original_stay():
    original = ValueError("text")
    original.add_note("a note")

    @tf.function
    def f(x):
        raise original from KeyError("cause")

    for _ in range(2):  # the original is not changed
        with pytest.raises(ValueError, match="in user code") as caught:
            f(tf.constant(1))
        assert str(caught.value).count("in user code") == 1
        assert isinstance(caught.value.__cause__, KeyError)
        assert caught.value.__notes__ == ["a note"]
    assert str(original) == "text"


def test_errors_of_tensorflow_keep_what_they_hold():
    @tf.function
    def f(x):
        raise tf.errors.OutOfRangeError("node", "op", "ends")

    with pytest.raises(tf.errors.OutOfRangeError, match="in user code") as caught:
        f(tf.constant(1))
    assert (caught.value.node_def, caught.value.op) == ("node", "op")
    assert "in user code" in str(pickle.loads(pickle.dumps(caught.value)))


def test_errors_of_functions_of_datasets_show_their_lines():
    def scale(x):
        raise KeyError("factor")

    text = message_of(lambda: tf.data.Dataset.range(2).map(scale))
    assert text.startswith("in user code:")
    assert "in scale  *" in text
    assert "    KeyError: 'factor'" in text
