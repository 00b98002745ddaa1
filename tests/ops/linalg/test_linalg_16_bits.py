"""Linear algebra of 16-bit floats gives 16-bit floats, computed as float32."""

import numpy as np
import pytest

import gradtape as tf

A = np.array([[2.0, 1.0], [1.0, 3.0]])
B = np.array([[1.0], [2.0]])
L = tf.linalg

FUNCTIONS = {
    "inv": L.inv,
    "det": L.det,
    "slogdet": lambda a: L.slogdet(a)[1],
    "logdet": L.logdet,
    "cholesky": L.cholesky,
    "solve": lambda a: L.solve(a, tf.cast(B, a.dtype)),
    "lstsq": lambda a: L.lstsq(a, tf.cast(B, a.dtype)),
    "lstsq not fast": lambda a: L.lstsq(a, tf.cast(B, a.dtype), fast=False),
    "qr": lambda a: L.qr(a)[1],
    "svd": lambda a: L.svd(a)[0],
    "singular values": lambda a: L.svd(a, compute_uv=False),
    "eigh": lambda a: L.eigh(a)[0],
    "eigvalsh": L.eigvalsh,
    "expm": L.expm,
    "sqrtm": L.sqrtm,
    "pinv": L.pinv,
    "lu": lambda a: L.lu(a)[0],
    "norm": lambda a: L.norm(a, ord=2, axis=[0, 1]),
    "eigh_tridiagonal": lambda a: L.eigh_tridiagonal(a[0], a[0, :1]),
}


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_16_bits_stay_16_bits(function, dtype):
    got, want = function(tf.cast(A, dtype)), function(tf.constant(A))
    assert got.dtype is dtype
    tolerance = 0.03 if dtype is tf.bfloat16 else 0.005
    np.testing.assert_allclose(got.numpy().astype(float), want.numpy(), tolerance, tolerance)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_eigenvalues_are_complex64_and_ranks_integers(dtype):
    a = tf.cast(A, dtype)
    assert L.eigvals(a).dtype is L.eig(a)[0].dtype is tf.complex64
    assert L.matrix_rank(a) == 2


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "solve", "svd", "eigvalsh"])
def test_gradients_have_the_dtype_too(name, dtype):
    a = tf.cast(A, dtype)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = FUNCTIONS[name](a)
    assert tape.gradient(y, a).dtype is dtype


D = tf.constant([1.0, 2.0, 3.0], tf.float64)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((1, 2), [1, 2]), ((2, 2.5), [2]), ((3, 4), [3]), ((0, 1), [1]), ((1.5, 1.7), [])],
)
def test_both_ends_of_a_range_of_eigenvalues_belong_to_it(ends, expected):
    ends = tuple(map(float, ends))
    got = L.eigh_tridiagonal(D, tf.zeros(2, tf.float64), select="v", select_range=ends)
    np.testing.assert_allclose(got.numpy(), expected)


@pytest.mark.parametrize("ends", [(-1, 1), (0, 3), (3, 3), (-3, -2), (5, 6), (2, 1)])
def test_numbers_of_eigenvalues_that_do_not_exist_are_errors(ends):
    with pytest.raises(tf.errors.InvalidArgumentError):
        L.eigh_tridiagonal(D, tf.zeros(2, tf.float64), select="i", select_range=ends)


@pytest.mark.parametrize(
    "make", [lambda z: z.T, lambda z: z[::-1], lambda z: z[:, ::-1], np.asfortranarray]
)
def test_compute_gradient_of_arrays_in_any_order(make):
    z = make(np.arange(4.0).reshape(2, 2) + 1j * np.arange(4.0)[::-1].reshape(2, 2))
    theory, numeric = tf.test.compute_gradient(lambda x: x * x, [z])
    np.testing.assert_allclose(theory[0], numeric[0], atol=1e-5)
    theory, numeric = tf.test.compute_gradient(tf.math.real, [z])
    np.testing.assert_allclose(theory[0], numeric[0], atol=1e-5)
