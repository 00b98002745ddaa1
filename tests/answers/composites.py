"""Functions of ragged and sparse tensors, and of a program's own type with and without handlers."""

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

UNARY: dict[str, dict[str, Any]] = {
    name: {}
    for name in """
    math.abs math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh
    math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos
    math.cosh math.digamma math.erf math.erfc math.erfcinv math.erfinv math.exp math.expm1
    math.floor math.imag math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p
    math.log_sigmoid math.logical_not math.ndtri math.negative math.real math.reciprocal
    math.reciprocal_no_nan math.rint math.round math.rsqrt math.sigmoid math.sign math.sin
    math.sinh math.softplus math.sqrt math.square math.tan math.tanh math.special.dawsn
    math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence
    math.special.bessel_j0 math.special.bessel_k0e math.special.bessel_y1 math.is_non_decreasing
    math.is_strictly_increasing math.cumsum math.reduce_sum math.reduce_euclidean_norm
    math.l2_normalize math.argmax math.invert_permutation math.top_k nn.crelu nn.elu nn.gelu
    nn.leaky_relu nn.log_softmax nn.relu nn.relu6 nn.selu nn.silu nn.softmax nn.softsign nn.swish
    strings.length strings.lower strings.strip strings.upper strings.to_number strings.as_string
    strings.join bitwise.invert identity ones_like zeros_like rank shape size linalg.trace squeeze
    stop_gradient transpose unstack io.encode_base64 io.decode_base64
    debugging.assert_positive
    """.split()  # noqa: SIM905 (a table to read)
} | {
    "cast": {"dtype": "int32"},
    "clip_by_norm": {"clip_norm": 1.0},
    "clip_by_value": {"clip_value_min": 0, "clip_value_max": 1},
    "debugging.check_numerics": {"message": "m"},
    "dtypes.saturate_cast": {"dtype": "uint8"},
    "image.random_brightness": {"max_delta": 0.0},
    "image.adjust_brightness": {"delta": 0.25},
    "math.nextafter": {"x2": 1.0},
    "nn.bias_add": {"bias": [1.0]},
    "one_hot": {"depth": 2},
    "reshape": {"shape": [3]},
    "strings.regex_replace": {"pattern": "a", "rewrite": "b"},
    "strings.substr": {"pos": 0, "len": 1},
    "strings.to_hash_bucket_fast": {"num_buckets": 7},
}
BINARY = """
    bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift complex linalg.matmul math.add math.atan2 math.divide math.divide_no_nan
    math.equal math.floordiv math.floormod math.greater math.greater_equal math.igamma math.less
    math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum math.minimum
    math.mod math.multiply math.multiply_no_nan math.not_equal math.pow math.polygamma
    math.scalar_mul math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py
    math.xlogy math.zeta nn.sigmoid_cross_entropy_with_logits realdiv tensordot truncatediv
    truncatemod
""".split()  # noqa: SIM905 (a table to read)
ASSERTIONS = [
    f"debugging.assert_{name}"
    for name in ("equal", "greater", "greater_equal", "less", "less_equal", "near", "none_equal")
]


def operands(tf: Any, extension: Callable[..., Any]) -> dict[str, Any]:
    """Values by name."""
    return {
        "ragged": tf.ragged.constant([[0.3, -0.7], [0.75]]),
        "ragged-integers": tf.ragged.constant([[1, -2], [3]]),
        "ragged-truths": tf.ragged.constant([[True, False], [True]]),
        "ragged-texts": tf.ragged.constant([["a", "1.5"], ["B"]]),
        "ragged-other": tf.ragged.constant([[0.3], [-0.7, 0.75]]),
        "ragged-deep": tf.ragged.constant([[[0.3], [-0.7, 0.75]], []]),
        "sparse": tf.sparse.from_dense([[0.3, 0.0], [0.0, -0.7]]),
        "sparse-integers": tf.sparse.from_dense([[1, 0], [0, -2]]),
        "extension": extension(tf.constant([0.3, -0.7]), 1),
        "tensor": tf.constant(0.4),
        "column": tf.constant([[0.4], [2.0]]),
        "row": tf.constant([[0.4, 2.0]]),
        "integer": 2,
        "number": 0.4,
        "none": None,
        "object": object(),
        "list": [0.4, 2.0],
    }


