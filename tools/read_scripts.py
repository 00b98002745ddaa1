"""Writes scripts.txt: the script of every character, from the installed TensorFlow.

    python tools/read_scripts.py

runs if TensorFlow is installed, not gradtape. TensorFlow returns ICU's numbers for the property
Script of the Unicode Character Database.
"""

import importlib
import sys
import textwrap
from itertools import groupby
from pathlib import Path

FILE = Path(__file__).parents[1] / "src/gradtape/_src/text/scripts.txt"
CHARACTERS = 0x110000


def main() -> int:
    """Writes the file."""
    tf = importlib.import_module("tensorflow")

    found = tf.strings.unicode_script(tf.range(CHARACTERS)).numpy().tolist()
    runs = [f"{len(list(run)):x}:{script}" for script, run in groupby(found)]
    FILE.write_text("\n".join(textwrap.wrap(" ".join(runs), 100)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
