"""NumPy's linear algebra; 16-bit floats, which it refuses or widens, go through it as float32."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np


def _through_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that gives 16-bit floats for 16-bit floats."""

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
    """A function of NumPy's that gives NaN for matrices with NaN or infinities, not an error."""

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


cholesky = _through_single(np.linalg.cholesky)
det = _through_single(np.linalg.det)
eig = _through_single(np.linalg.eig)
eigh = _through_single(np.linalg.eigh)
eigvals = _through_single(np.linalg.eigvals)
eigvalsh = _through_single(np.linalg.eigvalsh)
inv = _through_single(np.linalg.inv)
lu_factor = _through_single(lambda x: _lu_factor(x))
pinv = _through_single(_matrix_by_matrix(np.linalg.pinv))
qr = _through_single(np.linalg.qr)
slogdet = _through_single(np.linalg.slogdet)
solve = _through_single(np.linalg.solve)
svd = _through_single(_matrix_by_matrix(np.linalg.svd))


def _lu_factor(x: Any) -> Any:
    from scipy.linalg import lu_factor

    return lu_factor(x, check_finite=False)
