"""Values of tensors and variables for other libraries."""

import sys
import warnings

import numpy as np
import pytest

import gradtape as tf

VALUE = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture(params=["tensor", "variable"])
def held(request):
    return tf.constant(VALUE) if request.param == "tensor" else tf.Variable(VALUE)


def test_numpy_takes_memory_that_it_cannot_write_to(held):
    for taken in (np.asarray(held), np.from_dlpack(held)):
        np.testing.assert_array_equal(taken, VALUE)
        with pytest.raises(ValueError, match="read-only"):
            taken[0, 0] = 7
    assert held.__dlpack_device__() == (1, 0)


def test_a_tensor_is_not_copied():
    x = tf.constant(VALUE)
    assert np.shares_memory(np.asarray(x), np.from_dlpack(x))


def test_a_consumer_of_an_old_dlpack_gets_a_copy(held):
    class Old:
        def __dlpack__(self, **options):
            return held.__dlpack__()

        def __dlpack_device__(self):
            return held.__dlpack_device__()

    taken = np.from_dlpack(Old())
    np.testing.assert_array_equal(taken, VALUE)
    assert not np.shares_memory(taken, np.asarray(held))
    with pytest.raises(BufferError, match=r"tensor\.numpy"):
        held.__dlpack__(copy=False)


def test_what_a_variable_gave_does_not_change_with_it():
    v = tf.Variable(VALUE)
    taken = np.from_dlpack(v)
    v.assign_add(tf.ones_like(v))
    np.testing.assert_array_equal(taken, VALUE)


def test_strings_have_no_capsule():
    with pytest.raises(BufferError):
        tf.constant(["a"]).__dlpack__(max_version=(1, 0))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers since Python 3.12")
def test_the_buffer_is_read_only(held):
    view = memoryview(held)
    assert (view.readonly, view.format, view.shape) == (True, "f", (2, 2))
    assert view.tolist() == VALUE.tolist()
    with pytest.raises(TypeError):
        view[0, 0] = 7.0
    with pytest.raises(BufferError, match="strings"):
        memoryview(tf.constant(["a"]))


def test_bytes_and_length(held):
    assert bytes(held) == VALUE.tobytes()
    assert len(held) == 2
    for scalar in (tf.constant(1.0), tf.Variable(1.0)):
        with pytest.raises(TypeError, match="Scalar tensor has no"):
            len(scalar)


# Values that leave a tape.


