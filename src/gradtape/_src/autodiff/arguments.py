"""Checks the arguments of a differentiation: targets, sources and initial gradients."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.autodiff import none_gradients
from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor, is_composite
from gradtape._src.base.dtypes import c_name
from gradtape._src.base.errors import About, invalid_argument
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.scope_stacks import Setting
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK, Recorder, next_id, push, remove
from gradtape._src.core.resource_handles import variable_of
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import broadcast_to_p, count, repeated, reshape_p
from gradtape._src.declare.unknown_sizes import UnknownRank, are_alike, may_be_equal
from gradtape._src.ops.array.creation import zeros_of

JACOBIAN_LOOP = (
    "the jacobian with eager execution enabled and with  experimental_use_pfor set to False."
)
BATCH_JACOBIAN_LOOP = (
    "the batch_jacobian with eager execution enabled and  with experimental_use_pfor set to False."
)
GRADIENT_INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
    "efficient than calling it outside the context (it causes the gradient ops to be recorded on "
    "the tape, leading to increased CPU and memory usage). Only call GradientTape.gradient inside "
    "the context if you actually want to trace the gradient in order to compute higher order "
    "derivatives."
)


@export("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """Whether a gradient is None or zeros if no path leads from the source to the target."""

    NONE = "none"
    ZERO = "zero"


_NONE, ndarray = UnconnectedGradients.NONE, np.ndarray  # read faster than as attributes
_recent: deque[Tensor] = deque(maxlen=4)
"""Keeps the last losses alive, so that a new loss cannot get the `id` of a recent one."""


def leaf(x: Any) -> Tensor | Variable | None:
    """Returns the tensor or variable that `x` is or holds (as Keras' variables do), or None."""
    if type(x) is Tensor:
        return x
    if isinstance(x, (Tensor, Variable)):
        return x
    return variable_of(getattr(x, "handle", None))


def inner_leaf(x: Any) -> Tensor | Variable | None:
    """Like `leaf`, and returns the values of a ragged tensor."""
    if type(x) is Tensor:
        return x
    return x._differentiable() if isinstance(x, CompositeTensor) else leaf(x)


def values_in(structure: Any) -> list[Any]:
    """Returns the leaves of a structure; a value of several tensors contributes each of them."""
    flat = nest.flatten(structure)
    if not any([isinstance(x, CompositeTensor) for x in flat]):  # noqa: C419 (half the time)
        return flat
    each = [x._differentiable_parts() if isinstance(x, CompositeTensor) else None for x in flat]
    pairs = zip(flat, each, strict=True)
    return [y for x, parts in pairs for y in ([x] if parts is None else parts)]


def watchable_in(structure: Any) -> list[Any]:
    """Like `values_in`; of composite tensors of other libraries, a tape watches each tensor."""
    values = values_in(structure)
    if not any([getattr(x, "_is_known_by_spec", False) for x in values]):  # noqa: C419 (likewise)
        return values
    return nest.flatten(values, expand_composites=True)


def not_watchable(x: Any) -> ValueError:
    """Returns the error for what a tape can't watch."""
    if isinstance(x, CompositeTensor):
        return ValueError(
            f"Type {type(x).__name__} is not supported as a gradient source or gradient target. "
            "(Use its `.values`.)"
        )
    return ValueError(
        f"Passed in object {x} of type {type(x).__name__!r}, not tf.Tensor or tf.Variable or "
        f"ExtensionType."
    )


def id_of(x: Any) -> int:
    """Returns the value's id, and assigns one if it is 0."""
    if not x._id:
        x._id = next_id()
    out: int = x._id
    return out


def _lacks(x: Any, wanted: str = "dtype") -> str:
    """Returns the name of an attribute that tensors have and the value lacks, for the message."""
    return "_id" if hasattr(x, wanted) else wanted


_PLAIN = frozenset({Tensor, Variable})


def source_leaves(sources: Any) -> Sequence[Any]:
    """Returns the sources as tensors and variables that have ids; a plain list as it is."""
    try:
        if type(sources) is Tensor and sources._id:
            return [sources]
        if type(sources) is list and _PLAIN.issuperset(map(type, sources)):  # the usual case
            for x in sources:
                if not x._id:
                    id_of(x)
            return sources
        return [_source_leaf(x) for x in values_in(sources)]
    except Exception as error:
        shorten(error)
        raise


def _source_leaf(x: Any) -> Any:
    held = x if type(x) is Variable else inner_leaf(x)
    if held is None:
        if x is None or isinstance(x, (str, bytes)):
            raise TypeError(
                f"Cannot convert the argument `type_value`: {x!r} to a TensorFlow DType."
            )
        if is_composite(type(x)) and not isinstance(x, IndexedSlices):
            raise not_watchable(x)
        raise AttributeError(
            f"{type(x).__name__!r} object has no attribute {_lacks(x)!r}: a source must be a "
            f"tf.Tensor or tf.Variable that the tape watched, not {x!r}"
        )
    id_of(held)
    return held


def target_leaves(target: Any) -> list[Any]:
    try:
        if type(target) is Tensor:
            return [target]
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        leaves = []
        for x in values_in(target):
            held = inner_leaf(x)
            if held is None and isinstance(x, CompositeTensor) and not isinstance(x, IndexedSlices):
                raise not_watchable(x)
            if x is None:
                raise TypeError("a target is None, not a tf.Tensor computed inside the tape")
            if held is None:
                raise AttributeError(
                    f"{type(x).__name__!r} object has no attribute {_lacks(x)!r}: a target must be "
                    f"a tf.Tensor computed inside the tape, not {x!r}"
                )
            leaves.append(held)
        return leaves
    except Exception as error:
        shorten(error)
        raise


def single(x: Any, what: str) -> Tensor | Variable:
    """Returns the argument of a Jacobian, which must be a single tensor."""
    held = leaf(x)
    if isinstance(x, CompositeTensor):
        raise ValueError(f"the {what} of a Jacobian must be a tensor: use the `.values` of {x}")
    if x is None:
        raise TypeError(f"the {what} of a Jacobian must be a tensor, not None")
    if held is None:
        raise AttributeError(
            f"{type(x).__name__!r} object has no attribute {_lacks(x, 'shape')!r}: the {what} of a "
            "Jacobian must be a single tensor"
        )
    id_of(held)
    return held


def check_batches(y: Any, x: Any) -> None:
    """Raises ValueError unless target and source have examples along their first axes."""
    for shape in (x.shape, y.shape):
        if len(shape) < 2:
            raise ValueError(
                f"Shape {shape} must have rank at least 2 (the first axis is the batch)"
            )
    if y.shape[0] != x.shape[0]:
        raise ValueError(
            f"Need first dimension of target shape ({y.shape}) and source shape ({x.shape}) to "
            f"match."
        )


def unconnected_choice(value: Any) -> UnconnectedGradients:
    """Converts `unconnected_gradients` to the enumeration; raises ValueError if it is unknown."""
    if value is _NONE:
        return UnconnectedGradients.NONE
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def seeds(targets: Sequence[Any], output_gradients: Any, raw: bool) -> dict[int, Any]:
    """Returns the initial cotangents of the backward pass, by the targets' ids."""
    try:
        if raw and output_gradients is None and len(targets) == 1:
            (y,) = targets
            if not y._value.shape:
                _recent.append(y)
            one = ones(y._value)
            return {} if one is None else {y._id or id_of(y): one}
        given = [] if output_gradients is None else nest.flatten(output_gradients)
        seeds: dict[int, Any] = {}
        g: Any
        for k, y in enumerate(targets):
            if k < len(given):
                if given[k] is None:
                    continue
                g = _output_gradient(given[k], y)
                g = g._value if raw else g
            else:
                one = ones(y._value)
                if one is None:
                    continue
                g = one if raw else Tensor(one)
            i = y._id or id_of(y)
            seeds[i] = g if i not in seeds else seeds[i] + g
        return seeds
    except Exception as error:
        shorten(error)
        raise


def _output_gradient(value: Any, y: Any) -> Tensor:
    """Converts one of `output_gradients` to a tensor that matches its target."""
    part = value._differentiable() if isinstance(value, CompositeTensor) else None
    g = convert_to_tensor(value if part is None else part)
    if g.dtype is not y.dtype:
        raise invalid_argument(
            f"output_gradients: cannot compute Mul as input #1(zero-based) was expected to be a "
            f"{c_name(g.dtype.name)} tensor but is a {c_name(y.dtype.name)} tensor (give output "
            f"gradients of the target's dtype, {y.dtype.name})",
            About.DTYPES,
        )
    shape, own = y._value.shape, g._value.shape
    if are_alike(own, shape):
        return g
    if UnknownRank not in (type(own), type(shape)) and may_be_equal(own, shape):
        return broadcast_to_p(g, shape=shape)  # a graph compares the unknown lengths when it runs
    if count(own) == count(shape):
        return reshape_p(g, shape=shape)
    if len(own) <= len(shape) and all(
        n in (1, m) for n, m in zip(own[::-1], shape[::-1], strict=False)
    ):
        return broadcast_to_p(g, shape=shape)
    raise invalid_argument(
        f"output_gradients: Incompatible shapes: {list(own)} vs. {list(shape)} (give output "
        "gradients of the target's shape)",
        About.SHAPES,
    )


def answers(
    found: dict[int, Any],
    sources: Any,
    leaves: Sequence[Any],
    raw: bool,
    unconnected: UnconnectedGradients,
) -> Any:
    """Returns the gradients in the structure of the sources, with `leaves` as its tensors."""
    if len(leaves) == 1 and sources is leaves[0]:
        return answer(found.get(sources._id), sources, raw, unconnected)
    gradients = [
        Tensor(g)
        if type(g := found.get(x._id)) is ndarray and raw
        else answer(g, x, raw, unconnected)
        for x in leaves
    ]
    if leaves is sources:
        return gradients
    flat = nest.flatten(sources)
    if any([isinstance(x, CompositeTensor) for x in flat]):  # noqa: C419 (half the time)
        following = iter(gradients)
        gradients = [_in_form_of(x, following) for x in flat]
    return nest.pack_sequence_as(sources, gradients)


def _in_form_of(source: Any, gradients: Iterator[Any]) -> Any:
    """Takes the gradients of one source from an iterator, and returns them in the source's form."""
    if not isinstance(source, CompositeTensor):
        return next(gradients)
    parts = source._differentiable_parts()
    if parts is not None:
        return source._with_gradients([next(gradients) for _ in parts])
    gradient = next(gradients)
    return None if gradient is None else source._with_gradient(convert_to_tensor(gradient))


def answer(
    g: Any, source: Any, raw: bool, unconnected: UnconnectedGradients
) -> Tensor | IndexedSlices | None:
    """Returns a gradient in the form that is returned to the user."""
    if raw and type(g) is ndarray:
        return Tensor(g)
    if g is None:
        if unconnected is UnconnectedGradients.ZERO:
            return zeros_of(source)
        none_gradients.note()
        return None
    if type(g) is IndexedSlices:
        return IndexedSlices(*map(_wrapped, (g.values, g.indices, g.dense_shape)))
    return Tensor(g) if raw and isinstance(g, np.generic) else _wrapped(g)


def _wrapped(x: Any) -> Any:
    return x if type(x) is Tensor or not hasattr(x, "dtype") else Tensor(x)


def need_persistence(persistent: bool, what: str) -> None:
    """Raises RuntimeError unless a tape is persistent."""
    if not persistent:
        raise RuntimeError(f"GradientTape must be created with persistent=True to compute {what}")


def pushed(one: Recorder) -> Setting:
    """Returns a context manager with `recorder` as the innermost recorder."""
    return Setting(
        lambda: one in STACK.recorders, lambda on: push(one) if on else remove(one), new=True
    )


_ONE = {t: t(1) for t in (np.float16, np.float32, np.float64, np.complex64, np.complex128)}


def ones(value: Any) -> RawValue | None:
    """Returns a cotangent of ones for a raw value, or None for strings, which have no cotangent."""
    one: RawValue | None = _ONE.get(type(value))
    if one is not None:
        return one
    if type(value) is ndarray and value.size <= 1024:
        return _few_ones(value.shape, value.dtype)
    if value.dtype.kind == "O":
        return None
    return repeated(value.dtype.type(1), value.shape)


@lru_cache(256)
def _few_ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    if dtype.kind == "O":
        return None
    out = np.ones(shape, dtype)
    out.flags.writeable = False  # a gradient may be this very array
    return out
