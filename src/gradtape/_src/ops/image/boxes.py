"""Boxes in images: non-maximum suppression, drawing, glimpses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import float32, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.graph_operations import deferrable, like_input, result_by
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import merged
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.random.distributions import own_seed

Numbers = np.ndarray[Any, Any]


class CombinedNonMaxSuppression(NamedTuple):
    """The result of `combined_non_max_suppression`."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def _array(x: Any, dtype: Any = np.float32) -> Numbers:
    return np.asarray(convert_to_tensor(x, dtype_hint=dtype)._numpy())


def _overlaps(boxes: Numbers) -> Numbers:
    """Returns the intersection over union of each pair of boxes."""
    corners = np.stack([boxes[:, :2], boxes[:, 2:]])
    low, high = corners.min(0), corners.max(0)
    areas = (high - low).prod(-1)
    inside = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    shared = np.maximum(inside, 0).prod(-1)
    union = areas[:, None] + areas - shared
    out = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return np.where((areas[:, None] > 0) & (areas > 0), out, 0)


def _chosen(
    overlaps: Numbers, scores: Numbers, count: int, most: float, least: float, sigma: float
) -> tuple[list[int], list[float]]:
    """Chooses the best boxes greedily; lowers the scores of boxes that overlap chosen ones.

    Row i of `overlaps` says by how much box i overlaps each other box.
    """
    left = scores.astype(np.float64)
    left[~(left > least)] = -np.inf
    chosen: list[int] = []
    found: list[float] = []
    while len(chosen) < count and len(left):
        best = int(left.argmax())
        if left[best] == -np.inf:
            break
        chosen.append(best)
        found.append(float(left[best]))
        if sigma > 0:
            with np.errstate(invalid="ignore"):
                left = left * np.exp(-0.5 / sigma * overlaps[:, best] ** 2)
            left[~(left > least)] = -np.inf
        else:
            left[overlaps[:, best] > most] = -np.inf
        left[best] = -np.inf
    return chosen, found


def _count(value: Any, op: str) -> int:
    out = np.asarray(input_of(op, 2, value, int32)._numpy())
    if out.ndim:
        raise invalid(f"max_output_size must be 0-D, got shape {list(out.shape)} [Op:{op}]")
    return int(out)


def _ratio(value: Any, op: str, what: str = "iou_threshold") -> float:
    out = float(convert_to_tensor(value, dtype_hint=float32)._numpy())
    if not 0 <= out <= 1:
        raise invalid(f"{what} must be in [0, 1] [Op:{op}] (it is {out})", About.VALUES)
    return out


def _boxes(boxes: Any, scores: Any, op: str) -> tuple[Numbers, Numbers]:
    b, s = _array(boxes), _array(scores)
    if b.ndim != 2 or b.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns, got shape {list(b.shape)} [Op:{op}]")
    if s.shape != b.shape[:1]:
        raise invalid(f"scores must have shape [{len(b)}], as boxes, got {list(s.shape)} [Op:{op}]")
    return b, s


