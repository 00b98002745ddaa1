"""Methods of each kind of linear operator, what operators give together, and wrong arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Operators = dict[str, Callable[[], Any]]
HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
KINDS = {"float": "float64", "complex": "complex128"}
OFFSET = 1.2345e-6  # so that no number lies where rounding is undecided


class Numbers:
    """Tensors of numbers that are equal wherever they are made."""

    def __init__(self, tf: Any, dtype: str) -> None:
        self.tf = tf
        self.dtype = dtype

    def __call__(self, *shape: int, seed: int = 0, least: float = -1.0, size: float = 1.0) -> Any:
        draw = np.random.RandomState(seed + 100 * len(shape) + sum(shape))
        value = draw.uniform(least, 1.0, shape)
        if "complex" in self.dtype:
            value = value + 1j * draw.uniform(-1.0, 1.0, shape)
        return self.tf.constant(size * value, self.dtype)

    def positive(self, *shape: int, seed: int = 0) -> Any:
        """Real numbers between 0.5 and 1.5."""
        draw = np.random.RandomState(seed + 200 * len(shape) + sum(shape))
        return self.tf.constant(draw.uniform(0.5, 1.5, shape), self.dtype)

    def dominant(self, *shape: int, seed: int = 0) -> Any:
        """Matrices far from singular ones."""
        eye = self.tf.eye(shape[-1], dtype=self.dtype)
        return self(*shape, seed=seed) + 3 * eye

    def definite(self, *shape: int, seed: int = 0) -> Any:
        """Self-adjoint positive definite matrices."""
        a = self.dominant(*shape, seed=seed)
        square = self.tf.matmul(a, a, adjoint_b=True)
        return (square + self.tf.linalg.adjoint(square)) / 2


def operators(tf: Any, dtype: str) -> Operators:
    """Operators by name, those in whose name there is a digit stacks of them."""
    own = Numbers(tf, dtype)
    la = tf.linalg
    spectrum = Numbers(tf, "complex128")
    known = {"is_self_adjoint": True, "is_positive_definite": True}
    factors = [
        la.LinearOperatorDiag(own.positive(2)),
        la.LinearOperatorFullMatrix(own.dominant(2, 2)),
    ]
    definite = [
        la.LinearOperatorFullMatrix(own.definite(2, 2), **known),
        la.LinearOperatorDiag(own.positive(1), **known),
    ]
    base = la.LinearOperatorDiag(own.positive(3), **known)
    return {
        "identity": lambda: la.LinearOperatorIdentity(3, dtype=dtype),
        "identity-2": lambda: la.LinearOperatorIdentity(3, batch_shape=[2], dtype=dtype),
        "scaled": lambda: la.LinearOperatorScaledIdentity(3, own()),
        "scaled-2": lambda: la.LinearOperatorScaledIdentity(3, own.positive(2), **known),
        "zeros": lambda: la.LinearOperatorZeros(3, dtype=dtype),
        "zeros-wide-2": lambda: la.LinearOperatorZeros(
            2, 3, [2], dtype, is_square=False, is_self_adjoint=False
        ),
        "diag": lambda: la.LinearOperatorDiag(own(3)),
        "diag-definite-2": lambda: la.LinearOperatorDiag(own.positive(2, 3), **known),
        "full": lambda: la.LinearOperatorFullMatrix(own.dominant(3, 3)),
        "full-definite-2": lambda: la.LinearOperatorFullMatrix(own.definite(2, 3, 3), **known),
        "full-tall": lambda: la.LinearOperatorFullMatrix(own(3, 2)),
        "full-wide-2": lambda: la.LinearOperatorFullMatrix(own(2, 2, 3)),
        "lower": lambda: la.LinearOperatorLowerTriangular(own.dominant(3, 3)),
        "lower-2": lambda: la.LinearOperatorLowerTriangular(own.dominant(2, 1, 3, 3)),
        "tridiag": lambda: la.LinearOperatorTridiag(own.dominant(3, 3)),
        "tridiag-2": lambda: la.LinearOperatorTridiag(own.dominant(2, 3, 3)),
        "tridiag-matrix": lambda: la.LinearOperatorTridiag(
            la.band_part(own.dominant(4, 4), 1, 1), "matrix"
        ),
        "tridiag-sequence-2": lambda: la.LinearOperatorTridiag(
            [own(2, 3), own(2, 3, least=3.0), own(2, 3, seed=1)], "sequence"
        ),
        "blocks": lambda: la.LinearOperatorBlockDiag(factors),
        "blocks-definite": lambda: la.LinearOperatorBlockDiag(definite),
        "blocks-2": lambda: la.LinearOperatorBlockDiag(
            [la.LinearOperatorFullMatrix(own.dominant(2, 2, 2)), factors[0]]
        ),
        "triangle": lambda: la.LinearOperatorBlockLowerTriangular(
            [
                [factors[1]],
                [la.LinearOperatorFullMatrix(own(1, 2)), la.LinearOperatorDiag(own.positive(1))],
            ]
        ),
        "triangle-2": lambda: la.LinearOperatorBlockLowerTriangular(
            [[factors[0]], [la.LinearOperatorFullMatrix(own(2, 2, 2)), factors[1]]]
        ),
        "kronecker": lambda: la.LinearOperatorKronecker(factors),
        "kronecker-three": lambda: la.LinearOperatorKronecker([*factors, definite[0]]),
        "kronecker-definite-2": lambda: la.LinearOperatorKronecker(
            [la.LinearOperatorDiag(own.positive(2, 3), **known), definite[0]]
        ),
        "kronecker-wide": lambda: la.LinearOperatorKronecker(
            [la.LinearOperatorFullMatrix(own(2, 3)), factors[1]]
        ),
        "composition": lambda: la.LinearOperatorComposition(factors),
        "composition-2": lambda: la.LinearOperatorComposition(
            [la.LinearOperatorFullMatrix(own(2, 4, 2)), factors[1]]
        ),
        "inversion": lambda: la.LinearOperatorInversion(factors[1]),
        "inversion-2": lambda: la.LinearOperatorInversion(
            la.LinearOperatorFullMatrix(own.definite(2, 3, 3), **known)
        ),
        "adjoint": lambda: la.LinearOperatorAdjoint(factors[1]),
        "adjoint-2": lambda: la.LinearOperatorAdjoint(la.LinearOperatorFullMatrix(own(2, 2, 3))),
        "permutation": lambda: la.LinearOperatorPermutation([2, 0, 1], dtype),
        "permutation-2": lambda: la.LinearOperatorPermutation([[1, 0, 2], [2, 0, 1]], dtype),
        "householder": lambda: la.LinearOperatorHouseholder(own(3)),
        "householder-2": lambda: la.LinearOperatorHouseholder(own(2, 3)),
        "circulant": lambda: la.LinearOperatorCirculant(spectrum(3), "complex128"),
        "circulant-real": lambda: la.LinearOperatorCirculant(
            tf.constant([3.0, 1.25, 1.25], "float64"), dtype
        ),
        "circulant-2": lambda: la.LinearOperatorCirculant(spectrum(2, 3), dtype),
        "circulant-plane": lambda: la.LinearOperatorCirculant2D(spectrum(2, 3), "complex128"),
        "circulant-plane-2": lambda: la.LinearOperatorCirculant2D(
            Numbers(tf, "float64").positive(2, 2, 2), "complex128"
        ),
        "circulant-space": lambda: la.LinearOperatorCirculant3D(spectrum(2, 2, 3), "complex128"),
        "toeplitz": lambda: la.LinearOperatorToeplitz(own(3, least=3.0), own(3, seed=1)),
        "toeplitz-2": lambda: la.LinearOperatorToeplitz(own(2, 3, least=3.0), own(3, seed=1)),
        "update": lambda: la.LinearOperatorLowRankUpdate(base, own(3, 2), own.positive(2)),
        "update-definite": lambda: la.LinearOperatorLowRankUpdate(base, own(3, 2)),
        "update-2": lambda: la.LinearOperatorLowRankUpdate(
            la.LinearOperatorFullMatrix(own.dominant(3, 3)),
            own(2, 3, 2),
            own.positive(2),
            own(2, 3, 2, seed=1),
        ),
    }


def _argument(tf: Any, operator: Any, axis: int, *shape: int, transposed: bool = False) -> Any:
    """A tensor whose last axis but one is as long as one of an operator's, for its products."""
    length = int(tf.convert_to_tensor(operator.shape_tensor())[axis])
    shape = (*shape[:-1], shape[-1], length) if transposed else (*shape[:-1], length, shape[-1])
    return Numbers(tf, operator.dtype.name)(*shape, seed=7)


