"""Products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, overload

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.compute.jax_modules import EXACT, jnp
from gradtape._src.compute.products import MANY, dot, dot_of_columns, dot_of_rows
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.convert import convert_to_tensor, readers, tensor
from gradtape._src.core.primitive import Bound, Outputs, Plan, Primitive, bind_binary
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import COMPLEX, NUMERIC, register, shape_of
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.same_dtype import operands, pair
from gradtape._src.declare.structural import (
    Value,
    aligned,
    conj_p,
    conjugate,
    count,
    reshape_p,
    swap_last,
    transpose_p,
    unbroadcast,
)
from gradtape._src.declare.traits import Hazard, Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank, broadcast_shapes, may_be_equal
from gradtape._src.ops.elementwise.casting import cast_p

ndarray = np.ndarray


def _matmul(x: Any, y: Any) -> Any:
    if x.ndim == 2 and y.ndim == 2:
        try:
            # np.dot has half the overhead of np.matmul on small matrices.
            return x.dot(y) if x.size <= MANY else dot(x, y)
        except ValueError:
            pass
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        raise _unfit(x.shape, y.shape)
    if x.dtype.type in HALVES:
        return np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
    if y.ndim == 2 and x.size:  # Computes one large product instead of many small ones.
        return dot(x.reshape(-1, x.shape[-1]), y).reshape(*x.shape[:-1], y.shape[-1])
    try:
        return np.matmul(x, y)
    except ValueError:
        raise _unfit(x.shape, y.shape) from None


def _turned(x: Any) -> Any:
    """Returns the adjoint of a raw matrix, or of each matrix of a stack."""
    x = x.T if x.ndim == 2 else x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == "c" else x


def _are_real_matrices(x: Any, y: Any) -> bool:
    return x.ndim == 2 == y.ndim and x.dtype.char in "fd"


def _matmul_adjoint_x(x: Any, y: Any) -> Any:
    if _are_real_matrices(x, y) and len(x) == len(y):
        return dot_of_columns(x, y)
    return _matmul(_turned(x), y)


def _matmul_adjoint_y(x: Any, y: Any) -> Any:
    if _are_real_matrices(x, y) and x.shape[1] == y.shape[1]:
        return dot_of_rows(x, y)
    return _matmul(x, _turned(y))


def _matmul_xla(x: Any, y: Any) -> Any:
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        raise _unfit(x.shape, y.shape)
    return jnp.matmul(x, y, precision=EXACT)


def _unfit(x: tuple[int, ...], y: tuple[int, ...]) -> InvalidArgumentError | ValueError:
    """Returns the error for operands that are not stacks of matrices that can be multiplied."""
    shown = [shown_shape(s) for s in (x, y)]
    if min(len(x), len(y)) >= 2 and x[-1] == y[-2]:
        return invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shown[0]} vs. {shown[1]} "
            f"[Op:BatchMatMulV2] (the leading axes must broadcast)",
        )
    if min(len(x), len(y)) < 2:
        return invalid(
            f"In[0] and In[1] has different ndims: {shown[0]} vs. {shown[1]} [Op:MatMul] (matmul "
            f"takes matrices, of rank 2 or more: use tf.linalg.matvec or tf.tensordot for vectors)",
        )
    return invalid(
        f"Matrix size-incompatible: In[0]: {shown[0]}, In[1]: {shown[1]} [Op:MatMul] (the last "
        "axis of the first operand must be as long as the second-to-last axis of the second)",
    )


@overload
def adjoint(x: Tensor) -> Tensor: ...
@overload
def adjoint(x: RawValue) -> Value: ...
def adjoint(x: Any) -> Value:
    """Returns the conjugate transpose of each matrix of a stack."""
    if type(x) is ndarray and x.ndim == 2:
        turned: RawValue = x.T if x.dtype.kind != "c" else x.T.conj()
        return turned
    return conjugate(swap_last(x))


# The gradients of the three products x y, x^H y and x y^H are such products, too. So tapes record
# no transpositions. Each function returns the cotangent of one operand.


def _x_of_xy(g: Any, y: Any, shapes: Any) -> Any:
    return _unstacked(matmul_adjoint_y_p(g, y), shapes, 0)


def _y_of_xy(g: Any, x: Any, shapes: Any) -> Any:
    x, g = _as_rows(x, g, shapes)
    return _unstacked(matmul_adjoint_x_p(x, g), shapes, 1)


def _x_of_adjoint_x(g: Any, y: Any, shapes: Any) -> Any:
    return _unstacked(matmul_adjoint_y_p(y, g), shapes, 0)


def _y_of_adjoint_x(g: Any, x: Any, shapes: Any) -> Any:
    return _unstacked(matmul_p(x, g), shapes, 1)


def _x_of_adjoint_y(g: Any, y: Any, shapes: Any) -> Any:
    return _unstacked(matmul_p(g, y), shapes, 0)


def _y_of_adjoint_y(g: Any, x: Any, shapes: Any) -> Any:
    g, x = _as_rows(g, x, shapes)
    return _unstacked(matmul_adjoint_x_p(g, x), shapes, 1)


def _unstacked(out: Any, shapes: Any, i: int) -> Any:
    """Sums a cotangent over the axes along which its operand was repeated."""
    if shapes is None or len(shapes[0]) == len(shapes[1]) == 2 or len(shape_of(out)) == 2:
        return out
    full = (*broadcast_shapes(shapes[0][:-2], shapes[1][:-2]), *shapes[i][-2:])
    return unbroadcast(out, full, shapes[i])


def _as_rows(x: Any, y: Any, shapes: Any) -> tuple[Any, Any]:
    """Converts two stacks to one matrix each, if one product can include the sum over them."""
    if shapes is None or len(shapes[1]) > 2 or len(shapes[0]) == 2:
        return x, y
    rows = count(shapes[0][:-1])
    x, y = (reshape_p(v, shape=(rows, shape_of(v)[-1])) for v in (x, y))
    return x, y


class MatMul(Primitive):
    """The bilinear product of two stacks of matrices, one of which may be conjugate-transposed.

    Attributes:
      turned: The index of the adjoint operand, 0 or 1; None if no operand is adjoint.
      pulls: For each operand, a function that returns its cotangent, given the result's cotangent,
        the other operand and the shapes of both operands (None if they are equal).
      of_matrices: Likewise, given the cotangent and the other operand as NumPy matrices of real
        numbers.
    """

    turned: int | None
    pulls: tuple[Callable[..., Any], Callable[..., Any]]
    of_matrices: tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]

    def make_plan(self, mask: int) -> Plan:
        select = _KEPT[mask]
        pull_x, pull_y = self.pulls

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            a, b = shape_of(inputs[0]), shape_of(inputs[1])
            return select(*inputs, out), None if len(a) == len(b) == 2 or a == b else (a, b)

        def vjp_both(g: Any, ids: Any, saved: Any, shapes: Any) -> Any:
            x, y = saved
            return (
                pull_x(g, y, shapes) if ids[0] else None,
                pull_y(g, x, shapes) if ids[1] else None,
            )

        vjps: list[Callable[..., Any]] = [
            vjp_both,
            lambda g, ids, saved, shapes: (pull_x(g, saved[0], shapes), None),
            lambda g, ids, saved, shapes: (None, pull_y(g, saved[0], shapes)),
            vjp_both,
        ]
        vjp = vjps[mask]
        raw_x, raw_y = self.of_matrices

        def vjp_raw(g: Any, ids: Any, saved: Any, shapes: Any) -> Any:
            if type(g) is ndarray and g.ndim == 2 and g.dtype.char in "fd":
                return (
                    raw_x(g, saved[-1]._value) if ids[0] else None,
                    raw_y(g, saved[0]._value) if ids[1] else None,
                )
            return vjp(g, ids, [x._value for x in saved], shapes)

        return Plan(self, keep, vjp, self._push(mask), vjp_raw=vjp_raw, whole=True)

    def _push(self, mask: int) -> Callable[..., Any]:
        def jvp_both(tangents: Any, saved: Any, shapes: Any) -> Any:
            (dx, dy), (x, y) = tangents, saved
            if dx is None:
                return self.bind(x, dy)
            part: Any = self.bind(dx, y)
            return part if dy is None else part + self.bind(x, dy)

        return [
            jvp_both,
            lambda tangents, saved, shapes: self.bind(tangents[0], saved[0]),
            lambda tangents, saved, shapes: self.bind(saved[0], tangents[1]),
            jvp_both,
        ][mask]

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Outputs:
        shapes = [shape_of(x)[b:] for x, b in zip(inputs, batched, strict=True)]
        if min(map(len, shapes)) < 2:
            raise _unfit(shapes[0], shapes[1])
        return self.bind(*aligned(size, batched, inputs))


_KEPT: list[Any] = [
    None,
    lambda x, y, out: (y,),
    lambda x, y, out: (x,),
    lambda x, y, out: (x, y),
]


def _result(turned: int | None, x: Any, y: Any) -> tuple[tuple[Any, ...], np.dtype[Any]]:
    """Returns the shape and dtype of a product, from operands whose lengths may be unknown."""
    shapes = x.shape, y.shape
    if min(map(len, shapes)) < 2:
        raise _unfit(*shapes)
    a, b = (s if i != turned else (*s[:-2], s[-1], s[-2]) for i, s in enumerate(shapes))
    try:
        batch = broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise _unfit(a, b) from None
    if not may_be_equal(a[-1:], b[-2:-1]):
        raise _unfit(a, b)
    return (*batch, a[-2], b[-1]), x.dtype


def _product(
    name: str,
    kernel: Any,
    xla: Any,
    turned: int | None,
    pulls: tuple[Callable[..., Any], Callable[..., Any]],
    of_matrices: tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]],
) -> Bound:
    """Declares one of the three products."""
    primitive = MatMul(name, kernel, NUMERIC, slice(0, 2), 3)
    primitive.turned, primitive.pulls, primitive.of_matrices = turned, pulls, of_matrices
    result = partial(_result, turned)
    traits = Traits(hazard=Hazard.PRODUCT, pattern=Pattern.MATRIX_PRODUCT, result=result)
    register(primitive, xla, traits=traits)
    return bind_binary(primitive, _KEPT, operands, pair, uneven="value.ndim > 2")


matmul_p = _product(
    "MatMul",
    _matmul,
    _matmul_xla,
    None,
    (_x_of_xy, _y_of_xy),
    (dot_of_rows, lambda g, x: dot_of_columns(x, g)),
)
matmul_adjoint_x_p = _product(
    "MatMulAdjointX",
    _matmul_adjoint_x,
    lambda x, y: _matmul_xla(_turned(x), y),
    0,
    (_x_of_adjoint_x, _y_of_adjoint_x),
    (lambda g, y: dot_of_rows(y, g), lambda g, x: dot(x, g)),
)
matmul_adjoint_y_p = _product(
    "MatMulAdjointY",
    _matmul_adjoint_y,
    lambda x, y: _matmul_xla(x, _turned(y)),
    1,
    (_x_of_adjoint_y, _y_of_adjoint_y),
    (dot, dot_of_columns),
)


@export("matmul", "linalg.matmul")
@raw_op("MatMul")
@raw_op(
    "BatchMatMulV3",
    Tout="output_type",
    ignored=("grad_x", "grad_y"),
    x="a",
    y="b",
    adj_x="adjoint_a",
    adj_y="adjoint_b",
)
@raw_op(
    "BatchMatMulV2",
    ignored=("grad_x", "grad_y"),
    x="a",
    y="b",
    adj_x="adjoint_a",
    adj_y="adjoint_b",
)
@raw_op(
    "BatchMatMul", ignored=("grad_x", "grad_y"), x="a", y="b", adj_x="adjoint_a", adj_y="adjoint_b"
)
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, or stacks of them whose leading axes broadcast.

    Args:
      a: A tensor of shape (..., n, k).
      b: A tensor of the dtype of `a`, of shape (..., k, m).
      transpose_a: Whether to transpose each matrix of `a` first.
      transpose_b: Whether to transpose each matrix of `b` first.
      adjoint_a: Whether to transpose and conjugate each matrix of `a` first.
      adjoint_b: Whether to transpose and conjugate each matrix of `b` first.
      a_is_sparse: Accepted for compatibility.
      b_is_sparse: Accepted for compatibility.
      output_type: The dtype of the result, which may be given if the operands are 8-bit integers.
      grad_a: Accepted for compatibility.
      grad_b: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n, m).

    Raises:
      ValueError: A matrix is requested to be both transposed and adjoint.
      InvalidArgumentError: The shapes or dtypes do not match.

    >>> a = tf.constant([[1, 2], [3, 4]])
    >>> tf.matmul(a, a).numpy()
    array([[ 7, 10],
           [15, 22]], dtype=int32)
    >>> tf.matmul(a, a, transpose_b=True).numpy()
    array([[ 5, 11],
           [11, 25]], dtype=int32)
    """
    turned = transpose_a or transpose_b or adjoint_a or adjoint_b or output_type is not None
    if not turned and type(a) is Tensor and (type(b) is Tensor or type(b) in readers):
        return matmul_p(a, b)  # the usual case, in fewer steps
    x = a if type(a) is Tensor else tensor(a)
    if type(b) is Tensor:
        y = b
    elif (read := readers.get(type(b))) is not None:
        y = read(b)
    else:
        y = convert_to_tensor(b, dtype_hint=x.dtype)
    if output_type is not None and not (x.dtype == y.dtype == output_type):
        kind = as_dtype(output_type).np_dtype
        return matmul_p(
            cast_p(_flipped(x, transpose_a, adjoint_a, "a"), dtype=kind),
            cast_p(_flipped(y, transpose_b, adjoint_b, "b"), dtype=kind),
        )
    turn_a, turn_b = transpose_a or adjoint_a, transpose_b or adjoint_b
    if not (turn_a or turn_b):
        return matmul_p(x, y)
    try:
        if not turn_a and _is_adjoint(y, transpose_b, adjoint_b):
            return matmul_adjoint_y_p(x, y)
        if not turn_b and _is_adjoint(x, transpose_a, adjoint_a):
            return matmul_adjoint_x_p(x, y)
        x = _flipped(x, transpose_a, adjoint_a, "a")
        y = _flipped(y, transpose_b, adjoint_b, "b")
    except NeedsRank:
        return when_run(matmul, tensor(a), y, transpose_a, transpose_b, adjoint_a, adjoint_b)
    return matmul_p(x, y)