@export("image.non_max_suppression")
@raw_op("NonMaxSuppressionV3", differentiable=False)
@deferrable
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Chooses the boxes of highest score, except those that overlap a box of higher score.

    Args:
      boxes: A floating-point tensor of shape (n, 4): y1, x1, y2, x2 of opposite corners.
      scores: A vector of length n.
      max_output_size: The maximum number of chosen boxes.
      iou_threshold: The maximum overlap of chosen boxes, as intersection over union.
      score_threshold: Only boxes with a higher score are chosen.
      name: Accepted for compatibility.

    Returns:
      The indices of the boxes, the best first, int32.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or the threshold is not in [0, 1].
    """
    op = "NonMaxSuppressionV3"
    b, s = _boxes(boxes, scores, op)
    least = float(tensor(score_threshold)._numpy())
    found = _chosen(
        _overlaps(b), s, _count(max_output_size, op), _ratio(iou_threshold, op), least, 0
    )
    return Tensor(np.array(found[0], np.int32))


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes `non_max_suppression` with scores, which soft suppression may lower.

    Bodla, Singh, Chellappa and Davis, "Soft-NMS" (2017).

    Args:
      boxes: A floating-point tensor of shape (n, 4): y1, x1, y2, x2 of opposite corners.
      scores: A vector of length n.
      max_output_size: The maximum number of chosen boxes.
      iou_threshold: The maximum overlap of chosen boxes, as intersection over union. It is ignored
        if `soft_nms_sigma` is positive.
      score_threshold: Only boxes with a higher score are chosen.
      soft_nms_sigma: The standard deviation of the Gaussian by which overlap lowers scores; with 0,
        scores are unchanged.
      name: Accepted for compatibility.

    Returns:
      The indices of the boxes, int32, and their scores.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or the threshold is not in [0, 1].
    """
    op = "NonMaxSuppressionV5"
    b, s = _boxes(boxes, scores, op)
    least, sigma = (float(tensor(v)._numpy()) for v in (score_threshold, soft_nms_sigma))
    places, found = _chosen(
        _overlaps(b), s, _count(max_output_size, op), _ratio(iou_threshold, op), least, sigma
    )
    return Tensor(np.array(places, np.int32)), Tensor(np.array(found, s.dtype))


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Chooses boxes like `non_max_suppression`, for given overlaps.

    Args:
      overlaps: The overlap of each pair of boxes, a tensor of shape (n, n).
      scores: The score of each box, of shape (n,).
      max_output_size: The maximum number of chosen boxes, a scalar.
      overlap_threshold: Boxes that overlap a chosen box by more are dropped.
      score_threshold: Boxes with a lower score are dropped.
      name: Accepted for compatibility.

    Returns:
      The indices of the chosen boxes, an int32 vector; the box with the highest score comes first.
    """
    op = "NonMaxSuppressionWithOverlaps"
    o, s = _array(overlaps), _array(scores)
    if o.ndim != 2 or o.shape != (len(s), len(s)):
        raise invalid(
            f"overlaps must be square, of {len(s)} rows as scores, got {list(o.shape)} [Op:{op}]"
        )
    most, least = (float(tensor(v)._numpy()) for v in (overlap_threshold, score_threshold))
    return Tensor(np.array(_chosen(o, s, _count(max_output_size, op), most, least, 0)[0], np.int32))


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Computes `non_max_suppression`, optionally with a result of fixed length.

    Args:
      boxes: A floating-point tensor of shape (..., n, 4).
      scores: A tensor of shape (..., n).
      max_output_size: The maximum number of chosen boxes.
      iou_threshold: The maximum overlap of chosen boxes.
      score_threshold: Only boxes with a higher score are chosen.
      pad_to_max_output_size: Whether to pad the result with zeros to `max_output_size`; must be
        True for a batch.
      name: Accepted for compatibility.
      sorted_input: Whether the boxes are in the order of their scores, the best first.
      canonicalized_coordinates: Accepted for compatibility.
      tile_size: Accepted for compatibility.

    Returns:
      The indices of the boxes, int32, and the number of chosen boxes.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or the threshold is not in [0, 1].
      ValueError: `boxes` is a batch and `pad_to_max_output_size` is False.
    """
    b, s = _array(boxes), _array(scores)
    if sorted_input:  # the order of the boxes counts, whatever their scores are
        least = float(tensor(score_threshold)._numpy())
        s = np.where(s > least, -np.arange(s.shape[-1], dtype=np.float64), -np.inf)
        score_threshold = float("-inf")
    count = _count(max_output_size, "NonMaxSuppressionV4")
    lead = b.shape[:-2]
    if lead and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    flat = zip(merged(b, 2), merged(s, 1), strict=True)
    found = [
        non_max_suppression(one, own, count, iou_threshold, score_threshold)._numpy()
        for one, own in flat
    ]
    lengths = np.array([len(f) for f in found], np.int32).reshape(lead)[()]
    if pad_to_max_output_size:
        found = [np.pad(f, (0, count - len(f))) for f in found]
    return Tensor(np.stack(found).reshape(*lead, -1)), Tensor(lengths)


