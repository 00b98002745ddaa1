"""Matplotlib's figures in programs that run without a screen."""

import os
import sys
from collections.abc import Callable
from pathlib import Path


class Figures:
    """Saves the figures that a program shows, or counts those that are not shown.

    Attributes:
        label: The first part of the next file's name, such as `"cell-03"`.
    """

    def __init__(self, directory: Path | None, note: Callable[[str], None]) -> None:
        self.label = "figure"
        self._directory = directory
        self._note = note
        self._counts: dict[str, int] = {}

    def show(self) -> None:
        """Closes all open figures, after saving them if there is a directory for them."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        numbers = pyplot.get_fignums() if pyplot else []
        if not numbers or pyplot is None:
            return
        if self._directory is None:
            self._note(f"{len(numbers)} figure(s) not shown; --save-figures DIR saves them")
        else:
            for number in numbers:
                path = self._next_path(self._directory)
                pyplot.figure(number).savefig(path, bbox_inches="tight")
                self._note(f"figure saved as {path}")
        pyplot.close("all")

    def _next_path(self, directory: Path) -> Path:
        count = self._counts[self.label] = self._counts.get(self.label, 0) + 1
        directory.mkdir(parents=True, exist_ok=True)
        return directory / f"{self.label}-{count}.png"


_current: list[Figures] = []


def use(figures: Figures) -> None:
    """Selects this back end for matplotlib, so that it passes its figures to `figures`."""
    _current[:] = [figures]
    os.environ["MPLBACKEND"] = "module://gradtape._src.cli.mplbackend"


def show_current() -> None:
    """Implements `plt.show()` of the back end."""
    for figures in _current:
        figures.show()
