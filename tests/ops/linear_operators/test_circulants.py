import numpy as np
import pytest
import scipy.linalg
from linear_operator_checks import check, check_gradients, close, random

import gradtape as tf
from gradtape.errors import InvalidArgumentError
from gradtape.linalg import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
    LinearOperatorToeplitz,
)

KINDS = {1: LinearOperatorCirculant, 2: LinearOperatorCirculant2D, 3: LinearOperatorCirculant3D}


def convolution(kernel, axes):
    """The dense matrix of convolutions with a kernel, from what it does with each unit vector."""
    blocks = kernel.shape[-axes:]
    n = int(np.prod(blocks))
    units = np.eye(n).reshape(n, *blocks)
    places = tuple(range(-axes, 0))
    spectrum = np.fft.fftn(kernel, axes=places)[..., None, *[slice(None)] * axes]
    moved = np.fft.ifftn(np.fft.fftn(units, axes=places) * spectrum, axes=places)
    return np.swapaxes(moved.reshape(*moved.shape[:-axes], n), -1, -2)


@pytest.mark.parametrize("blocks", [(4,), (2, 3), (2, 2, 3)])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_complex_circulants(blocks, batch):
    kernel = random(*batch, *blocks, complex_=True)
    axes = tuple(range(-len(blocks), 0))
    operator = KINDS[len(blocks)](np.fft.fftn(kernel, axes=axes), "complex128")
    check(operator, convolution(kernel, len(blocks)))
    check_gradients(operator)
    close(operator.convolution_kernel(), kernel)
    assert operator.block_shape == blocks
    assert operator.block_depth == len(blocks)
    assert operator.block_shape_tensor().numpy().tolist() == list(blocks)


@pytest.mark.parametrize("blocks", [(4,), (2, 3)])
def test_real_circulants(blocks):
    kernel = random(*blocks)
    spectrum = np.fft.fftn(kernel)
    operator = KINDS[len(blocks)](spectrum, "float64")
    check(operator, np.real(convolution(kernel, len(blocks))))
    operator.assert_hermitian_spectrum()


def test_a_positive_spectrum():
    known = {"is_positive_definite": True}
    operator = LinearOperatorCirculant(np.array([3.0, 1.0, 2.0, 1.0]), "float64", **known)
    assert operator.is_self_adjoint
    check(operator, scipy.linalg.circulant(np.fft.ifft([3, 1, 2, 1]).real))


def test_a_spectrum_of_complex_matrices_is_reported():
    with pytest.raises(InvalidArgumentError, match="Hermitian"):
        LinearOperatorCirculant(np.array([1.0, 2.0, 3.0])).assert_hermitian_spectrum()


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_toeplitz(batch, complex_):
    col, row = random(*batch, 4, complex_=complex_), random(4, seed=1, complex_=complex_)
    col[..., 0] = row[0] = 3
    dense = np.stack([scipy.linalg.toeplitz(c, row) for c in col.reshape(-1, 4)])
    operator = LinearOperatorToeplitz(col, row)
    check(operator, dense.reshape(*batch, 4, 4))
    check_gradients(operator)


def test_toeplitz_of_unknown_length():
    @tf.function(input_signature=[tf.TensorSpec([None], "float64")])
    def run(col):
        operator = LinearOperatorToeplitz(col, col)
        return operator.matvec(col), operator.to_dense(), operator.shape_tensor()

    for n in (2, 3):
        col = random(n)
        product, dense, shape = run(col)
        close(dense, scipy.linalg.toeplitz(col))
        close(product, scipy.linalg.toeplitz(col) @ col)
        assert shape.numpy().tolist() == [n, n]


def test_lengths_that_differ():
    with pytest.raises(ValueError, match="one length"):
        LinearOperatorToeplitz([1.0, 2.0], [1.0])
