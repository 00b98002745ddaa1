"""Fixtures and hooks for every test."""

import gc
import importlib.util
import logging
import random
import sys
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from gradtape._src.compute.devices import Placement, requested_processors
from gradtape._src.core.tracebacks import Filtering, loosen
from gradtape._src.ops.random import distributions

# A machine may be busy: no example fails for being slow, and each run draws the same ones.
hypothesis.settings.register_profile(
    "gradtape",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("gradtape"), max_examples=30
)
hypothesis.settings.load_profile("gradtape")
# Newer versions would draw the constants of the loaded modules, too: others in each order of tests.
_drawing = sys.modules.get("hypothesis.internal.conjecture.providers")
if hasattr(_drawing, "_get_local_constants"):
    _drawing._get_local_constants = lambda: _drawing._local_constants


SLOW_FILE = "\npytestmark = pytest.mark.slow\n"


def pytest_configure(config):
    if config.option.markexpr == "not slow":
        hypothesis.settings.load_profile("quick")


def pytest_ignore_collect(collection_path, config):
    """Leaves files unread all of whose tests are slow if slow tests are not wanted."""
    if config.option.markexpr == "not slow" and collection_path.suffix == ".py":
        return SLOW_FILE in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_finish():
    """Keeps the garbage collector from walking through all tests at each collection."""
    gc.collect()
    gc.freeze()


def begin_random_numbers_anew():
    """Lets all that a test may draw from without a seed begin as it does in every other run."""
    np.random.seed(0)
    random.seed(0)  # Keras draws its seeds from it
    seeds = distributions._SEEDS
    seeds.restart(seeds.seed)
    seeds._common = np.random.default_rng(0)


begin_random_numbers_anew()  # for what modules draw while they are collected


@pytest.fixture(autouse=True)
def _same_numbers_every_time():
    begin_random_numbers_anew()


@pytest.fixture(autouse=True)
def _as_a_program_finds_them():
    """Undoes a test's changes of NumPy's errors, log level, tracebacks, seed and devices."""
    level, seeds = logging.getLogger("tensorflow").level, distributions._SEEDS
    seed = seeds.seed
    processors, soft = requested_processors[:], Placement.soft
    with np.errstate():
        yield
    requested_processors[:], Placement.soft = processors, soft
    logging.getLogger("tensorflow").setLevel(level)
    if seeds.seed != seed:
        seeds.restart(seed)
    if not Filtering.on or Filtering.strict:
        loosen()
        Filtering.on = True


@pytest.fixture
def no_collections():
    """Keeps in memory what a cycle of references holds."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def memory_limit():
    """A context in which the process may take so many bytes more than it has."""
    resource = pytest.importorskip("resource")

    @contextmanager
    def limit(more):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)

    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux' /proc")
    return limit


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skips a test that needs what this platform cannot have."""
    try:
        return (yield)
    except (ImportError, OSError, RuntimeError) as error:
        if reason := _impossible_here(error):
            pytest.skip(reason)
        raise


def _impossible_here(error):
    """Why nothing on this platform could have kept a test from an error, or None."""
    if isinstance(error, ImportError) and error.name == "ml_dtypes":
        if importlib.util.find_spec("ml_dtypes") is None:
            return "ml_dtypes, which stores bfloat16 and its like, is not installed"
    elif sys.platform == "wasi" and "can't start new thread" in str(error):
        return "WebAssembly has no threads"
    elif sys.platform == "wasi" and "does not support processes" in str(error):
        return "WebAssembly has no processes"
    return None
