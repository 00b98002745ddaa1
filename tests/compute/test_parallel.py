"""Large arrays: shared among threads, blocks that give what one call gives."""

import os
import subprocess
import sys
import threading
import warnings
import weakref
from functools import partial

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import parallel
from gradtape._src.compute.parallel import BLOCK, SHARED, crew, over_blocks

FUNCTIONS = {
    "exp": tf.exp,
    "log": lambda x: tf.math.log(tf.abs(x) + 1),
    "sin": tf.sin,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "softplus": tf.nn.softplus,
    "erf": tf.math.erf,
    "gelu": tf.nn.gelu,
    "softmax": tf.nn.softmax,
    "log_softmax": tf.nn.log_softmax,
    "softmax, first axis": lambda x: tf.nn.softmax(x, axis=0),
}


@pytest.fixture
def three_threads():
    before = tf.config.threading.get_intra_op_parallelism_threads()
    tf.config.threading.set_intra_op_parallelism_threads(3)
    yield
    tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_large_arrays_give_what_their_rows_give(name, three_threads):
    function = FUNCTIONS[name]
    rows = 3 + SHARED // 1000
    x = tf.constant(np.random.default_rng(0).normal(size=(rows, 1001)).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    g = tape.gradient(y, x, x)
    if "first" in name:
        some = x[:, 7:9]
        part = np.s_[:, 7:9]
    else:
        some = x[-2:]
        part = np.s_[-2:]
    with tf.GradientTape() as tape:
        tape.watch(some)
        small = function(some)
    np.testing.assert_allclose(y[part], small, rtol=3e-6, atol=1e-7)
    np.testing.assert_allclose(g[part], tape.gradient(small, some, some), rtol=2e-5, atol=1e-6)


def test_every_block_runs_once_and_an_error_comes_back(three_threads):
    seen, threads = [], set()

    def step(block):
        seen.append(block.start)
        threads.add(threading.get_ident())

    over_blocks(step, 20 * BLOCK + 1)
    assert sorted(seen) == [k * BLOCK for k in range(21)]
    seen.clear()
    over_blocks(step, 10, width=BLOCK * 2)
    assert sorted(seen) == list(range(10))

    def fails(block):
        if block.start == 4 * BLOCK:
            raise ZeroDivisionError("block 4")

    with pytest.raises(ZeroDivisionError, match="block 4"):
        over_blocks(fails, 20 * BLOCK)


def test_elementwise_blocks_are_longer_on_one_thread(three_threads):
    assert parallel.elementwise_block() == BLOCK
    crew.size = 1
    length = parallel.elementwise_block()
    assert length > BLOCK
    seen = []
    over_blocks(lambda block: seen.append(block.stop), 2 * length, 1, length)
    assert seen == [length, 2 * length]
    x = np.linspace(-9, 9, 2 * length + 4, dtype="f4").reshape(-1, 4)
    for function in (tf.sigmoid, tf.nn.log_softmax):
        alone = function(x).numpy()
        crew.size = 3
        np.testing.assert_allclose(function(x), alone, rtol=1e-6)
        crew.size = 1


def test_a_helper_that_wakes_up_late_keeps_no_arrays(three_threads):
    over_blocks(lambda block: None, 4 * BLOCK)  # starts the helpers
    wake = threading.Event()
    crew.call([wake.wait] * crew._helpers)
    array = np.zeros(4 * BLOCK)
    seen = weakref.ref(array)
    try:
        over_blocks(partial(_fill, array), array.size)
        assert array.all()
        del array
        assert seen() is None
    finally:
        wake.set()


def test_an_error_keeps_no_arrays(three_threads, no_collections):
    array = np.zeros(4 * BLOCK)
    seen = weakref.ref(array)
    with pytest.raises(TypeError):
        over_blocks(partial(_fill, array, "one argument too many"), array.size)
    del array
    assert seen() is None


def _fill(array, block):
    array[block] = 1


@pytest.mark.parametrize("threads", [0, 1])
def test_a_system_that_gives_no_more_threads(threads, three_threads, monkeypatch):
    left = [None] * threads
    start = threading.Thread.start

    def limited(thread):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(thread)

    monkeypatch.setattr(parallel, "crew", parallel._Crew())
    parallel.crew.size = 3
    monkeypatch.setattr(threading.Thread, "start", limited)
    for _ in range(2):  # what could not be started is not waited for the next time, either
        seen = []
        over_blocks(lambda block, seen=seen: seen.append(block.start), 20 * BLOCK)
        assert sorted(seen) == [k * BLOCK for k in range(20)]


def test_helpers_heed_errstate(three_threads):
    x = np.full(2 * SHARED, 1000, np.float32)
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(tf.exp(x)).all()


def test_a_forked_child_makes_its_own_helpers(three_threads):
    if not hasattr(os, "fork"):
        pytest.skip("no fork")
    program = (
        "import os, numpy as np, gradtape as tf\n"
        "tf.config.threading.set_intra_op_parallelism_threads(2)\n"
        f"x = np.zeros({2 * SHARED}, np.float32)\n"
        "assert tf.exp(x).numpy().all()\n"
        "if os.fork() == 0:\n"
        "    tf.config.threading.set_intra_op_parallelism_threads(2)\n"
        "    os._exit(0 if tf.exp(x).numpy().all() else 1)\n"
        "print(os.wait()[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.strip() == "0", done.stderr


def test_the_number_of_threads_is_the_users():
    assert parallel.default_size() >= 1
    with pytest.raises(ValueError, match="0 or more"):
        tf.config.threading.set_intra_op_parallelism_threads(-1)
