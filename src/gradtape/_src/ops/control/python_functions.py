"""Python functions as operations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler, refuse_under_jit
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

Result = Tensor | list[Tensor]
_MEANING: dict[type, Any] = {
    TypeError: InvalidArgumentError,
    ValueError: InvalidArgumentError,
    StopIteration: OutOfRangeError,
    MemoryError: ResourceExhaustedError,
    NotImplementedError: UnimplementedError,
}


@export("py_function")
def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    name: Any = None,
) -> Tensor | list[Tensor] | Operation | Callable[..., Any]:
    """Calls a Python function on tensors; tapes record the operations inside.

    Args:
      func: A function with as many arguments as `inp` has elements. If it is not given, the result
        is a decorator.
      inp: The arguments. They are converted to tensors, except for composite tensors such as ragged
        ones.
      Tout: The dtype of the result of `func`, or the spec of a composite tensor, or a list of them
        if there are several results.
      name: Accepted for compatibility.

    Returns:
      A tensor, or a list of them if `Tout` is a list; in a TensorFlow 1 graph, the operation if
      `Tout` is an empty list. If there is no `func`, a decorator that converts a function to one
      that takes and returns tensors.

    Raises:
      InvalidArgumentError: The function raised TypeError or ValueError, or returned a dtype that
        differs from `Tout`.
      UnknownError: `func` raised an error that is not one of `tf.errors`.

    >>> tf.py_function(lambda x: x * 2, [tf.constant(3.0)], tf.float32).numpy()
    np.float32(6.0)
    """
    if func is None:
        return _decorator(py_function, inp, Tout)
    return _acting(_call(func, list(inp or ()), Tout))


def _acting(results: Result) -> Result | Operation:
    """Returns results; if there are none in a graph, the operation instead."""
    if isinstance(results, list) and not results and hasattr(tracer := active_compiler(), "view"):
        made: Operation = tracer.view.operation_of(tracer.nodes[-1])
        return made
    return results


def _unknown(new: New, func: Any, inp: Sequence[Any], result_types: Any) -> Any:
    """Returns the results of a Python function in a graph; only their dtypes are known."""

    def one(wanted: Any) -> Any:
        kind = _kind(wanted)
        if not isinstance(kind, TypeSpec):
            return new(None, kind)
        parts = [(part.shape, part.dtype) for part in kind.flatten()]
        shapes = [None if shape.rank is None else shape.as_list() for shape, _ in parts]
        return kind.from_tensors(
            iter([new(shape, dtype) for shape, (_, dtype) in zip(shapes, parts, strict=True)])
        )

    if isinstance(result_types, (list, tuple)):
        return [one(wanted) for wanted in result_types]
    return one(result_types)


@graph_operation("EagerPyFunc", _unknown, stateful=True, runs_python=True)
def _call(func: Callable[..., Any], inp: Sequence[Any], result_types: Any) -> Result:
    refuse_under_jit("tf.py_function")
    several = isinstance(result_types, (list, tuple))
    kinds = [_kind(d) for d in (result_types if several else [result_types])]
    try:
        results = _as_list(func(*map(_argument, inp)), len(kinds))
        outs = [_result(r, d) for r, d in zip(results, kinds, strict=True)]
    except Exception as error:
        raise _of_runtime(error, "EagerPyFunc") from error
    return outs if several else outs[0]


def _kind(wanted: Any) -> Any:
    """Returns the dtype of a tensor, or the spec of a composite tensor."""
    if isinstance(wanted, TensorSpec):
        return wanted.dtype
    return wanted if isinstance(wanted, TypeSpec) else as_dtype(wanted)


def _argument(value: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else tensor(value)


def _result(value: Any, kind: Any) -> Any:
    """Converts a function's result to a tensor or to the specified composite tensor."""
    if not isinstance(kind, TypeSpec):
        return convert_to_tensor(value, kind)
    if not kind.is_compatible_with(value):
        raise ValueError(f"func must return {kind!r}, but it returned {value!r}")
    return value


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: Any = None,
) -> Tensor | list[Tensor] | Operation | Callable[..., Any] | None:
    """Calls a Python function on NumPy arrays. It has no gradient, unlike `py_function`.

    Args:
      func: A function with as many arguments as `inp` has elements, which are arrays. In a traced
        function its exceptions become those of `tf.errors`, as with `py_function`; elsewhere they
        are not caught. If it is not given, the result is a decorator.
      inp: The arguments, which are first converted to tensors.
      Tout: The dtype of the result of `func`, or a list of dtypes if there are several results.
      stateful: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A tensor, or a list of them if `Tout` is a list; as in TensorFlow, an array that `func`
      returns keeps its dtype, whatever `Tout` is. If `Tout` is an empty list, None or, in a
      TensorFlow 1 graph, the operation. If there is no `func`, a decorator that converts a function
      to one that takes and returns tensors.

    Raises:
      ValueError: The number of results differs from `Tout`.

    >>> tf.numpy_function(np.sort, [tf.constant([3, 1, 2])], tf.int32).numpy()
    array([1, 2, 3], dtype=int32)
    """
    if func is None:
        return _decorator(numpy_function, inp, Tout)
    results = _acting(_call_on_arrays(func, list(inp or ()), Tout))
    return None if isinstance(results, list) and not results else results


