"""`gradtape help`: prints a section of the page that explains errors."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from rich.markdown import Markdown
from rich.table import Table

from gradtape._src.cli.pipes import Printer
from gradtape._src.cli.program import CommandError
from gradtape._src.inspect.error_topics import TOPICS, Topic, topic_of

PLACES = (Path(__file__).with_name("errors.md"), Path("docs/trouble/errors.md"))
"""The page in an installed package, and where it is in the repository."""
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")


def page() -> str:
    """Returns the text of the page that explains errors.

    Raises:
      CommandError: The page was not installed.
    """
    installed, kept = PLACES
    above = (parent / kept for parent in Path(__file__).parents)
    found = next((path for path in (installed, *above) if path.is_file()), None)
    if found is None:
        raise CommandError("the page of errors is not installed")
    return found.read_text(encoding="utf-8")


def section(topic: Topic) -> str:
    """Returns the section about an error as Markdown, with links to other pages as plain words.

    Args:
      topic: The error.
    """
    _, _, after = page().partition(f"\n## {topic.heading}\n")
    text = after.partition("\n## ")[0].replace("```python raises\n", "```python\n")
    text = LINK.sub(r"\1", text)
    return f"# {topic.heading}\n{text}"


def show_help(words: str) -> int:
    """Prints the section about an error, or a list of all topics if `words` is empty.

    Args:
      words: The name of a topic, or the beginning of an error's message.

    Returns:
      The exit status, 0.

    Raises:
      CommandError: There is no such topic.
    """
    printer = Printer(highlight=False)
    if not words:
        table = Table("topic", "error", box=None, pad_edge=False)
        for topic in TOPICS:
            table.add_row(topic.name, topic.heading)
        printer.print(table)
        return 0
    names = {topic.name: topic for topic in TOPICS}
    wanted = names.get(words) or topic_of(re.sub(r"^[\w.]+(Error|Exception): ", "", words))
    if wanted is None:
        near = difflib.get_close_matches(words, names, 1)
        nearest = f"; the nearest: {near[0]}" if near else ""
        raise CommandError(f"no help about {words!r}{nearest} (`gradtape help` lists all topics)")
    printer.print(Markdown(section(wanted)))
    return 0