def _is_adjoint(x: Tensor, transpose: bool, adjoint: bool) -> bool:
    """Whether an operand is to be conjugate-transposed, not only transposed."""
    value = x._value
    if value.ndim < 2 or (transpose and adjoint):
        return False
    return adjoint or value.dtype.type not in COMPLEX


def _flipped(x: Tensor, transpose: bool, conjugated: bool, which: str) -> Tensor:
    if transpose and conjugated:
        raise ValueError(f"Only one of transpose_{which} and adjoint_{which} can be True.")
    if not (transpose or conjugated):
        return x
    if x._value.ndim < 2:
        raise _unfit(x._value.shape, ())
    x = swap_last(x)
    return conj_p(x) if conjugated and x._value.dtype.type in COMPLEX else x


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies a matrix by a vector, or stacks of them whose leading axes broadcast.

    Args:
      a: A tensor of shape (..., n, k).
      b: A tensor of the dtype of `a`, of shape (..., k).
      transpose_a: Whether to transpose each matrix first.
      adjoint_a: Whether to transpose and conjugate each matrix first.
      a_is_sparse: Accepted for compatibility.
      b_is_sparse: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n).

    Raises:
      InvalidArgumentError: The shapes or dtypes do not match.

    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    x = tensor(a)
    y = b if type(b) is Tensor else convert_to_tensor(b, dtype_hint=x.dtype)
    if not y._value.ndim:
        raise _unfit(x._value.shape, ())
    column = reshape_p(y, shape=(*y._value.shape, 1))
    out = matmul(x, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return reshape_p(out, shape=out._value.shape[:-1])


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums the products of two tensors over some axes of each.

    Args:
      a: A tensor.
      b: A tensor of a's dtype.
      axes: An integer n for the last n axes of `a` and the first n axes of `b`, or a pair of the
        axes of `a` and the axes of `b`, each an integer or a sequence of integers.
      name: Accepted for compatibility.

    Returns:
      A tensor with the remaining axes of `a`, then those of `b`.

    Raises:
      ValueError: `axes` does not fit the operands.
      InvalidArgumentError: The lengths of axes that are summed over differ.

    >>> tf.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], axes=2).numpy()
    np.int32(5)
    """
    x = tensor(a)
    y = b if type(b) is Tensor else convert_to_tensor(b, dtype_hint=x.dtype)
    left, right = _contracted(axes, x._value.ndim, y._value.ndim)
    sx, sy = x._value.shape, y._value.shape
    free_x = [i for i in range(len(sx)) if i not in left]
    free_y = [i for i in range(len(sy)) if i not in right]
    inner = count([sx[i] for i in left])
    outer = [sx[i] for i in free_x], [sy[i] for i in free_y]
    x = reshape_p(_permuted(x, (*free_x, *left)), shape=(count(outer[0]), inner))
    y = _permuted(y, (*right, *free_y))
    y = reshape_p(y, shape=(count([sy[i] for i in right]), count(outer[1])))
    return reshape_p(matmul_p(x, y), shape=(*outer[0], *outer[1]))


def _permuted(x: Any, perm: tuple[int, ...]) -> Any:
    return x if perm == tuple(range(len(perm))) else transpose_p(x, perm=perm)


def _contracted(axes: Any, rank_x: int, rank_y: int) -> tuple[list[int], list[int]]:
    """Returns the axes of each operand that a tensordot sums over."""
    if isinstance(axes, Tensor):
        axes = axes.numpy()
    if isinstance(axes, (int, np.integer)):
        n = int(axes)
        if not 0 <= n <= rank_x:
            raise ValueError(
                f"`axes` must not be negative nor larger than the number of dimensions of tensor "
                f"{rank_x}. Received `axes={n}` [tensordot]"
            )
        return list(range(rank_x - n, rank_x)), list(range(n))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    left, right = ([int(i) for i in np.atleast_1d(np.asarray(part))] for part in axes)
    if len(left) != len(right):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(left)} != {len(right)} "
            f"[tensordot]"
        )
    return (
        [i + rank_x if i < 0 else i for i in left],
        [i + rank_y if i < 0 else i for i in right],
    )
