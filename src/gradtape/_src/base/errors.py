"""The errors of `tf.errors`: one exception class for each status code of TensorFlow.

Inside gradtape they are raised as `InvalidArgumentError(None, None, message)`, since an eager
operation has neither a node nor a graph.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from gradtape._src.base.export import export, export_value

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND = range(6)
ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION = range(6, 10)
ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS = range(10, 16)
UNAUTHENTICATED = 16
_PUBLIC_HOME = f"{__name__.partition('.')[0]}.errors"
"""The module that tracebacks name before an error's class."""

E = TypeVar("E", bound=BaseException)


_waiting: list[Callable[[], None]] = []


def when_first_made(call: Callable[[], None]) -> Callable[[], None]:
    """Registers a function that is called when the library is about to raise its first error.

    Args:
      call: The function; it is called once.

    Returns:
      The function.
    """
    _waiting.append(call)
    return call


def about_to_raise() -> None:
    """Calls the functions that wait for the first error."""
    while _waiting:
        _waiting.pop()()


def announced(error: E) -> E:
    """Returns an error of Python's own classes that is about to be raised.

    Args:
      error: The error. If it ends the program, a line below it leads to help.
    """
    about_to_raise()
    return error


@export("errors.OpError")
class OpError(Exception):
    """An operation failed.

    Args:
      node_def: The graph node that failed, None in eager execution.
      op: The operation that failed, None in eager execution.
      message: A description of the error, and how to mend it.
      error_code: TensorFlow's number for the kind of failure.
      *args: Further facts about the failure, in one dictionary.

    Attributes:
        node_def: The graph node that failed, None in eager execution.
        op: The operation that failed, None in eager execution.
        message: A description of the error, and how to mend it.
        error_code: TensorFlow's number for the kind of failure.
        failed_node: The node of a running graph whose kernel raised the error, or None.
    """

    failed_node: Any = None
    __module__ = _PUBLIC_HOME

    def __init__(
        self, node_def: object, op: object, message: str, error_code: int, *args: object
    ) -> None:
        if _waiting:
            about_to_raise()
        super().__init__()  # no arguments, so that repr() shows only the class, as in TensorFlow
        self.node_def = node_def
        self.op = op
        self.message = message
        self.error_code = error_code
        self.experimental_payloads: Any = args[0] if args else {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message, self.error_code)


class _CodedError(OpError):
    """An `OpError` whose class decides the code."""

    _code: ClassVar[int]

    def __init_subclass__(cls, code: int | None = None) -> None:
        if code is not None:  # a subclass of a subclass keeps the code
            cls._code = code
        if cls.__module__ == __name__:
            cls.__module__ = _PUBLIC_HOME

    def __init__(self, node_def: object, op: object, message: str, *args: object) -> None:
        super().__init__(node_def, op, message, self._code, *args)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message)


def exception_types() -> dict[int, type[OpError]]:
    """Returns the classes of errors by their numbers."""
    return {kind._code: kind for kind in _CodedError.__subclasses__()}


@export("errors.CancelledError")
class CancelledError(_CodedError, code=CANCELLED):
    """The operation was cancelled, as a blocked `dequeue` is when its queue closes."""


@export("errors.UnknownError")
class UnknownError(_CodedError, code=UNKNOWN):
    """The cause is not known."""


class About(enum.Enum):
    """The causes of an InvalidArgumentError; TensorFlow finds some of them while it makes a graph.

    Attributes:
      VALUES: Values, which only a run knows.
      SHAPES: Shapes, or sizes and axes from which shapes follow. Where a graph's lengths are not
        known, only a run finds them.
      ATTRIBUTES: Attributes of an operation, such as a padding, which its node holds.
      DTYPES: Dtypes.
    """

    VALUES = enum.auto()
    SHAPES = enum.auto()
    ATTRIBUTES = enum.auto()
    DTYPES = enum.auto()

    @property
    def in_graphs(self) -> type[ValueError | TypeError] | None:
        """The exception that replaces the error while a graph is made; None if the error stays."""
        return _IN_GRAPHS.get(self)


