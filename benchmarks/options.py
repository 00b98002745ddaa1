"""The options `--only` and `--peer`; an unknown name ends the program with a list of names."""


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


def peers(parser, given, known):
    """Returns the Python of each library from `LIBRARY=PYTHON`; the library must be known."""
    pairs = [text.partition("=") for text in given]
    for library, _, python in pairs:
        if library not in known or not python:
            parser.error(
                f"--peer: {library}={python} is not LIBRARY=PYTHON; there are: {', '.join(known)}"
            )
    return {library: python for library, _, python in pairs}
