"""`tf.errors`: the exceptions that operations raise, and their codes."""

from gradtape._src.base.errors import ABORTED as ABORTED
from gradtape._src.base.errors import ALREADY_EXISTS as ALREADY_EXISTS
from gradtape._src.base.errors import CANCELLED as CANCELLED
from gradtape._src.base.errors import DATA_LOSS as DATA_LOSS
from gradtape._src.base.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from gradtape._src.base.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from gradtape._src.base.errors import INTERNAL as INTERNAL
from gradtape._src.base.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from gradtape._src.base.errors import NOT_FOUND as NOT_FOUND
from gradtape._src.base.errors import OK as OK
from gradtape._src.base.errors import OUT_OF_RANGE as OUT_OF_RANGE
from gradtape._src.base.errors import PERMISSION_DENIED as PERMISSION_DENIED
from gradtape._src.base.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from gradtape._src.base.errors import UNAUTHENTICATED as UNAUTHENTICATED
from gradtape._src.base.errors import UNAVAILABLE as UNAVAILABLE
from gradtape._src.base.errors import UNIMPLEMENTED as UNIMPLEMENTED
from gradtape._src.base.errors import UNKNOWN as UNKNOWN
from gradtape._src.base.errors import AbortedError as AbortedError
from gradtape._src.base.errors import AlreadyExistsError as AlreadyExistsError
from gradtape._src.base.errors import CancelledError as CancelledError
from gradtape._src.base.errors import DataLossError as DataLossError
from gradtape._src.base.errors import DeadlineExceededError as DeadlineExceededError
from gradtape._src.base.errors import FailedPreconditionError as FailedPreconditionError
from gradtape._src.base.errors import InternalError as InternalError
from gradtape._src.base.errors import InvalidArgumentError as InvalidArgumentError
from gradtape._src.base.errors import NotFoundError as NotFoundError
from gradtape._src.base.errors import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)
from gradtape._src.base.errors import OpError as OpError
from gradtape._src.base.errors import OutOfRangeError as OutOfRangeError
from gradtape._src.base.errors import PermissionDeniedError as PermissionDeniedError
from gradtape._src.base.errors import ResourceExhaustedError as ResourceExhaustedError
from gradtape._src.base.errors import UnauthenticatedError as UnauthenticatedError
from gradtape._src.base.errors import UnavailableError as UnavailableError
from gradtape._src.base.errors import UnimplementedError as UnimplementedError
from gradtape._src.base.errors import UnknownError as UnknownError
