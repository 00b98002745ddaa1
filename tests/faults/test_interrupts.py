"""Ctrl-C between any two instructions of entering and leaving: nothing of the block stays."""

import contextlib
import gc
import signal
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autodiff.arguments import pushed
from gradtape._src.base.scope_stacks import ExitOf
from gradtape._src.compute.devices import chosen_device
from gradtape._src.core import recorder
from gradtape._src.core.recorder import Recorder
from gradtape._src.distribute.context import current, inside, placed

pytestmark = pytest.mark.slow


UNSEEN = ("Setting", "device", "_InitScope")
"""Classes of scopes of which `state` shows nothing where no function is traced."""


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    """Loads what gradtape loads on first use: an import that is interrupted stays incomplete."""
    for make in BLOCKS.values():
        with make():
            pass
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    tape.jacobian(y, X)


class Interrupt:
    """Raises KeyboardInterrupt before the k-th instruction of a function and of what it calls."""

    def __init__(self, k):
        self.left = k

    def trace(self, frame, event, argument):
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self.trace

    def run(self, function):
        """Whether the function came to its end."""
        gc.disable()  # libraries have callbacks on collections, which would be traced too
        sys._getframe().f_trace_opcodes = True  # Python 3.12 asks for it when tracing begins
        sys.settrace(self.trace)
        try:
            function()
        except KeyboardInterrupt:
            return False
        finally:
            sys.settrace(None)
            gc.enable()
        return True


def state():
    recorder.heal()
    return (
        recorder.STACK.recorders,
        tf.get_current_name_scope(),
        chosen_device(),
        list(current.scopes),
        list(current.contexts),
        current.place,
    )


def everywhere(block):
    """Interrupts a block at each of its instructions; how many there are."""
    before = state()
    done, k = False, 0
    while not done:
        k += 1
        done = Interrupt(k).run(block)
        assert state() == before, k
    return k


STRATEGY = tf.distribute.MirroredStrategy(["CPU:0"])
X = tf.constant([1.0, 2.0])
BLOCKS = {
    "tape": lambda: tf.GradientTape(),
    "accumulator": lambda: tf.autodiff.ForwardAccumulator(X, X),
    "name scope": lambda: tf.name_scope("a"),
    "device": lambda: tf.device("CPU:0"),
    "init scope": tf.init_scope,
    "strategy": lambda: STRATEGY.scope(),
    "replica": lambda: inside(None),
    "placed": lambda: placed(0),
    "recorders": lambda: recorder.replaced((Recorder(),)),
    "one recorder more": lambda: pushed(Recorder()),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block(name):
    make = BLOCKS[name]

    def block():
        with make():
            pass

    assert everywhere(block) > 20


@pytest.mark.parametrize("outer", ["tape", "accumulator", "name scope", "device"])
@pytest.mark.parametrize("inner", ["tape", "accumulator", "recorders", "name scope"])
def test_blocks_within_one_another(outer, inner):
    def block():
        with BLOCKS[outer](), BLOCKS[inner]():
            pass

    assert everywhere(block) > 40


def test_a_tape_that_pauses():
    def block():
        with tf.GradientTape() as tape, tape.stop_recording():
            pass

    assert everywhere(block) > 40


def test_the_tape_outside_still_records():
    """Inner blocks that are interrupted leave the one around them as it was."""
    x = tf.Variable(3.0)

    def block():
        with tf.GradientTape(), tf.name_scope("b"):
            pass

    done, k = False, 0
    while not done:
        k += 1
        with tf.GradientTape() as tape:
            done = Interrupt(k).run(block)
            y = x * x
        assert tape.gradient(y, x).numpy() == 6
        assert state()[:2] == ((), "")


def test_an_operation_under_recorders():
    """An interrupt under a checker or an accumulator leaves the stack of recorders unchanged."""
    tf.debugging.enable_check_numerics()
    try:
        before = recorder.STACK.recorders
        done, k = False, 0
        while not done:
            k += 1
            done = Interrupt(k).run(lambda: tf.exp(X))
            assert recorder.STACK.recorders == before, k
    finally:
        tf.debugging.disable_check_numerics()
    assert recorder.STACK.recorders == ()


def test_gradients_that_are_interrupted():
    x = tf.Variable([1.0, 2.0])

    def block():
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        tape.jacobian(y, x)

    done, k = False, 0
    while not done:
        k += 37  # a few hundred of the many instructions
        done = Interrupt(k).run(block)
        recorder.heal()
        assert recorder.STACK.recorders == (), k


def test_signals_at_any_time():
    """The system's own interrupts, as Ctrl-C sends them."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    rng = np.random.default_rng(0)
    hits = 0
    gc.collect()
    gc.disable()  # Python only prints what interrupts a finalizer of another test's objects
    try:
        for delay in rng.uniform(1e-5, 4e-4, 200):
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                for _ in range(1000):
                    with tf.name_scope("a"), tf.GradientTape() as tape:
                        tape.watch(X)
                        y = X * X
                    tape.gradient(y, X)
            except KeyboardInterrupt:
                hits += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert state()[:2] == ((), "")
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert hits > 100


# What else may hold or call the exits.


def test_an_exit_stack_leaves():
    for make in BLOCKS.values():
        before = state()
        with contextlib.ExitStack() as stack:
            stack.enter_context(make())
        assert state() == before


def test_blocks_by_hand():
    for make in BLOCKS.values():
        before, scope = state(), make()
        scope.__enter__()
        assert hasattr(scope, "__exit__")  # an exit that nobody calls
        gc.collect()
        assert callable(type(scope).__exit__)
        inside_it = state()
        scope.__exit__(None, None, None)
        assert state() == before
        assert inside_it != before or scope.__class__.__name__ in UNSEEN


def test_an_exit_that_is_only_looked_at_ends_nothing():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        assert hasattr(outer, "__exit__")
        with tf.GradientTape() as inner:
            assert isinstance(type(inner).__exit__, ExitOf)
            y = x * x
        dy = inner.gradient(y, x)
    assert outer.gradient(dy, x).numpy() == 2


def test_a_generator_keeps_its_tape():
    """A block that waits in a generator is not over."""

    @contextlib.contextmanager
    def taped():
        with tf.GradientTape() as tape:
            yield tape

    x = tf.Variable(3.0)
    with taped() as outer:
        with tf.GradientTape() as inner:
            y = x * x
        dy = inner.gradient(y, x)
    assert outer.gradient(dy, x).numpy() == 2


def test_scopes_are_decorators_too():
    @tf.name_scope("a")
    def named():
        return tf.get_current_name_scope()

    assert [named(), named(), tf.get_current_name_scope()] == ["a", "a", ""]


def test_one_scope_within_itself():
    scope = tf.name_scope("a")
    with scope, scope:
        assert tf.get_current_name_scope() == "a/a"
    assert tf.get_current_name_scope() == ""
