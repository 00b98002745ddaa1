"""Runs user functions on the elements of datasets, or traces them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import in_graph
from gradtape._src.data.elements.traced import (
    DatasetTrace,
    Finish,
    Kept,
    StandIn,
    Trace,
    run_traced,
)
from gradtape._src.declare.unknown_sizes import NeedsSize
from gradtape._src.graph.ir.graph import CannotTrace

_may_run: ContextVar[bool] = ContextVar(
    "whether elements may be computed to find a spec", default=True
)


class NeedsElementError(Exception):
    """Raised if the spec of a dataset is known only after an element is computed."""


@contextmanager
def without_elements() -> Iterator[None]:
    """Returns a context manager in which specs that need an element raise NeedsElementError."""
    token = _may_run.set(False)
    try:
        yield
    finally:
        _may_run.reset(token)


def spec_by_element(tell: Callable[[], el.Spec]) -> el.Spec:
    """Finds a spec by computing an element."""
    if not _may_run.get():
        raise NeedsElementError
    return tell()


class ElementFunction:
    """A user function of elements.

    It is traced, if possible, as soon as the spec of the elements is known. Otherwise, it runs as
    Python code, and only on elements of the dataset.

    Args:
      function: The user function.
      known: A function that returns the spec of the elements, or None if that needs an element.
      finish: See `Finish`.
      stand_in: See `StandIn`.

    Attributes:
      trace: The function's graph, or None if it runs as Python code.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        known: Callable[[], el.Spec | None],
        finish: Finish,
        stand_in: StandIn,
    ) -> None:
        self._function, self._known = function, known
        self._finish, self._stand_in = finish, stand_in
        self._tried = False
        self.trace: Trace | None = None
        self._try()

    def _fingerprint_parts(self) -> tuple[Any, ...]:
        return self._function, self._finish

    def _try(self) -> None:
        spec = None if self._tried else self._known()
        if spec is None:
            return
        self._tried = True
        inside = in_graph("a function of a dataset's elements")
        try:
            tracer, result = run_traced(self._function, spec, self._finish, self._stand_in)
            self.trace = Trace(tracer, result, _name(self._function), self._as_python)
        except (CannotTrace, NeedsSize):
            if inside:  # it captures symbolic values, so that it can't run as Python code
                raise

    def spec(self) -> el.Spec | None:
        """Returns the spec of the results, or None if that needs an element."""
        self._try()
        return None if self.trace is None else self.trace.spec

    def spec_from(self, kept: Kept) -> el.Spec:
        """Returns the spec of the results, from the first element of `kept` if necessary."""
        spec = self.spec()
        return spec_by_element(lambda: el.loose_spec(kept.first())) if spec is None else spec

    def start(self) -> Callable[[el.Element], el.Element]:
        """Returns the function to apply to each element during one iteration over the dataset."""
        self._try()
        return self._as_python if self.trace is None else self.trace.start()

    @property
    def ordered(self) -> bool:
        """Whether its calls must run one after another."""
        return self.trace is not None and self.trace.ordered

    def _as_python(self, element: el.Element) -> el.Element:
        return self._finish(el.call(self._function, element))


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


class DatasetFunction:
    """A user function that makes a dataset from an element; it is traced if possible.

    Args:
      function: The user function.
      known: See `ElementFunction`.
      finish: A function that raises an error unless the result is a dataset.
      stand_in: See `ElementFunction`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        known: Callable[[], el.Spec | None],
        finish: Finish,
        stand_in: StandIn,
    ) -> None:
        self._function, self._known = function, known
        self._finish, self._stand_in = finish, stand_in
        self._spec: el.Spec | None = None
        self._trace: DatasetTrace | None = None
        spec = known()
        if spec is not None:
            inside = in_graph("a function of a dataset's elements")
            try:
                tracer, made = run_traced(function, spec, finish, stand_in)
                self._spec = made.known_spec()
                self._trace = DatasetTrace(tracer, made, _name(function))
            except (CannotTrace, NeedsSize):
                if inside:
                    raise

    def _fingerprint_parts(self) -> tuple[Any, ...]:
        return self._function, self._finish

    @property
    def reads_files(self) -> bool:
        """Whether the elements are names of files, and the datasets hold the files' records."""
        return self._trace is not None and bool(self._trace.made._lineage.files)

    def spec_from(self, kept: Kept) -> el.Spec:
        """Returns the spec of the datasets' elements, from the first of `kept` if necessary."""
        if self._spec is not None:
            return self._spec
        return spec_by_element(lambda: el.loosened(kept.first().element_spec))

    def __call__(self, element: el.Element) -> Any:
        if self._trace is not None:
            return self._trace(element)
        return self._finish(el.call(self._function, element))
