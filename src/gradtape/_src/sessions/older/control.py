"""Higher-order functions and settings of the program, with TensorFlow 1's names."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compat import contexts
from gradtape._src.compat.contexts import control_dependencies
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import each_run
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control import control_flow, loops_over_rows
from gradtape._src.ops.control.python_functions import numpy_function
from gradtape._src.ops.elementwise.identities import assert_all_finite, identity
from gradtape._src.sessions.older.arguments import either

R = TypeVar("R")


class _Left:
    """Counts down the messages that may still be printed.

    Args:
      count: The number of messages, or None for no limit.
    """

    def __init__(self, count: int | None) -> None:
        self.count = None if count is None or count < 0 else count

    def another(self) -> bool:
        """Returns whether the limit allows another message, and counts this message."""
        if self.count is None:
            return True
        self.count = max(self.count - 1, -1)
        return self.count >= 0


@each_run("Print")
def _shown(data: list[Any], message: str, left: _Left, summarize: int) -> Operation | None:
    if left.another():
        parts = [f"[{_array(np.asarray(convert_to_tensor(x)), summarize)}]" for x in data]
        sys.stderr.write(f"{message}{''.join(parts)}\n")
    return None


def _array(x: Any, most: int) -> str:
    """Formats the first elements of an array."""
    flat = [_element(v) for v in np.ravel(x)[: None if most < 0 else most]]
    more = len(flat) < np.size(x)
    if np.ndim(x) < 2:
        return " ".join(flat) + "..." * more
    return _rows(flat, np.shape(x)) + "..." * more


def _rows(flat: list[str], shape: tuple[int, ...]) -> str:
    """Formats elements as rows; the last one may be cut off."""
    if len(shape) == 1:
        return " ".join(flat) + "..." * (len(flat) < shape[0])
    each = math.prod(shape[1:])
    rows = [flat[i : i + each] for i in range(0, len(flat), each)]
    return "".join([f"[{_rows(row, shape[1:])}]" for row in rows])


def _element(x: Any) -> str:
    if isinstance(x, bytes):
        return x.decode(errors="backslashreplace")
    if isinstance(x, np.bool_):
        return str(int(x))
    return f"{x:.6g}" if isinstance(x, np.floating) else str(x)


@export("compat.v1.map_fn")
def map_fn(
    fn: Callable[[Any], R],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> R:
    """Calls a function for each element along the first axis.

    Args:
      fn: The function.
      elems: A tensor or a structure of them.
      dtype: The old name of `fn_output_signature`.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      name: The operation's name.
      fn_output_signature: The type of the results, if it differs from the type of `elems`.

    Returns:
      The results, stacked.
    """
    kind = either(fn_output_signature, dtype, "fn_output_signature", "dtype")
    return loops_over_rows.map_fn(fn, elems, fn_output_signature=kind, name=name)


@export("compat.v1.foldl")
def foldl(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Combines the elements along the first axis, from first to last.

    Args:
      fn: A function of the result so far and the next element.
      elems: A tensor or a structure of them.
      initializer: The value to begin with. Defaults to the first element.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The last result.
    """
    return loops_over_rows.foldl(fn, elems, initializer, name=name)


@export("compat.v1.foldr")
def foldr(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Combines the elements along the first axis, from last to first.

    Args:
      fn: A function of the result so far and the next element.
      elems: A tensor or a structure of them.
      initializer: The value to begin with. Defaults to the last element.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The last result.
    """
    return loops_over_rows.foldr(fn, elems, initializer, name=name)


@export("compat.v1.scan")
def scan(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """Combines the elements along the first axis, and returns all results.

    Args:
      fn: A function of the result so far and the next element.
      elems: A tensor or a structure of them.
      initializer: The value to begin with. Defaults to the first element.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      reverse: Whether to begin with the last element.
      name: The operation's name.

    Returns:
      The results, stacked.
    """
    return loops_over_rows.scan(fn, elems, initializer, reverse=reverse, name=name)


@export("compat.v1.case")
def case(
    pred_fn_pairs: Any,
    default: Callable[[], R] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> R:
    """Returns the result of the first function whose condition is true.

    Args:
      pred_fn_pairs: Pairs of a scalar condition and a function without arguments.
      default: The function to call if no condition is true.
      exclusive: Whether to raise if two conditions are true.
      strict: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The result of the function that is called.
    """
    found: R = control_flow.case(pred_fn_pairs, default, exclusive, strict, name)
    return found


@export("compat.v1.tuple")
def tuple_(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None
) -> list[Any]:
    """Returns tensors that are available once all of them are computed.

    Args:
      tensors: Tensors, `IndexedSlices` or None.
      name: The operation's name.
      control_inputs: Operations that run before the tensors become available.

    Returns:
      The tensors.
    """
    return control_flow.tuple_(tensors, control_inputs, name)


@export("compat.v1.Print")
def Print(  # noqa: N802 (TensorFlow's name)
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor, and prints values to the standard error stream when it is computed.

    Args:
      input_: A tensor.
      data: The values to print.
      message: A text to print first.
      first_n: The number of times to print. Defaults to always.
      summarize: The number of elements of each value to print.
      name: The operation's name.

    Returns:
      A tensor equal to `input_`.
    """
    shown = _shown(list(data), message or "", _Left(first_n), 3 if summarize is None else summarize)
    if shown is None:
        return identity(input_)
    with control_dependencies([shown]):
        return identity(input_)


@export("compat.v1.verify_tensor_all_finite")
def verify_tensor_all_finite(
    t: Any = None,
    msg: str | None = None,
    name: str | None = None,
    x: Any = None,
    message: str | None = None,
) -> Tensor:
    """Returns a tensor, and raises if an element is NaN or infinite.

    Args:
      t: A floating-point tensor.
      msg: The error's message.
      name: The operation's name.
      x: A second name of `t`.
      message: A second name of `msg`.

    Returns:
      A tensor equal to `t`.

    Raises:
      InvalidArgumentError: An element is NaN or infinite.
    """
    value = either(x, t, "x", "t")
    text = either(message, msg, "message", "msg")
    return assert_all_finite(value, "" if text is None else text, name)


@export("compat.v1.device")
def device(device_name_or_function: Any) -> AbstractContextManager[Any]:
    """Runs operations on a device.

    Args:
      device_name_or_function: The device's name, or a function of operations. The argument has no
        effect, since there is only one device.

    Returns:
      A context manager.
    """
    if callable(device_name_or_function):
        return nullcontext()
    return contexts.device(device_name_or_function)


@export("compat.v1.colocate_with")
def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """Returns a context manager without effect, since there is only one device.

    Args:
      op: An operation.
      ignore_existing: Accepted for compatibility.

    Returns:
      A context manager.
    """
    return nullcontext()


@export("compat.v1.container")
def container(container_name: str) -> AbstractContextManager[None]:
    """Returns a context manager without effect, since each session keeps its own variables.

    Args:
      container_name: A name.

    Returns:
      A context manager.
    """
    return nullcontext()


@export("compat.v1.py_func")
def py_func(
    func: Callable[..., Any],
    inp: Sequence[Any],
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Tensor | list[Tensor] | Operation:
    """Calls a Python function on arrays in each run. It has no gradient.

    Args:
      func: A function of as many arrays as `inp` has tensors.
      inp: The tensors.
      Tout: The dtype of the result, or a list of dtypes.
      stateful: Whether each run has to call the function.
      name: The operation's name.

    Returns:
      A tensor, or a list of tensors; in a `tf.Graph`, the operation if `Tout` is an empty list.
    """
    found: Any = numpy_function(func, inp, Tout, stateful, name)
    return [] if found is None else found
