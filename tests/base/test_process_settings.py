"""The settings of the process that an import of gradtape changes, and the switch against it."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gradtape

pytestmark = pytest.mark.slow

PROGRAM = """
import atexit, ctypes, gc, json, logging, os, signal, sys, threading, warnings
import random  # registers a hook of its own
import ml_dtypes, numpy as np
forks, libraries = [], []
if hasattr(os, "register_at_fork"):
    register = os.register_at_fork
    os.register_at_fork = lambda **hooks: (forks.append(sorted(hooks)), register(**hooks))
load = ctypes.CDLL
class Library:
    def mallopt(self, option, value):
        libraries.append(option)
        return 1
ctypes.CDLL = lambda name, *rest, **options: load(name, *rest, **options) if name else Library()
def state():
    return {
        "filters": [str(f) for f in warnings.filters],
        "finders": [str(f) for f in sys.meta_path + sys.path_hooks],
        "path": list(sys.path),
        "hooks": [str(h) for h in (
            sys.excepthook, threading.excepthook, sys.unraisablehook, sys.displayhook,
            sys.breakpointhook, warnings.showwarning, sys.gettrace(), sys.getprofile(),
        )],
        "signals": [str(signal.getsignal(s)) for s in sorted(signal.valid_signals())],
        "environment": dict(os.environ),
        "collector": [gc.get_threshold(), len(gc.callbacks), gc.isenabled()],
        "limits": [sys.getrecursionlimit(), sys.getswitchinterval()],
        "exits": atexit._ncallbacks(),
        "numpy": [np.geterr(), str(np.get_printoptions())],
        "logs": [(log.level, len(log.handlers))
                 for log in (logging.getLogger(), logging.getLogger("tensorflow"))],
        "threads": threading.active_count(),
    }
before = state()
import gradtape as tf
after = state()
changed = sorted(name for name in before if before[name] != after[name])
with tf.GradientTape() as tape:
    x = tf.Variable(3.0)
    y = x * x
assert tape.gradient(y, x) == 6
print(json.dumps([changed, forks, libraries]))
"""


def changes(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_changes_what_the_page_lists_and_no_more():
    changed, forks, libraries = changes()
    assert changed == ["filters"]
    if hasattr(os, "register_at_fork"):
        child, around = ["after_in_child"], ["after_in_child", "after_in_parent", "before"]
        assert sorted(forks) == [child, around]
    assert bool(libraries) == (sys.platform == "linux")


@pytest.mark.parametrize("value", ["1", "true"])
def test_the_switch_leaves_the_process_as_it_is(value):
    assert changes(GRADTAPE_NO_PROCESS_SETTINGS=value) == [[], [], []]


@pytest.mark.parametrize("value", ["", "0"])
def test_the_switch_can_be_off(value):
    assert changes(GRADTAPE_NO_PROCESS_SETTINGS=value)[0] == ["filters"]


def test_the_memory_has_a_switch_of_its_own():
    changed, _, libraries = changes(GRADTAPE_MALLOC="system")
    assert (changed, libraries) == (["filters"], [])


@pytest.mark.slow
def test_one_module_alone_changes_the_process():
    calls = {"register_at_fork", "filterwarnings", "simplefilter", "mallopt", "excepthook"}
    root = Path(gradtape.__file__).parent
    places = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in calls
    }
    assert places == {"_src/base/process_settings.py"}
