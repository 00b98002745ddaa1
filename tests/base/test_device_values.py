"""Threads that write variables, or act on behalf of another thread."""

import contextvars
import threading

import gradtape as tf
from gradtape._src.base.device_values import (
    act_for,
    acting_thread,
    give_lock,
    lock_of_graphs,
    state_lock,
)


def _in_a_thread(function):
    """Returns a function's result in another thread."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def _is_free():
    free = state_lock.acquire(blocking=False)
    if free:
        state_lock.release()
    return free


def test_a_thread_acts_for_itself_unless_it_says_otherwise():
    def other():
        own = acting_thread()
        act_for(1)
        return own == threading.get_ident(), acting_thread()

    assert _in_a_thread(lambda: contextvars.Context().run(other)) == (True, 1)
    assert acting_thread() == threading.get_ident()


def test_the_lock_goes_to_another_thread_and_comes_back():
    with state_lock, state_lock:
        take = give_lock()
        assert _in_a_thread(_is_free)

        def hold():
            take()
            mine = state_lock._is_owned()
            return mine, give_lock()

        mine, again = _in_a_thread(hold)
        assert mine
        again()
        assert not _in_a_thread(_is_free)
    assert _in_a_thread(_is_free)


def test_a_thread_sees_the_traced_value_if_it_acts_for_the_one_that_traces():
    v = tf.Variable(1.0)
    symbol = object()
    v._begin_tracing(symbol)
    caller = acting_thread()

    def helper():
        act_for(caller)
        return v._value is symbol, v._is_traced()

    assert _in_a_thread(lambda: (v._raw(), v._is_traced())) == (1.0, False)
    assert _in_a_thread(lambda: contextvars.Context().run(helper)) == (True, True)
    v._end_tracing()
    assert v.numpy() == 1.0


def test_graphs_give_back_only_what_they_took():
    with lock_of_graphs, lock_of_graphs:
        assert not _in_a_thread(_is_free)
        with lock_of_graphs.given_back():
            assert _in_a_thread(_is_free)
            with lock_of_graphs:
                assert not _in_a_thread(_is_free)
        assert not _in_a_thread(_is_free)
        with state_lock, lock_of_graphs.given_back():
            assert not _in_a_thread(_is_free)
    assert _in_a_thread(_is_free)
