"""`tf.compat.v1.Session`: runs parts of a graph, and stores the values of its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import running_session
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.sessions.default_graph import get_default_graph
from gradtape._src.sessions.fetches import (
    Fetches,
    feeds_of,
    given_out,
    parts_of_feed,
    symbol_of_feed,
)
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.handles import Kept
from gradtape._src.sessions.partial_runs import PartialRun
from gradtape._src.sessions.programs import Program
from gradtape._src.sessions.running import SESSIONS, default_session

if TYPE_CHECKING:
    from google.protobuf.message import Message


Fetched: TypeAlias = Any
"""Arrays in the structure of the fetches."""


class BaseSession:
    """The base class of sessions.

    Args:
      target: The execution engine; only "" is supported.
      graph: The graph. Defaults to the default graph.
      config: Accepted for compatibility.

    Raises:
      TypeError: The type of a fetch is not supported.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        if graph is None:
            graph = get_default_graph()
        if Graph not in type(graph).__mro__:
            raise TypeError(
                f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"'
            )
        if not isinstance(target, (str, bytes)):
            raise TypeError(
                f'Argument `target` must be a string, but got "{type(target).__name__}"'
            )
        self._graph: Graph = graph
        self._target, self._config = target, config
        self._kept: dict[int, Kept] = {}
        self._closed = False
        self._partial: dict[str, PartialRun] = {}

    @property
    def graph(self) -> Graph:
        """The graph whose operations the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Message:
        """The graph as a message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """The execution engine."""
        return str(self._target)

    def close(self) -> None:
        """Releases the values of variables; the session can't be used afterwards."""
        self._closed = True
        self._kept.clear()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Fetched:
        """Runs the operations that compute the fetches.

        Args:
          fetches: A tensor, operation, variable or name, or a structure of these.
          feed_dict: A dictionary from tensors or names to values, which replace the values of
            placeholders or any other tensors.
          options: Accepted for compatibility.
          run_metadata: Accepted for compatibility.

        Returns:
          The structure, with arrays in place of tensors and None in place of operations.

        Raises:
          RuntimeError: The session is closed, or the graph empty.
          ValueError: A fetch or feed is not in this graph.
          TypeError: The type of a fetch or feed is not supported.
          OpError: An operation failed.
        """
        asked = self._asked(fetches)
        return asked.packed(self._computed(asked, feeds_of(self._graph, feed_dict)))

    def _check(self, may_be_empty: bool) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._graph.version == 0 and not may_be_empty:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def _asked(self, fetches: Any) -> Fetches:
        """Returns the fetches; if the graph is empty, only known tensors can be fetched."""
        parts = nest.flatten(fetches, expand_composites=True) if self._graph.version == 0 else ()
        known = [x for x in parts if type(x) is Tensor and type(x._value) is not Symbol]
        self._check(may_be_empty=bool(known))
        return Fetches(self._graph, fetches)

    def _computed(self, asked: Fetches, fed: dict[Any, Any]) -> list[Any]:
        """Returns the values of the requested symbols."""
        wanted = list(dict.fromkeys(x for x in asked.symbols if x not in fed))
        nodes = list(dict.fromkeys(asked.nodes))
        values = dict(fed)
        if wanted or nodes:
            program = self._program(wanted, nodes, tuple(fed))
            with self._running():
                found = program.run([*fed.values()], self._kept_of)
            values.update(zip(wanted, found, strict=True))
        return [np.array(values[x]) if x in fed else given_out(values[x]) for x in asked.symbols]

    def _program(self, wanted: list[Any], nodes: list[Any], fed: tuple[Any, ...]) -> Program:
        key = (tuple(wanted), tuple(nodes), fed)
        program = self._graph.programs.get(key)
        if program is None:
            program = self._graph.programs[key] = Program(self._graph, wanted, nodes, fed)
        made: Program = program
        return made

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Lets queues, iterators and random numbers use their state in this session."""
        before = running_session.set(self)
        try:
            yield
        finally:
            running_session.reset(before)

    def _kept_of(self, variable: Any) -> Kept:
        """Returns the state of a variable in this session."""
        kept = self._kept.get(variable._id)
        if kept is None:
            kept = self._kept[variable._id] = Kept(variable.name[:-2])
        return kept

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Prepares a run in several parts.

        Args:
          fetches: All fetches of the parts, as for `run`.
          feeds: The tensors or names that the parts feed.

        Returns:
          A handle for `partial_run`.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x, y = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
        ...     square = x * x
        ...     total = square + y
        ...     handle = session.partial_run_setup([square, total], [x, y])
        ...     first = session.partial_run(handle, square, {x: 3.0})
        ...     float(session.partial_run(handle, total, {y: first}))
        18.0
        """
        asked = self._asked(fetches)
        symbols = [
            symbol_of_feed(self._graph, x)[1] for key in feeds or () for x in parts_of_feed(key)
        ]
        handle = f"partial_run_{len(self._partial)}"
        self._partial[handle] = PartialRun(self._graph, asked, symbols)
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Fetched:
        """Computes the next part of a run.

        Args:
          handle: The result of `partial_run_setup`.
          fetches: The fetches of this part.
          feed_dict: The values that are fed in this part.

        Returns:
          The values of the fetches, as from `run`.

        Raises:
          InvalidArgumentError: The handle is unknown, or a fetch or feed was not set up, or
            occurred in an earlier part.
        """
        asked = self._asked(fetches)
        if handle not in self._partial:
            raise InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        fed = feeds_of(self._graph, feed_dict)
        with self._running():
            known = self._partial[handle].run(asked, fed, self._kept_of)
        return asked.packed([given_out(known[x]) for x in asked.symbols])

    def load(self, variable: Any, value: Any) -> None:
        """Assigns a value to a variable.

        Args:
          variable: A variable of the graph.
          value: The value.
        """
        with replaced(()):
            self._kept_of(variable).value = convert_to_tensor(value, variable.dtype)._value

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Returns a function that runs the fetches each time it is called.

        Args:
          fetches: The fetches, as for `run`.
          feed_list: The tensors that are fed.
          accept_options: Whether the function takes `options` and `run_metadata`.

        Returns:
          A function with one argument for each tensor in `feed_list`; it raises
          InvalidArgumentError if there are more or fewer arguments.

        Raises:
          TypeError: `feed_list` is not a list.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("Argument `feed_list` must be a list or tuple.")
        asked, keys = Fetches(self._graph, fetches), list(feed_list or [])

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            self._check(may_be_empty=False)
            if len(values) != len(keys):
                raise InvalidArgumentError(
                    None, None, f"Expected to feed {len(keys)} values, but got {len(values)}"
                )
            given = dict(zip(keys, values, strict=True))
            return asked.packed(self._computed(asked, feeds_of(self._graph, given)))

        return call

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Returns a context manager in which `Tensor.eval` and `Operation.run` use this session."""
        SESSIONS.stack.append(self)
        try:
            yield self
        finally:
            SESSIONS.stack.remove(self)


@export("compat.v1.Session")
class Session(BaseSession):
    """Runs operations of a graph.

    Args:
      target: The execution engine; only "" is supported.
      graph: The graph. Defaults to the default graph.
      config: Accepted for compatibility.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     float(session.run(x * x, {x: 3.0}))
    9.0
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._blocks: list[ExitStack] = []

    def __enter__(self) -> Self:
        block = ExitStack()
        block.enter_context(self._graph.as_default())
        block.enter_context(self.as_default())
        self._blocks.append(block)
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks.pop().close()
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Has no effect, since sessions share no variables.

        Args:
          target: Accepted for compatibility.
          containers: Accepted for compatibility.
          config: Accepted for compatibility.
        """


@export("compat.v1.InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default session until it is closed.

    Args:
      target: The execution engine; only "" is supported.
      graph: The graph, which becomes the default graph. Defaults to the current default graph.
      config: Accepted for compatibility.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._block = ExitStack()
        if graph is not None:
            self._block.enter_context(graph.as_default())
        self._block.enter_context(self.as_default())

    def close(self) -> None:
        """Releases the values of variables; the session is no longer the default session."""
        super().close()
        self._block.close()


@export("compat.v1.get_default_session")
def get_default_session() -> BaseSession | None:
    """Returns the current default session of this thread.

    Returns:
      The session of the innermost `with` block, or None.
    """
    return default_session()
