"""The exceptions of tf.errors."""

import copy
import pickle

import pytest

from gradtape import errors

CODES = {
    "Cancelled": 1,
    "Unknown": 2,
    "InvalidArgument": 3,
    "DeadlineExceeded": 4,
    "NotFound": 5,
    "AlreadyExists": 6,
    "PermissionDenied": 7,
    "ResourceExhausted": 8,
    "FailedPrecondition": 9,
    "Aborted": 10,
    "OutOfRange": 11,
    "Unimplemented": 12,
    "Internal": 13,
    "Unavailable": 14,
    "DataLoss": 15,
    "Unauthenticated": 16,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_each_class_has_its_code(name, code):
    error = getattr(errors, f"{name}Error")("node", "op", "what went wrong")
    assert isinstance(error, errors.OpError)
    assert (error.node_def, error.op, error.message) == ("node", "op", "what went wrong")
    assert error.error_code == code
    assert (str(error), repr(error), error.args) == ("what went wrong", f"{name}Error()", ())
    assert error.experimental_payloads == {}
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert (twin.message, twin.op, twin.error_code) == (error.message, error.op, code)


def test_codes_have_names():
    names = [name for name in dir(errors) if name.isupper()]
    assert len(names) == 17
    assert (errors.OK, errors.INVALID_ARGUMENT, errors.UNAUTHENTICATED) == (0, 3, 16)


def test_an_error_of_any_code():
    error = errors.OpError(None, None, "m", 3)
    assert (str(error), error.error_code) == ("m", 3)
    assert pickle.loads(pickle.dumps(error)).error_code == 3
    with pytest.raises(TypeError, match="error_code"):
        errors.OpError(None, None, "m")


def test_a_subclass_of_a_users_keeps_the_code():
    class Mine(errors.NotFoundError):
        pass

    assert Mine(None, None, "m").error_code == errors.NOT_FOUND


def test_operators_that_need_a_value():
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)
