"""Every public function, called with wrong arguments, shows at most two lines of the library."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import traceback
import warnings
from types import ModuleType

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.tracebacks import is_ours

APART = {"keras", "compat", "test"}
"""Modules that hold other libraries' functions, or all functions once more."""
LASTING = ("enable", "disable", "set_", "reset", "install", "main", "exit", "gfile", "abort")
WAITING = ("Server", "Coordinator", "profiler", "trace_", "MultiWorker", "ParameterServer")
CLUSTERS = ("cluster_resolver", "experimental_connect", "init_scope", "tpu", "TPU", "run")
"""Functions that change the process, or wait for others."""


def public(module: ModuleType, path: str = "tf", seen: set[int] | None = None):
    """Yields the public functions and classes with their names."""
    seen = set() if seen is None else seen
    for name in dir(module):
        if name.startswith("_") or name in APART or (value := getattr(module, name)) is None:
            continue
        if id(value) in seen or not getattr(value, "__name__", "").strip("_"):
            continue
        seen.add(id(value))
        here = f"{path}.{name}"
        if isinstance(value, ModuleType):
            if value.__name__.startswith("gradtape."):
                yield from public(value, here, seen)
        elif callable(value) and (getattr(value, "__module__", "") or "").startswith("gradtape."):
            yield here, value


FUNCTIONS = {
    path: value
    for path, value in sorted(public(tf))
    if not any(word in path for word in (*LASTING, *WAITING, *CLUSTERS))
}
ROOMS = sorted({path.rpartition(".")[0] for path in FUNCTIONS})


def calls(function):
    """Yields wrong arguments for a function."""
    some = tf.ones([2, 3])
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of a builtin type
        return
    count = sum(p.default is p.empty and p.kind in {0, 1} for p in parameters)
    wrong = ("a", None, some, tf.constant([1, 2]), -1, object(), [some, [1]], tf.constant("a"))
    yield from (((value,) * count, {}) for value in wrong)
    yield from (((some,) * (count - 1) + (value,), {}) for value in wrong if count > 1)
    optional = [p.name for p in parameters if p.default is not p.empty and p.name != "name"]
    yield from (((some,) * count, {p: v}) for p in optional for v in ("bad", object(), [7, 7]))


def frames(function, args, kwargs):
    """Returns the names of the library's frames of the error that a call raises."""
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 (which is what is asked for)
        found = traceback.extract_tb(error.__traceback__)[1:]
        return [frame.name for frame in found if is_ours(frame.filename)]
    return []


@pytest.fixture(params=["as it is", "filtered", "with ragged tensors"])
def limit(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a function may write
    if request.param == "filtered":
        tf.debugging.enable_traceback_filtering()
    if request.param == "with ragged tensors":
        tf.ragged.constant([[1.0], []])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield 1 if request.param == "filtered" else 2


def test_there_are_functions_in_all_rooms():
    assert len(FUNCTIONS) > 1400
    assert {"tf", "tf.math", "tf.image", "tf.experimental.numpy", "tf.data"} <= set(ROOMS)
    assert os.sep in tf.__file__


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_frames_of_wrong_arguments(room, limit):
    long = {}
    for path, function in FUNCTIONS.items():
        if path.rpartition(".")[0] != room:
            continue
        for args, kwargs in calls(function):
            found = frames(function, args, kwargs)
            if len(found) > limit:
                long[path] = found
    assert not long