def methods(tf: Any) -> dict[str, Callable[[Any], Any]]:
    """Yields the calls that are made on each operator."""
    plain = """
        adjoint assert_non_singular assert_positive_definite assert_self_adjoint batch_shape_tensor
        cholesky cond determinant diag_part domain_dimension_tensor eigvals inverse
        log_abs_determinant range_dimension_tensor shape_tensor tensor_rank_tensor to_dense trace
    """.split()  # noqa: SIM905 (a table to read)
    attributes = "H batch_shape dtype name shape tensor_rank".split()  # noqa: SIM905
    found: dict[str, Callable[[Any], Any]] = {
        **{name: lambda o, n=name: getattr(o, n)() for name in plain},
        **{name: lambda o, n=name: getattr(o, n) for name in attributes},
        "hints": lambda o: o,
        "dimensions": lambda o: [_whole(o.range_dimension), _whole(o.domain_dimension)],
        "parameters": lambda o: sorted(o.parameters),
        "fields": lambda o: [
            *o._composite_tensor_fields,
            "|",
            *o._composite_tensor_prefer_static_fields,
        ],
        "leaves": lambda o: [tuple(x.shape) for x in tf.nest.flatten(o, expand_composites=True)],
        "packed": lambda o: tf.nest.map_structure(lambda x: x, o, expand_composites=True),
        "variables": lambda o: [len(o.variables), len(o.submodules)],
        "first": lambda o: o[0],
        "last-of-two": lambda o: o[..., -1:],
        "new-axis": lambda o: o[tf.newaxis],
        "add_to_tensor": lambda o: o.add_to_tensor(
            Numbers(tf, o.dtype.name)(*o.shape[-2:], seed=5)
        ),
        "add_to_tensor-more": lambda o: o.add_to_tensor(
            Numbers(tf, o.dtype.name)(4, 1, *o.shape[-2:], seed=5)
        ),
    }
    for name, one, axes in (("matmul", "matvec", (-1, -2)), ("solve", "solvevec", (-2, -1))):
        for adjoint in (False, True):
            axis = axes[adjoint]
            flag = "-adjoint" if adjoint else ""
            for shape in ((2,), (2, 2), (3, 1, 1), (0,)):
                found[f"{name}{flag}-{'x'.join(map(str, shape))}"] = _product(
                    tf, name, axis, shape, adjoint=adjoint
                )
            found[f"{name}{flag}-transposed"] = _product(
                tf, name, axis, (2,), adjoint=adjoint, adjoint_arg=True
            )
            for shape in ((1,), (2, 1)):
                found[f"{one}{flag}-{len(shape)}"] = _vector(tf, one, axis, shape, adjoint)
    return found


