"""Derivatives of functions, each computed in the cheapest way.

Every function here takes `fn` and `sources`, a nested structure of tensors and variables:

* if `fn` has parameters it is called at the sources: a tuple gives several arguments, anything
  else is the one argument (`fn(x)`, `fn(x, y)`, `fn({"w": w, "b": b})`);
* if `fn` has none it is called without arguments, and reads the sources itself, as a loss reads the
  variables of a model.

Results have the structure of the sources. Where no path leads from a source to the result the
derivative is zero. All results can be differentiated again by an outer tape or accumulator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.autodiff import jacobian as _jacobian
from gradtape._src.autodiff.arguments import UnconnectedGradients, leaf
from gradtape._src.autodiff.forward import ForwardAccumulator
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.vectorized_map import vectorized_map
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import next_id
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import dtype_of_value
from gradtape._src.declare.structural import concat_p, count, reshape_p, slice_p
from gradtape._src.ops.array.creation import zeros_of

NONE, ZERO = UnconnectedGradients.NONE, UnconnectedGradients.ZERO


@export("autodiff.gradient")
def gradient(
    fn: Callable[..., Any], sources: Any, unconnected_gradients: Any = UnconnectedGradients.NONE
) -> Any:
    """Returns the gradient of the sum of a function's result.

    Args:
      fn: A function of the sources, or one without parameters that reads them.
      sources: A tensor, variable or nested structure of them; see the module.
      unconnected_gradients: As in `GradientTape.gradient`.

    Returns:
      Tensors of the sources' shapes and dtypes, in their structure.

    Raises:
      TypeError, ValueError: The result of `fn` or a source is not a tensor.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.autodiff.gradient(lambda x: tf.reduce_sum(x**3), x).numpy().tolist()
    [3.0, 12.0]
    """
    return value_and_gradient(fn, sources, unconnected_gradients)[1]


@export("autodiff.value_and_gradient")
def value_and_gradient(
    fn: Callable[..., Any], sources: Any, unconnected_gradients: Any = UnconnectedGradients.NONE
) -> tuple[Any, Any]:
    """Computes a function's result, and the gradient of the sum of its elements.

    Args:
      fn: A function of the sources, or one without parameters that reads them.
      sources: A tensor, variable or nested structure of them; see the module.
      unconnected_gradients: As in `GradientTape.gradient`.

    Returns:
      A pair `(value, gradient)`.

    Raises:
      TypeError, ValueError: The result of `fn` or a source is not a tensor.

    >>> x = tf.constant([1.0, 2.0])
    >>> value, gradient = tf.autodiff.value_and_gradient(lambda x: tf.reduce_sum(x**3), x)
    >>> value.numpy(), gradient.numpy()
    (np.float32(9.0), array([ 3., 12.], dtype=float32))
    """
    at = Point(fn, sources, "gradient")
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(at.leaves)
        value = at.call()
    found = tape.gradient(value, at.leaves, unconnected_gradients=unconnected_gradients)
    return value, at.pack(found)


@export("autodiff.jacobian")
def jacobian(
    fn: Callable[..., Any], sources: Any, unconnected_gradients: Any = UnconnectedGradients.ZERO
) -> Any:
    """Returns the derivatives of all elements of a result with respect to all elements of sources.

    Args:
      fn: A function that returns one tensor; see the module.
      sources: A tensor, variable or nested structure of them.
      unconnected_gradients: As in `GradientTape.jacobian`; defaults to zeros.

    Returns:
      Tensors of shape `result.shape + source.shape`, in the structure of the sources.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.autodiff.jacobian(lambda x: x**2, x).numpy()
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    at = Point(fn, sources, "jacobian")
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(at.leaves)
        value = at.call()
    found = tape.jacobian(value, at.leaves, unconnected_gradients=unconnected_gradients)
    return at.pack(found)


@export("autodiff.jvp")
def jvp(fn: Callable[..., Any], sources: Any, tangents: Any) -> tuple[Any, Any]:
    """Computes the value of a function and its derivative along a direction, in forward mode.

    Args:
      fn: A function of the sources, or one without parameters that reads them.
      sources: A tensor, variable or nested structure of them.
      tangents: The direction, in the structure, shapes and dtypes of the sources.

    Returns:
      A pair `(value, tangent)`, both in the structure of the result.

    Raises:
      ValueError: Structures or shapes differ.

    >>> value, tangent = tf.autodiff.jvp(lambda x: x**2, tf.constant(3.0), tf.constant(1.0))
    >>> value.numpy(), tangent.numpy()
    (np.float32(9.0), np.float32(6.0))
    """
    at = Point(fn, sources, "jvp")
    with ForwardAccumulator(at.leaves, at.like_sources(tangents, "tangents")) as acc:
        value = at.call()
    return value, acc.jvp(value, ZERO)


