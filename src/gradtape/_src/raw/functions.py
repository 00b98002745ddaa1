"""The functions of `tf.raw_ops`, made from `@raw_op` declarations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from types import CodeType
from typing import Any

from gradtape._src.base.dispatch import errors_of_functions, shorten_errors
from gradtape._src.base.dtypes import DType
from gradtape._src.base.errors import OpError
from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.named_results import named
from gradtape._src.raw.arguments import Check, check_of
from gradtape._src.raw.op_definitions import is_defined, op_definition
from gradtape._src.raw.signatures import raw_signature


class _RawFunction:
    """A raw operation's function, whose definition is read when it is first needed."""

    __code__: CodeType

    def __init__(self, op: RawOp) -> None:
        self.op = op

    @cached_property
    def __signature__(self) -> inspect.Signature:
        if is_defined(self.op.name):
            return raw_signature(self.op.name)
        return inspect.signature(self.op.function)  # TensorFlow has no such operation

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        return _other_defaults(self.op, self.__signature__)

    @cached_property
    def _needed(self) -> list[str]:
        parameters = self.__signature__.parameters
        return [name for name, p in parameters.items() if p.default is p.empty]

    @cached_property
    def _outputs(self) -> tuple[str, ...]:
        defined = is_defined(self.op.name)
        return tuple([x.name for x in op_definition(self.op.name).outputs]) if defined else ()

    @cached_property
    def _check(self) -> Check:
        defined = is_defined(self.op.name)
        return check_of(op_definition(self.op.name)) if defined else _accept

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        op, taken = self.op, self.__signature__.parameters
        if args:
            raise TypeError(
                f"{op.name} only takes keyword args. Please pass these args as kwargs instead: "
                f"tf.raw_ops.{op.name}(name=value)."
            )
        for argument in self._needed:
            if argument not in kwargs:
                raise self._wrong("missing required argument", self._needed, kwargs)
        if not taken.keys() >= kwargs.keys():
            raise self._wrong("got an unexpected argument", kwargs, taken)
        kwargs = {**self._defaults, **kwargs}
        self._check(kwargs)
        given = {op.renamed.get(k, k): v for k, v in kwargs.items() if k not in op.ignored}
        return named(op.name, _run(op, given), self._outputs)

    def _wrong(self, problem: str, some: Iterable[str], others: Iterable[str]) -> TypeError:
        """Returns the error for arguments that are missing or unknown: `some` without `others`."""
        listed = ", ".join(repr(argument) for argument in some if argument not in others)
        name = self.op.name
        return TypeError(f"{name}() {problem} {listed}: tf.raw_ops.{name}{self.__signature__}")


_OF_KERNELS = (ValueError, IndexError, ZeroDivisionError)
_CONVERSION = ("Attempt to convert", "Tensor conversion", "TypeError: ", "Can't convert", "Failed")


def _run(op: RawOp, given: dict[str, Any]) -> Any:
    """Runs an operation; what its kernel refuses is invalid, as for all of TensorFlow's kernels."""
    try:
        return op.function(**given)
    except Exception as error:
        better = errors_of_functions.better(error, f"tf.raw_ops.{op.name}")
        if better is not None:
            raise better from error
        if isinstance(error, OpError) or not isinstance(error, _OF_KERNELS):
            raise
        if str(error).startswith(_CONVERSION):
            raise
        raise invalid(f"{error} [Op:{op.name}]") from None


def _accept(arguments: dict[str, Any]) -> None:
    """Accepts any arguments."""


def raw_function(name: str) -> Callable[..., Any]:
    """Returns a function of `tf.raw_ops`, which takes keyword arguments only.

    Raises:
      KeyError: No loaded module declares a raw operation of this name.
    """
    op = RAW_OPS[name]
    call = _RawFunction(op)

    @functools.wraps(op.function, updated=())
    @shorten_errors
    def run(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    run.__name__ = run.__qualname__ = name
    run.__wrapped__ = call  # `inspect` asks it for the signature
    # Graphs name what the operation consists of after its code.
    made: Any = run
    made.__code__ = call.__code__ = made.__code__.replace(co_name=name)
    return run


def _other_defaults(op: RawOp, signature: inspect.Signature) -> dict[str, Any]:
    """Returns TensorFlow's defaults where the function that computes the operation has others."""
    here = inspect.signature(op.function).parameters
    return {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if name not in op.ignored
        and (own := here.get(op.renamed.get(name, name)))
        and _is_plain(parameter.default)
        and not _alike(own.default, parameter.default)
    }


def _is_plain(default: Any) -> bool:
    return default not in (None, inspect.Parameter.empty) and not isinstance(default, DType)


def _alike(ours: Any, theirs: Any) -> bool:
    return bool(ours == theirs or (isinstance(ours, tuple) and list(ours) == theirs))
