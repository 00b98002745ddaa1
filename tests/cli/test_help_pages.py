"""`gradtape help`: sections of the page of errors in the terminal."""

import pytest

from gradtape._src.cli import help_pages
from gradtape._src.cli.program import CommandError
from gradtape._src.inspect.error_topics import TOPICS
from gradtape.cli import main


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_each_topic_has_its_section(topic):
    text = help_pages.section(topic)
    assert text.startswith(f"# {topic.heading}\n\n```python\n")
    assert "\n## " not in text
    assert "](" not in text
    assert text.rstrip().endswith((".", "`"))


def test_a_topic_is_printed(capsys):
    assert main(["help", "incompatible-shapes"]) == 0
    printed = capsys.readouterr().out
    assert "tf.ones(2) + tf.ones(3)" in printed
    assert "Add an axis with" in printed


@pytest.mark.parametrize("kind", ["", "InvalidArgumentError: ", "tf.errors.InvalidArgumentError: "])
def test_a_message_finds_its_topic(capsys, kind):
    assert main(["help", *f"{kind}Incompatible shapes: [2] vs. [7]".split()]) == 0
    assert "Add an axis with" in capsys.readouterr().out


def test_without_words_all_topics_are_listed(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.split()[0] != "topic"] == [
        topic.name for topic in TOPICS
    ]


def test_an_unknown_topic_is_one_line_and_status_2(capsys):
    assert main(["help", "incompatible-shape"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "gradtape: no help about 'incompatible-shape'; the nearest: incompatible-shapes "
        "(`gradtape help` lists all topics)\n"
    )


def test_a_package_without_the_page_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(help_pages, "PLACES", (tmp_path / "errors.md", tmp_path / "none.md"))
    with pytest.raises(CommandError, match="the page of errors is not installed"):
        help_pages.page()
