"""Products of two matrices, in the form that is fastest for their shapes.

For AVX-512, OpenBLAS multiplies small matrices without first copying them into another layout. A
narrow product (few columns) spends most of its time on these copies. Divided into products that are
small enough, it takes half the time in single precision, and less in double precision; with 17 to
64 columns, 70 to 90 % of the time. For threads that have products of their own, a matrix with many
rows and columns is divided into tiles, and the results of tiles that lie below each other are added
up. The figures are in docs/design/0025-convolutions.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.compute.formulas import AVX512, vectorized
from gradtape._src.compute.parallel import Buffer, crew, run_shared

Array = np.ndarray[Any, Any]

SMALL = 10**6
"""The number of multiplications up to which OpenBLAS treats a product as small."""
_NARROW = 16
"""The maximum number of columns of a narrow matrix."""
MANY = SMALL // _NARROW
"""The number of elements of a matrix up to which its product with a narrow one is small."""
_LEAST_ROWS = 16
"""The number of rows from which a block is worth a call of OpenBLAS."""
_LEAST_ROWS_OF_SUM = 64
"""The number of rows from which a block of a sum over rows pays off: it costs an addition, too."""
_WIDE = 64
"""The maximum number of columns of a matrix with which products are divided at all."""
_LEAST_ROWS_OF_WIDE = 56
"""The number of rows from which a block is worth a call if the matrix is not narrow."""
_LEAST_ROWS_OF_WIDE_SUM = 100
"""The number of rows from which a block of a sum over rows pays off, for wide matrices."""
_MOST_PIECES = 2
"""The largest number of parts into which rows of a sum are divided; four save nothing."""
_VECTOR = 16
"""The number of float32 in a vector of AVX-512."""
_FEW_ROWS = 64
"""The maximum number of rows for which a product with a turned matrix is computed turned."""
_LARGE = 1 << 13
"""The number of elements of a matrix from which turning the result pays off."""
_LONG = 64
"""The length of rows from which it does."""

_LENGTHS = range(256, 95, -16)
"""The possible lengths of tiles; the sums of the results of short ones would cost too much."""
_COLUMNS = (64, 48, 32)
"""The possible numbers of columns of tiles, the best first."""
_LENGTHS_OF_SUM = (64, 48, 32)
_COLUMNS_OF_SUM = 32
"""The tiles of sums over rows are the results."""

_rooms = Buffer()


@lru_cache(1)
def _has_small_products() -> bool:
    """Returns whether OpenBLAS has code for small products on this processor."""
    return vectorized("exp", AVX512)


def is_divided(length: int, columns: int, dtype: Any, of_columns: bool = False) -> bool:
    """Returns whether `dot`, or `dot_of_columns`, divides a product into small ones.

    OpenBLAS computes these in the thread that calls it.

    Args:
      length: The number of elements in a row of the first matrix.
      columns: The number of columns of the second matrix.
      dtype: Of both matrices.
      of_columns: Whether the product is that of the columns.
    """
    if not 1 < columns <= _WIDE or dtype.char not in "fd" or not _has_small_products():
        return False
    if of_columns:
        return _pieces(length, columns) > 0
    return SMALL // (length * columns) >= _least(columns, False)


@lru_cache(1024)
def _pieces(length: int, columns: int) -> int:
    """Returns into how many equal parts the rows of a sum over rows are divided; 0 if it is whole.

    Blocks of shorter rows have more of them, so that fewer results must be added up. Parts whose
    length is not a multiple of a vector's may take longer than the whole product.
    """
    least = _least(columns, True)
    for pieces in range(1, _MOST_PIECES + 1):
        part, rest = divmod(length, pieces)
        if pieces > 1 and (rest or part % _VECTOR):
            continue
        if SMALL // (part * columns) >= least:
            return pieces
    return 0


def _least(columns: int, of_columns: bool) -> int:
    """Returns the number of rows from which a block of a product pays off."""
    if of_columns:
        return _LEAST_ROWS_OF_SUM if columns <= _NARROW else _LEAST_ROWS_OF_WIDE_SUM
    return _LEAST_ROWS if columns <= _NARROW else _LEAST_ROWS_OF_WIDE


def dot(x: Any, y: Any, out: Array | None = None, *, alone: bool = False) -> Array:
    """Returns the product of two matrices.

    Args:
      x: A matrix.
      y: A matrix.
      out: A contiguous array for the result, or None for new memory.
      alone: Whether this thread computes all blocks, since others have their own products.

    Raises:
      ValueError: Their lengths differ.
    """
    if x.size > MANY and 1 < y.shape[1] <= _WIDE:
        rows = _rows_of_block(x, y, y.shape[0], _least(y.shape[1], False))
        if rows and x.shape[1] == y.shape[0]:
            return _by_blocks(x, y, rows, out, alone)
    product: Array = x.dot(y, out)
    return product


def dot_of_columns(x: Any, y: Any, *, alone: bool = False) -> Array:
    """Returns `x.T @ y`, the products of the columns of two matrices.

    Args:
      x: A matrix.
      y: A matrix.
      alone: Whether this thread computes all blocks, since others have their own products.

    Raises:
      ValueError: The matrices have different numbers of rows.
    """
    if x.size > MANY and 1 < y.shape[1] <= _WIDE:
        pieces = _pieces(x.shape[1], y.shape[1])
        rows = pieces and _rows_of_block(x, y, x.shape[1] // pieces, 1)
        if rows and len(x) == len(y) and y.flags.c_contiguous:
            return _sum_of_blocks(x, y, rows, pieces, alone)
    product: Array = x.T.dot(y)
    return product


def dot_of_rows(x: Any, y: Any) -> Array:
    """Returns `x @ y.T`, the products of the rows of two matrices.

    Raises:
      ValueError: The rows have different lengths.
    """
    product: Array
    product = np.ascontiguousarray(y.dot(x.T).T) if _is_turned(x, y) else x.dot(y.T)
    return product


def _is_turned(x: Any, y: Any) -> bool:
    """Whether `y @ x.T` is faster than `x @ y.T`."""
    if len(x) > _FEW_ROWS or y.size < _LARGE or y.shape[1] < _LONG or not 1 < len(x) < len(y):
        return False
    return x.dtype.char in "fd" and y.flags.c_contiguous and _has_small_products()


def _rows_of_block(x: Any, y: Any, width: int, least: int) -> int:
    """Returns how many rows of `x` make a small product; 0 if blocks don't pay off."""
    if x.dtype.char not in "fd" or x.dtype is not y.dtype or not x.flags.c_contiguous:
        return 0
    rows = SMALL // (width * y.shape[1])
    return rows if least <= rows < len(x) and _has_small_products() else 0


