"""Iteration ahead of the consumer."""

import threading

import pytest

from gradtape._src.data.background import ahead


def thread_of(items):
    """The thread that makes items; there must be one."""
    before = set(threading.enumerate())
    first = next(items)
    (thread,) = set(threading.enumerate()) - before
    return first, thread


def test_all_items_in_order():
    assert list(ahead(lambda: iter(range(100)), 3)) == list(range(100))
    assert list(ahead(lambda: iter(()), 3)) == []


def test_no_more_than_the_buffer_is_made_beforehand():
    made = []

    def produce():
        for i in range(100):
            made.append(i)
            yield i

    items = ahead(produce, 2)
    assert made == []
    for i in range(50):
        assert next(items) == i
        assert len(made) <= i + 1 + 2 + 1  # taken, buffered, and one in the thread's hands
    items.close()


def test_closing_closes_the_source():
    closed = threading.Event()

    def produce():
        try:
            while True:
                yield 1
        finally:
            closed.set()

    items = ahead(produce, 2)
    _, thread = thread_of(items)
    items.close()
    thread.join(10)
    assert not thread.is_alive()
    assert closed.is_set()


@pytest.mark.parametrize("error", [KeyError("boo"), KeyboardInterrupt()])
def test_errors_are_raised_in_the_consumers_thread(error):
    def produce():
        yield 1
        raise error

    items = ahead(produce, 5)
    assert next(items) == 1
    with pytest.raises(type(error)) as raised:
        next(items)
    assert raised.value is error
