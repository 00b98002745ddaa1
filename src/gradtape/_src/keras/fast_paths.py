"""The short ways through Keras' TensorFlow back end.

Keras asks at every operation for the common dtype of any two values, whether one of them is
symbolic, sparse or ragged, and what its dtype is called. Here, the answers for plain tensors
come first; everything else goes on to Keras' own functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import DType
from gradtape._src.base.optional_dtypes import BFLOAT16
from gradtape._src.core.convert import readers, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.distribute.context import replica_context
from gradtape._src.ops.elementwise.arithmetic import add_p, mul_p, sub_p
from gradtape._src.ops.elementwise.division import div_p
from gradtape._src.ops.elementwise.selection import maximum_p, minimum_p
from gradtape._src.ops.linalg.einsum import einsum
from gradtape._src.ops.linalg.matmul import matmul

FLOATS = frozenset(map(np.dtype, (np.float16, *BFLOAT16, np.float32, np.float64)))
_LEAVES = {Tensor, Variable, float, int, bool, str, bytes, type(None), np.ndarray}
_NUMBERS = {float, int}
_SCALARS: dict[Any, Any] = {"float32": np.float32, "float64": np.float64}
_constants: dict[Any, Any] = {}  # raw values of the Python numbers in formulas

Binary = Callable[[Any, Any], Any]


def variables(module: Any) -> None:
    """`standardize_dtype` remembers what the names of dtypes are."""
    original = module.standardize_dtype
    known: dict[Any, str] = {}

    @functools.wraps(original)
    def standardize_dtype(dtype: Any) -> Any:
        kind = type(dtype)
        if kind is not str and kind is not DType:
            return original(dtype)
        name = known.get(dtype)
        if name is None:
            name = known[dtype] = original(dtype)
        return name

    module.standardize_dtype = standardize_dtype
    _value(module)
    for name in ("assign_add", "assign_sub"):
        setattr(module.Variable, name, _as_a_whole(getattr(module.Variable, name)))


def _as_a_whole(original: Binary) -> Binary:
    """Keras adds to a variable by reading and assigning it: no thread may write in between."""

    @functools.wraps(original)
    def update(self: Any, value: Any) -> Any:
        given = plain(value)
        if replica_context() is not None:  # the replicas meet here, so none may hold the lock
            return original(self, given)
        with state_lock:
            return original(self, given)

    return update


def _value(module: Any) -> None:
    """A variable's value, where no scope changes it, without asking for one scope after another."""
    general = module.Variable.value.fget
    state = module.global_state  # `clear_session` replaces its tracker

    def value(self: Any) -> Any:
        scopes = state.GLOBAL_STATE_TRACKER.__dict__  # this thread's
        found = self._value
        if (
            found is None
            or scopes.get("stateless_scope") is not None
            or scopes.get("autocast_scope") is not None
        ):
            return general(self)
        return found

    module.Variable.value = property(value, doc=general.__doc__)


def dtypes(module: Any) -> None:
    """`result_type` remembers the common dtypes."""
    original = module.result_type
    floatx = module.config.floatx
    known: dict[Any, str] = {}

    @functools.wraps(original)
    def result_type(*given: Any) -> Any:
        try:
            key = (floatx(), *[id(d) if type(d) is DType else d for d in given])
            found = known.get(key)
        except TypeError:
            return original(*given)
        if found is None:
            found = known[key] = original(*given)
        return found

    module.result_type = result_type


def keras_tensor(module: Any) -> None:
    """`any_symbolic_tensors` sees by the type that a tensor is none."""
    original = module.any_symbolic_tensors
    leaves = _LEAVES

    @functools.wraps(original)
    def any_symbolic_tensors(args: Any = None, kwargs: Any = None) -> bool:
        if args:
            for x in args:
                if type(x) not in leaves:
                    return original(args, kwargs)  # type: ignore[no-any-return]
        if kwargs:
            for x in kwargs.values():
                if type(x) not in leaves:
                    return original(None, kwargs)  # type: ignore[no-any-return]
        return False

    module.any_symbolic_tensors = any_symbolic_tensors


def tree(module: Any) -> None:
    """`is_nested`, `flatten` and `map_structure` know what a tensor is."""
    is_nested, flatten, map_structure = module.is_nested, module.flatten, module.map_structure
    leaves = _LEAVES - {type(None)}
    flat = _LEAVES  # grows when Keras' variables load

    @functools.wraps(is_nested)
    def quick_is_nested(structure: Any) -> bool:
        return type(structure) not in leaves and is_nested(structure)

    @functools.wraps(flatten)
    def quick_flatten(structure: Any) -> list[Any]:
        return [structure] if type(structure) in leaves else flatten(structure)

    @functools.wraps(map_structure)
    def quick_map_structure(
        func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True
    ) -> Any:
        if len(structures) == 1 and none_is_leaf:
            given = structures[0]
            kind = type(given)
            if kind in flat:
                return func(given)
            if (kind is tuple or kind is list) and all(type(x) in flat for x in given):
                return kind([func(x) for x in given])
            if kind is dict and (
                not given or (len(given) == 1 and all(type(x) in flat for x in given.values()))
            ):
                return {key: func(x) for key, x in given.items()}
        return map_structure(func, *structures, none_is_leaf=none_is_leaf)

    module.is_nested, module.flatten = quick_is_nested, quick_flatten
    module.map_structure = quick_map_structure


