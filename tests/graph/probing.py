"""Runs the programs of tests/graph/probes and compares what they print.

Every public function of a file there whose first parameter is `tf` is a program. It gets
TensorFlow, or gradtape, as `tf`, and may ask for `raises` as a second argument.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import inspect
import io
import json
import logging
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

PROBES = Path(__file__).parent / "probes"
RECORDED = PROBES / "tensorflow.json"
TOLERANCE = 1e-5

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|inf|nan)(?![\w])")
MASKS = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x..."),
    (re.compile(r"\bnp\.(?:float|int|uint|bytes|str)(?:\d+|_)\(([^()]*)\)"), r"\1"),  # NumPy 2
    (re.compile(r"\bnp\.(True|False)_"), r"\1"),
    (re.compile(r"__(inference|forward|backward)_(\w+?)_\d+(?:_\d+)*\b"), r"__\1_\2_N"),
    (re.compile(r"(?:/[\w.+-]+)+/([\w.-]+\.py)"), r"\1"),
    (re.compile(r"\b(?:tensorflow|gradtape|keras)(?:\.\w+)+\.(\w+)"), r"\1"),
)


class Program(NamedTuple):
    """A program with its name, `file.function`."""

    name: str
    run: Callable[..., None]

    @property
    def digest(self) -> str:
        """A short digest of the source, by which an outdated recording is found."""
        source = "".join(map(inspect.getsource, with_helpers(self.run)))
        return hashlib.sha256(source.encode()).hexdigest()[:8]


def with_helpers(run: Callable[..., None]) -> list[Callable[..., None]]:
    """Returns a program and the private functions of its file that it calls."""
    names = [name for name in run.__code__.co_names if name.startswith("_")]
    return [run, *filter(inspect.isfunction, map(run.__globals__.get, names))]


class Printed(NamedTuple):
    """The output of a program, and the type name of the exception that ended it."""

    stdout: list[str]
    stderr: list[str]
    error: str | None


def programs() -> Iterator[Program]:
    """All programs, by file and then in the order of their definition."""
    for path in sorted(PROBES.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"probes_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # AutoGraph looks there for the globals of a function
        spec.loader.exec_module(module)
        for name, value in list(vars(module).items()):
            if (
                inspect.isfunction(value)
                and not name.startswith("_")
                and next(iter(inspect.signature(value).parameters)) == "tf"
            ):
                yield Program(f"{path.stem}.{name}", value)


def recorded() -> dict[str, dict[str, Any]]:
    """Returns TensorFlow's output by the name of the program, with the digest of its source."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text())
    return found


def expected(entry: dict[str, Any]) -> Printed:
    """Returns TensorFlow's output from one entry of the recording."""
    printed = [plain("\n".join(entry[name])) for name in ("stdout", "stderr")]
    return Printed(*printed, entry["error"])


def captured(program: Program, tf: Any) -> Printed:
    """Returns the output of a program in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), without_collection():
        error = execute(program, tf)
    return Printed(plain(out.getvalue()), plain(err.getvalue()), error)


def execute(program: Program, tf: Any) -> str | None:
    """Runs a program; returns the name of the type of the exception that ended it."""
    asked = len(inspect.signature(program.run).parameters)
    with quiet():
        try:
            program.run(*(tf, raises)[:asked])
        except Exception as error:  # noqa: BLE001 (a program may end in any way)
            return type(error).__name__
    return None


@contextmanager
def without_collection() -> Iterator[None]:
    """Leaves objects that other tests dropped to later, since finalizing them could print."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is written by loggers and warnings but by handlers of the program's own."""
    logger = logging.getLogger("tensorflow")
    handlers, logger.handlers = logger.handlers, [logging.NullHandler()]
    propagate, logger.propagate = logger.propagate, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.handlers, logger.propagate = handlers, propagate


def raises(call: Callable[[], Any], *words: str) -> None:
    """Prints the type of exception that a call raises, and which of the words its message has."""
    try:
        result = call()
    except Exception as error:  # noqa: BLE001 (a program asks which it is)
        found = [word for word in words if word.lower() in str(error).lower()]
        print(f"raises {type(error).__name__}", *found)  # noqa: T201
    else:
        print("does not raise, returns", kind_of(result))  # noqa: T201


def kind_of(x: object) -> str:
    """The name of a value's type, where symbolic tensors are recognized by their printed form.

    gradtape has one class for all tensors.
    """
    name = type(x).__name__
    return "SymbolicTensor" if name == "EagerTensor" and "numpy=" not in repr(x) else name


def plain(text: str) -> list[str]:
    """The lines of a text, without what differs from run to run."""
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return [" ".join(line.split()) for line in text.rstrip().splitlines()]


def difference(ours: Printed, theirs: Printed) -> str:
    """Returns the first difference, with a tolerance for numbers; empty if there isn't one."""
    for name, a, b in zip(Printed._fields, ours, theirs, strict=True):
        if name == "error" and a != b:
            return f"ended by {a}, expected {b}"
        if name != "error" and not _alike("\n".join(a or []), "\n".join(b or [])):
            return f"{name} is\n{_indented(a)}\nexpected\n{_indented(b)}"
    return ""


def _alike(a: str, b: str) -> bool:
    if " ".join(NUMBER.sub("#", a).split()) != " ".join(NUMBER.sub("#", b).split()):
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)), strict=True)
    return all(
        (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=1e-6)
        for x, y in pairs
    )


def _indented(lines: Any) -> str:
    return "\n".join(f"    {line}" for line in lines or ["(nothing)"])
