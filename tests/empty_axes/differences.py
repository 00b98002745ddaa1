"""The differences from TensorFlow on empty inputs, with the reasons."""

from __future__ import annotations

import re
from typing import Any

from .outcomes import UNSET

NOT_THERE = {
    "NotInTensorFlowError",  # the sample calls what is gradtape's alone
    "LookupError",  # no gradient registered
    "UnimplementedError",  # a kernel that the CPU has not
    "crash",  # TensorFlow ends the process
    "ZeroDivisionError",  # a fault of TensorFlow's own Python
    "AttributeError",
    "InternalError",
    UNSET,  # TensorFlow gives what was in memory before
}

REFUSED_THERE = {  # what TensorFlow's kernels refuse has a plain value here
    r"overlap_and_add|Conv2D|conv[123]d|separable_conv|max_pool_with_argmax|fractional|resize": (
        "an axis of the image's batch or channels that is empty"
    ),
    r"RFFT-padded|IRFFT-odd|rfft of 5|DCT|dct": "transforms of no rows, padded to a length",
    r"oftmaxCrossEntropy|oftmax_cross_entropy|lrn|confusion|repeat": "no classes, no rows",
}

ANOTHER = {  # both answer, each in its own way
    r"(onv|dilation|erosion).*\b(0x\dx|\dx0x|0x0x)": "a window without elements is refused",
    r"^(GatherV2|Sqrt-embedding|call unsorted_segment_sum none)": (
        "a place that does not exist is refused in an empty table, too"
    ),
    r"[Ee]insum": "axes that share a letter must have one length, 0 included",
    r"^TridiagonalSolve|tridiagonal": "shapes that do not fit are a ValueError, 0 included",
    r"-lu 0x0": "shapes that do not fit are a ValueError, 0 included",
    r"[Cc]ross (0x0|2x0|3x0)|rgb_to_hsv": "a wrong number of channels is an InvalidArgumentError",
    r"CTCLoss": "`blank_index` out of range is a ValueError",
    r"vectorized_map|(normalize_moments|Variable) no ex": "the function's own error comes",
    r"scan of two": "elements of different lengths are a ValueError",
    r"crop_and_resize": "boxes have no gradient; a place out of range is an InvalidArgumentError",
    r"Mean-per_image": "float64 images stay float64",
    r"^PadV2": "the padded value has its derivative",
    r"[Ee]xp(onential|m)\b": "the gradient is zeros where it is None",
}


def waived(name: str, stage: str, mine: Any, want: Any) -> bool:
    """Whether an answer of gradtape's that is not TensorFlow's is meant.

    Args:
      name: The case's name.
      stage: The requested result.
      mine: Results as `outcomes.plain` gives them, or an exception's name.
      want: TensorFlow's results, in the same form.
    """
    if isinstance(want, str):
        if want in NOT_THERE:
            return True
        if not isinstance(mine, str):  # it refuses, gradtape doesn't
            return stage != "values" or any(re.search(p, name) for p in REFUSED_THERE)
    elif stage == "vectorized" and not isinstance(mine, str) and forgets_an_axis(mine, want):
        return True
    return any(re.search(pattern, name) for pattern in ANOTHER)


def forgets_an_axis(mine: list[Any], want: list[Any]) -> bool:
    """Whether the shapes are those of one example but for a length that is 1 in TensorFlow's."""
    return all(
        len(a[1]) == len(b[1]) and all(m in (n, 1) for n, m in zip(a[1], b[1], strict=True))
        for a, b in zip(mine, want, strict=True)
    )
