"""IPython's shell, with each cell's outputs collected in the form that notebooks have."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Instance
from traitlets.config import Config

Output = dict[str, Any]
"""One output of a cell, see https://nbformat.readthedocs.io/en/latest/format_description.html."""

_SCRIPTS = {"script", "bash", "sh", "perl", "ruby", "pypy", "python", "python2", "python3"}
"""The cell magics that start another program."""


class Outputs:
    """The outputs of the cell that runs."""

    def __init__(self) -> None:
        self._now: list[Output] = []
        self._by_id: dict[str, list[Output]] = {}
        self._clear_at_next = False

    def take(self) -> list[Output]:
        """Returns the outputs so far, and clears them."""
        taken, self._now, self._clear_at_next = self._now, [], False
        return taken

    def add(self, output: Output, display_id: str | None = None) -> None:
        """Adds an output, which later outputs with the same id may replace."""
        if self._clear_at_next:
            self.clear()
        self._now.append(output)
        if display_id is not None:
            self._by_id.setdefault(display_id, []).append(output)

    def update(self, output: Output, display_id: str | None) -> None:
        """Replaces the contents of earlier outputs with an id, in any cell."""
        for earlier in self._by_id.get(display_id or "", ()):
            earlier["data"], earlier["metadata"] = output["data"], output["metadata"]

    def write(self, stream: str, text: str) -> None:
        """Adds text, to the last output if that is from the same stream."""
        if self._clear_at_next:
            self.clear()
        last = self._now[-1] if self._now else {}
        if last.get("name") == stream:
            last["text"] += text
        elif text:
            self._now.append({"output_type": "stream", "name": stream, "text": text})

    def clear(self, wait: bool = False) -> None:
        """Removes the outputs of this cell; with `wait`, only when the next output is added."""
        self._clear_at_next = wait
        if not wait:
            self._now.clear()


class Stream(io.TextIOBase):
    """Replaces standard output or standard error while cells run."""

    encoding = "utf-8"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self._name, self._outputs = name, outputs

    def writable(self) -> bool:
        """Returns True: text can be written."""
        return True

    def write(self, text: str) -> int:
        """Adds text to the cell's outputs."""
        self._outputs.write(self._name, text)
        return len(text)


class _Publisher(DisplayPublisher):  # type: ignore[misc]  # IPython has no types
    """Receives the objects that `display` shows."""

    outputs = Instance(Outputs, args=())

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **options: Any,
    ) -> None:
        output = _bundle("display_data", data, metadata)
        put = self.outputs.update if update else self.outputs.add
        put(output, (transient or {}).get("display_id"))

    def clear_output(self, wait: bool = False) -> None:
        self.outputs.clear(wait)


class _Hook(DisplayHook):  # type: ignore[misc]
    """Receives the value of a cell's last expression."""

    def start_displayhook(self) -> None:
        pass

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        output = _bundle("execute_result", format_dict, md_dict)
        output["execution_count"] = self.prompt_count
        self.shell.display_pub.outputs.add(output)

    def finish_displayhook(self) -> None:
        pass


def _bundle(kind: str, data: Any, metadata: Any) -> Output:
    def text(value: Any) -> Any:  # images come as bytes
        return base64.b64encode(value).decode() if isinstance(value, bytes) else value

    shown = {mime: text(value) for mime, value in data.items()}
    return {"output_type": kind, "data": shown, "metadata": dict(metadata or {})}


class NotebookShell(InteractiveShell):  # type: ignore[misc]
    """IPython's shell for a notebook that runs without a front end.

    Attributes:
      skipped: A function that is called with each command instead of running it; None runs them.
    """

    skipped: Callable[[str], None] | None = None

    def init_display_pub(self) -> None:
        """Creates the object that receives what `display` shows."""
        self.display_pub = _Publisher(parent=self)
        self.configurables.append(self.display_pub)

    def enable_gui(self, gui: Any = None) -> None:
        """Prints a message if `%gui` or `%matplotlib` requests the event loop of a window system.

        Args:
          gui: The name, or None, as for `%matplotlib inline`.
        """
        if gui is not None:
            print(f"no {gui} windows in a notebook without a front end", file=sys.stderr)

    @property
    def outputs(self) -> Outputs:
        """The outputs of the cell that runs."""
        found: Outputs = self.display_pub.outputs
        return found

    def system(self, cmd: str) -> None:
        """Runs a command of the operating system, for a line `!cmd`."""
        if self.skipped is None:
            super().system(cmd)
        else:
            self.skipped(f"!{cmd}")

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> object:
        """Runs a command of the operating system, and returns its output, for `lines = !cmd`.

        Args:
          cmd: The command.
          split: Whether to return lines.
          depth: The number of frames between the caller and the command's variables.

        Returns:
          The output; empty if commands are skipped.
        """
        if self.skipped is None:
            return super().getoutput(cmd, split, depth + 1)
        self.skipped(f"!{cmd}")
        return [] if split else ""

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> object:
        """Runs a cell that begins with `%%magic_name line`.

        Args:
          magic_name: The magic's name.
          line: The rest of its line.
          cell: The other lines of the cell.

        Returns:
          The result of the magic.
        """
        if self.skipped is not None and magic_name in _SCRIPTS:
            return self.skipped(f"the cell: %%{magic_name} {line}".rstrip())
        return super().run_cell_magic(magic_name, line, cell)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        self.outputs.add(
            {
                "output_type": "error",
                "ename": etype.__name__,
                "evalue": str(evalue),
                "traceback": list(stb),
            }
        )


def new_shell(folder: str, skipped: Callable[[str], None] | None) -> NotebookShell:
    """Returns the shell of this process, which `get_ipython()` finds.

    Args:
      folder: An empty folder for IPython's own files; those of the user are not read.
      skipped: See `NotebookShell`.
    """
    config = Config()
    config.HistoryManager.enabled = False
    shell: NotebookShell = NotebookShell.instance(
        config=config, ipython_dir=folder, displayhook_class=_Hook
    )
    shell.skipped = skipped
    return shell
