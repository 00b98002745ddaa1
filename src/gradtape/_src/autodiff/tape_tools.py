"""The methods of a tape that show what it recorded; the room `inspect` provides their work."""

from __future__ import annotations

from typing import Any, Protocol

from gradtape._src.core.extension_point import ExtensionPoint


class RecordedGraph(Protocol):
    """A picture of what a tape recorded, which notebooks show."""

    def to_svg(self) -> str:
        """Returns the picture as a document of SVG."""

    def to_dot(self) -> str:
        """Returns the picture in the language of Graphviz."""

    def to_mermaid(self) -> str:
        """Returns the picture in the language of Mermaid."""

    def save(self, path: Any) -> None:
        """Writes a file, whose ending says in which form."""


class RecordedSummary(Protocol):
    """A table of what a tape recorded; prints as text.

    Attributes:
      operations: How many operations the tape recorded.
      bytes: How many bytes of memory the tape holds, besides those of variables.
    """

    operations: int
    bytes: int


class Inspector(Protocol):
    """An object that looks at the records of a tape."""

    def explain(self, tape: Any, target: Any, source: Any) -> Any:
        """Says why a gradient is None."""

    def graph(self, tape: Any, target: Any, max_nodes: int) -> RecordedGraph:
        """Draws the records."""

    def summary(self, tape: Any) -> RecordedSummary:
        """Makes a table of the records."""


PUBLIC = (
    *("batch_jacobian", "explain", "gradient", "graph", "jacobian", "reset", "stop_recording"),
    *("summary", "watch", "watched_variables"),
)
"""The attributes of a tape that programs use; operations use the other ones."""

inspector: ExtensionPoint[Inspector] = ExtensionPoint("looking at the records of tapes")


class TapeTools:
    """The methods `explain`, `graph` and `summary` of a tape."""

    def __dir__(self) -> list[str]:
        return list(PUBLIC)

    def explain(self, target: Any, source: Any) -> Any:
        """Says why `tape.gradient(target, source)` is None, where the path was cut, how to mend it.

        Inside `tf.debugging.explanations()` (or after `tf.debugging.enable_explanations()`) the
        answer names the line and the operation. Without it, it tells what the tape's own records
        can tell. Nothing is used up: a gradient can still be asked for afterwards.

        Args:
          target: What was differentiated: a tensor or nested structure of tensors.
          source: The tensor or variable in question, or a nested structure of them.

        Returns:
          An `Explanation`, which prints as text; for a structure, one for each source in it.

        Raises:
          TypeError: `source` is neither a tensor nor a variable.
        """
        return inspector.get().explain(self, target, source)

    def graph(self, target: Any = None, max_nodes: int = 60) -> RecordedGraph:
        """Draws a picture of what the tape recorded.

        Where a target is given, gradients are computed from it (nothing is used up), and the
        picture shows their norms, and marks what gets none and what is not finite. The tape must
        still have its records: be persistent, or not have been asked for a gradient yet.

        Args:
          target: A tensor or nested structure of tensors.
          max_nodes: With more operations than this, layers, repetitions and pieces of the tape are
            folded into one box each.

        Returns:
          A `Graph`, which notebooks show. `to_svg()`, `to_dot()` and `to_mermaid()` give text,
          `save(path)` writes a file.

        Raises:
          ValueError: `max_nodes` is not positive.
          TypeError: `target` holds something that is not a tensor.
        """
        return inspector.get().graph(self, target, max_nodes)

    def summary(self) -> RecordedSummary:
        """Makes a table of what the tape recorded: operations, counts, bytes held.

        A kept tensor counts once, for the first record that keeps it; a variable's own value
        counts for none. The tape must still have its records: be persistent, or not have been
        asked for a gradient yet.

        Returns:
          A `Summary`, which prints as text (in colour on a terminal) and shows as a table in
          notebooks.
        """
        return inspector.get().summary(self)