def _whole(n: Any) -> int:
    return int(getattr(n, "value", n))


def _product(
    tf: Any, name: str, axis: int, shape: tuple[int, ...], **flags: bool
) -> Callable[[Any], Any]:
    def call(operator: Any) -> Any:
        transposed = flags.get("adjoint_arg", False)
        x = _argument(tf, operator, axis, *shape, transposed=transposed)
        return getattr(operator, name)(x, **flags)

    return call


def _vector(
    tf: Any, name: str, axis: int, shape: tuple[int, ...], adjoint: bool
) -> Callable[[Any], Any]:
    def call(operator: Any) -> Any:
        x = _argument(tf, operator, axis, *shape)[..., 0]
        return getattr(operator, name)(x, adjoint=adjoint)

    return call


def shown(tf: Any, x: Any) -> str:
    """A result in few words; of numbers their dtype, shape and a weighted sum."""
    if isinstance(x, tf.linalg.LinearOperator):
        hints = "".join("?NY"[0 if h is None else 1 + bool(h)] for h in _hints(x))
        kind = type(x).__name__.removeprefix("LinearOperator")
        return f"{kind} {hints} {x.name} {_numbers(x.to_dense())}"
    if isinstance(x, tf.Tensor):
        return _numbers(x)
    if isinstance(x, (list, tuple)):
        return f"[{', '.join(shown(tf, item) for item in x)}]"
    return x if isinstance(x, str) else repr(x)


def _hints(x: Any) -> Iterator[Any]:
    for name in HINTS:
        try:
            yield getattr(x, name)
        except ValueError:
            yield None