_IN_GRAPHS: dict[About, type[ValueError | TypeError]] = {
    About.SHAPES: ValueError,
    About.ATTRIBUTES: ValueError,
    About.DTYPES: TypeError,
}


@export("errors.InvalidArgumentError")
class InvalidArgumentError(_CodedError, code=INVALID_ARGUMENT):
    """An argument has a value, shape or type that the operation does not accept."""

    _about: About = About.VALUES


def invalid_argument(message: str, about: About) -> InvalidArgumentError:
    """Returns an InvalidArgumentError that says what it is about."""
    error = InvalidArgumentError(None, None, message)
    error._about = about
    return error


@export("errors.DeadlineExceededError")
class DeadlineExceededError(_CodedError, code=DEADLINE_EXCEEDED):
    """The time limit passed before the operation was done."""


@export("errors.NotFoundError")
class NotFoundError(_CodedError, code=NOT_FOUND):
    """A requested entity, such as a file, does not exist."""


@export("errors.AlreadyExistsError")
class AlreadyExistsError(_CodedError, code=ALREADY_EXISTS):
    """An entity that was to be created exists already."""


@export("errors.PermissionDeniedError")
class PermissionDeniedError(_CodedError, code=PERMISSION_DENIED):
    """The caller may not do this."""


@export("errors.ResourceExhaustedError")
class ResourceExhaustedError(_CodedError, code=RESOURCE_EXHAUSTED):
    """A resource, such as memory, is exhausted."""


@export("errors.FailedPreconditionError")
class FailedPreconditionError(_CodedError, code=FAILED_PRECONDITION):
    """The system is not in a state in which the operation can run."""


@export("errors.AbortedError")
class AbortedError(_CodedError, code=ABORTED):
    """The operation was aborted, for example by a conflict with another one."""


@export("errors.OutOfRangeError")
class OutOfRangeError(_CodedError, code=OUT_OF_RANGE):
    """An iteration or index went past the end."""


@export("errors.UnimplementedError")
class UnimplementedError(_CodedError, code=UNIMPLEMENTED):
    """The operation is not implemented for these arguments."""


@export("errors.InternalError")
class InternalError(_CodedError, code=INTERNAL):
    """An internal invariant is broken; this is a bug."""


@export("errors.UnavailableError")
class UnavailableError(_CodedError, code=UNAVAILABLE):
    """A service is not available at present."""


@export("errors.DataLossError")
class DataLossError(_CodedError, code=DATA_LOSS):
    """Data is lost or damaged."""


@export("errors.UnauthenticatedError")
class UnauthenticatedError(_CodedError, code=UNAUTHENTICATED):
    """The caller could not be authenticated."""


@export("errors.OperatorNotAllowedInGraphError")
class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic value was used where Python needs a real one, as the condition of an `if`."""


class InaccessibleTensorError(ValueError):
    """A tensor from inside a traced branch or loop was used outside of it."""


export_value(ABORTED, "errors.ABORTED")
export_value(ALREADY_EXISTS, "errors.ALREADY_EXISTS")
export_value(CANCELLED, "errors.CANCELLED")
export_value(DATA_LOSS, "errors.DATA_LOSS")
export_value(DEADLINE_EXCEEDED, "errors.DEADLINE_EXCEEDED")
export_value(FAILED_PRECONDITION, "errors.FAILED_PRECONDITION")
export_value(INTERNAL, "errors.INTERNAL")
export_value(INVALID_ARGUMENT, "errors.INVALID_ARGUMENT")
export_value(NOT_FOUND, "errors.NOT_FOUND")
export_value(OK, "errors.OK")
export_value(OUT_OF_RANGE, "errors.OUT_OF_RANGE")
export_value(PERMISSION_DENIED, "errors.PERMISSION_DENIED")
export_value(RESOURCE_EXHAUSTED, "errors.RESOURCE_EXHAUSTED")
export_value(UNAUTHENTICATED, "errors.UNAUTHENTICATED")
export_value(UNAVAILABLE, "errors.UNAVAILABLE")
export_value(UNIMPLEMENTED, "errors.UNIMPLEMENTED")
export_value(UNKNOWN, "errors.UNKNOWN")
