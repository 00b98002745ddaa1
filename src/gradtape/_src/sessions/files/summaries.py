"""`tf.compat.v1.summary`: messages that a session computes, and files of messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import of_shape, run_whole
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.files.event_files import FileWriter as _Events
from gradtape._src.files.paths import local
from gradtape._src.graphdef.summary_kernels import (
    RED,
    Values,
    histogram_value,
    maker_of,
    merged,
    number_value,
    picture_values,
    sound_values,
    tensor_value,
)
from gradtape._src.messages import protos
from gradtape._src.sessions.files.meta_graphs import meta_graph
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import is_open, kept_graph


def _summary(
    name: str,
    shown: str,
    tensor: Any,
    collections: Any,
    value: Callable[[Any], dict[str, Any]],
    **attributes: Any,
) -> Tensor:
    """Returns an operation whose result is a summary message with one value."""
    return _summary_of_several(
        name, shown, tensor, collections, lambda x: [(shown, value(x))], **attributes
    )


def _summary_of_several(
    name: str,
    shown: str,
    tensor: Any,
    collections: Any,
    values: Values,
    *parameters: Any,
    **attributes: Any,
) -> Tensor:
    """Returns an operation, named `shown`, whose result is a summary with a value for each tag.

    `attributes` are the raw operation's other inputs and attributes, with which it is written out.
    """
    made = maker_of(values)
    inputs = [convert_to_tensor(x) for x in (tensor, *parameters)]
    if (graph := open_graph()) is not None:
        inputs = [graph.constant(x) for x in inputs]
    out = _run_as(shown, name, made, inputs, **attributes)
    if graph is not None:
        kept_graph().add_to_collections(collections or [GraphKeys.SUMMARIES], out)
    return out


def _run_as(
    shown: str,
    name: str,
    made: Callable[..., Tensor],
    inputs: Sequence[Tensor],
    **attributes: Any,
) -> Tensor:
    """Runs an operation whose result is a summary, under a name if there is a graph."""
    out: Tensor = run_whole(name, of_shape((), np.dtype(object)), made, *inputs, **attributes)
    if open_graph() is not None:
        tracer = kept_graph().tracer
        tracer.named[tracer.nodes[-1]] = shown
    return out


def _unique(name: str) -> str:
    return str(kept_graph().unique_name(name)) if open_graph() is not None else name


def _tag(name: str, family: str | None) -> str:
    """Returns the tag of a summary: the name of its operation, after the family if there is one."""
    own = _unique(f"{current()}{family}/{name}" if family else f"{current()}{name}")
    return f"{family}/{own}" if family else own


@export("compat.v1.summary.scalar")
def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Returns a summary of a number.

    Args:
      name: The name of the summary.
      tensor: A scalar tensor.
      collections: The names of the collections that the summary is added to.
      family: A prefix for the name.

    Returns:
      A string tensor, which holds a serialized `Summary` message.
    """
    tag = _tag(name, family)
    return _summary(
        "ScalarSummary",
        tag,
        tensor,
        collections,
        number_value,
        tags=tag,
    )


@export("compat.v1.summary.histogram")
def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Returns a summary with a histogram of numbers.

    Args:
      name: The name of the summary.
      values: The numbers.
      collections: The names of the collections that the summary is added to.
      family: A prefix for the name.

    Returns:
      A string tensor, which holds a serialized `Summary` message.
    """
    tag = _tag(name, family)
    return _summary(
        "HistogramSummary",
        tag,
        values,
        collections,
        histogram_value,
        tag=tag,
    )


@export("compat.v1.summary.image")
def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """Returns a summary with pictures.

    Floating-point pictures are scaled: each picture's greatest value becomes 255; if it has
    negative values, 0 becomes 128. Pixels that are not finite are red.

    Args:
      name: The name of the summary.
      tensor: uint8 or floating-point pictures of shape (n, height, width, channels) with 1, 3 or 4
        channels.
      max_outputs: The maximum number of pictures.
      collections: The names of the collections that the summary is added to.
      family: A prefix for the name.

    Returns:
      A string tensor, which holds a serialized `Summary` message.

    Raises:
      InvalidArgumentError: The shape of the pictures is not supported.
    """
    tag = _tag(name, family)

    return _summary_of_several(
        "ImageSummary",
        tag,
        tensor,
        collections,
        lambda x: picture_values(tag, x, max_outputs),
        tag=tag,
        max_images=max_outputs,
        bad_color=np.array(RED, np.uint8),
    )


@export("compat.v1.summary.text")
def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Returns a summary with texts.

    Args:
      name: The name of the summary.
      tensor: A string tensor.
      collections: The names of the collections that the summary is added to.

    Returns:
      A string tensor, which holds a serialized `Summary` message.

    Raises:
      ValueError: The tensor is not of strings.
    """
    x = convert_to_tensor(tensor)
    if x.dtype is not string:
        raise ValueError(f"Expected tensor {name} to have dtype string, got {x.dtype}")
    plugin = protos.SummaryMetadata.PluginData(plugin_name="text")
    shown = protos.SummaryMetadata(plugin_data=plugin)
    return _text_or_tensor(_tag(name, None), x, collections, shown)


