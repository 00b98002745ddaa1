"""Summaries of TensorFlow 1: their messages, made of arrays, and the kernels that make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import of_shape, run_whole
from gradtape._src.files import png
from gradtape._src.files.summary import wav
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.messages import protos

Values = Callable[..., list[tuple[str, Any]]]
"""Returns the tags and the fields of a summary, given arrays."""

_MOST = 1e20
_GROWTH = 1.1
_DARK = 1e-6  # pictures whose values are all below this are black
RED = (255, 0, 0, 255)  # of pixels that are not finite


def _limits() -> np.ndarray[Any, Any]:
    """Returns the upper ends of the buckets of a histogram."""
    positive = [1e-12]
    while positive[-1] < _MOST:
        positive.append(positive[-1] * _GROWTH)
    whole = np.array([*positive, np.finfo(np.float64).max])
    return np.concatenate([-whole[::-1], [0.0], whole])


def maker_of(values: Values) -> Callable[..., Tensor]:
    """Returns a function of tensors whose result is a summary, given one of arrays."""

    def made(*given: Any) -> Tensor:
        found = values(*map(np.asarray, given))
        message = protos.Summary(value=[protos.Summary.Value(tag=t, **x) for t, x in found])
        return Tensor(np.array(message.SerializeToString(), object))

    return made


def imported(
    name: str,
    values: Values,
    inputs: Sequence[Any],
    **attributes: Any,
) -> Tensor:
    """Returns the result of a raw operation that makes a summary.

    Args:
      name: The name of the operation.
      values: Returns the tags and the fields of the summary, given the inputs as arrays.
      inputs: The operation's inputs.
      **attributes: Its attributes.
    """
    out: Tensor = run_whole(
        name, of_shape((), np.dtype(object)), maker_of(values), *inputs, **attributes
    )
    return out


def picture_values(tag: str, x: Any, most: int) -> list[tuple[str, Any]]:
    """Returns the values of a summary of up to `most` pictures."""
    if x.ndim != 4 or x.shape[-1] not in (1, 3, 4):
        raise InvalidArgumentError(
            None,
            None,
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {list(x.shape)} [Op:ImageSummary]",
        )
    _, height, width, channels = x.shape
    sizes = {"height": height, "width": width, "colorspace": channels}
    files = [png.encoded(_pixels(picture), -1) for picture in x[:most]]
    shown = [protos.Summary.Image(encoded_image_string=file, **sizes) for file in files]
    tags = _tags(f"{tag}/image", most)
    return [(own, {"image": one}) for own, one in zip(tags, shown, strict=False)]


def _tags(stem: str, most: int) -> list[str]:
    return [stem] if most == 1 else [f"{stem}/{i}" for i in range(most)]


def _pixels(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns a picture's pixels from 0 to 255."""
    if x.dtype == np.uint8:
        return x
    finite = np.isfinite(x)
    least, most = (f(x, initial=0.0, where=finite) for f in (np.min, np.max))
    most, top, middle = (max(most, -least), 127.0, 128.0) if least < 0 else (most, 255.0, 0.0)
    scale = 0.0 if most < _DARK else top / most
    shown = (np.where(finite, x, 0).astype(np.float32) * np.float32(scale) + middle).astype(
        np.uint8
    )
    red = np.array(RED, np.uint8)[: x.shape[-1]]
    return np.where(finite.all(-1, keepdims=True), shown, red)