def core(module: Any) -> None:
    """`convert_to_tensor` and `cast` let pass what is right already."""
    convert, cast = module.convert_to_tensor, module.cast

    @functools.wraps(convert)
    def quick_convert(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
        if type(x) is Tensor:
            if dtype is None or x.dtype.name == dtype:
                return x
        elif type(x) is float and dtype in _SCALARS:
            return Tensor(_SCALARS[dtype](x))
        return convert(x, dtype, sparse, ragged)

    @functools.wraps(cast)
    def quick_cast(x: Any, dtype: Any) -> Any:
        if type(x) is Tensor:
            if x.dtype.name == dtype:
                return x
        elif type(x) is float and dtype == "float32":  # others go by way of float32, and round
            return Tensor(np.float32(x))
        return cast(x, dtype)

    module.convert_to_tensor, module.cast = quick_convert, quick_cast
    _LEAVES.add(module.Variable)
    readers[module.Variable] = lambda x: tensor(x.value)


def numpy(module: Any) -> None:
    """Arithmetic of floating tensors of one dtype, and with Python numbers."""
    for name, run in (
        ("subtract", sub_p),
        ("multiply", mul_p),
        ("divide", div_p),
        ("true_divide", div_p),
        ("maximum", maximum_p),
        ("minimum", minimum_p),
    ):
        setattr(module, name, _quick(getattr(module, name), run))
    module.add = _quick_add(module.add)
    module.matmul = _quick_matmul(module.matmul)
    module.einsum = _quick_einsum(module.einsum)


def plain(x: Any) -> Any:
    """The tensor that is or stands for `x`; anything else as it is."""
    while type(x) is not Tensor:
        if type(x) is Variable:
            return x._read()
        if not hasattr(type(x), "_should_act_as_resource_variable"):
            return x
        x = x.value  # a variable of Keras, perhaps cast
    return x


def _pair(x1: Any, x2: Any) -> tuple[Any, Any] | None:
    """Two floating tensors of one dtype, or None."""
    if type(x1) is not Tensor:
        x1 = plain(x1)
    if type(x2) is not Tensor:
        x2 = plain(x2)
    if type(x1) is Tensor:
        dtype = x1._value.dtype
        if dtype not in FLOATS:
            return None
        if type(x2) is Tensor:
            return (x1, x2) if x2._value.dtype is dtype else None
        return (x1, _constant(x2, dtype)) if type(x2) in _NUMBERS else None
    if type(x2) is Tensor and type(x1) in _NUMBERS and x2._value.dtype in FLOATS:
        return _constant(x1, x2._value.dtype), x2
    return None


def _constant(number: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number as a tensor of a floating dtype."""
    known = _constants.get((number, dtype))
    if known is None:
        with np.errstate(over="ignore"):
            known = dtype.type(number)
        if number and len(_constants) < 4096:  # 0.0 and -0.0 are one key
            _constants[number, dtype] = known
    return Tensor(known)


def _quick(original: Binary, run: Binary) -> Binary:
    @functools.wraps(original)
    def operation(x1: Any, x2: Any) -> Any:
        pair = _pair(x1, x2)
        return original(x1, x2) if pair is None else run(*pair)

    return operation


def _quick_add(original: Binary) -> Binary:
    @functools.wraps(original)
    def add(x1: Any, x2: Any) -> Any:
        pair = _pair(x1, x2)
        if pair is None:
            return original(x1, x2)
        a, b = pair[0]._value.shape, pair[1]._value.shape
        # Otherwise Keras may take x2 for a bias of channels, against the rules of broadcasting.
        if a == b or not a or not b or (len(b) == 1 and b[0] == a[-1]):
            return add_p(*pair)
        return original(x1, x2)

    return add


def _quick_matmul(original: Binary) -> Binary:
    @functools.wraps(original)
    def quick_matmul(x1: Any, x2: Any) -> Any:
        pair = _pair(x1, x2)
        if pair is None or min(x._value.ndim for x in pair) < 2:
            return original(x1, x2)
        return matmul(*pair)

    return quick_matmul


def _quick_einsum(original: Callable[..., Any]) -> Callable[..., Any]:
    """Keras writes a product as reshapes around TensorFlow's `matmul`; gradtape's is one."""

    @functools.wraps(original)
    def quick_einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
        if len(operands) == 2 and not kwargs:
            pair = _pair(*operands)
            if pair is not None and pair[0]._value.dtype is pair[1]._value.dtype:
                return einsum(subscripts, *pair)
        return original(subscripts, *operands, **kwargs)

    return quick_einsum