def shown(tf: Any, x: Any) -> str:
    """A result in few words."""
    if isinstance(x, tf.RaggedTensor):
        lengths = [np.asarray(n).tolist() for n in x.nested_row_lengths()]
        return f"ragged {lengths} {_shown(x.flat_values)}"
    if isinstance(x, tf.SparseTensor):
        return f"sparse {x.indices.numpy().tolist()} {_shown(x.values)}"
    if isinstance(x, tf.Tensor):
        return _shown(x)
    if isinstance(x, tf.experimental.ExtensionType) and hasattr(x, "number"):
        return f"extension {_shown(x.values)}"
    if isinstance(x, (bool, int, type(None))):
        return repr(x)
    return type(x).__name__


def _shown(x: Any) -> str:
    value = np.asarray(x.numpy())
    if value.dtype.kind in "fc":
        value = np.array([f"{v:.4g}" for v in value.reshape(-1)]).reshape(value.shape)
    return f"{x.dtype.name} {value.tolist()}"


@contextmanager
def handlers(tf: Any, extension: Any) -> Iterator[None]:
    """Within it, elementwise functions work on the values of an extension type."""
    api = tf.experimental

    def of(x: Any) -> Any:
        return x.values if isinstance(x, extension) else x

    made = [
        api.dispatch_for_unary_elementwise_apis(extension)(
            lambda f, x: extension(f(x.values), x.number)
        ),
        api.dispatch_for_binary_elementwise_apis(extension, float)(
            lambda f, x, y: extension(f(x.values, y), x.number)
        ),
        api.dispatch_for_binary_elementwise_apis(extension, extension)(
            lambda f, x, y: extension(f(x.values, y.values), x.number)
        ),
        api.dispatch_for_binary_elementwise_assert_apis(extension, extension)(
            lambda f, x, y: f(of(x), of(y))
        ),
    ]
    try:
        yield
    finally:
        for handler in made:
            with suppress(KeyError):  # TensorFlow can't take away a handler of assertions
                api.unregister_dispatch_for(handler)


Question = tuple[str, str, tuple[str, ...], dict[str, Any]]


def plain(values: Iterable[str]) -> Iterator[Question]:
    """Each function of each value, or of each two of which one is composite."""
    composite = [name for name in values if name.startswith(("ragged", "sparse", "extension"))]
    for path, given in UNARY.items():
        for x in composite:
            yield f"{path} {x}", path, (x,), given
    for path in (*BINARY, *ASSERTIONS):
        for x, y in itertools.product(values, repeat=2):
            if x in composite or y in composite:
                yield f"{path} {x} {y}", path, (x, y), {}


def handled() -> Iterator[Question]:
    """Each function of an extension type that has handlers."""
    for path, given in UNARY.items():
        yield f"handled {path} extension", path, ("extension",), given
    for path in (*BINARY, *ASSERTIONS):
        for other in ("extension", "number", "none", "ragged"):
            yield f"handled {path} extension {other}", path, ("extension", other), {}
            yield f"handled {path} {other} extension", path, (other, "extension"), {}


def answers(tf: Any) -> dict[str, str]:
    """Results and exceptions by function and operands."""

    class Extension(tf.experimental.ExtensionType):
        values: tf.Tensor
        number: int

    found = {}
    values = operands(tf, Extension)

    def ask(question: str, path: str, names: Iterable[str], given: dict[str, Any]) -> None:
        try:
            function = operator.attrgetter(path)(tf)
            answer = shown(tf, function(*[values[name] for name in names], **given))
        except Exception as error:  # noqa: BLE001 (any is an answer)
            answer = f"raises {type(error).__name__}"
        found[question] = answer

    for question in plain(values):
        ask(*question)
    with handlers(tf, Extension):
        for question in handled():
            ask(*question)
    for path, given in UNARY.items():
        ask(f"without {path} extension", path, ("extension",), given)
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r".*: raises \w+Error, ours: raises (Value|Type|InvalidArgument)Error": (
        "an error in both; TensorFlow's type for what can't be converted varies by function"
    ),
    r".*special\.(expint|bessel_k0e|bessel_y1) .*": "ours is SciPy's beside the domain",
    r"(math\.multiply|dtypes\.saturate_cast) ragged-truths.*": "ours takes truth values, too",
}
