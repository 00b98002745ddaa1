"""A hook of the build that makes the links of the package's page absolute.

The README's links are relative to the repository, but a package index shows the README elsewhere.
This hook makes the links absolute and adds the project's URLs. The repository's address is the
environment variable GRADTAPE_REPOSITORY, which publish.yml sets, or else git's remote `origin`.
In a build without either, links become plain text, so that no link is broken.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REMOTE = re.compile(
    r"(?:https?://|ssh://git@|git@)(?P<host>[\w.-]+\.\w+)[:/](?P<path>[\w./-]+?)(\.git)?/?"
)
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#|mailto:)(?P<target>[^)\s]+)\)")
BINDER = "https://mybinder.org"
NOTEBOOK = "examples/first_steps.ipynb"
"""The notebook that Binder opens."""
FENCED = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)


def remote_of(root: Path) -> str:
    """Returns the address of git's remote `origin`; empty without one."""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:  # no git
        return ""
    return result.stdout.strip()


def repository(root: Path) -> str:
    """Returns the web address of the repository, empty if it is not known.

    Args:
      root: The project's folder.
    """
    found = REMOTE.fullmatch(os.environ.get("GRADTAPE_REPOSITORY") or remote_of(root))
    return f"https://{found['host']}/{found['path']}" if found else ""


def urls(address: str, version: str) -> dict[str, str]:
    """Returns the links of the package's page.

    Args:
      address: The web address of the repository.
      version: The package's version.
    """
    site = os.environ.get("GRADTAPE_DOCUMENTATION") or f"{address}/blob/v{version}/docs/start.md"
    return {
        "Homepage": address,
        "Documentation": site,
        "Source": address,
        "Changelog": f"{address}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


def binder(address: str, version: str) -> str:
    """Returns the address at which Binder opens the first notebook of a version.

    Args:
      address: The web address of the repository; may be empty.
      version: The package's version.
    """
    if not address.startswith("https://github.com/"):
        return BINDER
    path = address.removeprefix("https://github.com/")
    return f"{BINDER}/v2/gh/{path}/v{version}?urlpath=lab/tree/{NOTEBOOK}"


def with_links(text: str, address: str, version: str) -> str:
    """Returns the README with absolute links, or without relative ones if no address is known.

    Args:
      text: The README.
      address: The web address of the repository; may be empty.
      version: The package's version.
    """

    def link(found: re.Match[str]) -> str:
        picture = found["mark"] == "!"
        if not address:
            return "" if picture else found["text"]
        kind = "raw" if picture else "blob"
        place = f"{address}/{kind}/v{version}/{found['target']}"
        return f"{found['mark']}[{found['text']}]({place})"

    text = text.replace(f"]({BINDER})", f"]({binder(address, version)})")
    parts, at = [], 0
    for block in FENCED.finditer(text):
        parts += [LINK.sub(link, text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, LINK.sub(link, text[at:])])


class LinksHook(MetadataHookInterface):  # type: ignore[misc]  # hatchling has no types here
    """Gives the package its README and its URLs."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the fields that pyproject.toml declares as dynamic.

        Args:
          metadata: The `[project]` table.
        """
        root = Path(self.root)
        version = re.search(
            r'__version__ = "(.*)"', (root / "src/gradtape/_version.py").read_text(encoding="utf-8")
        )
        assert version, "src/gradtape/_version.py has no version"
        address = repository(root)
        readme = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_links(readme, address, version[1]),
        }
        metadata["urls"] = urls(address, version[1]) if address else {}
