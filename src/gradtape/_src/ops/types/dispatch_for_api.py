"""Decorators that register implementations of public functions for user-defined types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar

from gradtape._src.base.dispatch import (
    APIS,
    Api,
    composites_exist,
    on_each_api,
    once_composites_exist,
)
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope

F = TypeVar("F", bound=Callable[..., Any])
Handler = Callable[..., Any]

_UNARY = frozenset(
    [
        "bitwise.invert",
        "cast",
        "clip_by_value",
        "debugging.check_numerics",
        "dtypes.saturate_cast",
        "image.adjust_brightness",
        "image.adjust_gamma",
        "image.convert_image_dtype",
        "image.random_brightness",
        "image.stateless_random_brightness",
        "io.decode_base64",
        "io.decode_compressed",
        "io.encode_base64",
        "math.abs",
        "math.acos",
        "math.acosh",
        "math.angle",
        "math.asin",
        "math.asinh",
        "math.atan",
        "math.atanh",
        "math.bessel_i0",
        "math.bessel_i0e",
        "math.bessel_i1",
        "math.bessel_i1e",
        "math.ceil",
        "math.conj",
        "math.cos",
        "math.cosh",
        "math.digamma",
        "math.erf",
        "math.erfc",
        "math.erfcinv",
        "math.erfinv",
        "math.exp",
        "math.expm1",
        "math.floor",
        "math.imag",
        "math.is_finite",
        "math.is_inf",
        "math.is_nan",
        "math.lgamma",
        "math.log",
        "math.log1p",
        "math.log_sigmoid",
        "math.logical_not",
        "math.ndtri",
        "math.negative",
        "math.nextafter",
        "math.real",
        "math.reciprocal",
        "math.reciprocal_no_nan",
        "math.rint",
        "math.round",
        "math.rsqrt",
        "math.sigmoid",
        "math.sign",
        "math.sin",
        "math.sinh",
        "math.softplus",
        "math.special.bessel_j0",
        "math.special.bessel_j1",
        "math.special.bessel_k0",
        "math.special.bessel_k0e",
        "math.special.bessel_k1",
        "math.special.bessel_k1e",
        "math.special.bessel_y0",
        "math.special.bessel_y1",
        "math.special.dawsn",
        "math.special.expint",
        "math.special.fresnel_cos",
        "math.special.fresnel_sin",
        "math.special.spence",
        "math.sqrt",
        "math.square",
        "math.tan",
        "math.tanh",
        "nn.elu",
        "nn.gelu",
        "nn.leaky_relu",
        "nn.relu",
        "nn.relu6",
        "nn.selu",
        "nn.silu",
        "nn.softsign",
        "ones_like",
        "strings.as_string",
        "strings.length",
        "strings.lower",
        "strings.regex_full_match",
        "strings.regex_replace",
        "strings.strip",
        "strings.substr",
        "strings.to_hash_bucket",
        "strings.to_hash_bucket_fast",
        "strings.to_hash_bucket_strong",
        "strings.to_number",
        "strings.unicode_script",
        "strings.unicode_transcode",
        "strings.upper",
        "zeros_like",
    ]
)
_BINARY = frozenset(
    [
        "bitwise.bitwise_and",
        "bitwise.bitwise_or",
        "bitwise.bitwise_xor",
        "bitwise.left_shift",
        "bitwise.right_shift",
        "dtypes.complex",
        "math.add",
        "math.atan2",
        "math.divide",
        "math.divide_no_nan",
        "math.equal",
        "math.floordiv",
        "math.floormod",
        "math.greater",
        "math.greater_equal",
        "math.less",
        "math.less_equal",
        "math.logical_and",
        "math.logical_or",
        "math.logical_xor",
        "math.maximum",
        "math.minimum",
        "math.multiply",
        "math.multiply_no_nan",
        "math.not_equal",
        "math.pow",
        "math.scalar_mul",
        "math.squared_difference",
        "math.subtract",
        "math.truediv",
        "math.xdivy",
        "math.xlog1py",
        "math.xlogy",
        "math.zeta",
        "nn.sigmoid_cross_entropy_with_logits",
        "realdiv",
        "truncatediv",
        "truncatemod",
    ]
)
_ASSERTIONS = frozenset(
    [
        "debugging.assert_equal",
        "debugging.assert_greater",
        "debugging.assert_greater_equal",
        "debugging.assert_less",
        "debugging.assert_less_equal",
        "debugging.assert_near",
        "debugging.assert_none_equal",
    ]
)


class _Family:
    """A handler for all functions of a kind, and the targets registered for these functions.

    Attributes:
      names: The functions' public names.
      annotations: The annotations of the first arguments.
      handler: The user's handler, which is called with a function and these arguments.
      targets: The registered target of each function.
    """

    def __init__(
        self, names: frozenset[str], annotations: tuple[Any, ...], handler: Handler, first: bool
    ) -> None:
        self.names, self.annotations, self.handler = names, annotations, handler
        self.first = first
        self.targets: dict[Api, Handler] = {}

    def add(self, api: Api) -> None:
        """Registers the handler for a function if the function is of this kind."""
        if self.names.isdisjoint(api.paths):
            return
        target = self.targets.get(api) or self._target(api)
        self.targets[api] = target
        api.register(dict(enumerate(self.annotations)), target, first=self.first)

    def _target(self, api: Api) -> Handler:
        parameters = list(api.signature.parameters)
        leading = parameters[: len(self.annotations)]

        def target(*args: Any, **kwargs: Any) -> object:
            given = dict(zip(parameters, args, strict=False)) | kwargs
            name = given.pop("name", None)
            values = [given.pop(own, None) for own in leading]

            def function(*tensors: Any) -> object:
                return api.function(*tensors, **given)

            run = function if given else api.function
            if name is None:
                return self.handler(run, *values)
            with name_scope(name):
                return self.handler(run, *values)

        target.__name__ = f"elementwise_dispatch_target_for_{api.function.__name__}"
        target.__qualname__ = target.__name__
        return target


_families: list[_Family] = []
_programs: dict[Handler, list[Api]] = {}
"""By target, the public functions for which a program registered it."""


def _add_to_families(api: Api) -> None:
    for family in _families:
        if family.first or composites_exist():
            family.add(api)


on_each_api(_add_to_families)


def elementwise(kind: str, *annotations: Any, first: bool = False) -> Callable[[F], F]:
    """Makes a function the implementation of all elementwise functions of a kind.

    Args:
      kind: "unary", "binary" or "assert".
      *annotations: The types of the first arguments for which it is called.
      first: Whether it is looked up before the function's own implementation runs.
    """
    names = {"unary": _UNARY, "binary": _BINARY, "assert": _ASSERTIONS}[kind]

    def declare(handler: F) -> F:
        for other in _families:
            if other.names is names and other.annotations == annotations:
                shown = annotations[0] if kind == "unary" else annotations
                said = "binary elementwise assert" if kind == "assert" else f"{kind} elementwise"
                raise ValueError(
                    f"A {said} dispatch handler ({other.handler}) has already been registered for "
                    f"{shown}."
                )
        family = _Family(names, annotations, handler, first)
        _families.append(family)

        def register() -> None:
            for api in list(APIS.values()):
                family.add(api)

        if first:
            register()
        else:
            once_composites_exist(register)
        return handler

    return declare


@export("experimental.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[F], F]:
    """Makes the decorated function replace a public function for arguments of some types.

    At least one annotated argument must be a composite tensor, such as an `ExtensionType`, or a
    list that contains one. The decorated function may omit the parameter `name`.

    Args:
      api: The public function.
      *signatures: Dictionaries from parameters (names or positions) to types, or to `typing.List`
        or `typing.Union` of types. A call that matches any of them is dispatched. By default, the
        annotations of the decorated function are used.

    Returns:
      A decorator.

    Raises:
      ValueError: `api` can't be replaced, its parameters differ from those of the decorated
        function, or an annotation is not supported.
      TypeError: A signature is not such a dictionary, or the decorated object is not callable.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": Masked})
    ... def masked_sum(input_tensor, axis=None, keepdims=False):
    ...     kept = tf.where(input_tensor.mask, input_tensor.values, 0.0)
    ...     return tf.reduce_sum(kept, axis, keepdims)
    >>> tf.reduce_sum(Masked([1.0, 2.0, 4.0], [True, False, True])).numpy()
    np.float32(5.0)
    """
    found = APIS.get(api) if callable(api) else None
    if found is None:
        raise ValueError(f"{api} does not support dispatch.")
    for signature in signatures:
        found.checks(signature)

    def decorator(dispatch_target: F) -> F:
        if not callable(dispatch_target):
            raise TypeError(f"Expected dispatch_target to be callable; got {dispatch_target!r}")
        target = _with_name(dispatch_target, found.signature)
        for signature in signatures or (_annotations(target),):
            found.register(signature, target)
        _programs.setdefault(target, []).append(found)
        return target

    return decorator


def _with_name(target: F, own: inspect.Signature) -> F:
    """Returns a target that takes all parameters of the public function, including `name`.

    Raises:
      ValueError: The parameters of the target differ from those of the public function.
    """
    signature = inspect.signature(target)
    parameters = list(signature.parameters.values())
    kinds = {p.kind for p in parameters}
    if kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return target
    wanted = "name" in own.parameters and inspect.Parameter.VAR_KEYWORD not in kinds
    named = wanted and "name" not in signature.parameters
    if named:
        name = own.parameters["name"].replace(annotation=inspect.Parameter.empty)
        signature = signature.replace(parameters=[*parameters, name])
    mine, its = (
        [(p.name, p.kind) for p in known.parameters.values()] for known in (signature, own)
    )
    if mine != its:
        raise ValueError(
            f"Dispatch function's signature {_shown(signature)} does not match API's signature "
            f"{_shown(own)}."
        )
    if not named:
        return target
    place = list(own.parameters).index("name")

    def run(*args: Any, **kwargs: Any) -> object:
        name = args[place] if place < len(args) else kwargs.pop("name", None)
        args = args[:place] + args[place + 1 :]
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    update_wrapper(run, target)
    run.__signature__ = signature  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def _shown(signature: inspect.Signature) -> str:
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare))


def _annotations(target: Callable[..., Any]) -> dict[str, Any]:
    try:
        parameters = inspect.signature(target, eval_str=True).parameters
    except NameError:
        parameters = inspect.signature(target).parameters
    found = {name: p.annotation for name, p in parameters.items() if p.annotation is not p.empty}
    if not found:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied "
            "to a function that has type annotations on its parameters."
        )
    return found


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[F], F]:
    """Makes the decorated function implement all unary elementwise functions for a type.

    It is called as `handler(function, x)`. `function` takes a tensor of `x`; all other arguments of
    the call are already bound.

    Args:
      x_type: The type of the first argument, annotated as in `dispatch_for_api`.

    Returns:
      A decorator, which returns the function that it decorates.

    Raises:
      ValueError: The type already has a handler, or the annotation is not supported.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def masked(function, x):
    ...     return Masked(function(x.values), x.mask)
    >>> tf.square(Masked([1.0, 2.0], [True, False])).values.numpy().tolist()
    [1.0, 4.0]
    """
    return elementwise("unary", x_type, first=True)


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Makes the decorated function implement all binary elementwise functions.

    It is called as `handler(function, x, y)`.

    Args:
      x_type: The type of the first argument, annotated as in `dispatch_for_api`.
      y_type: The type of the second argument, annotated as in `dispatch_for_api`.

    Returns:
      A decorator, which returns the function that it decorates.

    Raises:
      ValueError: The types already have a handler, or an annotation is not supported.
    """
    return elementwise("binary", x_type, y_type, first=True)


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Makes the decorated function implement binary assertions, such as `assert_equal`.

    It is called as `handler(function, x, y)`.

    Args:
      x_type: The type of the first argument, annotated as in `dispatch_for_api`.
      y_type: The type of the second argument, annotated as in `dispatch_for_api`.

    Returns:
      A decorator, which returns the function that it decorates.

    Raises:
      ValueError: The types already have a handler, or an annotation is not supported.
    """
    return elementwise("assert", x_type, y_type, first=True)


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Unregisters a function that one of the `dispatch_for_...` decorators registered.

    Args:
      dispatch_target: The function that the decorator returned.

    Raises:
      ValueError: `dispatch_target` is not registered.
    """
    own = [family for family in _families if family.handler is dispatch_target]
    apis = _programs.pop(dispatch_target, [])
    if not own and not apis:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
    for api in apis:
        api.unregister(dispatch_target)
    for family in own:
        _families.remove(family)
        for api, target in family.targets.items():
            api.unregister(target)
