"""Threads that stop together."""

import threading

import pytest

import gradtape as tf


def test_coordinator():
    coordinator = tf.train.Coordinator()

    def work():
        with coordinator.stop_on_exception():
            coordinator.wait_for_stop()
            raise ValueError("too late to matter")

    def fail():
        with coordinator.stop_on_exception():
            raise ValueError("boom")

    threads = [threading.Thread(target=f) for f in (work, fail)]
    for thread in threads:
        thread.start()
    with pytest.raises(ValueError, match="boom"):
        coordinator.join(threads)
    assert coordinator.joined
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    stuck = threading.Event()
    thread = threading.Thread(target=stuck.wait)
    thread.start()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="threads still running"):
        coordinator.join([thread], stop_grace_period_secs=0.01)
    stuck.set()
    thread.join()