def _warned(function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function()
    return found


def test_a_numpy_function_that_takes_a_watched_value_warns_at_the_users_line(held):
    with tf.GradientTape() as tape:
        tape.watch(held)
        (sine,) = _warned(lambda: np.sin(held))
        (mean,) = _warned(lambda: np.mean(held))  # through Python code of NumPy's
        (later,) = _warned(lambda: np.exp(held * 2.0))
    for warning in (sine, mean, later):
        assert warning.filename == __file__
        assert "tf.sin for np.sin" in str(warning.message)


def test_a_variable_that_was_not_read_yet_warns():
    v = tf.Variable(2.0)
    with tf.GradientTape():
        assert len(_warned(lambda: np.sin(v))) == 1
    with tf.GradientTape(watch_accessed_variables=False):
        assert not _warned(lambda: np.sin(v))
    with tf.GradientTape():
        assert not _warned(lambda: np.sin(tf.Variable(2.0, trainable=False)))


def test_a_forward_accumulator_warns(held):
    with tf.autodiff.ForwardAccumulator(held, tf.ones_like(held)):
        assert len(_warned(lambda: np.sin(held * 2.0))) == 1


def test_nobody_is_warned_of_what_is_meant(held):
    other = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(held)
        assert not _warned(lambda: held.numpy())
        assert not _warned(lambda: np.sin(other))
        assert not _warned(lambda: np.testing.assert_allclose(held, VALUE))
        assert not _warned(lambda: tf.reduce_sum(held) + VALUE)
        assert not _warned(lambda: repr(held))
        with tape.stop_recording():
            assert not _warned(lambda: np.sin(held))
    assert not _warned(lambda: np.sin(held))


# Other libraries. Those that are not installed are skipped.


def test_numpy_knows_the_dtype():
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy asks objects for their dtype since 2.4")
    assert np.result_type(tf.constant(VALUE), np.int64) == np.float64
    assert np.result_type(tf.Variable([1, 2])) == np.int32


def test_jax_takes_a_value_by_every_way(held):
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy asks objects for their dtype since 2.4")
    jnp = pytest.importorskip("jax.numpy")
    for taken in (jnp.asarray(held), jnp.array(held), jnp.from_dlpack(held)):
        assert taken.dtype == jnp.float32
        np.testing.assert_array_equal(taken, VALUE)
    assert jnp.asarray(tf.constant([1.0], tf.bfloat16)).dtype == jnp.bfloat16


def test_a_jax_array_on_the_left_leaves_the_operation_to_the_tape(held):
    jnp = pytest.importorskip("jax.numpy")
    with tf.GradientTape() as tape:
        tape.watch(held)
        product = jnp.asarray(VALUE) * held
    np.testing.assert_array_equal(tape.gradient(product, held), VALUE)


def test_torch_and_back(held):
    torch = pytest.importorskip("torch")
    for taken in (torch.from_dlpack(held), torch.tensor(held), torch.as_tensor(held)):
        assert taken.dtype is torch.float32
        np.testing.assert_array_equal(taken.numpy(), VALUE)
    halves = torch.ones(2, dtype=torch.bfloat16)
    assert tf.experimental.dlpack.from_dlpack(halves).dtype is tf.bfloat16
    assert torch.from_dlpack(tf.ones(2, tf.bfloat16)).dtype is torch.bfloat16
    np.testing.assert_array_equal(tf.constant(torch.as_tensor(held)), VALUE)


def test_polars_makes_columns(held):
    polars = pytest.importorskip("polars")
    row = held[0]
    frame = polars.DataFrame({"row": row, "rows": held, "text": tf.constant(["a", "b"])})
    assert frame.schema["row"] == polars.Float32
    assert frame.schema["rows"] == polars.Array(polars.Float32, 2)
    assert frame["text"].to_list() == [b"a", b"b"]
    assert polars.Series(row).to_list() == [1.0, 2.0]
    np.testing.assert_array_equal(tf.constant(frame["rows"]), VALUE)


def test_pyarrow_makes_arrays(held):
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.array(held[0]).to_pylist() == [1.0, 2.0]
    assert pyarrow.array(held[0], pyarrow.float64()).type == pyarrow.float64()
    assert pyarrow.array(held).type == pyarrow.list_(pyarrow.float32(), 2)
    assert pyarrow.chunked_array(held).to_pylist() == VALUE.tolist()
    cube = pyarrow.array(tf.reshape(tf.range(24), (2, 3, 4)))
    assert np.array(cube.to_pylist()).shape == (2, 3, 4)


@pytest.mark.parametrize("dtype", ["bfloat16", "complex64", "qint8"])
def test_arrow_refuses_what_it_cannot_express(dtype):
    x = tf.constant(np.ones(2, tf.as_dtype(dtype).as_numpy_dtype), dtype)
    with pytest.raises(TypeError, match=f"Arrow has no dtype {dtype}"):
        x.__arrow_c_stream__()
    with pytest.raises(TypeError, match=f"Arrow has no dtype {dtype}"):
        x.__arrow_array__()


def test_pandas_and_xarray(held):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(held)
    np.testing.assert_array_equal(tf.constant(frame), VALUE)
    assert pandas.Series(held[0]).dtype == np.float32
    np.testing.assert_array_equal(pandas.Series([5.0, 6.0, 7.0]).iloc[tf.constant([0, 2])], [5, 7])
    xarray = pytest.importorskip("xarray")
    mean = xarray.DataArray(held, dims=("row", "column")).mean("row")
    np.testing.assert_array_equal(tf.constant(mean), VALUE.mean(0))


def test_scikit_learn_fits_tensors():
    linear = pytest.importorskip("sklearn.linear_model")
    x = tf.random.stateless_normal((20, 3), seed=(1, 2))
    model = linear.LinearRegression().fit(x, 2.0 * x[:, 0])
    np.testing.assert_allclose(model.coef_, [2, 0, 0], atol=1e-5)
    assert tf.convert_to_tensor(model.predict(x)).shape == (20,)


def test_joblib_and_dask(held, tmp_path):
    joblib = pytest.importorskip("joblib")
    joblib.dump(held, tmp_path / "value")
    np.testing.assert_array_equal(joblib.load(tmp_path / "value"), VALUE)
    assert joblib.hash(tf.constant(VALUE)) == joblib.hash(tf.constant(VALUE))
    pool = joblib.Parallel(2, prefer="threads")
    np.testing.assert_array_equal(pool([joblib.delayed(tf.sin)(held)])[0], tf.sin(VALUE))
    array = pytest.importorskip("dask.array")
    assert array.from_array(held, chunks=1).sum().compute() == 10.0
    np.testing.assert_array_equal(tf.constant(array.ones(3)), [1, 1, 1])


def test_bytes_of_strings():
    assert bytes(tf.constant(b"ab")) == b"ab"
    with pytest.raises(TypeError, match="join"):
        bytes(tf.constant(["a", "b"]))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers since Python 3.12")
def test_a_dtype_without_a_format_has_no_buffer():
    with pytest.raises(BufferError, match=r"view\(numpy\.uint8\)"):
        memoryview(tf.constant([1.0], tf.bfloat16))
