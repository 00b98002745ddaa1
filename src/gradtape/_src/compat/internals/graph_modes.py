"""`tensorflow.python.framework.test_util`: tests that run eagerly and in a graph.

Also contains what `tensorflow.python.eager.context` has for this.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar
from unittest import SkipTest

from gradtape._src.base.export import export
from gradtape._src.compat.contexts import Context as Context
from gradtape._src.compat.contexts import async_wait as async_wait
from gradtape._src.compat.contexts import context as context
from gradtape._src.compat.contexts import device as device
from gradtape._src.core.recorder import replaced
from gradtape._src.sessions.default_graph import global_graph

T = TypeVar("T", bound=type)


@contextmanager
def graph_mode() -> Iterator[None]:
    """Enters a scope in which operations are added to the default graph."""
    with global_graph().as_default():
        yield


@export("__internal__.eager_context.eager_mode")
def eager_mode() -> AbstractContextManager[Any]:
    """Enters a scope in which operations run at once, even while a graph is built.

    Returns:
      A context manager.

    >>> with tf.Graph().as_default(), tf.__internal__.eager_context.eager_mode():
    ...     float(tf.constant(1.0) + 1.0)
    2.0
    """
    scope: AbstractContextManager[Any] = replaced(())
    return scope


def run_in_graph_and_eager_modes(
    func: Callable[..., Any] | None = None,
    config: Any = None,
    use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Callable[..., Any]:
    """Makes a test run twice: in a graph, whose tensors a session evaluates, and eagerly.

    Args:
      func: A method of a `tf.test.TestCase`; None to get a decorator.
      config: Accepted for compatibility.
      use_gpu: Accepted for compatibility.
      assert_no_eager_garbage: Accepted for compatibility.

    Raises:
      ValueError: `func` is a class.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(test, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                "`run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(test)
        def twice(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                with graph_mode(), self.subTest("graph_mode"), self.test_session():
                    test(self, *args, **kwargs)
            except SkipTest:
                pass
            self.tearDown()
            with eager_mode(), self.subTest("eager_mode"):
                self.setUp()
                test(self, *args, **kwargs)

        return twice

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls: T) -> T:
    """Makes each test of a class run twice; see `run_in_graph_and_eager_modes`.

    Args:
      cls: A subclass of `tf.test.TestCase`.
    """
    for name in dir(cls):
        value = getattr(cls, name)
        runs = name.startswith(("test", "benchmark")) and name != "test_session"
        if runs and callable(value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls
