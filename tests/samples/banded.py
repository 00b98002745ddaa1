"""Matrices given by their diagonals."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.linalg import banded, lu_solving
from gradtape._src.ops.linalg.decompositions import lu

from .base import Sample

_rng = np.random.default_rng(5)
_MAIN = np.array([[0.0], [4.0], [0.0]])
D = _rng.standard_normal((3, 4)) + _MAIN
B = _rng.standard_normal((4, 2))
BATCH = _rng.standard_normal((2, 3, 3)) + _MAIN
SIDES = _rng.standard_normal((2, 3, 1))
MATRIX = _rng.standard_normal((3, 3))
PERM = lu(MATRIX)[1].numpy()


def _full(d):
    return np.diag(d[1]) + np.diag(d[0, :-1], 1) + np.diag(d[2, 1:], -1)


def _complex(x):
    return x + 1j * _rng.standard_normal(x.shape)


SAMPLES = [
    Sample(
        "TridiagonalSolve",
        banded.tridiagonal_solve,
        (D, B),
        lambda d, b: np.linalg.solve(_full(d), b),
    ),
    Sample("TridiagonalSolve", banded.tridiagonal_solve, (BATCH, SIDES), None, "batch"),
    Sample(
        "TridiagonalSolve", banded.tridiagonal_solve, (_complex(D), _complex(B)), None, "complex"
    ),
    Sample(
        "MatrixTriangularSolve",
        lambda x, b: lu_solving.lu_solve(x, PERM, b),
        (lu(MATRIX)[0].numpy(), B[:3]),
        None,
        "lu",
    ),
]
