"""Result dtypes of `tf.experimental.numpy` for pairs of dtypes and for Python values."""

from typing import Any

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)
OTHERS = {
    **{name: f"tf.cast([3,1,2],'{name}')" for name in ("float32", "float64", "int32", "int64")},
    **{name: f"tf.cast([3,1,2],'{name}')" for name in ("uint8", "bool", "complex64")},
    "int": "2",
    "float": "2.0",
    "true": "True",
    "imaginary": "2j",
    "floats": "[1.0,2.0,3.0]",
    "ints": "[1,2,3]",
}
TWO = """
    add subtract multiply divide true_divide floor_divide mod remainder power float_power maximum
    minimum fmod arctan2 hypot equal less logical_and logical_xor heaviside copysign nextafter
    logaddexp logaddexp2 bitwise_and bitwise_or left_shift gcd lcm dot inner outer vdot kron cross
    matmul tensordot(x,y,0) append(x,y) isclose allclose array_equal result_type where(x>1,x,y)
    polyval concatenate([x,[y,y]]) full_like(x,y) full([2],x) clip(x,y,x) clip(x,x,y)
"""
ONE = """
    abs absolute all any alltrue amax amin angle arange(x[0]) arccos arccosh arcsin arcsinh arctan
    arctanh argmax argmin argsort around array asarray ascontiguousarray atleast_1d average
    bitwise_not broadcast_to(x,[2,3]) cbrt ceil clip(x,3,1) clip(x,1.0,2.0) clip(x,None,2)
    compress([1,0,1],x) conj conjugate copy cos cosh count_nonzero cumprod cumsum deg2rad diag
    diag_indices(3) diagflat diff empty_like exp exp2 expand_dims(x,0) expm1 eye(2,dtype=x.dtype)
    fabs fix flip floor identity(2,dtype=x.dtype) imag isfinite isinf isnan isreal iscomplex
    iscomplexobj linspace(x[0],x[1],3) linspace(0,1,3,dtype=x.dtype) log log10 log1p log2
    logspace(x[0],x[1],3) max mean median min moveaxis(x[None],0,1) nanmean nanprod nansum ndim
    negative nonzero ones_like pad(x,1,'constant') percentile(x,50) positive prod ptp rad2deg
    ravel real reciprocal repeat(x,2) reshape(x,[3,1]) rint roll(x,1) round select([x>1],[x])
    shape sign signbit sin sinc sinh size sort split(x,3) sqrt square squeeze stack([x,x]) std sum
    swapaxes(x[None],0,1) take(x,[0,1]) tan tanh tile(x,2) trace(x[None]*x[:,None]) trace(x[None])
    transpose tri(3,dtype=x.dtype) tril(x[None]) triu(x[None]) true_divide(x,x) var vander
    vstack([x,x]) zeros_like unique sum(x,dtype='float64') mean(x,dtype='float32')
    cumsum(x,dtype='int64') prod(x,axis=0,keepdims=True) var(x,ddof=1) std(x,keepdims=True)
    meshgrid(x,x) digitize(x,[1.0,2.0]) searchsorted(x,x) histogram cov ix_(x)
    geomspace(1.0,2.0,3) ones([2],dtype=x.dtype) nanmax nanmin
"""


def shown(x: Any) -> str:
    """The dtypes of a result."""
    if isinstance(x, (tuple, list)):
        return f"({','.join(map(shown, x))})"
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return getattr(x, "__name__", None) or getattr(x, "name", None) or type(x).__name__
    return str(getattr(dtype, "name", dtype))


def answer(call: str, names: dict[str, Any]) -> str:
    """The dtypes of a call's results, or the exception."""
    try:
        return shown(eval(call, names))
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return f"raises {type(error).__name__}"


def answers(tf: Any) -> dict[str, str]:
    """Answers by expression and dtypes."""
    found = {}
    for dtype in DTYPES:
        names = {"tf": tf, "x": tf.cast([3, 1, 2], dtype)}
        for name in ONE.split():
            call = name if "(" in name else f"{name}(x)"
            found[f"{name} {dtype}"] = answer(f"tf.experimental.numpy.{call}", names)
        for other, value in OTHERS.items():
            names["y"] = eval(value, names)
            for name in TWO.split():
                call = name if "(" in name else f"{name}(x,y)"
                found[f"{name} {dtype} {other}"] = answer(f"tf.experimental.numpy.{call}", names)
                if name in ("add", "true_divide", "maximum", "power"):
                    call = f"tf.experimental.numpy.{name}(y,x)"
                    found[f"{name}-turned {dtype} {other}"] = answer(call, names)
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r".*: raises \w+, ours: raises \w+": "not accepted by either; the type varies by function",
    r".*: raises (AttributeError|IndexError|NotFoundError|UnimplementedError|UnboundLocalError), "
    r"ours: .*": "TensorFlow has no kernel, or fails inside",
    r".*: raises (InvalidArgumentError|TypeError|ValueError|AssertionError), ours: .*": (
        "ours takes what TensorFlow does not"
    ),
    r"(isinf|isclose|allclose) .*: bool, ours: raises .*": "ours compares no complex numbers here",
    r"(floor_divide|mod|remainder|less) bool (bool|true): .*": "ours takes no truth values here",
    r"linspace\(0,1,3,dtype=x.dtype\) .*": "TensorFlow forgets the dtype between integers",
    r"logspace.* bfloat16: .*": "ours has no small type here",
    r"rad2deg bool: .*": "ours is a float, as for integers",
}
