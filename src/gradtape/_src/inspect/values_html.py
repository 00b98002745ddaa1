"""HTML of tensors and variables for notebooks: facts, and the numbers or a picture of them."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_CELLS = 100  # the maximum number of elements that are shown one by one
_SIDE = 48  # the maximum number of rows and of columns of a heat map
_BINS = 24
_WIDTH, _HEIGHT = 240, 60  # the size of a picture in pixels
_BLUE, _RED = (33, 102, 172), (178, 24, 43)
_NOT_FINITE = (240, 200, 0, 204)
_STRONGEST = 0.55  # the maximum opacity behind a number


def values_html(x: Any, value: Array) -> str:
    """Returns HTML for a tensor or variable.

    Args:
      x: The tensor or variable.
      value: Its numbers.

    Returns:
      A `div` without scripts: dtype, shape and statistics; all numbers of a small tensor, with
      colours that show their size, a heat map of a larger matrix, a histogram of anything else; and
      the text that `str` returns, which a click unfolds.
    """
    parts = [_heading(x, value)]
    numbers = _numbers(value)
    seen = numbers is not None and numbers.size > 1
    if numbers is not None and seen:
        parts += [_statistics(numbers), _picture(value, numbers)]
    parts.append(_text(str(x), folded=seen))
    return f'<div style="line-height:1.4">{"".join(parts)}</div>'


def _heading(x: Any, value: Array) -> str:
    name = getattr(x, "name", None) if type(x).__name__ != "EagerTensor" else None
    kind = f"tf.Variable {html.escape(repr(name))}" if name else "tf.Tensor"
    return f"<div><b>{kind}</b> &nbsp; shape {value.shape} &nbsp; {x.dtype.name}</div>"


def _numbers(value: Array) -> Array | None:
    """Returns the numbers as float64; None for strings, booleans, complex numbers and so on."""
    if value.dtype.kind in "OSUbc":
        return None
    try:
        return value.astype(np.float64)
    except (TypeError, ValueError):  # a type of ml_dtypes without this conversion
        return None


def _statistics(numbers: Array) -> str:
    finite = numbers[np.isfinite(numbers)]
    facts = []
    if finite.size:
        with np.errstate(over="ignore", invalid="ignore"):
            known: list[tuple[str, Callable[[Array], Any]]] = [
                ("min", np.min),
                ("mean", np.mean),
                ("max", np.max),
                ("standard deviation", np.std),
            ]
            found = [(name, float(function(finite))) for name, function in known]
        facts += [f"{name} {number:.4g}" for name, number in found if np.isfinite(number)]
    bad = [
        f"{count} {name}"
        for name, count in (
            ("NaN", int(np.isnan(numbers).sum())),
            ("infinite", int(np.isinf(numbers).sum())),
        )
        if count
    ]
    if bad:
        facts.append(f'<b style="color:rgb{_RED}">{", ".join(bad)}</b>')
    return f'<div style="opacity:.8">{" &nbsp; ".join(facts)}</div>' if facts else ""


def _picture(value: Array, numbers: Array) -> str:
    if numbers.ndim in (1, 2) and numbers.size <= _CELLS:
        return _table(np.atleast_2d(value), np.atleast_2d(numbers))
    if numbers.ndim == 2 and min(numbers.shape) > 1:
        return _heat_map(numbers)
    return _histogram(numbers) if numbers.size > _CELLS or numbers.ndim > 2 else ""


def _table(value: Array, numbers: Array) -> str:
    scale = _scale(numbers)

    def cell(shown: Any, number: float) -> str:
        style = f"text-align:right;background:{_color(number, scale)}"
        text = str(shown) if isinstance(shown, int) else f"{float(shown):.5g}"
        return f'<td style="{style}">{text}</td>'

    rows = [
        "".join(cell(shown, number) for shown, number in zip(*row, strict=True))
        for row in zip(value.tolist(), numbers, strict=True)
    ]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _heat_map(numbers: Array) -> str:
    small = numbers
    for axis in (0, 1):  # average neighbours, so that at most _SIDE rows and columns remain
        starts = np.arange(0, small.shape[axis], -(-small.shape[axis] // _SIDE))
        counts = np.diff([*starts, small.shape[axis]])
        sums = np.add.reduceat(small, starts, axis)
        small = sums / (counts[:, None] if axis == 0 else counts)
    scale = _scale(small)
    size = max(2, min(8, 384 // max(small.shape)))
    rows, columns = small.shape
    address = base64.b64encode(_png(_colors(small, scale))).decode("ascii")
    return (
        f'<img src="data:image/png;base64,{address}" width="{columns * size}" '
        f'height="{rows * size}" title="heat map: blue is negative, red positive" alt="heat map" '
        'style="display:block;margin:4px 0;image-rendering:pixelated;'
        'outline:1px solid rgba(128,128,128,.3)"/>'
    )


def _colors(numbers: Array, scale: float) -> Array:
    """Returns the pixels of a heat map (red, green, blue, opacity), coloured as by `_color`."""
    pixels = np.empty((*numbers.shape, 4), np.uint8)
    pixels[..., :3] = np.where((numbers < 0)[..., None], _BLUE, _RED)
    with np.errstate(invalid="ignore"):
        pixels[..., 3] = np.nan_to_num(np.abs(numbers) / scale * 255, posinf=0)
    pixels[~np.isfinite(numbers)] = _NOT_FINITE
    return pixels


def _png(pixels: Array) -> bytes:
    """Returns a PNG file of pixels with opacity."""
    rows, columns, _ = pixels.shape
    lines = np.zeros((rows, 4 * columns + 1), np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = pixels.reshape(rows, -1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _histogram(numbers: Array) -> str:
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = float(finite.min()), float(finite.max())
        if not np.isfinite(high - low):
            return ""
    # np.histogram raises an error if the range is too narrow for distinct bins
    places = (finite - low) / (high - low) if high > low else np.full(finite.shape, 0.5)
    bins = np.minimum((places * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    step = _WIDTH / _BINS
    bars = []
    for k, count in enumerate(counts):
        height = _HEIGHT * count / counts.max()
        bars.append(
            f'<rect x="{k * step:.1f}" y="{_HEIGHT - height:.1f}" width="{step - 1:.1f}" '
            f'height="{height:.1f}" fill="rgb{_BLUE}"/>'
        )
    return _svg(_WIDTH, _HEIGHT, bars, f"histogram from {low:.4g} to {high:.4g}")


def _svg(width: float, height: float, shapes: Sequence[str], title: str) -> str:
    return (
        f'<svg width="{width}" height="{height}" role="img" '
        'style="display:block;margin:4px 0;outline:1px solid rgba(128,128,128,.3)">'
        f"<title>{html.escape(title)}</title>{''.join(shapes)}</svg>"
    )


def _scale(numbers: Array) -> float:
    finite = np.abs(numbers[np.isfinite(numbers)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _color(number: float, scale: float) -> str:
    """Returns blue for negative numbers, red for positive, and yellow for non-finite numbers."""
    if not np.isfinite(number):
        return f"rgba({','.join(map(str, _NOT_FINITE[:3]))},.8)"
    red, green, blue = _BLUE if number < 0 else _RED
    return f"rgba({red},{green},{blue},{_STRONGEST * abs(number) / scale:.2f})"


def _text(text: str, *, folded: bool) -> str:
    shown = f'<pre style="margin:2px 0">{html.escape(text)}</pre>'
    if not folded:
        return shown
    return f'<details><summary style="opacity:.8">as text</summary>{shown}</details>'
