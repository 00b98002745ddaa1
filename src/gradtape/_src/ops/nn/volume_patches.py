"""The windows of volumes, laid out in the channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    invalid,
)
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import pad_p
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.slicing import getitem


@export("extract_volume_patches")
@raw_op("ExtractVolumePatches")
def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """The windows of volumes, each laid out in the channels.

    Args:
      input: A tensor of shape (batch, planes, rows, columns, channels).
      ksizes: The window, [1, planes, rows, columns, 1].
      strides: How far it moves on, in the same form.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new planes, new rows, new columns, window * channels).

    Raises:
      InvalidArgumentError: An argument is malformed, or the window larger than the volume.
    """
    x = tensor(input)
    window, steps = ([int(n) for n in np.ravel(v)] for v in (ksizes, strides))
    if len(shape_of(x)) != 5 or len(window) != 5 or len(steps) != 5:
        raise invalid(
            f"input must be 5-dimensional, ksizes and strides of five numbers: got shape "
            f"{x.shape}, {window} and {steps} [Op:ExtractVolumePatches]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid(f"padding must be SAME or VALID, got {padding!r} [Op:ExtractVolumePatches]")
    space, k, s = shape_of(x)[1:4], window[1:4], steps[1:4]
    if padding == "SAME":
        out = [-(-n // m) for n, m in zip(space, s, strict=True)]
        gaps = [max((o - 1) * m + w - n, 0) for o, m, w, n in zip(out, s, k, space, strict=True)]
        before = (0, *(g // 2 for g in gaps), 0)
        after = (0, *(g - g // 2 for g in gaps), 0)
        x = pad_p(x, before=before, after=after)
    else:
        out = [(n - w) // m + 1 for n, m, w in zip(space, s, k, strict=True)]
        if min(out) < 1:
            raise invalid(f"window {k} is larger than {list(space)} [Op:ExtractVolumePatches]")
    parts = []
    for at in np.ndindex(*k):
        spans = [slice(i, i + (o - 1) * m + 1, m) for i, o, m in zip(at, out, s, strict=True)]
        parts.append(getitem(x, (slice(None), *spans)))
    return concat(parts, -1)
