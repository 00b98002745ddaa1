"""The programs in files and folders that a command names."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from gradtape._src.cli.program import ENDINGS, CommandError
from gradtape._src.files.paths import is_directory

FEW = 20
"""So many files need a progress bar."""
SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def program_files(names: list[str]) -> list[str]:
    """Returns the named files, and the programs below the named folders.

    Hidden folders, environments and folders of installed packages are left out.

    Raises:
        CommandError: There is no program at all, or a folder can't be read.
    """
    found: dict[str, None] = {}
    for name in names:
        if not is_directory(Path(name)):
            found[name] = None
            continue
        found.update(dict.fromkeys(sorted(_below(name))))
    if not found:
        raise CommandError(f"{', '.join(names)}: no .py and no .ipynb file")
    return list(found)


def with_progress(files: list[str]) -> Iterable[str]:
    """Yields the files, and shows on a terminal how many of them are read."""
    if len(files) < FEW or sys.stderr is None or not sys.stderr.isatty():
        return files
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(files, f"reading {len(files)} files", console=console, transient=True)


def _below(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise CommandError(f"{error.filename} cannot be read: {error.strerror}")

    for above, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not _is_skipped(Path(above, name))]
        for name in files:
            if Path(name).suffix in ENDINGS and not name.startswith("."):
                yield str(Path(above, name))


def _is_skipped(folder: Path) -> bool:
    name = folder.name
    return name.startswith(".") or name in SKIPPED or (folder / "pyvenv.cfg").exists()
