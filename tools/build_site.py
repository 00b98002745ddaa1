"""Builds the documentation site: its sources in build/docs, its pages in build/site.

    python tools/build_site.py [--no-blocks]

Every Python block of a page runs in its own process. The build fails if a page shows another output
than the one that a block prints; pictures that a block draws appear below it. The reference is
written from the docstrings. With --no-blocks, no block runs, for a quick look at the text.
"""

import posixpath
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

import site_blocks
import site_reference
import site_search

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
SOURCES = BUILD / "docs"
CONFIGURATION = BUILD / "mkdocs.yml"
PAGES_FROM_ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Documents outside of docs/ that are pages, and the pages' names."""
LIGHT = "#d8d8d8"
PICTURES_FROM_ELSEWHERE = {"benchmarks/results": "results"}
LINK = re.compile(
    r"(?P<head>!?\[[^\]]*\]\()(?P<target>(?!https?:|#|mailto:)[^)\s#]+)(?P<at>#[^)]*)?\)"
)
FENCED = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)


def page_name(document: str) -> str:
    """Returns the path of a document's page in the site, given its path in the project."""
    return PAGES_FROM_ELSEWHERE.get(document, document.removeprefix("docs/"))


def documents() -> list[str]:
    """Returns the documents that become pages, without those for parts of the reference."""
    inside = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [*PAGES_FROM_ELSEWHERE, *(d for d in inside if not d.startswith("docs/reference/"))]


def moved(document: str, target: str) -> str | None:
    """Returns a link's target on the site; None if the target is not on the site."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(document), target))
    for folder, there in PICTURES_FROM_ELSEWHERE.items():
        if found.startswith(f"{folder}/"):
            return posixpath.relpath(
                f"{there}/{posixpath.basename(found)}",
                posixpath.dirname(page_name(document)) or ".",
            )
    if found == "docs/design":
        found = "docs/design/0001-engine.md"
    if not found.startswith("docs/") and found not in PAGES_FROM_ELSEWHERE:
        return None
    return posixpath.relpath(page_name(found), posixpath.dirname(page_name(document)) or ".")


def with_links(document: str, text: str) -> str:
    """Returns a document with links to pages; links to other files become code."""

    def link(found: re.Match[str]) -> str:
        target = moved(document, found["target"])
        if target is None:
            return "`" + found["head"].strip("![](").strip("`") + "`"
        return f"{found['head']}{target}{found['at'] or ''})"

    parts, at = [], 0
    for block in FENCED.finditer(text):
        parts += [LINK.sub(link, text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, LINK.sub(link, text[at:])])


def dark(picture: str) -> str:
    """Returns a figure for dark pages: its black is replaced by a light colour."""
    light = re.sub(r"#000000|\bblack\b", LIGHT, picture)
    return light.replace("<defs>", f"<style>text {{ fill: {LIGHT} }}</style><defs>", 1)


def shown(page: str, number: int, pictures: Iterable[str]) -> str:
    """Returns the lines that show a block's pictures, which are written beside the page."""
    lines = []
    for index, picture in enumerate(pictures):
        stem = f"{Path(page).stem}-{number}-{index}"
        folder = SOURCES / Path(page).parent
        (folder / f"{stem}.svg").write_text(picture, encoding="utf-8")
        label = f"What block {number + 1} of this page draws"
        if "matplotlib" in picture:
            (folder / f"{stem}-dark.svg").write_text(dark(picture), encoding="utf-8")
            lines.append(f"![{label}]({stem}.svg#only-light)![{label}]({stem}-dark.svg#only-dark)")
        else:
            lines.append(f"![{label}]({stem}.svg){{ .picture }}")
    return "".join(f"\n{line}\n" for line in lines)


def with_pictures(page: str, text: str, drawn: dict[int, list[str]]) -> str:
    """Returns a page with the pictures of each block below what the block prints."""
    numbers = iter(range(len(site_blocks.FENCE.findall(text))))

    def block(found: re.Match[str]) -> str:
        number = next(numbers)
        plain = found[0].replace("```python raises\n", "```python\n", 1)
        return plain + shown(page, number, drawn.get(number, []))

    return site_blocks.FENCE.sub(block, text)


def run_blocks() -> dict[str, dict[int, list[str]]] | None:
    """Returns the pictures of each document's blocks; prints faults and returns None if any."""
    found = [block for page in site_blocks.pages() for block in site_blocks.blocks(page)]
    outcomes = site_blocks.run_all(found)
    faults = [text for pair in outcomes if (text := site_blocks.fault(*pair))]
    if faults:
        print("\n\n".join(faults), file=sys.stderr)
        return None
    pictures: dict[str, dict[int, list[str]]] = defaultdict(dict)
    for block, outcome in outcomes:
        pictures[block.page][block.number] = outcome.pictures
    print(f"{len(outcomes)} blocks ran")
    return pictures


def write_sources(pictures: dict[str, dict[int, list[str]]]) -> None:
    """Writes the pages' sources."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    for document in documents():
        page = page_name(document)
        place = SOURCES / page
        place.parent.mkdir(parents=True, exist_ok=True)
        text = with_links(document, (ROOT / document).read_text(encoding="utf-8"))
        place.write_text(with_pictures(page, text, pictures.get(document, {})), encoding="utf-8")
    for folder, there in PICTURES_FROM_ELSEWHERE.items():
        shutil.copytree(ROOT / folder, SOURCES / there, ignore=shutil.ignore_patterns("*.json"))
    for path in (ROOT / "docs").rglob("*"):
        if path.is_file() and path.suffix != ".md":
            place = SOURCES / path.relative_to(ROOT / "docs")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def configuration(reference: list[str]) -> dict[str, Any]:
    """Returns the site's configuration, with the pages that mkdocs.yml does not list."""
    settings: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    settings |= {"docs_dir": "docs", "site_dir": "site"}
    for section in settings["nav"]:
        for title, entries in section.items():
            if title == "Reference":
                entries += [{page.removesuffix(".md"): f"reference/{page}"} for page in reference]
            if "design/*" in entries:
                entries.remove("design/*")
                entries += [d[5:] for d in documents() if d.startswith("docs/design/")]
    return settings


def main() -> int:
    """Writes the sources and builds the pages."""
    pictures = {} if "--no-blocks" in sys.argv else run_blocks()
    if pictures is None:
        return 1
    write_sources(pictures)
    settings = configuration(site_reference.write(SOURCES / "reference"))
    CONFIGURATION.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    shutil.rmtree(BUILD / "site", ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file"]
    status = subprocess.run([*command, str(CONFIGURATION)], check=False).returncode  # noqa: S603
    if status == 0:
        site_search.improve(BUILD / "site")
    return status


if __name__ == "__main__":
    sys.exit(main())
