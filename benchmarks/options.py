"""The options of the benchmarks; a wrong value ends the program with a list of what there is."""

import argparse
import shutil


def chosen(parser, asked, known):
    """Returns the selected names, each of which must be known."""
    unknown = sorted(set(asked) - set(known))
    if unknown:
        parser.error(f"--only: there is no {', '.join(unknown)}; there are: {', '.join(known)}")
    return asked


def containing(parser, text, titles):
    """Returns the names that contain a text, in the name or title, ignoring case."""
    found = [n for n, title in titles.items() if text.lower() in f"{n}\n{title}".lower()]
    if not found:
        parser.error(f"--only: nothing has {text!r} in its name; there are: {', '.join(titles)}")
    return found


def interpreter(text):
    """Returns the Python that an option names, which must exist."""
    if shutil.which(text) is None:
        raise argparse.ArgumentTypeError(f"there is no program {text!r}")
    return text


def positive(text):
    """Returns the positive integer that an option gives."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def peers(parser, given, known):
    """Returns the Python of each library from `LIBRARY=PYTHON`.

    The library must be known, and the Python must exist.
    """
    pairs = [text.partition("=") for text in given]
    for library, _, python in pairs:
        if library not in known or not python:
            parser.error(
                f"--peer: {library}={python} is not LIBRARY=PYTHON; there are: {', '.join(known)}"
            )
        if shutil.which(python) is None:
            parser.error(f"--peer: there is no program {python!r} for {library}")
    return {library: python for library, _, python in pairs}