@export("image.combined_non_max_suppression")
@raw_op("CombinedNonMaxSuppression", differentiable=False)
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """Computes `non_max_suppression` for each class of each image, and the best of all classes.

    Args:
      boxes: A float tensor of shape (batch, n, q, 4), where q is 1 or the number of classes.
      scores: A tensor of shape (batch, n, classes).
      max_output_size_per_class: The maximum number of chosen boxes of a class.
      max_total_size: The maximum number of chosen boxes of an image.
      iou_threshold: The maximum overlap of chosen boxes of a class.
      score_threshold: Only boxes with a higher score are chosen.
      pad_per_class: Whether the result is padded to `max_output_size_per_class * classes` boxes if
        that is less than `max_total_size`.
      clip_boxes: Whether to clip coordinates to [0, 1].
      name: Accepted for compatibility.

    Returns:
      For each image, the boxes, scores and classes in descending order of the scores, padded with
      zeros, and the number of boxes.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or the threshold is not in [0, 1].
    """
    op = "CombinedNonMaxSuppression"
    b, s = _array(boxes), _array(scores)
    if b.ndim != 4 or s.ndim != 3 or b.shape[:2] != s.shape[:2] or b.shape[3] != 4:
        raise invalid(
            f"boxes must have shape (batch, n, q, 4) and scores (batch, n, classes), got "
            f"{list(b.shape)} and {list(s.shape)} [Op:{op}]"
        )
    classes = s.shape[2]
    if b.shape[2] not in (1, classes):
        raise invalid(f"third dimension of boxes must be either 1 or {classes} [Op:{op}]")
    each, total = (_count(v, op) for v in (max_output_size_per_class, max_total_size))
    most, least = _ratio(iou_threshold, op), float(tensor(score_threshold)._numpy())
    size = min(total, each * classes) if pad_per_class else total
    out = np.zeros((len(b), size, 6), np.float32)
    counts = np.zeros(len(b), np.int32)
    for i, (own, given) in enumerate(zip(b, s, strict=True)):
        rows = []
        for c in range(classes):
            here = own[:, c if own.shape[1] > 1 else 0]
            places, found = _chosen(_overlaps(here), given[:, c], each, most, least, 0)
            rows += [(*here[p], score, c) for p, score in zip(places, found, strict=True)]
        rows.sort(key=lambda row: -row[4])
        counts[i] = min(len(rows), size)
        if rows:
            out[i, : counts[i]] = rows[: counts[i]]
    found_boxes = np.clip(out[..., :4], 0, 1) if clip_boxes else out[..., :4]
    parts = (np.ascontiguousarray(p) for p in (found_boxes, out[..., 4], out[..., 5], counts))
    return CombinedNonMaxSuppression(*map(Tensor, parts))


_COLORS = np.array(
    [
        *[(1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1)],
        *[(0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1)],
    ]
)
"""Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""


def _drawn(images: Any, boxes: Any, colors: Any) -> Any:
    out = images.copy()
    _, height, width, depth = images.shape
    for image, own in zip(out, boxes, strict=True):
        for k, box in enumerate(own.astype(np.float64)):
            table = colors if len(colors) else np.ones((1, 1)) if depth == 1 else _COLORS
            color = table[k % len(table)]
            scaled = box * np.array([height - 1, width - 1] * 2)
            top, left, bottom, right = (int(v) for v in scaled)
            if top > bottom or left > right:
                continue
            if top >= height or bottom < 0 or left >= width or right < 0:
                continue
            rows = slice(max(top, 0), min(bottom, height - 1) + 1)
            columns = slice(max(left, 0), min(right, width - 1) + 1)
            for y in (top, bottom):
                if 0 <= y < height:
                    image[y, columns] = color[:depth]
            for x in (left, right):
                if 0 <= x < width:
                    image[rows, x] = color[:depth]
    return out


_draw_p = opaque("DrawBoundingBoxesV2", _drawn)


@export("image.draw_bounding_boxes")
@result_by(like_input())
@raw_op("DrawBoundingBoxesV2")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Draws the outlines of boxes.

    Args:
      images: A floating-point tensor of shape (batch, height, width, depth), where depth is 1, 3 or
        4.
      boxes: A float tensor of shape (batch, n, 4): y1, x1, y2, x2 as fractions of the image.
      colors: A float tensor of shape (m, depth), whose colors are used in turn. If None, ten
        default colors are used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `images`.

    Raises:
      InvalidArgumentError: The shapes are incompatible.
      LookupError: When the gradient is computed, which TensorFlow does not define for colors of
        one's own; with the default colors, the gradient is None.
    """
    x = tensor(images)
    b = convert_to_tensor(boxes, dtype_hint=np.float32)
    if x._value.ndim != 4:
        raise invalid("The rank of the images should be 4 [Op:DrawBoundingBoxesV2]")
    if b._value.ndim != 3 or b._value.shape[0] != x._value.shape[0] or b._value.shape[2] != 4:
        raise invalid(
            f"boxes must have shape ({x._value.shape[0]}, n, 4), got {b.shape} "
            f"[Op:DrawBoundingBoxesV2]"
        )
    if x._value.shape[3] not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)", About.VALUES)
    if colors is None:  # TensorFlow's first version of the operation, whose gradient is None
        return _draw_p(stop_gradient(x), stop_gradient(b), Tensor(np.zeros((0, 4), np.float32)))
    return _draw_p(x, b, tensor(colors))


