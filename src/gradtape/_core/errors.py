"""The errors of `tf.errors`: one exception class for each status code of TensorFlow.

Inside gradtape they are raised as `InvalidArgumentError(None, None, message)`, since an eager
operation has neither a node nor a graph.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

OK: Final = 0
CANCELLED: Final = 1
UNKNOWN: Final = 2
INVALID_ARGUMENT: Final = 3
DEADLINE_EXCEEDED: Final = 4
NOT_FOUND: Final = 5
ALREADY_EXISTS: Final = 6
PERMISSION_DENIED: Final = 7
RESOURCE_EXHAUSTED: Final = 8
FAILED_PRECONDITION: Final = 9
ABORTED: Final = 10
OUT_OF_RANGE: Final = 11
UNIMPLEMENTED: Final = 12
INTERNAL: Final = 13
UNAVAILABLE: Final = 14
DATA_LOSS: Final = 15
UNAUTHENTICATED: Final = 16


class OpError(Exception):
    """An operation failed.

    Attributes:
        node_def: The graph node that failed, None in eager execution.
        op: The operation that failed, None in eager execution.
        message: What went wrong and how to mend it.
        error_code: TensorFlow's number for the kind of failure.
    """

    def __init__(
        self, node_def: object, op: object, message: str, error_code: int, *args: object
    ) -> None:
        super().__init__()  # without arguments: repr() names the class alone, as in TensorFlow
        self.node_def = node_def
        self.op = op
        self.message = message
        self.error_code = error_code
        self.experimental_payloads: dict[Any, Any] = dict(*args) if args else {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message, self.error_code)


class _CodedError(OpError):
    """An `OpError` whose class decides the code."""

    _code: ClassVar[int]

    def __init__(self, node_def: object, op: object, message: str, *args: object) -> None:
        super().__init__(node_def, op, message, self._code, *args)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message)


class CancelledError(_CodedError):
    """The operation was cancelled, as a blocked `dequeue` is when its queue closes."""

    _code = CANCELLED


class UnknownError(_CodedError):
    """The cause is not known."""

    _code = UNKNOWN


class InvalidArgumentError(_CodedError):
    """An argument has a value, shape or type that the operation does not accept."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """The time limit passed before the operation was done."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """Something that was asked for, a file for example, does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """Something that was to be made exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class ResourceExhaustedError(_CodedError):
    """Something ran out, memory for example."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The system is not in a state in which the operation can run."""

    _code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation was stopped from outside."""

    _code = ABORTED


class OutOfRangeError(_CodedError):
    """Iteration went past the end of what there is."""

    _code = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The operation exists, but not for what it was given."""

    _code = UNIMPLEMENTED


class InternalError(_CodedError):
    """Something that must always hold does not: a defect."""

    _code = INTERNAL


class UnavailableError(_CodedError):
    """Something is not available at present."""

    _code = UNAVAILABLE


class DataLossError(_CodedError):
    """Data is lost or damaged."""

    _code = DATA_LOSS


class UnauthenticatedError(_CodedError):
    """The caller has not shown who it is."""

    _code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic value was used where Python needs a real one, as the condition of an `if`."""