def _by_blocks(x: Any, y: Any, rows: int, out: Array | None, alone: bool) -> Array:
    if out is None:
        out = np.empty((len(x), y.shape[1]), x.dtype)
    blocks, rest = divmod(len(x), rows)
    whole = blocks * rows
    many = x[:whole].reshape(blocks, rows, -1)
    onto = out[:whole].reshape(blocks, rows, -1)
    _in_parts(lambda part: np.matmul(many[part], y, out=onto[part]), blocks, alone)
    if rest:
        np.dot(x[whole:], y, out=out[whole:])
    return out


def _sum_of_blocks(x: Any, y: Any, rows: int, pieces: int, alone: bool) -> Array:
    blocks, rest = divmod(len(x), rows)
    whole = blocks * rows
    many = x[:whole].reshape(blocks, rows, pieces, -1).swapaxes(1, 2)
    others = y[:whole].reshape(blocks, 1, rows, -1)
    is_wide = y.shape[1] > _NARROW
    a, b = (many, others) if is_wide else (others, many)  # what is faster for blocks
    turned = a.swapaxes(2, 3)
    sums = np.empty((blocks, pieces, a.shape[3], b.shape[3]), x.dtype)
    _in_parts(lambda part: np.matmul(turned[part], b[part], out=sums[part]), blocks, alone)
    found = np.add.reduce(sums, 0)
    if not is_wide:
        found = np.ascontiguousarray(found.swapaxes(1, 2))
    if rest:
        found += np.matmul(x[whole:].reshape(rest, pieces, -1).transpose(1, 2, 0), y[whole:])
    total: Array = found.reshape(-1, y.shape[1])
    return total