def _call_on_arrays(func: Callable[..., Any], inp: Sequence[Any], result_types: Any) -> Result:
    """Calls a function of arrays, whose errors in a graph are those of TensorFlow's runtime."""
    if active_tapes() is None:
        return _call_in_graph(func, inp, result_types)
    return _called_on_arrays(func, inp, result_types)


@graph_operation("PyFunc", _unknown, stateful=True, runs_python=True, has_gradient=False)
def _call_in_graph(func: Callable[..., Any], inp: Sequence[Any], result_types: Any) -> Result:
    try:
        return _called_on_arrays(func, inp, result_types)
    except Exception as error:
        raise _of_runtime(error, "PyFunc") from error


def _of_runtime(error: Exception, op: str) -> Exception:
    """Returns the error of TensorFlow's runtime for an exception of the program's function."""
    kind = next((_MEANING[t] for t in type(error).__mro__ if t in _MEANING), UnknownError)
    made: Exception = kind(None, None, f"{type(error).__name__}: {error} [Op:{op}]")
    return made


def _called_on_arrays(func: Callable[..., Any], inp: Sequence[Any], result_types: Any) -> Result:
    refuse_under_jit("tf.numpy_function")
    several = isinstance(result_types, (list, tuple))
    kinds = [as_dtype(d) for d in (result_types if several else [result_types])]
    results = _as_list(func(*[tensor(x).numpy() for x in inp]), len(kinds))
    outs = [
        Tensor(convert_to_tensor(r, None if hasattr(r, "dtype") else d)._value)
        for r, d in zip(results, kinds, strict=True)
    ]
    return outs if several else outs[0]


def _decorator(
    call: Callable[..., Any], inp: Sequence[Any] | None, result_types: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that makes an operation from a Python function.

    Raises:
      ValueError: `inp` is given, but `func` is not.
    """
    if inp is not None:
        raise ValueError(
            f"tf.{call.__name__} was given `inp` without `func`. A decorator takes only `Tout`: "
            f"@tf.{call.__name__}(Tout=tf.float32)"
        )

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def operation(*args: Any, **kwargs: Any) -> object:
            return call(functools.partial(func, **kwargs) if kwargs else func, args, result_types)

        return operation

    return decorate


def _as_list(result: Any, count: int) -> list[Any]:
    """Returns a function's result as a list, which has `count` elements."""
    if result is None:
        results: list[Any] = []
    elif isinstance(result, (list, tuple)) and (count != 1 or len(result) == 1):
        results = list(result)
    else:
        results = [result]
    if len(results) != count:
        raise ValueError(
            f"func must return as many results as Tout names, {count}, got {len(results)}"
        )
    return results
