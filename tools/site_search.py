"""Improves the search index of the site for the API reference.

The search ranks a title higher if the words are nearer to its beginning. Methods get longer titles,
so that a class is ranked above its methods. Each further name of a function or class gets an entry.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import site_reference

METHODS = 3
"""The level of methods' headings."""


def method_title(location: str) -> str | None:
    """Returns the title of a method in the search; None for other locations.

    Args:
      location: The address of a section of a page.
    """
    page, _, anchor = location.partition("#")
    if not page.startswith("reference/") or not anchor:
        return None
    owner, _, name = anchor.rpartition(".")
    owner = owner or Path(page).stem
    return f"A method of <code>{owner}</code>: <code>{name}</code>"


def other_names() -> Iterator[dict[str, Any]]:
    """Yields entries for names whose description is under another name."""
    for names in site_reference.others().values():
        for name in names:
            if site_reference.SECOND_CHOICE.isdisjoint(name.space.split(".")):
                yield {
                    "location": f"reference/{name.page.replace('.md#', '.html#')}",
                    "level": 2,
                    "title": f"<code>{name.path}</code>",
                    "text": f"<p>{site_reference.first_sentence(name.value)}</p>",
                    "path": ["Reference", name.space],
                    "tags": [],
                }


def improve(site: Path) -> None:
    """Gives methods their titles, and adds the other names.

    Args:
      site: The folder of the site, with the index of its search.
    """
    place = site / "search.json"
    index = json.loads(place.read_text(encoding="utf-8"))
    for item in index["items"]:
        if item["level"] == METHODS and (title := method_title(item["location"])):
            item["title"] = title
    index["items"] += other_names()
    place.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
