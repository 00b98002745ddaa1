"""The methods of a tape that show what it recorded; the room `inspect` implements them."""

from __future__ import annotations

from typing import Any, Protocol, Self

from gradtape._src.core.extension_point import ExtensionPoint


class RecordedGraph(Protocol):
    """A picture of what a tape recorded, which notebooks show.

    Attributes:
      caption: A line that states the size of the recording.
    """

    @property
    def caption(self) -> str: ...

    def to_svg(self) -> str:
        """Returns the picture as an SVG document."""

    def to_html(self) -> str:
        """Returns a page of HTML, in which clicks open boxes."""

    def to_dot(self) -> str:
        """Returns the picture in Graphviz's DOT language."""

    def to_mermaid(self) -> str:
        """Returns the picture in Mermaid's language."""

    def save(self, path: Any) -> None:
        """Writes a file in the format that its ending names."""


class RecordedSummary(Protocol):
    """A table of what a tape recorded; prints as text.

    Attributes:
      operations: The number of operations that the tape recorded.
      bytes: The bytes of memory that the tape holds, without those of variables.
      peak: The bytes that the gradient of the last result by everything watched will take at most,
        without those of variables and watched tensors; None if a derivative rule fails.
    """

    operations: int
    bytes: int
    peak: int | None

    def _repr_html_(self) -> str: ...


class Inspector(Protocol):
    """An object that looks at the records of a tape."""

    def explain(self, tape: Any, target: Any, source: Any) -> Any:
        """Explains why a gradient is None."""

    def graph(self, tape: Any, target: Any, max_nodes: int, depth: int | None) -> RecordedGraph:
        """Draws the records."""

    def summary(self, tape: Any) -> RecordedSummary:
        """Makes a table of the records."""


class ProfileReport(Protocol):
    """The results of a profile, which print as tables.

    Attributes:
      wall: The seconds that the profile lasted.
      phases: The seconds of each phase; they add up to `wall`.
      operations, layers, lines: Rows with a name, the number of calls, the seconds `forward` and
      `backward`, and the bytes allocated; the slowest come first.
      functions: A row for each `tf.function` that was called.
      copies: A row for each kind of copy of arrays.
      memory: The pairs (seconds, bytes) of the arrays that were alive.
      peak: The maximum of these bytes.
    """

    wall: float
    phases: dict[str, float]
    operations: list[Any]
    layers: list[Any]
    lines: list[Any]
    functions: list[Any]
    copies: list[Any]
    memory: list[tuple[float, int]]
    peak: int

    def save(self, path: Any) -> None:
        """Writes a file in the format that its ending names."""


class RunningProfile(Protocol):
    """A profile that runs until `stop`, the end of its `with` block, or the tape's gradient."""

    began: int

    def stop(self) -> ProfileReport:
        """Ends the profile, and returns its report."""

    @property
    def report(self) -> ProfileReport:
        """The report of what was measured so far."""

    def save(self, path: Any) -> None:
        """Writes the report, in the format that the path's ending names."""

    def write(self, logdir: str) -> object:
        """Writes the files of TensorBoard's profiler below a directory."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Profiler(Protocol):
    """Measures which operations, layers and lines take the time."""

    def of_tape(self, tape: Any) -> RunningProfile:
        """Starts a profile that ends with a tape's gradient."""

    def start(self) -> RunningProfile:
        """Starts a profile."""


PUBLIC = (
    *("batch_jacobian", "explain", "gradient", "graph", "jacobian", "profile", "reset"),
    *("stop_recording", "summary", "watch", "watched_variables"),
)
"""The attributes of a tape that programs use; the other attributes are for operations."""

profiler: ExtensionPoint[Profiler] = ExtensionPoint("profiles")
inspector: ExtensionPoint[Inspector] = ExtensionPoint("looking at the records of tapes")


