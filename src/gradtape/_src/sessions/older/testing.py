"""`tf.compat.v1.test`: the gradients of graphs, compared with differences."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradtape._src.base.errors import exception_types
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.graph.symbolic_gradients import gradients
from gradtape._src.sessions.placeholders import placeholder
from gradtape._src.sessions.session import get_default_session

_Array = np.ndarray[Any, Any]


@export("compat.v1.test.get_temp_dir")
@cache
def get_temp_dir() -> str:
    """Returns a directory for files of tests.

    Returns:
      The path of a directory, which is the same for all calls of the process.
    """
    return tempfile.mkdtemp()


@export("compat.v1.test.compute_gradient")
def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> tuple[_Array, _Array] | list[tuple[_Array, _Array]]:
    """Computes the Jacobian of a tensor of a graph by its gradient, and by differences.

    Args:
      x: The tensor to differentiate by, or a list of tensors.
      x_shape: Its shape, or a list of shapes.
      y: The tensor to differentiate.
      y_shape: Its shape.
      x_init_value: The value of `x` at which the Jacobian is computed, or a list of values.
        Defaults to random numbers.
      delta: The step of the differences.
      init_targets: Operations that are run first.
      extra_feed_dict: Values that are fed besides `x`.

    Returns:
      Both Jacobians, of shape (elements of x, elements of y); a list of such pairs for a list.

    Raises:
      ValueError: There is no default session.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.constant([1.0, 2.0])
    ...     pair = tf.compat.v1.test.compute_gradient(x, [2], x * x, [2], [1.0, 2.0])
    >>> pair[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    session = get_default_session()
    if session is None:
        raise ValueError("There is no default session: use `with session.as_default():`")
    if init_targets is not None:
        session.run(init_targets)
    several = isinstance(x, list)
    xs, shapes = (x, x_shape) if several else ([x], [x_shape])
    starts = x_init_value if several else [x_init_value]
    given = starts or [None] * len(xs)
    at = [_start(*each) for each in zip(xs, shapes, given, strict=True)]
    fed = dict(zip(xs, at, strict=True)) | dict(extra_feed_dict or {})
    upstream = placeholder(y.dtype, y_shape)
    found = []
    for i, dx in enumerate(gradients([y], xs, [upstream])):
        size = at[i].size, int(np.prod(y_shape))

        def by_gradient(g: _Array, dx: Any = dx) -> _Array:
            return np.asarray(session.run(convert_to_tensor(dx), fed | {upstream: g}))

        def value(z: _Array, i: int = i) -> _Array:
            return np.asarray(session.run(y, fed | {xs[i]: z}))

        ours = np.zeros(size) if dx is None else _rows(by_gradient, y_shape, at[i].dtype).T
        found.append((ours, _differences(value, at[i], delta, size)))
    return found if several else found[0]


def _start(x: Any, shape: Any, value: Any) -> _Array:
    if value is None:
        value = np.random.default_rng(0).random(shape)
    return np.asarray(value, x.dtype.as_numpy_dtype)


def _rows(of: Callable[[_Array], _Array], shape: Any, dtype: Any) -> _Array:
    """Returns the results of a linear function for each unit vector, as rows."""
    units = np.eye(int(np.prod(shape)), dtype=dtype)
    return np.stack([of(unit.reshape(shape)).reshape(-1) for unit in units])


def _differences(
    of: Callable[[_Array], _Array], at: _Array, delta: float, size: tuple[int, int]
) -> _Array:
    """Returns the Jacobian of a function by central differences."""
    found = np.zeros(size, at.dtype)
    for i in range(size[0]):
        step = np.zeros(size[0], at.dtype)
        step[i] = delta
        step = step.reshape(at.shape)
        found[i] = ((of(at + step) - of(at - step)) / (2 * delta)).reshape(-1)
    return found


@export("compat.v1.test.compute_gradient_error")
def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """Returns the largest difference of the two Jacobians that `compute_gradient` computes.

    Args:
      x: See `compute_gradient`.
      x_shape: See `compute_gradient`.
      y: See `compute_gradient`.
      y_shape: See `compute_gradient`.
      x_init_value: See `compute_gradient`.
      delta: See `compute_gradient`.
      init_targets: See `compute_gradient`.
      extra_feed_dict: See `compute_gradient`.

    Returns:
      A number.

    Raises:
      ValueError: There is no default session.
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max(float(np.abs(a - b).max(initial=0)) for a, b in pairs)


@export("compat.v1.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type[Exception]:
    """Returns the class of the errors with a number.

    Args:
      error_code: A number, such as `tf.errors.NOT_FOUND`.

    Returns:
      A class.

    Raises:
      KeyError: There is no such number.

    >>> tf.compat.v1.errors.exception_type_from_error_code(5).__name__
    'NotFoundError'
    """
    return exception_types()[error_code]


@export("compat.v1.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type[BaseException]) -> int | None:
    """Returns the number of a class of errors.

    Args:
      cls: The class.

    Returns:
      A number; None if the class does not belong to `tf.errors`.

    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5
    """
    return next((code for code, kind in exception_types().items() if kind is cls), None)
