"""Sparse Jacobians and Hessians, from few products with vectors if each row has few elements.

The results are SciPy's sparse matrices; like those of `tensor.numpy()`, they aren't followed by
outer tapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import numpy as np

from gradtape._src.autodiff import jacobian as _jacobian
from gradtape._src.autodiff.coloring import Colors, color_columns, color_symmetric
from gradtape._src.autodiff.derivatives import Point, joined_vector
from gradtape._src.autodiff.forward import ForwardAccumulator
from gradtape._src.autodiff.sparsity import Dependencies
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import count

if TYPE_CHECKING:
    from scipy.sparse import csr_array

P = ParamSpec("P")
R = TypeVar("R")


@export("autodiff.Sparsity")
@dataclass(frozen=True, eq=False)
class Sparsity:
    """The possible non-zeros of a derivative, and the products that determine their values.

    Attributes:
      pattern: A boolean `scipy.sparse.csr_array`: rows are elements of the result, columns those
        of the sources, one after another.
      colors: For each column (or row) the number of the product to which it belongs; -1 if it is
        empty.
      by: "columns" for products with the Jacobian, in forward mode; "rows" for products with its
        transpose, in reverse mode.
      hubs: For a Hessian, whether each column has a product of its own, which also gives its row.
    """

    pattern: Any
    colors: Colors
    by: Literal["columns", "rows"]
    hubs: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        rows, columns = self.pattern.shape
        return rows, columns

    @property
    def passes(self) -> int:
        """The number of products with vectors, which run as one vectorized pass."""
        return int(self.colors.max(initial=-1)) + 1

    def __repr__(self) -> str:
        return (
            f"<Sparsity of shape {self.shape}: {self.pattern.nnz} elements, {self.passes} passes "
            f"by {self.by}>"
        )

    def seeds(self) -> np.ndarray[Any, Any]:
        """Makes the vector of zeros and ones of each product.

        Returns:
          A float64 array of shape (passes, columns or rows).
        """
        ones: np.ndarray[Any, Any] = np.arange(self.passes)[:, None] == self.colors
        return ones.astype(float)

    def matrix(self, products: Any) -> csr_array:
        """Makes the sparse matrix from its products with the seeds.

        Args:
          products: The products, of shape (passes, rows or columns).

        Returns:
          A `scipy.sparse.csr_array` with the pattern's indices.
        """
        from scipy import sparse

        pattern = self.pattern
        columns = pattern.indices
        rows = repeated(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        if self.by == "rows":
            rows, columns = columns, rows
        if self.hubs is not None:  # by symmetry, the hub's column holds the element, too
            swap = self.hubs[rows] & ~self.hubs[columns]
            rows, columns = np.where(swap, columns, rows), np.where(swap, rows, columns)
        data = products[self.colors[columns], rows]
        return sparse.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)


def _unwatched(run: Callable[P, R]) -> Callable[P, R]:
    """Runs a function so that outer tapes and accumulators do not see it."""

    @wraps(run)
    def unwatched(*args: P.args, **kwargs: P.kwargs) -> R:
        if not all(r.is_tape or isinstance(r, ForwardAccumulator) for r in STACK.recorders):
            raise ValueError(
                f"{run.__name__}: returns a SciPy matrix, which a surrounding vectorized or "
                "compiled function cannot use: call it outside of that function (inside, use "
                "tf.autodiff.jacobian, hessian, jvp or hvp)"
            )
        with replaced(()):
            return run(*args, **kwargs)

    return unwatched


@export("autodiff.jacobian_sparsity")
@_unwatched
def jacobian_sparsity(fn: Callable[..., Any], sources: Any) -> Sparsity:
    """Finds where the Jacobian of a function can differ from zero, and colours it.

    The pattern is valid at every point at which `fn` runs the same operations on the same indices:
    find it once, and pass it to each call of `sparse_jacobian`.

    Args:
      fn: A function of the sources that gives a tensor or nested structure of tensors, or one
        without parameters that reads them; see `tf.autodiff.hessian`.
      sources: A tensor, variable or nested structure of them.

    Returns:
      A `Sparsity`.

    Raises:
      ValueError: The Jacobian is not sparse.
    """
    at = Point(fn, sources, "jacobian_sparsity")
    with Dependencies(at.leaves) as dependencies:
        y = joined_vector([convert_to_tensor(v) for v in nest.flatten(at.call())])
    pattern = _canonical(dependencies.of(y))
    columns, rows = color_columns(pattern), color_columns(pattern.T)
    forward = columns.max(initial=-1) <= rows.max(initial=-1) and not _complex([y, *at.leaves])
    return Sparsity(pattern, columns, "columns") if forward else Sparsity(pattern, rows, "rows")


@export("autodiff.sparse_jacobian")
@_unwatched
def sparse_jacobian(
    fn: Callable[..., Any], sources: Any, sparsity: Sparsity | None = None
) -> csr_array:
    """Returns the Jacobian of a function as a SciPy sparse matrix.

    Computes as many products as the sparsity has colours, in one vectorized pass, forward or
    backward. A tridiagonal Jacobian of any size takes 3 products.

    Args:
      fn: A function that gives a tensor or nested structure of tensors; see `jacobian_sparsity`.
      sources: A tensor, variable or nested structure of them.
      sparsity: The result of `jacobian_sparsity` for the function. Computed by default.

    Returns:
      A `scipy.sparse.csr_array` with a row for each element of the result and a column for each
      element of the sources, one after another.

    Raises:
      ValueError: The Jacobian is not sparse, or does not have the given sparsity.

    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> tf.autodiff.sparse_jacobian(lambda x: x[1:] * x[:-1], x).toarray().tolist()
    [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]
    """
    found = sparsity or jacobian_sparsity(fn, sources)
    at = Point(fn, sources, "sparse_jacobian")
    with GradientTape(True, watch_accessed_variables=False) as tape:
        tape.watch(at.leaves)
        y = joined_vector([convert_to_tensor(v) for v in nest.flatten(at.call())])
    _check_shape(found, (y._value.shape[0], _size(at.leaves)), "sparse_jacobian")
    records = tape._records(at.leaves)
    if found.by == "columns" and not _jacobian.have_jvps(records, [y, *at.leaves]):
        found = Sparsity(found.pattern, color_columns(found.pattern.T), "rows")
    run = _jvp if found.by == "columns" else _vjp
    products = _checked(
        found, lambda seeds: run(records, y, at.leaves, seeds), sparsity is not None
    )
    return found.matrix(products)


@export("autodiff.hessian_sparsity")
@_unwatched
def hessian_sparsity(fn: Callable[..., Any], sources: Any) -> Sparsity:
    """Finds where the Hessian of a function can differ from zero, and colours it.

    Args:
      fn: A function that gives a real scalar; see `tf.autodiff.hessian`.
      sources: A tensor, variable or nested structure of them.

    Returns:
      A `Sparsity` of a symmetric pattern.

    Raises:
      ValueError: The Hessian is not sparse, or the result is not a real scalar.
    """
    at = Point(fn, sources, "hessian_sparsity")
    with Dependencies(at.leaves) as dependencies:
        g = joined_vector(at.recorded_gradient()[1])
    pattern = _canonical(dependencies.of(g))
    pattern = _canonical(pattern + pattern.T)
    colors, hubs = color_symmetric(pattern)
    return Sparsity(pattern, colors, "columns", hubs if hubs.any() else None)


@export("autodiff.sparse_hessian")
@_unwatched
def sparse_hessian(
    fn: Callable[..., Any], sources: Any, sparsity: Sparsity | None = None
) -> csr_array:
    """Returns the Hessian of a scalar function as a SciPy sparse matrix.

    Computes as many Hessian-vector products as the sparsity has colours, in one vectorized pass.

    Args:
      fn: A function that gives a real scalar; see `tf.autodiff.hessian`.
      sources: A tensor, variable or nested structure of them.
      sparsity: The result of `hessian_sparsity` for the function. Computed by default.

    Returns:
      A `scipy.sparse.csr_array` with a row and a column for each element of the sources.

    Raises:
      ValueError: The Hessian is not sparse, does not have the given sparsity, or the result is not
        a real scalar.
    """
    found = sparsity or hessian_sparsity(fn, sources)
    at = Point(fn, sources, "sparse_hessian")
    tape, gradients = at.recorded_gradient()
    with tape:
        g = joined_vector(gradients)
    n = _size(at.leaves)
    _check_shape(found, (n, n), "sparse_hessian")
    records = tape._records(at.leaves)
    products = _checked(
        found, lambda seeds: _vjp(records, g, at.leaves, seeds), sparsity is not None
    )
    return found.matrix(products)


def _canonical(pattern: Any) -> Any:
    pattern = pattern.tocsr()
    pattern.sum_duplicates()
    pattern.sort_indices()
    return pattern


def _complex(values: Sequence[Any]) -> bool:
    return any(x._value.dtype.kind == "c" for x in values)


def _size(leaves: Sequence[Any]) -> int:
    return sum(count(x._value.shape) for x in leaves)


def _check_shape(sparsity: Sparsity, shape: tuple[int, int], who: str) -> None:
    if sparsity.shape != shape:
        raise ValueError(
            f"{who}: `sparsity` is that of a matrix of shape {sparsity.shape}, but this one has "
            f"shape {shape}: compute it for this function and these sources"
        )


def _checked(sparsity: Sparsity, products: Callable[[Any], Any], given: bool) -> Any:
    """Returns the products with the seeds; checks a given sparsity with a random vector."""
    seeds = sparsity.seeds()
    if not given:
        return products(seeds)
    probe = np.random.default_rng(0).uniform(1, 2, seeds.shape[1])
    *found, true = products(np.concatenate([seeds, probe[None]]))
    found = np.stack(found) if found else np.zeros((0, len(true)), true.dtype)
    matrix = sparsity.matrix(found)
    if sparsity.by == "rows":
        matrix = matrix.T
    size = abs(matrix) @ probe
    scale = size + np.abs(true).max(initial=0) * 1e-3
    off = np.abs(matrix @ probe - true) > np.sqrt(np.finfo(true.dtype).eps) * scale
    if np.any(off):
        raise ValueError(
            f"the pattern changed since `sparsity` was found: row {int(np.argmax(off))} of the "
            "derivative has elements outside of it. The function ran other operations or indices "
            "here: compute the sparsity again, or leave it out"
        )
    return found


def _jvp(records: Any, y: Any, leaves: Sequence[Any], seeds: Any) -> Any:
    """Returns the Jacobian's products with columns of seeds, (passes, rows)."""
    tangents, begin = {}, 0
    for x in leaves:
        shape = x._value.shape
        end = begin + count(shape)
        tangents[x._id] = seeds[:, begin:end].astype(x._value.dtype).reshape(-1, *shape)
        begin = end
    found = _jacobian.pushed_forward(records, tangents, len(seeds)).get(y._id)
    return np.zeros((len(seeds), *y._value.shape)) if found is None else _raw(found)


def _vjp(records: Any, y: Any, leaves: Sequence[Any], seeds: Any) -> Any:
    """Returns the products of rows of seeds with the Jacobian, (passes, columns)."""
    found = _jacobian.backward(records, y, seeds.astype(y._value.dtype), leaves)
    parts = [
        np.zeros((len(seeds), count(x._value.shape)), x._value.dtype)
        if g is None
        else _raw(g).reshape(len(seeds), -1)
        for x, g in zip(leaves, found, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def _raw(x: Any) -> Any:
    return x._value if type(x) is Tensor else x