def sound_values(tag: str, x: Any, rate: Any, most: int) -> list[tuple[str, Any]]:
    """Returns the values of a summary of up to `most` sounds."""
    if x.ndim not in (2, 3):
        raise InvalidArgumentError(
            None, None, f"Tensor must be 3-D or 2-D, got: {list(x.shape)} [Op:AudioSummaryV2]"
        )
    channels = x.shape[2] if x.ndim == 3 else 1
    sizes = {
        "sample_rate": float(rate),
        "num_channels": channels,
        "length_frames": x.shape[1],
        "content_type": "audio/wav",
    }
    sounds = x.reshape(*x.shape[:2], channels)[:most]
    files = [wav(sound, int(rate)) for sound in sounds]
    shown = [protos.Summary.Audio(encoded_audio_string=file, **sizes) for file in files]
    tags = _tags(f"{tag}/audio", most)
    return [(own, {"audio": one}) for own, one in zip(tags, shown, strict=False)]


def number_value(x: Any) -> dict[str, Any]:
    """Returns the field of a summary for a number."""
    return {"simple_value": float(x)}


def histogram_value(x: Any) -> dict[str, Any]:
    """Returns the field of a summary for the distribution of numbers."""
    return {"histo": _histogram(x.astype(np.float64).reshape(-1))}


def tensor_value(x: Any, metadata: protos.SummaryMetadata) -> dict[str, Any]:
    """Returns the fields of a summary for a tensor."""
    return {"tensor": make_tensor_proto(x), "metadata": metadata}


def _histogram(x: np.ndarray[Any, Any]) -> protos.HistogramProto:
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, x, side="right"), minlength=len(limits))
    # Of consecutive empty buckets the last one is shown, as one bucket.
    shown = (counts > 0) | (np.append(counts[1:], 1) > 0)
    return protos.HistogramProto(
        min=x.min() if x.size else 0.0,
        max=x.max() if x.size else 0.0,
        num=x.size,
        sum=x.sum(),
        sum_squares=(x * x).sum(),
        bucket_limit=limits[shown].tolist(),
        bucket=counts[shown].astype(float).tolist(),
    )


def merged(*messages: Any) -> Tensor:
    """Returns the summary with the values of several ones."""
    whole = protos.Summary()
    for message in messages:
        whole.MergeFromString(message._value.item())
    return Tensor(np.array(whole.SerializeToString(), object))


def _text(x: Any) -> str:
    return str(np.asarray(x).item().decode())


@maker("ScalarSummary")
def _numbers(node: Node) -> Kernel:
    def values(tags: Any, x: Any) -> list[tuple[str, Any]]:
        pairs = zip(np.ravel(tags), np.ravel(x), strict=True)
        return [(_text(tag), number_value(each)) for tag, each in pairs]

    return lambda given: [imported(node.operation, values, given)]


@maker("HistogramSummary")
def _distribution(node: Node) -> Kernel:
    def values(tag: Any, x: Any) -> list[tuple[str, Any]]:
        return [(_text(tag), histogram_value(x))]

    return lambda given: [imported(node.operation, values, given)]


@maker("ImageSummary")
def _pictures(node: Node) -> Kernel:
    most = int(node.attributes["max_images"])

    def values(tag: Any, x: Any) -> list[tuple[str, Any]]:
        return picture_values(_text(tag), x, most)

    return lambda given: [imported(node.operation, values, given, max_images=most)]


@maker("AudioSummaryV2")
def _sounds(node: Node) -> Kernel:
    most = int(node.attributes["max_outputs"])

    def values(tag: Any, x: Any, rate: Any) -> list[tuple[str, Any]]:
        return sound_values(_text(tag), x, rate, most)

    return lambda given: [imported(node.operation, values, given, max_outputs=most)]


@maker("TensorSummaryV2")
def _tensor(node: Node) -> Kernel:
    def values(tag: Any, x: Any, metadata: Any) -> list[tuple[str, Any]]:
        shown = protos.SummaryMetadata()
        shown.MergeFromString(np.asarray(metadata).item())
        return [(_text(tag), tensor_value(x, shown))]

    return lambda given: [imported(node.operation, values, given)]


@maker("MergeSummary")
def _merged(node: Node) -> Kernel:
    result = of_shape((), np.dtype(object))
    return lambda given: [run_whole(node.operation, result, merged, *given)]