def _glimpse(images: Any, starts: Any, *, size: tuple[int, int], noise: str, seed: int) -> Any:
    engine = np.random.default_rng(seed)
    out = np.zeros((len(images), *size, images.shape[-1]), images.dtype)
    limits = images.shape[1:3]
    for image, start, made in zip(images, starts, out, strict=True):
        if noise == "uniform":
            made[:] = engine.uniform(image.min(), image.max(), made.shape)
        elif noise == "gaussian":
            made[:] = engine.normal(image.mean(), image.std(), made.shape)
        low = [max(int(s), 0) for s in start]
        high = [min(int(s) + n, m) for s, n, m in zip(start, size, limits, strict=True)]
        if low[0] < high[0] and low[1] < high[1]:
            rows = slice(low[0] - start[0], high[0] - start[0])
            columns = slice(low[1] - start[1], high[1] - start[1])
            made[rows, columns] = image[low[0] : high[0], low[1] : high[1]]
    return out


_glimpse_p = opaque("ExtractGlimpseV2", _glimpse)


@export("image.extract_glimpse")
@takes(centered="bool", normalized="bool", noise="string")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Crops a window from each image.

    Args:
      input: A float tensor of shape (batch, height, width, channels).
      size: The height and width of the window.
      offsets: The position of the window in each image, of shape (batch, 2).
      centered: Whether offsets are measured from the centre of the image to the centre of the
        window.
      normalized: Whether offsets are fractions of the image rather than pixels.
      noise: The values outside of the image: "uniform", "gaussian" or "zero".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *size, channels).

    Raises:
      InvalidArgumentError: The shapes are incompatible, or `noise` is unknown.
      LookupError: When the gradient is computed, which TensorFlow does not define.
    """
    how = (centered, normalized, noise)
    return glimpses(convert_to_tensor(input, float32), size, offsets, *how, _start)


def _start(at: Numbers, extent: Numbers, window: Numbers, centered: bool, scaled: bool) -> Numbers:
    """Returns the upper left corners of windows in pixels."""
    if centered and scaled:
        return (at + 1) * extent / 2 - window / 2
    return at * extent if scaled else at + extent / 2 if centered else at


def first_start(
    at: Numbers, extent: Numbers, window: Numbers, centered: bool, scaled: bool
) -> Numbers:
    """Returns what the first version of the operation takes for the upper left corners."""
    at = at * extent if scaled else at
    at = at / 2 + extent / 2 if centered else at
    return at - window / 2


def glimpses(
    x: Tensor,
    size: Any,
    offsets: Any,
    centered: bool,
    normalized: bool,
    noise: str,
    start: Callable[[Numbers, Numbers, Numbers, bool, bool], Numbers],
) -> Tensor:
    """Crops a window from each image; see `extract_glimpse`.

    Args:
      x: A float tensor of shape (batch, height, width, channels).
      size: The height and width of the window.
      offsets: The position of the window in each image.
      centered: Whether offsets are measured from the centre of the image.
      normalized: Whether offsets are fractions of the image.
      noise: The values outside of the image.
      start: Returns the upper left corners for the offsets.
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid(
            "The noise could only be uniform, gaussian, or zero, "
            f"got {noise} [Op:ExtractGlimpseV2]",
            About.VALUES,
        )
    if x._value.ndim != 4:
        raise invalid(f"input must be a 4-D tensor, got shape {x.shape} [Op:ExtractGlimpseV2]")
    at = _array(offsets).astype(np.float64)
    if at.shape != (x._value.shape[0], 2):
        raise invalid(f"first dimension should be batch{list(at.shape)} [Op:ExtractGlimpseV2]")
    window = [int(n) for n in np.asarray(tensor(size)._numpy())]
    extent = np.array(x._value.shape[1:3], np.float64)
    at = start(at, extent, np.array(window), centered, normalized)
    starts = Tensor(np.trunc(at).astype(np.int64))
    seed = own_seed(None) if noise != "zero" else 0
    return _glimpse_p(x, starts, size=(window[0], window[1]), noise=noise, seed=seed)