def _numbers(x: Any) -> str:
    value = np.asarray(x.numpy())
    if value.dtype.kind in "iu":
        return f"{x.dtype.name} {value.tolist()}"
    flat = value.reshape(-1).astype(np.complex128)
    finite = np.isfinite(flat)
    weights = np.cos(1.7 * np.arange(flat.size) + 0.3)
    total = np.sum(np.where(finite, flat, 0) * weights)
    parts = [_rounded(part) for part in (total.real, total.imag)]
    lost = "" if finite.all() else f" {np.sum(~finite)} not finite"
    numbers = " ".join(parts if value.dtype.kind == "c" else parts[:1])
    return f"{x.dtype.name} {list(value.shape)} {numbers}{lost}"


def _rounded(x: float) -> str:
    return f"{x + OFFSET:.4f}" if abs(x) < 1e4 else f"{x:.6e}"


def together(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Products and solutions of operators of one shape, and functions of operators."""
    found = {
        name: make
        for name, make in operators(tf, "float64").items()
        if tuple(make().shape) == (3, 3) and make().dtype is tf.float64
    }
    for left, one in found.items():
        for right, two in found.items():
            yield f"matmul {left} {right}", lambda a=one, b=two: a().matmul(b())
            yield f"solve {left} {right}", lambda a=one, b=two: a().solve(b())
    flags = ({"adjoint": True}, {"adjoint_arg": True}, {"adjoint": True, "adjoint_arg": True})
    for name, make in operators(tf, "complex128").items():
        for given in flags:
            label = " ".join([name, "-".join(given)])
            yield f"matmul self {label}", lambda m=make, g=given: m().matmul(m(), **g)
            yield f"solve self {label}", lambda m=make, g=given: m().solve(m(), **g)
        for path in "adjoint cholesky det diag_part inv logdet trace".split():  # noqa: SIM905
            yield f"tf.linalg.{path} {name}", lambda m=make, p=path: getattr(tf.linalg, p)(m())
        yield f"tf.matmul {name} left", lambda m=make: tf.matmul(m(), _argument(tf, m(), -1, 2))
        yield (
            f"tf.matmul {name} right",
            lambda m=make: tf.matmul(_argument(tf, m(), -2, 2, transposed=True), m()),
        )
        yield f"@ {name}", lambda m=make: m() @ _argument(tf, m(), -1, 2)


def gradients(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Derivatives of methods with respect to the tensors of real operators."""
    calls = methods(tf)
    names = "to_dense diag_part trace log_abs_determinant determinant".split()  # noqa: SIM905
    names += ["matmul-2x2", "matmul-adjoint-2", "matvec-2", "solve-2x2", "solve-adjoint-2"]
    names += ["solvevec-1", "eigvals", "cond"]
    for operator, make in operators(tf, "float64").items():
        for name in names:
            yield f"gradient {operator} {name}", lambda m=make, c=calls[name]: _gradient(tf, m(), c)


def _gradient(tf: Any, operator: Any, call: Callable[[Any], Any]) -> Any:
    leaves = tf.nest.flatten(operator, expand_composites=True)
    leaves = [x for x in leaves if not x.dtype.is_integer]
    with tf.GradientTape() as tape:
        tape.watch(leaves)
        made = tf.nest.pack_sequence_as(operator, leaves, expand_composites=True)
        result = call(made)
        size = int(np.prod(result.shape))
        weights = tf.constant(np.cos(np.arange(size)), "float64")
        loss = tf.reduce_sum(tf.reshape(tf.math.real(result), [-1]) * weights)
    return [x if x is None else tf.convert_to_tensor(x) for x in tape.gradient(loss, leaves)]


def mistakes(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Constructors and methods with arguments that are wrong, or nearly so."""
    la = tf.linalg
    one, ones = tf.constant([1.0, 2.0, 3.0]), tf.ones([3, 2])
    makers: dict[str, Callable[..., Any]] = {
        "Identity": lambda **k: la.LinearOperatorIdentity(2, **k),
        "ScaledIdentity": lambda **k: la.LinearOperatorScaledIdentity(2, 3.0, **k),
        "Zeros": lambda **k: la.LinearOperatorZeros(2, **k),
        "Diag": lambda **k: la.LinearOperatorDiag(one, **k),
        "DiagComplex": lambda **k: la.LinearOperatorDiag(tf.cast(one, "complex64"), **k),
        "FullMatrix": lambda **k: la.LinearOperatorFullMatrix(tf.eye(2), **k),
        "FullMatrixTall": lambda **k: la.LinearOperatorFullMatrix(ones, **k),
        "LowerTriangular": lambda **k: la.LinearOperatorLowerTriangular(tf.eye(2), **k),
        "Tridiag": lambda **k: la.LinearOperatorTridiag(tf.eye(3), **k),
        "BlockDiag": lambda **k: la.LinearOperatorBlockDiag([la.LinearOperatorIdentity(2)], **k),
        "BlockLowerTriangular": lambda **k: la.LinearOperatorBlockLowerTriangular(
            [[la.LinearOperatorIdentity(2)]], **k
        ),
        "Kronecker": lambda **k: la.LinearOperatorKronecker([la.LinearOperatorIdentity(2)], **k),
        "Composition": lambda **k: la.LinearOperatorComposition(
            [la.LinearOperatorIdentity(2)], **k
        ),
        "Inversion": lambda **k: la.LinearOperatorInversion(la.LinearOperatorDiag(one), **k),
        "Adjoint": lambda **k: la.LinearOperatorAdjoint(la.LinearOperatorDiag(one), **k),
        "Permutation": lambda **k: la.LinearOperatorPermutation([1, 0], **k),
        "Householder": lambda **k: la.LinearOperatorHouseholder(one, **k),
        "Circulant": lambda **k: la.LinearOperatorCirculant(one, **k),
        "CirculantComplex": lambda **k: la.LinearOperatorCirculant(tf.cast(one, "complex64"), **k),
        "Toeplitz": lambda **k: la.LinearOperatorToeplitz(one, one, **k),
        "LowRankUpdate": lambda **k: la.LinearOperatorLowRankUpdate(
            la.LinearOperatorDiag(one, is_positive_definite=True), ones, **k
        ),
        "LowRankUpdateMinus": lambda **k: la.LinearOperatorLowRankUpdate(
            la.LinearOperatorDiag(one), ones, [-1.0, 1.0], **k
        ),
    }
    for name, make in makers.items():
        for hint in HINTS:
            for value in (True, False, None):
                yield f"hint {name} {hint} {value}", lambda m=make, h=hint, v=value: m(**{h: v})
        yield f"hint {name} name", lambda m=make: m(name="own").name
    made = makers["Diag"]()
    for name, given in {
        "a-number": 1.0,
        "a-vector": one,
        "short": tf.ones([2, 2]),
        "double": tf.ones([3, 2], "float64"),
        "integers": [[1], [2], [3]],
        "text": "a",
        "none": None,
        "list": [[1.0], [2.0], [3.0]],
        "array": np.ones([3, 1], np.float32),
        "wrong-operator": la.LinearOperatorIdentity(2),
        "double-operator": la.LinearOperatorIdentity(3, dtype="float64"),
    }.items():
        for method in ("matmul", "solve", "matvec", "solvevec", "add_to_tensor"):
            yield f"given {method} {name}", lambda m=method, x=given: getattr(made, m)(x)
    yield from _wrong_constructors(tf, made)


def _wrong_constructors(tf: Any, made: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    la = tf.linalg
    double = la.LinearOperatorIdentity(3, dtype="float64")
    zero = la.LinearOperatorZeros(3)
    wide = la.LinearOperatorFullMatrix(tf.ones([2, 3]))
    for path, wrong in {
        "Identity": [(3.0,), ([3],), (-3,), (3, 2), (3, [-2]), (3, [2.0]), ("a",), (3, None, "x")],
        "ScaledIdentity": [(3.0, 1.0), (-3, 1.0), (3, "a"), (3, True), (3, 2), ([3], 1.0)],
        "Zeros": [(3, 2), (3.0,), (-1,), (3, -3), (3, None, 2), (3, [3])],
        "Diag": [(1.0,), ("a",), ([1, 2],), ([True],), (None,), ([[1.0], [2.0, 3.0]],)],
        "FullMatrix": [(1.0,), ([1.0],), ([[1]],), ([["a"]],), (None,)],
        "LowerTriangular": [(1.0,), ([1.0],), ([[1]],), (tf.ones([2, 3]),)],
        "Tridiag": [
            (tf.ones([2, 3]),),
            (1.0,),
            (tf.eye(3), "other"),
            (tf.ones([2, 3]), "matrix"),
            ([tf.ones(3)] * 2, "sequence"),
            ([tf.ones(3), tf.ones(2), tf.ones(3)], "sequence"),
        ],
        "BlockDiag": [([],), (made,), (3,), ([made, double],), ([1.0],)],
        "BlockLowerTriangular": [
            ([],),
            (made,),
            ([made],),
            ([[made], [made]],),
            ([[made], [double, made]],),
            ([[made], [wide, made]],),
            ([[wide]],),
        ],
        "Kronecker": [([],), (made,), ([made, double],)],
        "Composition": [([],), (made,), ([made, double],), ([made, wide],), ([wide, made],)],
        "Inversion": [(zero,), (wide,), (1.0,)],
        "Adjoint": [(1.0,)],
        "Permutation": [(1,), ([1.0, 0.0],), ([0, 0],), ([1, 2],), ([[1, 0], [0, 1]],)],
        "Householder": [(1.0,), ([1, 2],), ("a",)],
        "Circulant": [(1.0,), ([1, 2],), ("a",)],
        "Circulant2D": [([1.0],), ([[1.0]], "int32")],
        "Circulant3D": [([1.0],)],
        "Toeplitz": [([1.0], 1.0), ([1.0, 2.0], [1.0]), (1.0, [1.0]), ([1.0], [1])],
        "LowRankUpdate": [
            (made, tf.ones([2, 2])),
            (made, tf.ones([3, 2]), [1.0]),
            (made, tf.ones([3, 2]), None, tf.ones([3, 1])),
            (made, tf.ones([3, 2]), [1.0, 2.0], tf.ones([2, 2])),
            (made, [1.0, 2.0, 3.0]),
            (made, tf.ones([3, 2], "float64")),
        ],
    }.items():
        for place, args in enumerate(wrong):
            yield (
                f"constructor {path} {place}",
                lambda p=path, a=args: getattr(la, f"LinearOperator{p}")(*a),
            )


def answers(tf: Any) -> dict[str, str]:
    """Results and exceptions by operator and method."""
    found = {}

    def ask(question: str, call: Callable[[], Any]) -> None:
        try:
            answer = shown(tf, call())
        except Exception as error:  # noqa: BLE001 (any is an answer)
            answer = f"raises {type(error).__name__}"
        found[question] = answer

    calls = methods(tf)
    for kind, dtype in KINDS.items():
        for name, make in operators(tf, dtype).items():
            for method, call in calls.items():
                ask(f"{kind} {name} {method}", lambda m=make, c=call: c(m()))
    for questions in (together, gradients, mistakes):
        for question, call in questions(tf):
            ask(question, call)
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES: dict[str, str] = {
    r".*: raises \w+Error, ours: raises (Value|Type|InvalidArgument)Error": (
        "an error in both; TensorFlow's type for wrong arguments varies by class"
    ),
    r"(float|complex|tf\.matmul|@|gradient) tridiag.*: raises InvalidArgumentError, ours: .*": (
        "TensorFlow's tridiagonal products need equal leading axes; ours broadcast"
    ),
    r".* toeplitz-2 .*: raises InvalidArgumentError, ours: .*": (
        "TensorFlow does not broadcast the leading axes of a column and a row in products"
    ),
    r"@ toeplitz-2: raises InvalidArgumentError, ours: .*": "likewise",
    r"(float|complex) (identity|scaled|diag-definite)-2 add_to_tensor.*": (
        "TensorFlow does not broadcast the tensor against a stack of operators, as in its text"
    ),
    r"(float|complex) (identity|zeros) new-axis: raises ValueError, ours: .*": (
        "TensorFlow can't slice an operator that is no stack"
    ),
    r"(float|complex) update\S* new-axis: LowRankUpdate [?]{3}Y.*": (
        "TensorFlow forgets that V is U, and with it the hints that follow"
    ),
    r".*kronecker-wide.*": "TensorFlow takes the adjoint of a wide product for square",
    r".*: Circulant.* complex64 .*, ours: Circulant.* (complex128|float64) .*": (
        "TensorFlow's adjoint of a circulant operator forgets its dtype"
    ),
    r"(complex scaled inverse|tf\.linalg\.inv scaled): .*": (
        "TensorFlow takes the inverse of a complex multiple of the identity for self-adjoint"
    ),
    r"complex .* assert_(non_sing|positive_def)\w+: raises InvalidArgumentError, ours: None": (
        "TensorFlow compares complex numbers, which have no order"
    ),
    r"matmul self zeros-wide-2 .*": "TensorFlow has products with square zeros alone",
    r"solve self inversion adjoint.*": "TensorFlow leaves out the adjoint",
}
