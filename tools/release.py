"""Prepares a release: its entry in CHANGELOG.md, and its number in all files that contain it.

    python tools/release.py VERSION [--date YYYY-MM-DD] [--root FOLDER]

The fragments of changelog.d become a dated entry of CHANGELOG.md and are removed, and
src/gradtape/_version.py, CITATION.cff, the conda recipe and two pages get the version. Nothing is
committed, tagged or published; docs/versions.md describes the next steps. If the version is not
newer than the present one, or a fragment is not well formed, the tool fails before it writes.
"""

import argparse
import datetime as dt
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+")
NUMBERED = {
    "src/gradtape/_version.py": (r'^__version__ = ".*"$', '__version__ = "{version}"'),
    "packaging/conda/recipe.yaml": (r'^  version: ".*"$', '  version: "{version}"'),
    **dict.fromkeys(
        ("docs/versions.md", "docs/differences.md"),
        (r"(\+gradtape\.)\d+\.\d+\.\d+", r"\g<1>{version}"),
    ),
    "CITATION.cff": (
        r"^version: .*$(\ndate-released: .*$)?",
        "version: {version}\ndate-released: {date}",
    ),
}
"""The files that hold the version, the text that does, and what replaces it."""


def kinds(root: Path) -> list[str]:
    """Returns the kinds of changes that fragments may have, in the order of the changelog."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return [kind["directory"] for kind in settings["tool"]["towncrier"]["type"]]


def fragments(root: Path) -> list[Path]:
    """Returns the fragments: the files of changelog.d except the README and the template."""
    ignored = {"README.md", "template.md.jinja"}
    return sorted(p for p in (root / "changelog.d").iterdir() if p.name not in ignored)


def fault_of_fragment(path: Path, known: list[str]) -> str:
    """Returns the fault of a fragment; empty if there is no fault.

    Args:
      path: The fragment's file.
      known: The kinds of changes.
    """
    if not re.fullmatch(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(known)})\.md", path.name):
        return f"{path.name}: the name is not <area>-<what>.<kind>.md, with a kind of {known}"
    text = path.read_text(encoding="utf-8")
    if not re.search(r"[.!?`)]$", text.strip()):
        return f"{path.name}: is empty, or does not end with a sentence"
    if text.lstrip().startswith(("#", "-", "*")):
        return f"{path.name}: holds plain sentences, without headings and bullets"
    return ""


def numbers(version: str) -> tuple[int, ...]:
    """Returns a version's numbers, for comparisons."""
    return tuple(map(int, version.split(".")))


def present_version(root: Path) -> str:
    """Returns the version in the sources."""
    text = (root / "src/gradtape/_version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    assert found, "src/gradtape/_version.py has no version"
    return found[1]


def faults(root: Path, version: str) -> list[str]:
    """Returns the reasons against a release.

    Args:
      root: The project's folder.
      version: The version to be released.
    """
    found = [fault for path in fragments(root) if (fault := fault_of_fragment(path, kinds(root)))]
    if not VERSION.fullmatch(version):
        return [f"{version!r} is not a version such as 0.2.0", *found]
    if numbers(version) <= numbers(present_version(root)):
        found.append(f"version {version} is not newer than {present_version(root)}")
    if not fragments(root):
        found.append("changelog.d has no fragments: nothing changed")
    return found


def write_numbers(root: Path, version: str, date: str) -> None:
    """Writes the version into the files that hold it.

    Args:
      root: The project's folder.
      version: The version.
      date: The day of the release, such as 2026-11-23.
    """
    for name, (pattern, replacement) in NUMBERED.items():
        path = root / name
        new = replacement.format(version=version, date=date)
        text, count = re.subn(pattern, new, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert count == 1, f"{name} holds the version {count} times"
        path.write_text(text, encoding="utf-8")


def gather(root: Path, version: str, date: str) -> int:
    """Runs towncrier, which moves the fragments into CHANGELOG.md; returns the exit status."""
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--dir", str(root)]
    options = ["--version", version, "--date", date, "--name", "gradtape"]
    return subprocess.run([*command, *options], cwd=root, check=False).returncode  # noqa: S603


def main() -> int:
    """Prepares the release, or prints the reasons against it."""
    parser = argparse.ArgumentParser(description="Prepare a release of gradtape.")
    parser.add_argument("version", help="its number, such as 0.2.0")
    today = dt.datetime.now(dt.UTC).date().isoformat()
    parser.add_argument(
        "--date",
        type=dt.date.fromisoformat,
        default=today,
        help="its day, today if not given",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    given = parser.parse_args()
    reasons = faults(given.root, given.version)
    if reasons:
        print("\n".join(reasons), file=sys.stderr)
        return 2
    status = gather(given.root, given.version, str(given.date))
    if status == 0:
        write_numbers(given.root, given.version, str(given.date))
        print(f"version {given.version} is prepared; docs/versions.md says how to go on")
    return status


if __name__ == "__main__":
    sys.exit(main())
