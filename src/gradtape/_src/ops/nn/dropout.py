"""Dropout: sets random elements to 0 and scales the others up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.lengths_of_values import lengths_of_values
from gradtape._src.ops.elementwise.comparison import greater_equal_p
from gradtape._src.ops.elementwise.selection import select_p, zero_of
from gradtape._src.ops.random.distributions import uniform
from gradtape._src.ops.random.stateless import stateless_uniform


@export("nn.dropout")
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """Sets elements to 0 at random, and scales the others up by `1 / (1 - rate)`.

    Args:
      x: A floating-point tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      noise_shape: The shape of the random decisions, which are broadcast. Defaults to the shape of
        `x`.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.

    >>> tf.nn.dropout(tf.ones((2, 3)), rate=0.0).numpy()
    array([[1., 1., 1.],
           [1., 1., 1.]], dtype=float32)
    """
    return _dropped(
        x, rate, noise_shape, lambda shape, dtype: uniform(shape, seed=seed, dtype=dtype)
    )


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Drops elements as `dropout` does; the decisions depend on the seed alone.

    Args:
      x: A floating-point tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      seed: Two integers.
      rng_alg: The name or number of an algorithm; there is one.
      noise_shape: The shape of the random decisions, which are broadcast. Defaults to the shape of
        `x`.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.
    """
    alg = "auto_select" if rng_alg is None else rng_alg

    def draw(shape: Any, dtype: Any) -> Tensor:
        return stateless_uniform(shape, seed, dtype=dtype, alg=alg)

    return _dropped(x, rate, noise_shape, draw)


@export("nn.experimental.general_dropout")
def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """Drops elements as `dropout` does, with random numbers from a given function.

    Args:
      x: A floating-point tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      uniform_sampler: A function `(shape, dtype) -> numbers` that draws uniform random numbers in
        [0, 1).
      noise_shape: The shape of the random decisions, which are broadcast. Defaults to the shape of
        `x`.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.
    """
    return _dropped(
        x, rate, noise_shape, lambda shape, dtype: uniform_sampler(shape=shape, dtype=dtype)
    )


def _dropped(given: Any, rate: Any, noise_shape: Any, draw: Callable[[Any, Any], Any]) -> Tensor:
    x = tensor(given)
    if not dtype_of(x._value).is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x.dtype={x.dtype}"
        )
    if isinstance(rate, (int, float)):
        if not 0 <= rate < 1:
            raise ValueError(
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}"
            )
        if rate == 0:
            return x
    p = convert_to_tensor(rate, x.dtype)
    if shape_of(p):
        raise ValueError(f"`rate` must be a scalar tensor, not one of shape {p.shape}")
    shape = shape_of(x) if noise_shape is None else _noise_shape(x, noise_shape)
    return select_p(greater_equal_p(draw(shape, x.dtype), p), x * (1 / (1 - p)), zero_of(x))


def _noise_shape(x: Any, shape: Any) -> list[int]:
    """Returns the given shape, in which None is replaced by the length of that axis of `x`."""
    if not isinstance(shape, (list, tuple)) and len(shape_of(tensor(shape))) != 1:
        found = shown_shape(shape_of(tensor(shape)))
        raise invalid(f"`noise_shape` must be a vector of integers, got shape {found} [Op:dropout]")
    open_ = lengths_of_values(shape) if active_tapes() is None else None
    if open_ is not None:
        return list(open_)
    wanted = list(shape) if isinstance(shape, (list, tuple)) else list(tensor(shape)._numpy())
    if len(wanted) != len(shape_of(x)):
        return [int(n) for n in wanted]
    return [own if n is None else int(n) for n, own in zip(wanted, shape_of(x), strict=True)]
