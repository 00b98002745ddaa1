"""What XLA computes for operations on labels; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

Kernel = Callable[..., Any]


def _zero_fraction(x: Any) -> Any:
    return jnp.mean((x == 0).astype(np.float32))


# Labels.


def _put_along(x: Any, labels: Any, change: Any) -> Any:
    """`x` with `change(where labels hit, x)`."""
    hit = labels[..., None] == np.arange(x.shape[-1], dtype=np.int32)
    return jnp.where(hit, change, x)


def _take_labels(x: Any, labels: Any) -> Any:
    return jnp.take_along_axis(x, labels[..., None], -1, mode="clip")[..., 0]


def _subtract_at(x: Any, v: Any, labels: Any) -> Any:
    return _put_along(x, labels, x - v[..., None])


def _put_labels(v: Any, labels: Any, *, depth: int) -> Any:
    return _put_along(jnp.zeros((*labels.shape, depth), v.dtype), labels, v[..., None])


KERNELS: dict[str, Kernel] = {
    "PutLabels": _put_labels,
    "SubtractAtLabels": _subtract_at,
    "TakeLabels": _take_labels,
    "ZeroFraction": _zero_fraction,
}