def _in_parts(step: Any, blocks: int, alone: bool) -> None:
    """Runs `step(part)` on all blocks, in one part for each thread."""
    parts = 1 if alone else min(crew.size, blocks)
    if parts == 1:
        step(slice(None))
        return
    length = -(-blocks // parts)
    run_shared(lambda k: step(slice(k * length, (k + 1) * length)), parts, parts - 1)


def tile_of(length: int, columns: int, dtype: Any) -> tuple[int, int]:
    """Returns the lengths and columns of a matrix's tiles; (0, 0) if it is not divided."""
    if dtype.char not in "fd" or not _has_small_products():
        return 0, 0
    down = next((n for n in _LENGTHS if length % n == 0), 0)
    across = next((n for n in _COLUMNS if columns % n == 0), 0)
    return (down, across) if down and across else (0, 0)


def tiles(matrix: Array) -> Array:
    """Returns the tiles of a matrix (down, across, length, columns)."""
    length, columns = tile_of(len(matrix), matrix.shape[1], matrix.dtype)
    split = matrix.reshape(-1, length, matrix.shape[1] // columns, columns)
    return np.ascontiguousarray(split.swapaxes(1, 2))


def add_products(x: Any, tiled: Array, onto: Array, first: bool) -> None:
    """Adds the products of matrices with one that is divided into tiles to `onto`.

    Args:
      x: The matrices (matrices, rows, length).
      tiled: The tiles of the other matrix.
      onto: The sums (matrices, rows, columns), in contiguous memory.
      first: Whether the products replace what is in `onto`.
    """
    down, across, length, columns = tiled.shape
    rows = _even(x.shape[1], SMALL // (length * columns))
    whole = x.shape[1] // rows * rows
    room = _rooms.of(onto.size, onto.dtype).reshape(onto.shape)
    for k in range(down):
        part, to = x[..., k * length : (k + 1) * length], room if k or not first else onto
        for at, n in ((slice(whole), rows), (slice(whole, None), x.shape[1] - whole)):
            if n:
                many = part[:, at].reshape(len(x), -1, 1, n, length)
                results = to[:, at].reshape(len(x), -1, n, across, columns)
                np.matmul(many, tiled[k], out=results.swapaxes(2, 3))
        if to is room:
            np.add(onto, room, out=onto)


def tile_of_sum(length: int, columns: int, dtype: Any) -> tuple[int, int]:
    """Returns the lengths and columns of tiles of a sum over rows; (0, 0) if it is not divided."""
    if dtype.char not in "fd" or not _has_small_products() or columns % _COLUMNS_OF_SUM:
        return 0, 0
    down = next((n for n in _LENGTHS_OF_SUM if length % n == 0), 0)
    return (down, _COLUMNS_OF_SUM) if down else (0, 0)


def add_sums(x: Any, y: Any, total: Array) -> None:
    """Adds `x.T @ y` to `total` for each pair of matrices (matrices, rows, length or columns)."""
    length, columns = tile_of_sum(len(total), total.shape[1], total.dtype)
    count = x.shape[1]
    rows = _even(count, SMALL // (length * columns))
    room = _rooms.of(total.size, total.dtype).reshape(total.shape)
    results = room.reshape(len(total) // length, length, -1, columns).swapaxes(1, 2)
    for one, other in zip(x, y, strict=True):
        for start in range(0, count, rows):
            at = slice(start, start + rows)
            a = one[at].T.reshape(len(total) // length, 1, length, -1)
            b = other[at].reshape(-1, total.shape[1] // columns, columns).swapaxes(0, 1)
            np.matmul(a, b, out=results)
            np.add(total, room, out=total)


@lru_cache(1024)
def _even(count: int, most: int) -> int:
    """Returns into blocks of how many rows, at most `most`, so many are divided.

    All blocks are of this length, or one that is shorter is left.
    """
    least = -(-count // most)
    for blocks in range(least, min(2 * least, count) + 1):
        if count % blocks == 0:
            return count // blocks
    return count // least
