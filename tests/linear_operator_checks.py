"""Checks of the properties of every linear operator, given its dense matrices."""

from __future__ import annotations

import numpy as np

import gradtape as tf

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def random(*shape, seed=0, complex_=False):
    """Numbers between -1 and 1."""
    draw = np.random.RandomState(seed)
    out = draw.uniform(-1.0, 1.0, shape)
    return out + 1j * draw.uniform(-1.0, 1.0, shape) if complex_ else out


def dominant(*shape, seed=0, complex_=False):
    """Matrices that are far from singular."""
    return random(*shape, seed=seed, complex_=complex_) + 3 * np.eye(shape[-1])


def definite(*shape, seed=0, complex_=False):
    """Self-adjoint positive definite matrices."""
    a = dominant(*shape, seed=seed, complex_=complex_)
    square = a @ adjoint(a)
    return (square + adjoint(square)) / 2


def adjoint(matrix):
    """Conjugate transposes."""
    return np.conj(np.swapaxes(matrix, -1, -2))


def like(operator, *shape):
    """Numbers of the operator's dtype."""
    return random(*shape, seed=sum(shape), complex_=operator.dtype.is_complex)


def check(operator, dense):
    """Every method gives what the dense matrices give."""
    dense = np.asarray(dense)
    assert operator.shape == dense.shape
    assert operator.shape_tensor().numpy().tolist() == list(dense.shape)
    assert operator.batch_shape_tensor().numpy().tolist() == list(dense.shape[:-2])
    assert operator.dtype.np_dtype == dense.dtype
    close(operator.to_dense(), dense)
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    close(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))
    close(operator.add_to_tensor(np.ones_like(dense)), dense + 1)
    close(operator.H.to_dense(), adjoint(dense))
    for matrix, flag, rows in ((dense, False, -1), (adjoint(dense), True, -2)):
        x = like(operator, 4, *[1] * (dense.ndim - 2), dense.shape[rows], 2)
        close(operator.matmul(x, adjoint=flag), matrix @ x)
        close(operator.matmul(adjoint(x), adjoint=flag, adjoint_arg=True), matrix @ x)
        close(operator.matvec(x[..., 0], adjoint=flag), (matrix @ x)[..., 0])
    check_composite(operator, dense)
    if operator.is_square:
        check_square(operator, dense)
    else:
        for method in (operator.determinant, operator.log_abs_determinant):
            raises(NotImplementedError, method)
        raises(ValueError, operator.inverse)


def check_square(operator, dense):
    """The methods of square operators that are not singular."""
    close(operator.determinant(), np.linalg.det(dense))
    close(operator.log_abs_determinant(), np.linalg.slogdet(dense)[1])
    close(operator.cond(), np.linalg.cond(dense))
    close(operator.inverse().to_dense(), np.linalg.inv(dense))
    operator.assert_non_singular()
    for matrix, flag in ((dense, False), (adjoint(dense), True)):
        x = like(operator, 4, *[1] * (dense.ndim - 2), dense.shape[-1], 2)
        close(operator.solve(x, adjoint=flag), np.linalg.inv(matrix) @ x)
        close(operator.solve(adjoint(x), flag, True), np.linalg.inv(matrix) @ x)
        close(operator.solvevec(x[..., 0], adjoint=flag), (np.linalg.inv(matrix) @ x)[..., 0])
    if operator.is_self_adjoint:
        close(np.sort(np.real(operator.eigvals())), np.sort(np.linalg.eigvalsh(dense)))
        operator.assert_self_adjoint()
    if operator.is_self_adjoint and operator.is_positive_definite:
        factor = operator.cholesky().to_dense().numpy()
        close(factor @ adjoint(factor), dense)
        operator.assert_positive_definite()


def check_composite(operator, dense):
    """An operator goes into functions and comes out, is taken apart and put together."""
    copy = tf.nest.map_structure(lambda x: x, operator, expand_composites=True)
    assert type(copy) is type(operator)
    close(copy.to_dense(), dense)
    assert operator._type_spec.is_compatible_with(copy)
    assert repr(operator._type_spec) == repr(copy._type_spec)
    x = like(operator, dense.shape[-1], 2)
    run = tf.function(lambda given, right: (given, given.matmul(right), given.H))
    same, product, turned = run(operator, x)
    assert type(same) is type(operator)
    close(same.to_dense(), dense)
    close(product, dense @ x)
    close(turned.to_dense(), adjoint(dense))


def check_gradients(operator, names=("matmul", "trace", "log_abs_determinant", "solve")):
    """Derivatives with respect to the parameters are those of the dense matrices."""
    leaves = [x for x in tf.nest.flatten(operator, True) if not x.dtype.is_integer]
    x = like(operator, operator.shape[-1], 2)
    calls = {
        "matmul": (lambda o: o.matmul(x), lambda m: m @ x),
        "trace": (lambda o: o.trace(), tf.linalg.trace),
        "log_abs_determinant": (
            lambda o: o.log_abs_determinant(),
            lambda m: tf.linalg.slogdet(m)[1],
        ),
        "solve": (lambda o: o.solve(x), lambda m: tf.linalg.solve(m, broadcast(x, m))),
    }
    for name in names:
        own, plain = calls[name]
        found = gradients(lambda o, f=own: f(o), operator, leaves)
        wanted = gradients(lambda o, f=plain: f(o.to_dense()), operator, leaves)
        for a, b in zip(found, wanted, strict=True):
            close(0 if a is None else a, 0 if b is None else b)


def broadcast(x, matrix):
    """A right side for each of a stack of matrices."""
    return tf.broadcast_to(x, (*matrix.shape[:-1], x.shape[-1]))


def gradients(function, operator, leaves):
    """The derivatives of a weighted sum of what `function` gives."""
    with tf.GradientTape() as tape:
        tape.watch(leaves)
        made = tf.nest.pack_sequence_as(operator, leaves, expand_composites=True)
        out = tf.math.real(function(made))
        loss = tf.reduce_sum(out * np.cos(np.arange(out.numpy().size)).reshape(out.shape))
    return tape.gradient(loss, leaves)


def close(found, wanted):
    """Two arrays have one shape and nearly equal numbers."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        assert not wanted.ndim or not found.ndim, (found.shape, wanted.shape)
    np.testing.assert_allclose(found, wanted, **CLOSE)


def raises(error, call):
    """Calling raises an error of this type."""
    try:
        call()
    except error:
        return
    raise AssertionError(f"{call} did not raise {error.__name__}")
