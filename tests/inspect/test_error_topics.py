"""Errors that end a program lead to the section about them."""

import re
import subprocess
import sys
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
    "tf.ones(2) + tf.ones(3)": "incompatible-shapes",
    "tf.reduce_sum(tf.ones(2), axis=1)": "reduction-axis",
    "tf.constant([[1.0], [1.0, 2.0]])": "ragged-list",
}


@pytest.mark.slow
@pytest.mark.parametrize(("line", "topic"), PROGRAMS.items())
def test_python_prints_the_hint_below_the_error(line, topic):
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
