"""`tf.compat.v1.train.QueueRunner`: threads that fill queues while a session runs."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from gradtape._src.base.errors import CancelledError, OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.compat import logs
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.running import default_session
from gradtape._src.sessions.training.variable_scopes import kept_graph


@export("compat.v1.train.QueueRunner")
class QueueRunner:
    """Threads that repeatedly run operations which add elements to a queue.

    Args:
      queue: The queue.
      enqueue_ops: The operations, one for each thread.
      close_op: An operation that closes the queue when all threads have ended.
      cancel_op: An operation that closes the queue and cancels waiting threads.
      queue_closed_exception_types: The errors that mean that there are no more elements; by default
        OutOfRangeError.
      queue_runner_def: Not supported.
      import_scope: Accepted for compatibility.

    Raises:
      ValueError: The queue or the operations are missing.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Sequence[type[Exception]] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._operations = queue, list(enqueue_ops)
        self._close = queue.close() if close_op is None else close_op
        if cancel_op is None:
            cancel_op = queue.close(cancel_pending_enqueues=True)
        self._cancel = cancel_op
        self._ends = tuple(queue_closed_exception_types or (OutOfRangeError,))
        self._lock = threading.Lock()
        self._left: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._raised: list[BaseException] = []

    @property
    def queue(self) -> object:
        """The queue that the threads fill."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that add elements."""
        return self._operations

    @property
    def close_op(self) -> object:
        """The operation that closes the queue."""
        return self._close

    @property
    def cancel_op(self) -> object:
        """The operation that closes the queue and cancels waiting threads."""
        return self._cancel

    @property
    def queue_closed_exception_types(self) -> tuple[type[Exception], ...]:
        """The errors that mean that there are no more elements."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The exceptions of threads without a coordinator."""
        return self._raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        found: str = self._queue.name
        return found

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Returns a thread for each operation, and one that closes the queue with a coordinator.

        Args:
          sess: The session in which they run.
          coord: A coordinator, which can stop the threads and gets their exceptions.
          daemon: Whether the process may end while they run.
          start: Whether they are started.

        Returns:
          A list of threads; it is empty if the threads of this session still run.
        """
        with self._lock:
            if self._left.get(sess, 0) > 0:
                return []
            self._left[sess] = len(self._operations)
        targets: list[Any] = [(self._run, (sess, op, coord)) for op in self._operations]
        if coord is not None:
            targets.append((self._close_on_stop, (sess, coord)))
        threads = [
            threading.Thread(target=f, args=args, daemon=daemon, name=f"QueueRunner-{self.name}")
            for f, args in targets
        ]
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _run(self, session: Any, operation: Any, coord: Any) -> None:
        """Runs an operation until the coordinator stops it or there are no more elements."""
        ended = False
        try:
            while coord is None or not coord.should_stop():
                try:
                    session.run(operation)
                except self._ends:
                    ended = True
                    with self._lock:
                        self._left[session] -= 1
                        is_last = self._left[session] == 0
                    if is_last:
                        self._try(session, self._close)
                    return
        except Exception as error:  # noqa: BLE001 (the coordinator raises it again)
            if coord is not None:
                coord.request_stop(sys.exc_info())
            else:
                logs.error("Exception in QueueRunner: %s", error)
                self._raised.append(error)
        finally:
            if not ended:
                with self._lock:
                    self._left[session] -= 1

    def _close_on_stop(self, session: Any, coord: Any) -> None:
        coord.wait_for_stop()
        self._try(session, self._cancel)

    @staticmethod
    def _try(session: Any, operation: Any) -> None:
        """Runs an operation that closes a queue; it or the session may be closed already."""
        try:
            session.run(operation)
        except (CancelledError, RuntimeError) as error:
            logs.vlog(1, "Ignored exception: %s", error)


@export("compat.v1.train.add_queue_runner")
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to a collection of the graph.

    Args:
      qr: The queue runner.
      collection: The collection's name.
    """
    kept_graph().add_to_collection(collection, qr)


@export("compat.v1.train.start_queue_runners")
def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all queue runners of the graph.

    Args:
      sess: The session. Defaults to the default session.
      coord: A coordinator.
      daemon: Whether the process may end while they run.
      start: Whether they are started.
      collection: The name of the collection of queue runners.

    Returns:
      The threads.

    Raises:
      ValueError: There is no session.
    """
    session = sess or default_session()
    if session is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    threads = []
    for runner in session.graph.get_collection(collection):
        threads += runner.create_threads(session, coord=coord, daemon=daemon, start=start)
    return threads
