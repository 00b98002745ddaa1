"""Names that are left out on purpose have a reason, and don't exist."""

from fnmatch import fnmatchcase

import pytest

import gradtape as tf
from gradtape._src.compat.alias import resolve
from gradtape._src.compat.lists.left_out import LEFT_OUT, left_out
from gradtape._src.compat.names import tensorflow_names

GONE = {"estimator.*", "compat.v1.estimator.*", "contrib.*", "compat.v1.contrib.*", "user_ops.*"}


def paths():
    for space, inside in tensorflow_names().modules.items():
        yield from (f"{space}.{name}".lstrip(".") for name in inside)


def test_each_entry_stands_for_names_that_are_lacking():
    known = set(paths())
    for entry in LEFT_OUT:
        for pattern in set(entry.names) - GONE:
            meant = [path for path in known if fnmatchcase(path, pattern)]
            assert meant, f"{pattern} is no name of TensorFlow's"
            for path in meant:
                with pytest.raises(AttributeError):
                    resolve(path)


def test_what_the_message_says():
    with pytest.raises(
        AttributeError, match=r"gradtape leaves out 'tf\.lite': it converts models"
    ) as e:
        tf.lite  # noqa: B018
    assert "tf.saved_model.save" in str(e.value)
    with pytest.raises(AttributeError, match=r"leaves out 'tf.contrib'.*tf.keras.layers"):
        tf.contrib  # noqa: B018
    assert left_out("reduce_sum") is None
