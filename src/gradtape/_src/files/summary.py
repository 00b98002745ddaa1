"""`tf.summary`: numbers, pictures, sounds and texts for TensorBoard."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import get_current_name_scope, name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import each_run
from gradtape._src.files import png
from gradtape._src.files.event_files import (
    SummaryWriter,
    chosen_step,
    put,
    recorder,
    recording,
    step_number,
)
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed
from gradtape._src.text.values import strings

Array = np.ndarray[Any, Any]
_NOT_IN_SCOPES = re.compile(r"[^A-Za-z0-9_.\-/]")
_WAV = b"\x10\x0b"  # the plug-in "audio"'s number for the encoding WAV


@export("summary.experimental.summary_scope")
@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Enters a scope for a summary.

    Args:
      name: The summary's name.
      default_name: Its name if `name` is None.
      values: Accepted for compatibility.

    Yields:
      The tag, which is the name within its scopes, and the scope.
    """
    name = name or default_name
    around = get_current_name_scope()
    tag = f"{around}/{name}" if around else name
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield tag, scope


@export("summary.write")
def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Writes a tensor to the default writer.

    Args:
      tag: The tag of the summary.
      tensor: A value that is convertible to a tensor, or a function without arguments that makes
        one.
      step: The step. Defaults to the step of `set_step`.
      metadata: A `SummaryMetadata` message, or its serialized form.
      name: Accepted for compatibility.

    Returns:
      Whether the tensor was written: there is a default writer, and the condition of `record_if`
      holds.

    Raises:
      ValueError: There is no step.
    """
    return _recorded(tag, None, tensor, step, metadata)


def _recorded(
    tag: str, make: Callable[[Any], Any] | None, data: Any, step: Any, metadata: Any
) -> Tensor:
    """Writes `make(data)`, or `data` if `make` is None, if summaries are recorded."""
    writer, wanted = recorder()
    if writer is None:
        return Tensor(np.bool_(False))
    data = data() if make is None and callable(data) else data
    return _add(writer, wanted, tag, make, data, chosen_step(step), metadata)


@each_run("WriteSummary", specs=lambda *_: (((), np.dtype(np.bool_)),))
def _add(
    writer: SummaryWriter,
    wanted: Any,
    tag: str,
    make: Callable[[Any], Any] | None,
    data: Any,
    step: Any,
    metadata: Any,
) -> Tensor:
    if not bool(wanted):
        return Tensor(np.bool_(False))
    number = step_number(step)
    value = protos.Summary.Value(tag=tag)
    value.tensor.CopyFrom(make_tensor_proto(data if make is None else make(data)))
    if metadata is not None:
        if not isinstance(metadata, protos.SummaryMetadata):
            held = metadata if isinstance(metadata, bytes) else metadata.SerializeToString()
            metadata = parsed(protos.SummaryMetadata, held)
        value.metadata.CopyFrom(metadata)
    put(writer, protos.Summary(value=[value]), number)
    return Tensor(np.bool_(True))


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Writes a serialized `Summary` message to the default writer; see `write`.

    Args:
      tensor: The bytes of a summary, a string scalar.
      step: The step.
      name: Accepted for compatibility.

    Returns:
      A bool scalar: whether something was written.
    """
    writer = recording()
    if writer is None:
        return Tensor(np.bool_(False))
    held = convert_to_tensor(tensor, string)._value.item()
    put(writer, parsed(protos.Summary, held), step_number(step))
    return Tensor(np.bool_(True))


def _written(
    name: str,
    kind: str,
    make: Callable[[Any], Any],
    data: Any,
    step: Any,
    description: str | None,
    content: bytes = b"",
) -> Tensor:
    """Writes `make(data)` for a plug-in of TensorBoard."""
    metadata = protos.SummaryMetadata(
        plugin_data=protos.SummaryMetadata.PluginData(plugin_name=kind, content=content),
        summary_description=description or "",
    )
    with summary_scope(name, f"{kind}_summary") as (tag, _):
        return _recorded(tag, make, data, step, metadata)


@export("summary.scalar")
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes a number to the default writer.

    Args:
      name: The tag under which the number is shown.
      data: A real number; it is written as float32.
      step: The step. Defaults to the step set by `set_step`.
      description: A text, in Markdown.

    Returns:
      A bool tensor: False if there is no default writer, or summaries are not recorded.

    Raises:
      ValueError: There is no step, or `data` is not a scalar.

    >>> bool(tf.summary.scalar("loss", 0.5, step=1))  # without a writer
    False
    """

    def make(data: Any) -> Tensor:
        value = convert_to_tensor(data)
        if value.shape.rank != 0:
            raise ValueError(f"Expected scalar shape, saw shape: {value.shape}.")
        return Tensor(np.float32(value._value))

    return _written(name, "scalars", make, data, step, description)


@export("summary.histogram")
def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes a histogram of values.

    Args:
      name: The tag under which the histogram is shown.
      data: Numbers, of any shape.
      step: The step. Defaults to the step of `set_step`.
      buckets: The number of intervals of equal length; 30 by default.
      description: A text, in Markdown.

    Returns:
      Whether the histogram was written.
    """
    count = 30 if buckets is None else int(buckets)
    return _written(name, "histograms", lambda x: _buckets(x, count), data, step, description)


