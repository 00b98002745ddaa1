"""Element types: their facts, their names, and how programs may write them."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.base import dtypes

ALL = list(dtypes._BY_NAME.values())


class HasNumpyDtype:
    dtype = np.dtype("float32")


class HasDtypeName:
    dtype = "float32"


class HasOurDtype:
    def __repr__(self):
        return "HasOurDtype()"  # one name in every process

    dtype = dtypes.float32


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (dtypes.int8, "int8"),
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("bool", "bool"),
        ("string", "string"),
        ("bfloat16", "bfloat16"),
        ("float8_e5m2", "float8_e5m2"),
        ("int4", "int4"),
        ("qint8", "qint8"),
        ("resource", "resource"),
        (float, "float32"),
        (bool, "bool"),
        (object, "string"),
        (np.float16, "float16"),
        (np.longlong, "int64"),
        (np.ulonglong, "uint64"),
        (np.str_, "string"),
        (np.dtype("f4"), "float32"),
        (np.dtype(">f4"), "float32"),
        (np.dtype("S4"), "string"),
        (np.dtype("U4"), "string"),
        (np.dtype("O"), "string"),
        (1, "float32"),
        (3.0, "int32"),
        (True, "float32"),
        (HasNumpyDtype(), "float32"),
        (HasDtypeName(), "float32"),
        (np.ones(2), "float64"),
    ],
)
def test_as_dtype(given, name):
    assert dtypes.as_dtype(given) is dtypes._BY_NAME[name]


@pytest.mark.parametrize(
    "given",
    [
        *("int", "str", "complex", "f4", "<f4", "tf.float32", "unknown", "foo", 0, -1, 100, 150),
        *(int, complex, str, bytes, list, None, [1], {}, HasOurDtype()),
        *(np.void, np.number, np.floating, np.longdouble, np.datetime64),
        *(np.dtype([("a", "f4")]), np.dtype(("f4", (2,))), np.dtype("M8[s]")),
    ],
    ids=repr,
)
def test_what_names_no_dtype(given):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: ") as error:
        dtypes.as_dtype(given)
    assert f"{given!r} to a TensorFlow DType." in str(error.value)


@pytest.mark.parametrize(
    ("given", "advice"), [(int, "tf.int32 or tf.int64"), ("str", "tf.string"), ("f4", "'float32'")]
)
def test_the_error_says_how_to_mend_it(given, advice):
    with pytest.raises(TypeError, match=advice):
        dtypes.as_dtype(given)


@pytest.mark.parametrize("dtype", ALL, ids=repr)
def test_each_dtype_is_one_object(dtype):
    assert dtypes.as_dtype(dtype.name) is dtype
    assert dtypes.as_dtype(dtype.as_datatype_enum) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    assert hash(dtype) == int(dtype) == dtype.as_datatype_enum
    assert repr(dtype) == f"tf.{dtype.name}"
    assert str(dtype) == f"{dtype}" == f"<dtype: '{dtype.name}'>"
    assert dtype.base_dtype is dtype
    assert dtype


def test_equality_is_with_anything_that_names_a_dtype():
    f = dtypes.float32
    same = ["float32", "float", np.float32, np.dtype("f4"), float, 1, 1.0, HasNumpyDtype()]
    assert all(f == other and other == f for other in same[:-1])
    assert f == same[-1]
    other = ["foo", None, [1], dtypes.int32, HasOurDtype(), int]
    assert not any(f == each for each in other)
    assert all(f != each for each in other)
    assert f.is_compatible_with("float32")
    assert not f.is_compatible_with(tf.int32)
    with pytest.raises(TypeError, match="to a TensorFlow DType"):
        f.is_compatible_with("foo")
    with pytest.raises(TypeError):
        f < dtypes.int32  # noqa: B015


def test_dtypes_do_not_change():
    with pytest.raises(AttributeError):
        dtypes.float32.name = "float33"


FLOATS = {d.name for d in ALL if d.is_floating}
SMALL = {"int2", "uint2", "int4", "uint4", "float4_e2m1fn"} | {n for n in FLOATS if "float8" in n}


def names_where(attribute):
    return {d.name for d in ALL if getattr(d, attribute)}


def test_kinds():
    signed = {"int2", "int4", "int8", "int16", "int32", "int64"}
    unsigned = {"uint2", "uint4", "uint8", "uint16", "uint32", "uint64"}
    quantized = {"qint8", "quint8", "qint16", "quint16", "qint32"}
    complexes = {"complex64", "complex128"}
    core_floats = {"float16", "float32", "float64", "bfloat16"}
    assert names_where("is_floating") == core_floats | {n for n in SMALL if n.startswith("float")}
    assert names_where("is_complex") == complexes
    assert names_where("is_integer") == signed | unsigned
    assert names_where("is_unsigned") == unsigned
    assert names_where("is_bool") == {"bool"}
    assert names_where("is_quantized") == quantized
    core = core_floats | complexes | (signed | unsigned) - SMALL
    assert names_where("is_numeric") == core | quantized
    assert {d.name for d in ALL} - names_where("is_numpy_compatible") == {"resource", "variant"}
    assert names_where("differentiable") == core_floats | complexes | {"resource", "variant"}


@pytest.mark.parametrize(
    ("dtype", "size", "low", "high"),
    [
        (tf.float32, 4, np.finfo("f4").min, np.finfo("f4").max),
        (tf.float64, 8, np.finfo("f8").min, np.finfo("f8").max),
        (tf.float16, 2, -65504.0, 65504.0),
        (tf.bfloat16, 2, -(2.0**128 - 2.0**120), 2.0**128 - 2.0**120),
        (dtypes.float8_e5m2, 1, -57344, 57344),
        (dtypes.float8_e4m3fn, 1, -448, 448),
        (dtypes.float8_e4m3fnuz, 1, -240, 240),
        (dtypes.float8_e4m3b11fnuz, 1, -30, 30),
        (dtypes.float8_e5m2fnuz, 1, -57344, 57344),
        (dtypes.float4_e2m1fn, 1, -6, 6),
        (tf.int8, 1, -128, 127),
        (tf.uint16, 2, 0, 65535),
        (tf.int64, 8, -(2**63), 2**63 - 1),
        (tf.uint64, 8, 0, 2**64 - 1),
        (dtypes.int4, 1, -8, 7),
        (dtypes.uint4, 1, 0, 15),
        (dtypes.int2, 1, -2, 1),
        (dtypes.uint2, 1, 0, 3),
    ],
)
def test_size_and_range(dtype, size, low, high):
    assert (dtype.size, dtype.min, dtype.max) == (size, low, high)


@pytest.mark.parametrize("name", ["string", "bool", "complex64", "qint8", "resource"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_no_range_without_an_order(name, end):
    with pytest.raises(TypeError, match=rf"Cannot find {end}imum value of <dtype: '{name}'>"):
        getattr(dtypes.as_dtype(name), end)


@pytest.mark.parametrize(
    ("dtype", "limits"),
    [
        (tf.float32, (0, 1)),
        (tf.float64, (0, 1)),
        (tf.uint8, (0, 255)),
        (tf.int32, (0, 2**31 - 1)),
        (tf.bool, (0, True)),
    ],
)
def test_limits_of_images(dtype, limits):
    assert dtype.limits == limits


@pytest.mark.parametrize("name", ["float16", "bfloat16", "int4", "string", "complex64"])
def test_no_limits(name):
    with pytest.raises(ValueError, match="does not have defined limits"):
        _ = dtypes.as_dtype(name).limits


def test_numpy_types():
    assert tf.float32.as_numpy_dtype is np.float32
    assert tf.string.as_numpy_dtype is object
    assert tf.bool.as_numpy_dtype is np.bool_
    assert tf.qint8.as_numpy_dtype == np.dtype([("qint8", "i1")])
    with pytest.raises(KeyError):
        _ = tf.resource.as_numpy_dtype


def test_numpy_types_of_what_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tf.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert dtypes.as_dtype(ml_dtypes.bfloat16) is tf.bfloat16
    assert dtypes.as_dtype(np.dtype(ml_dtypes.bfloat16)) is tf.bfloat16


def test_real_dtype():
    assert tf.complex64.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int8.real_dtype is tf.int8


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_numpy_compatible], ids=repr)
def test_dtype_of_a_raw_value(dtype):
    assert dtypes.dtype_of(np.empty(2, dtype.np_dtype)) is dtype


def test_dtype_of_what_no_tensor_holds():
    with pytest.raises(TypeError, match=r"longdouble|float128"):
        dtypes.dtype_of(np.longdouble(1))


def test_types_by_their_numbers():
    assert tf.DType(1) is tf.float32
    assert tf.DType(tf.string.as_datatype_enum, None) is tf.string
    with pytest.raises(TypeError, match="999"):
        tf.DType(999)
