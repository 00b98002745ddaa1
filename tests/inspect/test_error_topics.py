"""Errors that end a program lead to the section about them."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gradtape._src.inspect.error_topics import TOPICS, hint_for, topic_of

PAGE = Path(__file__).resolve().parents[2] / "docs/trouble/errors.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def test_topics_are_the_sections_of_the_page_in_order():
    assert [section.partition("\n")[0] for section in SECTIONS] == [t.heading for t in TOPICS]
    assert len({topic.name for topic in TOPICS}) == len(TOPICS)


@pytest.mark.parametrize(
    ("topic", "section"), list(zip(TOPICS, SECTIONS, strict=True)), ids=[t.name for t in TOPICS]
)
def test_the_message_of_a_section_leads_to_it(topic, section):
    message = re.search(r"```text\n\w+: (.*?)\n```", section, re.DOTALL)[1]
    if topic.name == "none-gradient":  # the message is Python's, and may be about any None
        assert topic_of(message) is None
    else:
        assert topic_of(message) == topic


def test_other_errors_have_no_hint():
    assert hint_for(ValueError("something else")) is None
    assert hint_for(KeyError("Incompatible")) is None


PROGRAMS = {
    "tape = tf.GradientTape(); [tape.gradient([], []) for _ in range(2)]": "second-gradient",
    "tf.keras.optimizers.Adam(lr=0.1)": "unknown-argument",
    "tf.constant([[1.0], [1.0, 2.0]])": "ragged-list",
    "tf.Variable([1.0]).assign([1.0, 2.0])": "assigned-shape",
    "tf.constant(1.0) + tf.constant(1)": "two-dtypes",
    "list(tf.constant(1.0))": "scalar-iteration",
    "tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0)": "concat-shapes",
    "tf.zeros(3)[0] = 1.0": "item-assignment",
    "tf.ones(2) + tf.ones(3)": "incompatible-shapes",
    "tf.gather([1.0], [5])": "index-out-of-range",
    "tf.linalg.inv(tf.zeros([2, 2]))": "singular-matrix",
    "tf.linalg.inv(tf.zeros([2]))": "rank-too-low",
    "tf.reshape(tf.ones(2), [3])": "reshape-size",
    "tf.reduce_sum(tf.ones(2), axis=1)": "reduction-axis",
    "tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))": "matmul-shapes",
    "tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))])": "no-gradients",
    "tf.nothing": "unknown-name",
    "bool(tf.constant([True, False]))": "truth-value",
    "tf.gather([1.0], [0.0])": "dtype-not-allowed",
}


def test_each_topic_has_a_program():
    assert {*PROGRAMS.values(), "none-gradient"} == {topic.name for topic in TOPICS}


@pytest.mark.slow
@pytest.mark.parametrize(("line", "topic"), PROGRAMS.items(), ids=PROGRAMS.values())
def test_python_prints_the_hint_below_the_error(line, topic):
    if "keras" in line and find_spec("keras") is None:
        pytest.skip("needs Keras")
    result = subprocess.run(
        [sys.executable, "-c", f"import gradtape as tf\n{line}\n"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == f"Help: gradtape help {topic}"


@pytest.mark.slow
def test_an_import_and_errors_that_are_caught_print_nothing():
    program = """
import sys
before = sys.excepthook
import gradtape as tf
assert sys.excepthook is before
try:
    tf.ones(2) + tf.ones(3)
except tf.errors.InvalidArgumentError:
    pass
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