@export("autodiff.vjp")
def vjp(fn: Callable[..., Any], sources: Any, cotangents: Any) -> tuple[Any, Any]:
    """Computes the value of a function and the gradient of its product with cotangents.

    The gradient takes one backward pass.

    Args:
      fn: A function of the sources, or one without parameters that reads them.
      sources: A tensor, variable or nested structure of them.
      cotangents: In the structure, shapes and dtypes of the result.

    Returns:
      A pair `(value, gradient)`, the latter in the structure of the sources.

    Raises:
      ValueError: Structures or shapes differ.

    >>> value, gradient = tf.autodiff.vjp(lambda x: x**2, tf.constant(3.0), tf.constant(1.0))
    >>> value.numpy(), gradient.numpy()
    (np.float32(9.0), np.float32(6.0))
    """
    at = Point(fn, sources, "vjp")
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(at.leaves)
        value = at.call()
    given = _matching(cotangents, value, nest.flatten(value), "vjp", "cotangents", "the result")
    cotangents = nest.pack_sequence_as(value, given)
    return value, at.pack(tape.gradient(value, at.leaves, cotangents, ZERO))


@export("autodiff.hvp")
def hvp(fn: Callable[..., Any], sources: Any, vectors: Any) -> Any:
    """Returns the product of a Hessian with a vector, without the Hessian.

    Differentiates a recorded gradient in reverse mode, which takes about twice the time of the
    gradient. Of the four ways to combine the modes, this was measured to be the fastest.

    Args:
      fn: A function that returns a real scalar; see the module.
      sources: A tensor, variable or nested structure of them.
      vectors: In the structure, shapes and dtypes of the sources.

    Returns:
      Tensors of the sources' shapes, in their structure.

    Raises:
      ValueError: The result is not a real scalar, or structures or shapes differ.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.autodiff.hvp(lambda x: tf.reduce_sum(x**3), x, tf.constant([1.0, 1.0])).numpy().tolist()
    [6.0, 12.0]
    """
    at = Point(fn, sources, "hvp")
    given = at.like_sources(vectors, "vectors")
    tape, gradients = at.recorded_gradient()
    return at.pack(tape.gradient(gradients, at.leaves, given, ZERO))


@export("autodiff.hessian")
def hessian(fn: Callable[..., Any], sources: Any) -> Any:
    """Returns the second derivatives of a scalar, by one vectorized pass over its gradient.

    Args:
      fn: A function that returns a real scalar; see the module.
      sources: A tensor, variable or nested structure of them.

    Returns:
      For one source a tensor of shape `x.shape + x.shape`. For a structure, a structure of
      structures, which holds at [i][j] a tensor of shape `source_i.shape + source_j.shape`.

    Raises:
      ValueError: The result is not a real scalar, or a source is complex.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.autodiff.hessian(lambda x: x[0] ** 2 * x[1], x).numpy().tolist()
    [[4.0, 2.0], [2.0, 0.0]]
    """
    at = Point(fn, sources, "hessian")
    tape, gradients = at.recorded_gradient()
    if len({x._value.dtype for x in at.leaves}) > 1:
        rows = [tape.jacobian(g, at.leaves, ZERO) for g in gradients]
        return at.pack([at.pack(row) for row in rows])
    if len(gradients) == 1:
        return at.pack([at.pack(tape.jacobian(gradients[0], at.leaves, ZERO))])
    with tape:
        joined = joined_vector(gradients)
    columns = tape.jacobian(joined, at.leaves, ZERO)
    blocks, begin = [], 0
    for x in at.leaves:
        shape = x._value.shape
        end = begin + count(shape)
        blocks.append(at.pack([_rows(c, begin, end, shape) for c in columns]))
        begin = end
    return at.pack(blocks)