def _buckets(data: Any, count: int) -> Array:
    """Returns the ends of each interval, and the number of values in it."""
    values = np.asarray(convert_to_tensor(data)._value, np.float64).reshape(-1)
    if not count:
        return np.zeros((0, 3))
    if not values.size:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    if low == high:
        counts = np.zeros(count)
        counts[-1] = values.size
        return np.stack([np.full(count, low), np.full(count, low), counts], axis=1)
    width = (high - low) / count
    place = np.minimum(np.floor((values - low) / width), count - 1)
    edges = np.linspace(low, high, count + 1)
    counts = np.bincount(place.astype(np.int64), minlength=count).astype(np.float64)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


@export("summary.image")
def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Tensor:
    """Writes pictures to the default writer.

    Args:
      name: The tag under which the pictures are shown.
      data: Pictures of shape (n, height, width, channels) with 1 to 4 channels: floating-point from
        0 to 1, or integers over the whole range of their dtype.
      step: The step. Defaults to the step set by `set_step`.
      max_outputs: The maximum number of pictures to write.
      description: A text, in Markdown.

    Returns:
      A bool tensor: False if there is no default writer, or summaries are not recorded.

    Raises:
      ValueError: There is no step, or the shape of `data` is not supported.

    >>> bool(tf.summary.image("digits", tf.zeros((1, 8, 8, 1)), step=1))  # without a writer
    False
    """

    def make(data: Any) -> Tensor:
        value = np.asarray(convert_to_tensor(data)._value)
        if value.ndim != 4 or not 1 <= value.shape[-1] <= 4:
            raise ValueError(
                f"Tensor must have rank 4.  Received rank {value.ndim}, shape {value.shape} "
                "(tf.summary.image takes n pictures of 1 to 4 channels)"
            )
        held = [png.encoded(_bytes(each), -1) for each in value[: max(int(max_outputs), 0)]]
        size = [str(value.shape[2]).encode(), str(value.shape[1]).encode()]
        return strings([*size, *held], [2 + len(held)])

    return _written(name, "images", make, data, step, description)


def _bytes(picture: Array) -> Array:
    """Returns a picture with samples from 0 to 255."""
    if picture.dtype == np.uint8:
        return picture
    if picture.dtype.kind in "iu":
        scale = 256.0 / (float(np.iinfo(picture.dtype).max) + 1)
        return np.clip(np.floor(picture * scale), 0, 255).astype(np.uint8)
    whole = np.nan_to_num(np.asarray(picture, np.float32)) * np.float32(255.5)
    clipped: Array = np.clip(whole, 0, 255).astype(np.uint8)
    return clipped


@export("summary.text")
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes texts, which TensorBoard shows as Markdown.

    Args:
      name: The tag of the summary.
      data: A string tensor.
      step: The step. Defaults to the step of `set_step`.
      description: A text, in Markdown.

    Returns:
      False if there is no default writer, or summaries are not recorded.

    Raises:
      TypeError: `data` is not a string.
    """

    def make(data: Any) -> Tensor:
        value = convert_to_tensor(data)
        if value.dtype is not string:
            raise TypeError(f"tensor must be of type {string!r}; got {value.dtype!r}")
        return value

    return _written(name, "text", make, data, step, description)


@export("summary.audio")
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes sounds.

    Args:
      name: The tag of the summary.
      data: float32 samples from -1 to 1, of shape (n, time, channels).
      sample_rate: The number of samples per second.
      step: The step. Defaults to the step of `set_step`.
      max_outputs: The maximum number of sounds to write.
      encoding: "wav", which is also the default.
      description: A text, in Markdown.

    Returns:
      False if there is no default writer, or summaries are not recorded.

    Raises:
      ValueError: The shape or the encoding is not supported.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def make(data: Any) -> Tensor:
        value = np.asarray(convert_to_tensor(data)._value, np.float32)
        if value.ndim != 3:
            raise ValueError(
                f"Tensor must have rank 3.  Received rank {value.ndim}, shape {value.shape} "
                "(tf.summary.audio takes n sounds of shape (time, channels))"
            )
        held = [wav(each, int(sample_rate)) for each in value[: max(int(max_outputs), 0)]]
        return strings([part for each in held for part in (each, b"")], [len(held), 2])

    return _written(name, "audio", make, data, step, description, _WAV)


def wav(samples: Array, rate: int) -> bytes:
    """Returns a WAV file with samples of 16 bits."""
    channels = samples.shape[1]
    data = np.clip(np.round(samples * 32768.0), -32768, 32767).astype("<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    return b"".join(
        (
            struct.pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE"),
            struct.pack("<4sI", b"fmt ", len(form)) + form,
            struct.pack("<4sI", b"data", len(data)) + data,
        )
    )