class TapeTools:
    """The methods `explain`, `graph` and `summary` of a tape."""

    def __dir__(self) -> list[str]:
        return list(PUBLIC)

    def explain(self, target: Any, source: Any) -> Any:
        """Explains why `tape.gradient(target, source)` is None, and how to fix it.

        Inside `tf.debugging.explanations()` (or after `tf.debugging.enable_explanations()`) the
        answer names the line and the operation. Otherwise, the answer relies on the tape's own
        records. The records are kept: a gradient can still be computed afterwards.

        Args:
          target: The differentiated tensor or nested structure of tensors.
          source: The tensor or variable in question, or a nested structure of them.

        Returns:
          An `Explanation`, which prints as text; for a structure, one for each source in it.

        Raises:
          TypeError: `source` is neither a tensor nor a variable.
        """
        return inspector.get().explain(self, target, source)

    def graph(
        self, target: Any = None, max_nodes: int = 30, depth: int | None = None
    ) -> RecordedGraph:
        """Draws a picture of what the tape recorded.

        Keras layers, `tf.name_scope` and compiled functions are boxes around the operations that
        ran in them. A repeated sequence of operations is one box with the number of its
        repetitions. Notebooks show a picture in which a click opens boxes; `save("tape.html")`
        writes it as a page.

        If a target is given, its gradients are computed (the records are kept), and the picture
        shows their norms. It marks values whose gradient is None or not finite, the first operation
        with a result that is not finite, and values on which no target depends. A tape that was
        recorded inside `tf.debugging.explanations()` also shows the program's lines and functions,
        and where a gradient stops: at `tf.round` or in NumPy, for example. The tape must still have
        its records: it is persistent, or no gradient has been computed yet.

        Args:
          target: A tensor or nested structure of tensors.
          max_nodes: The maximum number of boxes in a box; if there are more, consecutive ones are
            put into boxes of their own.
          depth: The number of levels of boxes that are open at first; None chooses as many as are
            readable.

        Returns:
          A `Graph`, which notebooks show. `to_svg()`, `to_html()`, `to_dot()` and `to_mermaid()`
          give text, `save(path)` writes a file.

        Raises:
          ValueError: `max_nodes` is not positive, or `depth` is negative.
          TypeError: `target` holds something that is not a tensor.

        >>> x = tf.Variable(1.0)
        >>> with tf.GradientTape(persistent=True) as tape:
        ...     y = x
        ...     for _ in range(3):
        ...         y = tf.sin(y) * 2.0
        >>> tape.graph(y).caption
        '6 operations, folded to 2, holding 12 B'
        """
        return inspector.get().graph(self, target, max_nodes, depth)

    def profile(self) -> RunningProfile:
        """Starts to measure where a program spends its time, forward and backward.

        The profile ends when the tape gives a gradient (unless the tape is persistent), when a
        `with` block over the profile ends, or when `stop` is called. Until then, it measures
        everything that runs in this thread.

        Returns:
          The profile, which prints as tables of operations, layers and lines. `save("a.html")`
          writes a page with a flame graph, and `save("a.json")` a trace for Perfetto. `stop()` and
          `report` return the numbers.

        Raises:
          AlreadyExistsError: Another profile runs.

        >>> x = tf.Variable([[2.0]])
        >>> with tf.GradientTape() as tape:
        ...     profile = tape.profile()
        ...     y = tf.matmul(x, x)
        >>> gradient = tape.gradient(y, x)
        >>> [row.name for row in profile.report.operations if row.calls]
        ['MatMul']
        """
        return profiler.get().of_tape(self)

    def summary(self) -> RecordedSummary:
        """Makes a table of what the tape recorded: operations, counts, bytes held.

        The bytes of a kept tensor count once, for the first record that keeps it; those of a
        variable's own value do not count. The line below the table predicts the memory that the
        gradient of the last result will take at most. For this, each derivative rule runs once for
        each combination of shapes, and functions with custom gradients are called. The tape must
        still have its records: it is persistent, or no gradient has been computed yet.

        Returns:
          A `Summary`, which prints as text (in colour on a terminal) and shows as a table in
          notebooks.
        """
        return inspector.get().summary(self)

    def _repr_html_(self) -> str | None:
        """The table of `summary`, for notebooks; None if there are no records."""
        recorded = getattr(self, "records", None)
        return self.summary()._repr_html_() if recorded else None
