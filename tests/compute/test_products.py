"""Products of matrices: every form gives the product, for all shapes, layouts and dtypes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import parallel, products

SHAPES = [  # rows, length, columns
    (10_000, 784, 10),
    (4101, 128, 16),
    (70_000, 3, 9),
    (3000, 900, 2),
    (3000, 900, 1),
    (2000, 2000, 3),
    (500, 300, 17),
    (3000, 96, 32),
    (3001, 200, 64),
    (1365, 192, 64),
    (1100, 1536, 16),
    (32, 256, 64),
    (40, 300, 200),
    (7, 5, 3),
]
FORMS = {
    "dot": (products.dot, lambda m, k, n: ((m, k), (k, n)), lambda x, y: x @ y),
    "dot_of_columns": (
        products.dot_of_columns,
        lambda m, k, n: ((m, k), (m, n)),
        lambda x, y: x.T @ y,
    ),
    "dot_of_rows": (products.dot_of_rows, lambda m, k, n: ((m, k), (n, k)), lambda x, y: x @ y.T),
}


@pytest.fixture(params=[(True, 1), (True, 3), (False, 1)], ids=["small", "threads", "plain"])
def processor(request, monkeypatch):
    """A processor with code for small products, with one or several threads, and one without."""
    small, threads = request.param
    monkeypatch.setattr(products, "_has_small_products", lambda: small)
    monkeypatch.setattr(parallel.crew, "size", threads)


def operands(form, shape, dtype):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(s).astype(dtype) for s in FORMS[form][1](*shape)]


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_products(form, shape, dtype):
    if dtype[0] in "ic" and max(shape) > 2000:
        return
    product, _, expected = FORMS[form]
    x, y = operands(form, shape, dtype)
    if dtype == "int32":
        x, y = x * 8, y * 8
    wide = [v.astype("complex128" if dtype[0] == "c" else "float64") for v in (x, y)]
    exact = expected(*wide)
    limit = np.abs(exact).max() * (1e-5 if dtype in ("float32", "complex64") else 1e-13)
    for a in (x, np.asfortranarray(x)):
        for b in (y, np.asfortranarray(y)):
            found = product(a, b)
            assert found.dtype == x.dtype
            np.testing.assert_allclose(found, exact, rtol=0, atol=limit)


@pytest.mark.usefixtures("processor")
def test_into_given_memory():
    x, y = operands("dot", (4101, 128, 16), "float32")
    out = np.full((4101, 16), np.nan, "float32")
    assert products.dot(x, y, out) is out
    np.testing.assert_allclose(out, x @ y, rtol=0, atol=1e-3)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("form", FORMS)
def test_operands_that_do_not_fit(form):
    x, y = operands(form, (10_000, 784, 10), "float32")
    y = y[:-1] if form != "dot_of_rows" else y[:, :-1]
    with pytest.raises(ValueError, match="aligned"):
        FORMS[form][0](x, y)


def test_different_dtypes():
    x, y = operands("dot", (10_000, 784, 10), "float32")
    assert products.dot(x, y.astype("float64")).dtype == np.float64


def test_gradients_of_a_narrow_product():
    x, w = operands("dot", (3000, 900, 10), "float64")
    with tf.GradientTape() as tape:
        x, w = tf.constant(x), tf.constant(w)
        tape.watch([x, w])
        y = x @ w
    g = np.random.default_rng(1).standard_normal(y.shape)
    of_x, of_w = tape.gradient(y, [x, w], g)
    np.testing.assert_allclose(of_x, g @ w.numpy().T, rtol=0, atol=1e-11)
    np.testing.assert_allclose(of_w, x.numpy().T @ g, rtol=0, atol=1e-11)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("form", ["dot", "dot_of_columns"])
def test_divided_products_use_one_thread_if_alone(form, shape, monkeypatch):
    calls = []
    in_parts = products._in_parts
    monkeypatch.setattr(products, "_in_parts", lambda *a: (calls.append(a[2]), in_parts(*a)))
    monkeypatch.setattr(products, "run_shared", None)
    x, y = operands(form, shape, "float32")
    FORMS[form][0](x, y, alone=True)
    divided = products.is_divided(x.shape[1], shape[2], x.dtype, form == "dot_of_columns")
    assert divided or not calls
    if calls:
        assert calls == [True]
    elif divided:
        assert x.size <= products.MANY or len(x) * x.shape[1] * shape[2] <= products.SMALL


def _draw(shape, dtype):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def test_tiles_divide_a_matrix_evenly(monkeypatch):
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    single = np.dtype(np.float32)
    assert products.tile_of(768, 256, single) == (256, 64)
    assert products.tile_of(1152, 96, single) == (192, 48)
    assert products.tile_of(768, 100, single) == products.tile_of(770, 256, single) == (0, 0)
    assert products.tile_of(768, 256, np.dtype(np.int32)) == (0, 0)
    assert products.tile_of_sum(768, 256, single) == (64, 32)
    assert products.tile_of_sum(96, 96, single) == (48, 32)
    assert products.tile_of_sum(90, 96, single) == products.tile_of_sum(96, 80, single) == (0, 0)
    assert products.tile_of_sum(96, 96, np.dtype(np.int32)) == (0, 0)


def test_processors_without_small_products_have_no_tiles(monkeypatch):
    monkeypatch.setattr(products, "_has_small_products", lambda: False)
    assert products.tile_of(768, 256, np.dtype(np.float32)) == (0, 0)
    assert products.tile_of_sum(768, 256, np.dtype(np.float32)) == (0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 60, 98, 127])
@pytest.mark.parametrize("first", [True, False])
def test_products_of_tiles(dtype, rows, first, monkeypatch):
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    x, w = _draw((3, rows, 384), dtype), _draw((384, 96), dtype)
    before = _draw((3, rows, 96), dtype)
    onto = before.copy()
    if first:
        onto[0, 0, 0] = np.nan
    products.add_products(x, products.tiles(w), onto, first)
    np.testing.assert_allclose(onto, x @ w + (0 if first else before), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 60, 490, 991])
def test_sums_of_tiles(dtype, rows, monkeypatch):
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    x, y = _draw((2, rows, 128), dtype), _draw((2, rows, 192), dtype)
    before = _draw((128, 96), dtype)
    total = before.copy()
    products.add_sums(x, y[..., 96:], total)
    expected = before + np.add.reduce(x.swapaxes(1, 2) @ y[..., 96:], 0)
    np.testing.assert_allclose(total, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(196, 61, 49), (40, 61, 40), (127, 61, 42)]
)
def test_blocks_of_rows_are_of_equal_length(count, most, expected):
    assert products._even(count, most) == expected
