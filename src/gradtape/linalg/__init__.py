"""Matrices, their products, factors and solutions: `tf.linalg`."""

from gradtape._src.ops.array.creation import eye as eye
from gradtape._src.ops.linalg.banded import banded_triangular_solve as banded_triangular_solve
from gradtape._src.ops.linalg.banded import eigh_tridiagonal as eigh_tridiagonal
from gradtape._src.ops.linalg.banded import tridiagonal_matmul as tridiagonal_matmul
from gradtape._src.ops.linalg.banded import tridiagonal_solve as tridiagonal_solve
from gradtape._src.ops.linalg.decompositions import eig as eig
from gradtape._src.ops.linalg.decompositions import eigh as eigh
from gradtape._src.ops.linalg.decompositions import eigvals as eigvals
from gradtape._src.ops.linalg.decompositions import eigvalsh as eigvalsh
from gradtape._src.ops.linalg.decompositions import lu as lu
from gradtape._src.ops.linalg.decompositions import qr as qr
from gradtape._src.ops.linalg.decompositions import svd as svd
from gradtape._src.ops.linalg.diagonals import adjoint as adjoint
from gradtape._src.ops.linalg.diagonals import band_part as band_part
from gradtape._src.ops.linalg.diagonals import diag as diag
from gradtape._src.ops.linalg.diagonals import diag_part as diag_part
from gradtape._src.ops.linalg.diagonals import matrix_transpose as matrix_transpose
from gradtape._src.ops.linalg.diagonals import set_diag as set_diag
from gradtape._src.ops.linalg.diagonals import tensor_diag as tensor_diag
from gradtape._src.ops.linalg.diagonals import tensor_diag_part as tensor_diag_part
from gradtape._src.ops.linalg.diagonals import trace as trace
from gradtape._src.ops.linalg.einsum import einsum as einsum
from gradtape._src.ops.linalg.lu_solving import lu_matrix_inverse as lu_matrix_inverse
from gradtape._src.ops.linalg.lu_solving import lu_reconstruct as lu_reconstruct
from gradtape._src.ops.linalg.lu_solving import lu_solve as lu_solve
from gradtape._src.ops.linalg.matmul import matmul as matmul
from gradtape._src.ops.linalg.matmul import matvec as matvec
from gradtape._src.ops.linalg.matmul import tensordot as tensordot
from gradtape._src.ops.linalg.matrix_functions import cross as cross
from gradtape._src.ops.linalg.matrix_functions import expm as expm
from gradtape._src.ops.linalg.matrix_functions import logm as logm
from gradtape._src.ops.linalg.matrix_functions import lstsq as lstsq
from gradtape._src.ops.linalg.matrix_functions import matrix_rank as matrix_rank
from gradtape._src.ops.linalg.matrix_functions import pinv as pinv
from gradtape._src.ops.linalg.matrix_functions import sqrtm as sqrtm
from gradtape._src.ops.linalg.norms import norm as norm
from gradtape._src.ops.linalg.norms import normalize as normalize
from gradtape._src.ops.linalg.solve import cholesky as cholesky
from gradtape._src.ops.linalg.solve import cholesky_solve as cholesky_solve
from gradtape._src.ops.linalg.solve import det as det
from gradtape._src.ops.linalg.solve import inv as inv
from gradtape._src.ops.linalg.solve import logdet as logdet
from gradtape._src.ops.linalg.solve import slogdet as slogdet
from gradtape._src.ops.linalg.solve import solve as solve
from gradtape._src.ops.linalg.solve import triangular_solve as triangular_solve
from gradtape._src.ops.linear_operators.adjoint_and_inverse import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
)
from gradtape._src.ops.linear_operators.adjoint_and_inverse import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from gradtape._src.ops.linear_operators.block_diag import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from gradtape._src.ops.linear_operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from gradtape._src.ops.linear_operators.circulants import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from gradtape._src.ops.linear_operators.circulants import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from gradtape._src.ops.linear_operators.circulants import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from gradtape._src.ops.linear_operators.circulants import (
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from gradtape._src.ops.linear_operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from gradtape._src.ops.linear_operators.diag import LinearOperatorDiag as LinearOperatorDiag
from gradtape._src.ops.linear_operators.identity_and_zeros import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from gradtape._src.ops.linear_operators.identity_and_zeros import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from gradtape._src.ops.linear_operators.identity_and_zeros import (
    LinearOperatorZeros as LinearOperatorZeros,
)
from gradtape._src.ops.linear_operators.kronecker import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator as LinearOperator
from gradtape._src.ops.linear_operators.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from gradtape._src.ops.linear_operators.matrices import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from gradtape._src.ops.linear_operators.matrices import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from gradtape._src.ops.linear_operators.matrices import (
    LinearOperatorTridiag as LinearOperatorTridiag,
)
from gradtape._src.ops.linear_operators.orthogonal import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from gradtape._src.ops.linear_operators.orthogonal import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from gradtape._src.ops.nn.clipping_by_norm import global_norm as global_norm
from gradtape._src.ops.nn.clipping_by_norm import l2_normalize as l2_normalize
from gradtape.linalg import experimental as experimental
