"""Writes docs/raw_ops.md: every raw operation, and whether it has a gradient.

    python tools/list_raw_ops.py [--check]

With --check it changes nothing, and exits with 1 if the page is out of date.
"""

import sys
from pathlib import Path

import gradtape as tf

PAGE = Path(__file__).parents[1] / "docs" / "raw_ops.md"
HEAD = """# Raw operations

Look up here whether `tf.raw_ops` has an operation, and whether it has a gradient. Raw operations
take keyword arguments alone, with TensorFlow's names. Without a gradient a tape gives `None`, or
raises a `LookupError` if TensorFlow does. `tf.autodiff.has_gradient(name)` says in a program what
this page says, which is written by `python tools/list_raw_ops.py`.
"""


def page() -> str:
    """Returns the page's text."""
    names = [n for n in dir(tf.raw_ops) if not n.startswith("_")]
    parts = [HEAD]
    for title, wanted in (("With a gradient", True), ("Without a gradient", False)):
        chosen = [n for n in names if tf.autodiff.has_gradient(n) is wanted]
        parts.append(f"\n## {title} ({len(chosen)})\n\n{wrapped(chosen)}\n")
    return "".join(parts)


def wrapped(names: list[str]) -> str:
    """Wraps names into lines of at most 100 characters."""
    lines = [""]
    for name in names:
        item = f"`{name}`, "
        if len(lines[-1]) + len(item) > 100:
            lines.append("")
        lines[-1] += item
    return "\n".join(line.rstrip() for line in lines).rstrip(",")


def main() -> int:
    """Writes or checks the page."""
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        sys.stderr.write(f"{PAGE} is out of date: run python tools/list_raw_ops.py\n")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