@export("compat.v1.summary.audio")
def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """Returns a summary with sounds.

    Args:
      name: The name of the summary.
      tensor: float32 samples from -1 to 1, of shape (n, time, channels) or (n, time).
      sample_rate: The number of samples per second, which may be a tensor.
      max_outputs: The maximum number of sounds.
      collections: The names of the collections that the summary is added to.
      family: A prefix for the name.

    Returns:
      A string tensor, which holds a serialized `Summary` message.

    Raises:
      InvalidArgumentError: The tensor has neither two nor three axes.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     bytes = session.run(tf.compat.v1.summary.audio("hum", tf.zeros([2, 8]), 16000.0))
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(bytes).value]
    ['hum/audio/0', 'hum/audio/1']
    """
    tag = _tag(name, family)

    return _summary_of_several(
        "AudioSummaryV2",
        tag,
        tensor,
        collections,
        lambda x, rate: sound_values(tag, x, rate, max_outputs),
        sample_rate,
        tag=tag,
        max_outputs=max_outputs,
    )


@export("compat.v1.summary.tensor_summary")
def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: Any = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Returns a summary with a tensor.

    Args:
      name: The name of the summary.
      tensor: The tensor.
      summary_description: A message with a type hint, which becomes part of the description.
      collections: The names of the collections that the summary is added to.
      summary_metadata: A `SummaryMetadata` message, which names TensorBoard's plugin.
      family: A prefix for the name.
      display_name: The name that TensorBoard shows.

    Returns:
      A string tensor, which holds a serialized `Summary` message.
    """
    shown = protos.SummaryMetadata()
    if summary_metadata is not None:
        shown.CopyFrom(summary_metadata)
    if summary_description is not None:
        shown.summary_description = str(summary_description.type_hint)
    if display_name is not None:
        shown.display_name = display_name
    return _text_or_tensor(_tag(name, family), tensor, collections, shown)


def _text_or_tensor(
    tag: str, tensor: Any, collections: Any, metadata: protos.SummaryMetadata
) -> Tensor:
    return _summary(
        "TensorSummaryV2",
        tag,
        tensor,
        collections,
        lambda x: tensor_value(x, metadata),
        tag=tag,
        serialized_summary_metadata=metadata.SerializeToString(),
    )


@export("compat.v1.summary.merge")
def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """Merges several summaries into one.

    Args:
      inputs: String tensors that hold serialized `Summary` messages.
      collections: The names of the collections that the summary is added to.
      name: The operation's name.

    Returns:
      A string tensor, which holds a serialized `Summary` message.
    """
    shown = _unique(f"{current()}{name or 'Merge'}/MergeSummary")
    out = _run_as(shown, "MergeSummary", merged, inputs)
    if is_open() and collections:
        kept_graph().add_to_collections(collections, out)
    return out


@export("compat.v1.summary.merge_all")
def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Merges all summaries in a collection of the graph.

    Args:
      key: The collection's name.
      scope: A regular expression that must match the beginning of the summaries' names.
      name: The operation's name.

    Returns:
      A string tensor, which holds a serialized `Summary` message, or None if the collection is
      empty.
    """
    found = kept_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


@export("compat.v1.summary.FileWriter")
class FileWriter:
    """Writes summaries to a file for TensorBoard.

    Args:
      logdir: The directory of the file.
      graph: A graph that is written first, alone and with its collections.
      max_queue: The maximum number of buffered summaries.
      flush_secs: The maximum time in seconds that summaries are buffered.
      graph_def: Accepted for compatibility.
      filename_suffix: The suffix of the file's name.
      session: Accepted for compatibility.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._folder = local(logdir)
        self._events = _Events(self._folder, max_queue, flush_secs * 1000, filename_suffix or "")
        if graph is not None:
            self.add_graph(graph)
            self.add_meta_graph(meta_graph(graph))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Returns the directory of the file.

        Returns:
          The path of the directory.
        """
        return self._folder

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
          summary: A `Summary` message, or its bytes, as a session returns them.
          global_step: The step number.
        """
        if isinstance(summary, bytes):
            summary = protos.Summary.FromString(summary)
        self.add_event(protos.Event(summary=summary), global_step)

    def add_event(self, event: Any, global_step: Any = None) -> None:
        """Writes an event.

        Args:
          event: An `Event` message.
          global_step: The step number.
        """
        if global_step is not None:
            event.step = int(global_step)
        self._events.write_event(event)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph.

        Args:
          graph: The graph.
          global_step: The step number.
          graph_def: Accepted for compatibility.
        """
        message = graph.as_graph_def(add_shapes=True).SerializeToString()
        self.add_event(protos.Event(graph_def=message), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Writes a graph with its collections.

        Args:
          meta_graph_def: The message of the graph, as `export_meta_graph` returns it.
          global_step: The step number.

        Raises:
          TypeError: `meta_graph_def` is another kind of object.
        """
        if not isinstance(meta_graph_def, protos.MetaGraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        data = meta_graph_def.SerializeToString()
        self.add_event(protos.Event(meta_graph_def=data), global_step)

    def flush(self) -> None:
        """Writes buffered events to the file."""
        self._events.flush()

    def close(self) -> None:
        """Writes buffered events, and closes the file."""
        self._events.close()


@export("compat.v1.summary.FileWriterCache")
class FileWriterCache:
    """The writers that hooks share, one for each directory."""

    _writers: ClassVar[dict[str, FileWriter]] = {}
    _lock: ClassVar[threading.RLock] = threading.RLock()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """Returns the writer for a directory; the first call creates it.

        Args:
          logdir: The directory.

        Returns:
          The writer.
        """
        folder = local(logdir)
        with FileWriterCache._lock:
            if folder not in FileWriterCache._writers:
                FileWriterCache._writers[folder] = FileWriter(folder, kept_graph())
            return FileWriterCache._writers[folder]

    @staticmethod
    def clear() -> None:
        """Closes all writers; `get` creates new ones."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()