@export("autodiff.hessian_diagonal")
def hessian_diagonal(fn: Callable[..., Any], sources: Any) -> Any:
    """Returns the diagonal of the Hessian: the exact second derivative for each source element.

    Computes as many Hessian-vector products as there are elements, in vectorized chunks of bounded
    memory; the whole Hessian is never in memory. `sparse_hessian` needs fewer if the Hessian is
    sparse.

    Args:
      fn: A function that returns a real scalar; see the module.
      sources: A tensor, variable or nested structure of them.

    Returns:
      Tensors of the sources' shapes, in their structure.

    Raises:
      ValueError: The result is not a real scalar, or a source is complex.
    """
    at = Point(fn, sources, "hessian_diagonal")
    tape, gradients = at.recorded_gradient()
    return at.pack([_diagonal(tape, g, x) for g, x in zip(gradients, at.leaves, strict=True)])


def _diagonal(tape: GradientTape, g: Any, x: Any) -> Any:
    shape = tuple(x._value.shape)
    n = count(shape)
    records = tape._records([x])
    rows = max(1, _jacobian.CHUNK_BYTES // max(1, n * x._value.dtype.itemsize))
    parts = []
    for begin in range(0, n, rows):
        k = min(rows, n - begin)
        seed = np.eye(k, n, begin, x._value.dtype)
        (part,) = _jacobian.backward(records, g, seed.reshape(k, *shape), [x])
        if part is None:
            return zeros_of(x)
        block = slice_p(reshape_p(part, shape=(k, n)), begin=(0, begin), end=(k, begin + k))
        parts.append(_diagonal_of(block, k))
    if not parts:
        return zeros_of(x)
    found = reshape_p(concat_p(*parts, axis=-1) if len(parts) > 1 else parts[0], shape=shape)
    return found if type(found) is Tensor else Tensor(found)


def _diagonal_of(block: Any, k: int) -> Any:
    """Returns the diagonal of a square: every (k + 1)th element."""
    flat = reshape_p(block, shape=(k * k,))
    padded = concat_p(flat, np.zeros(k, dtype_of_value(flat)), axis=-1)
    return reshape_p(
        slice_p(reshape_p(padded, shape=(k, k + 1)), begin=(0, 0), end=(k, 1)), shape=(k,)
    )


@export("autodiff.per_example_gradients")
def per_example_gradients(fn: Callable[..., Any], sources: Any, examples: Any) -> Any:
    """Returns the gradient of each example's loss, vectorized over all examples.

    Args:
      fn: Takes one example (a tuple gives several arguments) and returns its loss, a scalar. A
        model that expects a batch is given one of a single example: `model(x[None])`.
      sources: The variables or tensors that `fn` reads, in any nested structure.
      examples: A tensor, or nested structure of tensors, with the examples along axis 0.

    Returns:
      Tensors of shape `(examples, *source.shape)`, in the structure of the sources.

    Raises:
      ValueError: A loss is not a scalar, or the numbers of examples differ.

    >>> w = tf.Variable([1.0, 2.0])
    >>> x = tf.constant([[1.0, 0.0], [0.0, 3.0]])
    >>> g = tf.autodiff.per_example_gradients(lambda x: tf.reduce_sum(w * x) ** 2, w, x)
    >>> g.numpy().tolist()
    [[2.0, 0.0], [0.0, 36.0]]
    """
    leaves = [_leaf(x, "per_example_gradients") for x in nest.flatten(sources)]
    for x in leaves:
        if isinstance(x, Variable):
            x._read()

    def one(example: Any) -> Any:
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(leaves)
            loss = fn(*example) if type(example) is tuple else fn(example)
        _check_scalar(loss, "per_example_gradients")
        return [_dense(g) for g in tape.gradient(loss, leaves, unconnected_gradients=ZERO)]

    return nest.pack_sequence_as(sources, vectorized_map(one, examples))


class Point:
    """A function and the sources at which it is differentiated.

    Attributes:
      leaves: The sources as tensors and variables, flat.
    """

    def __init__(self, fn: Callable[..., Any], sources: Any, who: str) -> None:
        if not callable(fn):
            raise TypeError(
                f"{who}: `fn` must be a function, not {fn!r} (for a tensor that was already "
                "computed under a tape, use tape.gradient(target, sources))"
            )
        self.fn, self.sources, self.who = fn, sources, who
        self.leaves = [_leaf(x, who) for x in nest.flatten(sources)]
        self.closed = _takes_nothing(fn)

    def pack(self, flat: Sequence[Any]) -> object:
        """Returns results in the structure of the sources."""
        return nest.pack_sequence_as(self.sources, flat)

    def call(self) -> object:
        """Calls the function."""
        if self.closed:
            return self.fn()
        given = self.pack(self.leaves)
        return self.fn(*given) if type(given) is tuple else self.fn(given)

    def like_sources(self, values: Any, name: str) -> list[Any]:
        """Returns tangents or vectors as tensors, after comparing them with the sources."""
        return _matching(values, self.sources, self.leaves, self.who, name, "the sources")

    def recorded_gradient(self) -> tuple[GradientTape, list[Any]]:
        """Returns the gradient of the scalar result, and the persistent tape that recorded it."""
        for x in self.leaves:
            if x._value.dtype.kind == "c":
                raise ValueError(
                    f"{self.who}: a source is complex ({x.dtype.name}), for which there is no "
                    "unique Hessian: differentiate with respect to its parts, real and imaginary, "
                    "and build "
                    "the complex "
                    "value with tf.complex inside the function"
                )
        with GradientTape(True, watch_accessed_variables=False) as outer:
            outer.watch(self.leaves)
            with GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(self.leaves)
                value = self.call()
            _check_scalar(value, self.who)
            found = inner.gradient(value, self.leaves, unconnected_gradients=ZERO)
            found = [_dense(g) for g in found]
        return outer, found


def _takes_nothing(fn: Callable[..., Any]) -> bool:
    try:
        return not inspect.signature(fn).parameters
    except (TypeError, ValueError):  # a callable written in C
        return False


def _leaf(x: Any, who: str) -> Any:
    """Returns a source as a tensor or variable with an id."""
    held = leaf(x)
    if held is None:
        if not isinstance(x, (float, complex, np.ndarray, np.generic)):
            raise TypeError(
                f"{who}: a source must be a tf.Tensor, a tf.Variable or a NumPy array, not {x!r} "
                f"of type {type(x).__name__!r}"
            )
        held = convert_to_tensor(x)
    if not held.dtype.differentiable:
        raise TypeError(
            f"{who}: a source of dtype {held.dtype.name} has no derivative: tf.cast it to a "
            "floating dtype, such as tf.float32"
        )
    if not held._id:
        held._id = next_id()
    return held


def _matching(
    values: Any, structure: Any, leaves: Sequence[Any], who: str, name: str, what: str
) -> list[Any]:
    """Converts values to tensors, and checks that they have the shapes and dtypes of others."""
    try:
        nest.assert_same_structure(structure, values, check_types=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{who}: `{name}` must have the structure of {what}: {error}") from None
    flat = []
    for given, x in zip(nest.flatten(values), leaves, strict=True):
        value = convert_to_tensor(given, x.dtype)
        if value.shape != x.shape:
            raise ValueError(
                f"{who}: `{name}` has a value of shape {value.shape} where {what} has {x.shape}: "
                "give values of the same shapes"
            )
        flat.append(value)
    return flat


def _check_scalar(value: Any, who: str) -> None:
    x = leaf(value)
    if x is None:
        raise ValueError(
            f"{who}: the function must give a scalar tensor, not {value!r} of type "
            f"{type(value).__name__!r} (did it leave TensorFlow's operations, or forget `return`?)"
        )
    if tuple(x._value.shape) or np.dtype(x._value.dtype).kind in "cbiuO":
        raise ValueError(
            f"{who}: the function must give a real scalar, not a tensor of shape {x.shape} and "
            f"dtype {x.dtype.name}: take tf.reduce_sum or tf.reduce_mean of it, or ask for "
            "tf.autodiff.jacobian"
        )


def _dense(g: Any) -> Any:
    return convert_to_tensor(g) if isinstance(g, IndexedSlices) else g


def joined_vector(parts: Sequence[Any]) -> Tensor:
    """Concatenates tensors into one vector."""
    flat = [reshape_p(p, shape=(count(p._value.shape),)) for p in parts]
    return flat[0] if len(flat) == 1 else concat_p(*flat, axis=-1)


def _rows(j: Any, begin: int, end: int, shape: tuple[int, ...]) -> Any:
    """Returns rows of a Jacobian with their axis split into the axes of the result."""
    part = slice_p(j, begin=(begin,), end=(end,))
    return reshape_p(part, shape=(*shape, *j._value.shape[1:]))
