import subprocess
import sys

import pytest

import gradtape as tf

pytest.importorskip("absl")
PROGRAM = """
import gradtape as tf

flags = tf.compat.v1.app.flags
flags.DEFINE_float("rate", 0.1, "the rate")
tf.compat.v1.flags.DEFINE_string(flag_name="folder", default_value="/tmp", docstring="a folder")
flags.DEFINE_bool("loud", False, "")
FLAGS = flags.FLAGS
{use}
"""


def _output(use, *arguments):
    code = PROGRAM.format(use=use)
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


def test_the_command_line_is_read_before_the_program_starts():
    use = """
def main(argv):
    print(argv[1:], FLAGS.rate, FLAGS.folder, FLAGS.loud)
    return 3

tf.compat.v1.app.run()
"""
    found = _output(use, "--rate=0.5", "--loud", "rest", "--unknown=1")
    assert found == ("['rest', '--unknown=1'] 0.5 /tmp True\n", 3)


def test_the_command_line_is_read_when_the_first_value_is_asked_for():
    assert _output("print(FLAGS.rate)", "--rate=2") == ("2.0\n", 0)


def test_attributes_that_python_asks_for_do_not_read_the_command_line():
    use = 'import inspect; inspect.signature(FLAGS); print(hasattr(FLAGS, "__wrapped__"))'
    assert _output(use, "--unknown") == ("False\n", 0)


def test_values_are_set_and_flags_are_listed():
    use = (
        'FLAGS.rate = 4.0; print(FLAGS.rate, "rate" in FLAGS, "other" in FLAGS, FLAGS["rate"].help)'
    )
    assert _output(use) == ("4.0 True False the rate\n", 0)


def test_a_wrong_value_is_an_error():
    text, status = _output("print(FLAGS.rate)", "--rate=x")
    assert status == 1
    assert "could not convert string to float: 'x'" in text


def test_the_flags_of_absl_are_those_of_tensorflow_1():
    from absl import flags

    assert tf.compat.v1.flags.DEFINE_enum is flags.DEFINE_enum
    assert "DEFINE_integer" in dir(tf.compat.v1.flags)


def test_what_is_missing_without_absl(monkeypatch):
    monkeypatch.setitem(sys.modules, "absl.app", None)
    with pytest.raises(ModuleNotFoundError, match="pip install absl-py"):
        tf.compat.v1.app.run(print)
