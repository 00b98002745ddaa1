"""Private functions of `tensorflow.python.eager.record` and `tape`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from gradtape._src.autodiff.custom import record
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.name_scope import noted
from gradtape._src.core.recorder import STACK, Recorder, push, remove, replaced
from gradtape._src.core.variable import Variable


def _tapes() -> list[GradientTape]:
    return [r for r in STACK.recorders if isinstance(r, GradientTape)]


def should_record_backprop(tensors: Any) -> bool:
    """Whether a tape follows one of these tensors or variables; accumulators do not count.

    Args:
      tensors: Tensors and variables, in a list or another structure.
    """
    given = [x for x in nest.flatten(tensors) if hasattr(x, "_id")]
    return any(tape._follows(x) for tape in _tapes() for x in given)


def could_possibly_record() -> bool:
    """Whether a tape is recording."""
    return bool(_tapes())


@contextmanager
def stop_recording() -> Iterator[None]:
    """Returns a context manager in which no tape records."""
    with replaced(tuple([r for r in STACK.recorders if not isinstance(r, GradientTape)])):
        yield


class VariableWatcher(Recorder):
    """Records which trainable variables are read in a `with` statement."""

    passive = True

    def __init__(self) -> None:
        self._variables: dict[int, Variable] = {}

    def variable_read(self, variable: Variable) -> None:
        """Records that a variable is read."""
        if variable.trainable:
            self._variables.setdefault(variable._id, variable)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that were read, in the order of their first reads."""
        return tuple(self._variables.values())

    def __enter__(self) -> Self:
        push(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        remove(self)


def push_new_tape(persistent: bool = False, watch_accessed_variables: bool = True) -> GradientTape:
    """Returns a tape that has begun to record."""
    tape = GradientTape(persistent, watch_accessed_variables)
    return tape.__enter__()


def pop_tape(tape: GradientTape) -> None:
    """Ends the recording of a tape."""
    tape.__exit__(None, None, None)


def watch(tape: GradientTape, tensor: Any) -> None:
    """Lets a tape follow a tensor."""
    tape.watch(tensor)


def watch_variable(tape: GradientTape, variable: Variable) -> None:
    """Lets a tape follow a variable."""
    tape.watch(variable)


def variable_accessed(variable: Variable) -> None:
    """Notifies the tapes that a variable is read."""
    variables_accessed([variable])


def variables_accessed(variables: Sequence[Variable]) -> None:
    """Notifies the tapes that variables are read."""
    for variable in variables:
        if variable.trainable:
            for recorder in STACK.recorders:
                recorder.variable_read(variable)


def record_operation(
    op_type: str,
    output_tensors: Sequence[Any],
    input_tensors: Sequence[Any],
    backward_function: Callable[..., Any],
    forward_function: Callable[..., Any] | None = None,
) -> None:
    """Reports operations that have run to all tapes and accumulators as one operation.

    Args:
      op_type: A name for it.
      output_tensors: Its results.
      input_tensors: Its arguments.
      backward_function: A function from the gradients of the results to those of the arguments.
      forward_function: Accepted for compatibility; tangents are derived from `backward_function`.
    """
    _record(op_type, output_tensors, input_tensors, backward_function, STACK.recorders)


def record_operation_backprop_only(
    op_type: str,
    output_tensors: Sequence[Any],
    input_tensors: Sequence[Any],
    backward_function: Callable[..., Any],
) -> None:
    """Reports operations that have run to the tapes as one operation.

    Args:
      op_type: A name for it.
      output_tensors: Its results.
      input_tensors: Its arguments.
      backward_function: A function from the gradients of the results to those of the arguments.
    """
    _record(op_type, output_tensors, input_tensors, backward_function, _tapes())


def record_operation_forwardprop_only(
    op_type: str,
    output_tensors: Sequence[Any],
    input_tensors: Sequence[Any],
    backward_function: Callable[..., Any],
    forwardprop_output_indices: Any,
) -> None:
    """Reports operations that have run to the accumulators as one operation.

    Args:
      op_type: A name for it.
      output_tensors: Its results.
      input_tensors: Its arguments.
      backward_function: A function from the gradients of the results to those of the arguments.
      forwardprop_output_indices: Accepted for compatibility.
    """
    accumulators = [r for r in STACK.recorders if not isinstance(r, GradientTape)]
    _record(op_type, output_tensors, input_tensors, backward_function, accumulators)


def _record(
    kind: str,
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    backward: Callable[..., Any],
    watchers: Sequence[Recorder],
) -> None:
    def gradients(dys: Sequence[Any]) -> list[Any]:
        return list(backward(*dys))

    with noted(kind):
        record(list(inputs), list(outputs), gradients, watchers=watchers)
