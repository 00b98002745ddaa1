"""Weak tensors, whose dtype adapts to other operands like that of Python's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape._src.base import dtypes as d
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import APIS, Api
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, readers, register_converter, tensor
from gradtape._src.core.operators import Operators, TensorMethods, register_method
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.first_use.loading import public_name
from gradtape._src.numpy.promotion import Kind, promotion
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.type_spec import BatchableTypeSpec

_ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod", "pow", "truediv", "matmul")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_OF_PYTHON = {bool: Kind(d.bool_), int: Kind(d.int32, True), float: Kind(d.float32, True)}
_OF_PYTHON[complex] = Kind(d.complex128, True)
_TWO = """
    add subtract multiply math.multiply_no_nan matmul divide math.divide_no_nan truediv realdiv
    truncatediv math.floordiv truncatemod math.floormod pow math.maximum math.minimum
    math.squared_difference
"""
_TWO_OF_BOOL = "equal not_equal less less_equal greater greater_equal"
_ONE = """
    abs math.softplus sign math.real math.imag math.angle round sigmoid math.log_sigmoid math.conj
    math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil sqrt exp math.rsqrt acos
    floor bitwise.invert acosh asin asinh atan atanh cos cosh math.digamma math.erf math.erfc
    math.expm1 math.lgamma math.log math.log1p negative math.reciprocal math.rint sin sinh square
    tan tanh zeros_like ones_like nn.relu6 nn.leaky_relu nn.gelu nn.log_softmax nn.silu nn.elu
    nn.relu nn.selu nn.softsign nn.softmax clip_by_value math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.bessel_i0
    math.bessel_i0e math.bessel_i1 math.bessel_i1e math.reduce_euclidean_norm reduce_logsumexp
    reduce_max reduce_mean reduce_min reduce_prod math.reduce_std reduce_sum math.reduce_variance
    linalg.trace reshape nn.depth_to_space expand_dims identity linalg.diag linalg.diag_part
    linalg.matrix_transpose nn.space_to_depth squeeze stop_gradient linalg.tensor_diag_part
    transpose cumsum math.cumprod
