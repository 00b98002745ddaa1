"""Runs functions in threads that are switched as often as Python can."""

import sys
import threading
from contextlib import contextmanager


@contextmanager
def switching():
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def race(*jobs):
    """Runs each job in a thread of its own, all begun at once.

    Returns:
      What they returned.

    Raises:
      BaseException: The first exception of a job.
    """
    barrier, results, errors = threading.Barrier(len(jobs)), [None] * len(jobs), []

    def run(place, job):
        barrier.wait()
        try:
            results[place] = job()
        except BaseException as error:  # noqa: BLE001 (raised below)
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(jobs)]
    with switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive(), "a thread waits for what never comes"
    if errors:
        raise errors[0]
    return results


def often(change, times=200):
    """A job that does something again and again."""

    def job():
        for _ in range(times):
            change()

    return job
