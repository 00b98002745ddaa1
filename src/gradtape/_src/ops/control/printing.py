"""`tf.print`: abbreviated tensors in TensorFlow's format."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import levels, resource
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import TensorLike
from gradtape._src.declare.eager_only import each_run, refuse_under_jit
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.ragged_text import summary_text
from gradtape._src.ops.types.sparse_tensor import SparseTensor

_LEVELS = {20: "INFO", 30: "WARNING", 40: "ERROR", 0: "INFO", -1: "WARNING", -2: "ERROR"}
"""The levels of `tf.compat.v1.logging` and of `absl.logging`."""


@export("print")
@each_run("PrintV2")
def print_(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints values; long tensors are abbreviated to the first and last elements along each axis.

    Args:
      *inputs: Tensors, Python values, and structures of them.
      output_stream: `sys.stderr`, the default, `sys.stdout`, another open stream, "file://PATH" to
        append to a file, or a level of logging, such as `absl.logging.INFO`: then the level and the
        text are written to `sys.stderr`.
      summarize: The number of elements to print at each end of an axis; -1 for all.
      sep: The text between the inputs.
      end: The text after the last input.
      name: Accepted for compatibility.

    Raises:
      ValueError: The stream is not one of these.

    >>> import sys
    >>> tf.print("x:", tf.constant([1, 2]), output_stream=sys.stdout)
    x: [1 2]
    """
    refuse_under_jit("tf.print")
    text = sep.join([x if isinstance(x, str) else _shown(x, summarize) for x in inputs]) + end
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        path = output_stream.removeprefix("file://")
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123  (pathlib loads slowly)
            file.write(text)
        return
    stream = sys.stderr if output_stream is None else output_stream
    if callable(stream):  # The stream may be a function such as logging.info.
        stream(text)
    elif hasattr(stream, "write"):
        stream.write(text)
    elif stream in _LEVELS:
        sys.stderr.write(f"{_LEVELS[stream]}: {text}")
    else:
        raise ValueError(
            f"Unsupported output stream, logging level, or file: {output_stream!r}. Give "
            f"sys.stdout, sys.stderr, an open file, or 'file://<filepath>'."
        )


def _shown(x: Any, summarize: int) -> str:
    """Formats a value, which may be a structure."""
    if isinstance(x, TensorLike):
        dense = tensor(x)
        value = levels(dense._value) if dense.dtype is resource else dense._numpy()
        return _array(np.asarray(value, dtype=None), summarize, dense.dtype.name, 1)
    if isinstance(x, np.ndarray):
        return _shown(tensor(x), summarize)
    if isinstance(x, RaggedTensor):
        return summary_text(x.to_list(), summarize, partial(_ragged_element, x.dtype.name))
    if isinstance(x, SparseTensor):
        parts = [_shown(part, summarize) for part in (x.indices, x.values, x.dense_shape)]
        return "'SparseTensor(indices={}, values={}, shape={})'".format(*parts)
    if isinstance(x, dict):
        return "{" + ", ".join([f"{k!r}: {_shown(v, summarize)}" for k, v in x.items()]) + "}"
    if isinstance(x, (list, tuple)):
        inside = ", ".join([_shown(v, summarize) for v in x])
        if isinstance(x, list):
            return f"[{inside}]"
        return f"({inside},)" if len(x) == 1 else f"({inside})"
    return repr(x) if isinstance(x, str) else str(x)


def _ragged_element(dtype: str, x: Any) -> str:
    """Formats an element of a ragged tensor as `tf.strings.as_string` does; strings in quotes."""
    if isinstance(x, bytes):
        return "'" + x.decode(errors="backslashreplace") + "'"
    if isinstance(x, bool):
        return str(x).lower()
    return f"{x:.6f}" if isinstance(x, float) else _element(np.asarray(x)[()], dtype)


def _array(x: Any, summarize: int, dtype: str, depth: int) -> str:
    """Formats an array, axis by axis."""
    if not np.ndim(x):
        return _element(np.asarray(x)[()], dtype)
    n = len(x)
    short = summarize >= 0 and n > 2 * summarize
    places = [*range(summarize), *range(n - summarize, n)] if short else list(range(n))
    parts = [_array(x[i], summarize, dtype, depth + 1) for i in places]
    if short:
        parts.insert(summarize, "...")
    between = " " if np.ndim(x) == 1 else "\n" * (np.ndim(x) - 1) + " " * depth
    return "[" + between.join(parts) + "]"


def _element(x: Any, dtype: str) -> str:
    """Formats one element as TensorFlow's C++ code does."""
    if isinstance(x, bytes):
        return '"' + x.decode(errors="backslashreplace") + '"'
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if np.iscomplexobj(x):
        return str(x)
    if "float" not in dtype:
        return str(x)
    short, kind = (15, np.float64) if dtype == "float64" else (6, np.float32)
    value = kind(x)
    text = f"{value:.{short}g}"
    return text if kind(text) == value else f"{value:.{short + (2 if short == 15 else 3)}g}"