"""


class WeakTensor(TensorLike, CompositeTensor):
    """A tensor whose dtype adapts to that of other operands.

    Args:
      value: The tensor.
    """

    __slots__ = ("__weakref__", "_tensor")

    def __init__(self, value: Tensor) -> None:
        self._tensor = value

    @property
    def _value(self) -> Any:
        return self._tensor._value

    @property
    def _id(self) -> int:
        return self._tensor._id

    @_id.setter
    def _id(self, number: int) -> None:
        self._tensor._id = number

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The extent along each axis."""
        return self._tensor.shape

    def to_tensor(self) -> Tensor:
        """Returns the value as a tensor, whose dtype does not adapt.

        Returns:
          A tensor.
        """
        return self._tensor

    def _numpy(self) -> Any:
        return self._tensor._numpy()

    def _differentiable(self) -> Tensor:
        return self._tensor

    def _with_gradient(self, gradient: Any) -> WeakTensor:
        return WeakTensor(gradient)

    def __bool__(self) -> bool:
        return bool(self._tensor)

    def __hash__(self) -> int:
        return hash(self._tensor)

    def __iter__(self) -> Iterator[Any]:
        return map(_weak, iter(self._tensor))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._tensor, name)
        if name not in TensorMethods.__annotations__:
            return found
        return (
            (lambda *args, **kwargs: _weak(found(*args, **kwargs)))
            if callable(found)
            else _weak(found)
        )

    @property
    def _type_spec(self) -> WeakTensorSpec:
        return WeakTensorSpec(TensorSpec(self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self._tensor!r}"[:-1] + ", weak=True>"

    def __str__(self) -> str:
        return f"{self._tensor!s}"[:-1] + ", weak=True)"

    def __format__(self, spec: str) -> str:
        return format(self._tensor, spec) if spec else f"{self._tensor} weakly typed"


@register("tf.WeakTensor.Spec")
class WeakTensorSpec(BatchableTypeSpec):
    """Describes a weak tensor.

    Args:
      tensor: The shape and dtype.
    """

    __slots__ = ("_tensor",)

    def __init__(self, tensor: TensorSpec) -> None:
        self._tensor = tensor

    @property
    def value_type(self) -> type[WeakTensor]:
        """The class of the described values."""
        return WeakTensor

    def _serialize(self) -> tuple[Any, ...]:
        return (self._tensor,)

    @property
    def _component_specs(self) -> TensorSpec:
        return self._tensor

    def _to_components(self, value: Any) -> Tensor:
        return tensor(value)

    def _from_components(self, components: Any) -> WeakTensor:
        return WeakTensor(components)

    def _batch(self, batch_size: int | None) -> WeakTensorSpec:
        return WeakTensorSpec(self._tensor._batch(batch_size))

    def _unbatch(self) -> WeakTensorSpec:
        return WeakTensorSpec(self._tensor._unbatch())


def _converted(value: WeakTensor, dtype: DType | None) -> Tensor:
    own = value._tensor
    if dtype is None or dtype is own.dtype:
        return own
    wanted = promotion(Kind(own.dtype, True), Kind(dtype), safe=False)
    return cast(own, dtype) if wanted is not None and wanted.dtype is dtype else own


readers[WeakTensor] = WeakTensor.to_tensor
register_converter(WeakTensor, _converted)
register_composite(WeakTensor, Container(lambda x: [x._tensor], lambda _, parts: _weak(parts[0])))


def _weak(value: Any) -> Any:
    """Returns a tensor as a weak one; strings and booleans are returned unchanged."""
    if type(value) is Tensor and (value.dtype.is_numeric and not value.dtype.is_bool):
        return WeakTensor(value)
    return value


def _leaves(value: Sequence[Any]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _is_of_python(value: Any) -> bool:
    """Returns whether a value consists of Python's numbers alone."""
    if isinstance(value, (list, tuple)):
        leaves = list(_leaves(value))
        return bool(leaves) and all(map(_is_of_python, leaves))
    return type(value) in (int, float, complex)


def kind_of(value: Any) -> Kind | None:
    """Returns the dtype of an operand, and whether it is weak; None for other values.

    Args:
      value: A tensor, variable, array, number or nested list of numbers.
    """
    if isinstance(value, WeakTensor):
        return Kind(value.dtype, True)
    if isinstance(value, (TensorLike, np.ndarray, np.generic)):
        try:
            return Kind(as_dtype(value.dtype))
        except TypeError:
            return None
    if (found := _OF_PYTHON.get(type(value))) is not None:
        return found
    if isinstance(value, (list, tuple)):
        try:
            return Kind(convert_to_tensor(value).dtype, _is_of_python(value))
        except (TypeError, ValueError):
            return None
    return None


def promoted(x: Any, y: Any, *, safe: bool) -> tuple[Tensor, Tensor, bool] | None:
    """Converts operands to one dtype; returns them and whether it is weak, or None if impossible.

    Args:
      x: The left operand.
      y: The right operand.
      safe: Whether to refuse promotions that may lose precision.

    Raises:
      TypeError: The mode is "safe", and precision may be lost.
    """
    left, right = kind_of(x), kind_of(y)
    found = None if left is None or right is None else promotion(left, right, safe=safe)
    if found is None:
        return None
    return _as(x, found.dtype), _as(y, found.dtype), found.weak


def _as(value: Any, dtype: DType) -> Tensor:
    if isinstance(value, TensorLike):
        own = tensor(value)
        return own if own.dtype is dtype else cast(own, dtype)
    return cast(convert_to_tensor(value), dtype) if kind_of(value) else tensor(value)


def _api(path: str) -> Api:
    """Loads and returns a public function whose implementation can be replaced."""
    name, *rest = path.split(".")
    value: Any = public_name(name)
    for part in rest:
        value = getattr(value, part)
    return APIS[value]


class Promoting:
    """Makes operators and functions promote their operands by the table, permanently.

    Args:
      safe: Whether to refuse promotions that may lose precision.
    """

    def __init__(self, *, safe: bool) -> None:
        self._safe = safe

    def enable(self) -> None:
        """Replaces operators and functions by versions that promote."""
        for names, wrap in ((_TWO, self._two), (_TWO_OF_BOOL, self._two), (_ONE, self._one)):
            for path in names.split():
                api = _api(path)
                api.put_before(wrap(api.implementation, weakly=names is not _TWO_OF_BOOL))
        api = _api("constant")
        api.put_before(self._constant(api.implementation))
        for name in _ARITHMETIC:
            self._operator(name, weakly=True)
            if name != "matmul" or hasattr(Operators, "__rmatmul__"):
                self._reflected(name)
        for name in _COMPARISONS:
            self._operator(name, weakly=False)
        for name in ("neg", "abs", "invert"):
            plain = getattr(Operators, f"__{name}__")
            register_method(Operators, f"__{name}__", self._one(plain))

    def _operator(self, name: str, *, weakly: bool) -> None:
        plain = getattr(Operators, f"__{name}__")
        register_method(Operators, f"__{name}__", self._two(plain, weakly=weakly))

    def _reflected(self, name: str) -> None:
        forward = getattr(Operators, f"__{name}__")
        register_method(Operators, f"__r{name}__", lambda self, other: forward(other, self))

    def _two(self, function: Callable[..., Any], *, weakly: bool = True) -> Callable[..., Any]:
        def run(x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
            if type(x) is Tensor and type(y) is Tensor and x._value.dtype == y._value.dtype:
                return function(x, y, *args, **kwargs)
            both = promoted(x, y, safe=self._safe)
            if both is None:
                return function(x, y, *args, **kwargs)
            out = function(both[0], both[1], *args, **kwargs)
            return _weak(out) if both[2] and weakly else out

        return run

    def _one(self, function: Callable[..., Any], *, weakly: bool = True) -> Callable[..., Any]:
        def run(x: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(x, WeakTensor) or _is_of_python(x):
                return _weak(function(tensor(x), *args, **kwargs))
            return function(x, *args, **kwargs)

        return run

    def _constant(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
            out = function(value, dtype, *args, **kwargs)
            return _weak(out) if dtype is None and _is_of_python(value) else out

        return run
