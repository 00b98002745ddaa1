"""Linear algebra by NumPy and SciPy, which compute 16-bit floats as float32."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from typing import Any

import numpy as np


def _through_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that computes 16-bit floats as float32."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        dtype = args[0].dtype
        if dtype.itemsize != 2:
            return function(*args, **kwargs)
        wide = [a.astype(np.float32) if getattr(a, "dtype", None) == dtype else a for a in args]
        out = function(*wide, **kwargs)
        return tuple(_back(o, dtype) for o in out) if isinstance(out, tuple) else _back(out, dtype)

    return run


def _back(out: Any, dtype: np.dtype[Any]) -> Any:
    return out.astype(dtype) if out.dtype == np.float32 else out


def _matrix_by_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a NumPy function so that it returns NaN for matrices with NaN or infinities."""

    @wraps(function)
    def run(x: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(x, *args, **kwargs)
        except np.linalg.LinAlgError:
            bad = ~np.isfinite(x).all((-2, -1))
            if not bad.any():
                raise
        regular = np.where(bad[..., None, None], x.dtype.type(0), x)
        out = function(regular, *args, **kwargs)
        for part in out if isinstance(out, tuple) else (out,):
            part[bad] = np.nan
        return out

    return run


def _from_scipy(name: str) -> Callable[..., Any]:
    """Returns a function of `scipy.linalg`, which is loaded on first use."""
    return lambda *args, **kwargs: getattr(import_module("scipy.linalg"), name)(*args, **kwargs)


cholesky = _through_single(np.linalg.cholesky)
det = _through_single(np.linalg.det)
eig = _through_single(np.linalg.eig)
eigh = _through_single(np.linalg.eigh)
eigvals = _through_single(np.linalg.eigvals)
eigvalsh = _through_single(np.linalg.eigvalsh)
inv = _through_single(np.linalg.inv)
expm = _through_single(_from_scipy("expm"))
logm = _through_single(_from_scipy("logm"))
lu_factor = _through_single(partial(_from_scipy("lu_factor"), check_finite=False))
pinv = _through_single(_matrix_by_matrix(np.linalg.pinv))
qr = _through_single(np.linalg.qr)
slogdet = _through_single(np.linalg.slogdet)
solve = _through_single(np.linalg.solve)
svd = _through_single(_matrix_by_matrix(np.linalg.svd))
solve_tridiagonal = _through_single(
    partial(_from_scipy("solve_banded"), (1, 1), check_finite=False)
)
solve_triangular = _through_single(partial(_from_scipy("solve_triangular"), check_finite=False))
sqrtm = _through_single(_from_scipy("sqrtm"))
