"""The state of a variable in a session, and the operations that read and change it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import FailedPreconditionError
from gradtape._src.core.primitive import Primitive, bind


class Kept:
    """The value of a graph's variable in one session, which is unset before initialization.

    Args:
      name: The variable's name.
    """

    __slots__ = ("name", "value")

    shape = ()  # The graph's executor asks for the lengths of inputs.

    def __init__(self, name: str) -> None:
        self.name = name
        self.value: Any = None

    def read(self) -> np.ndarray[Any, Any] | np.generic:
        """Returns the value.

        Raises:
          FailedPreconditionError: The variable was not initialized.
        """
        if self.value is None:
            raise FailedPreconditionError(
                None,
                None,
                f"Could not find variable {self.name}. This could mean that the variable has been "
                "deleted. In TF1, it can also mean the variable is uninitialized (run "
                "tf.compat.v1.global_variables_initializer() in this session first). Debug info: "
                f"container=localhost, status error message=Resource localhost/{self.name}/"
                "N10tensorflow3VarE does not exist.",
            )
        value: np.ndarray[Any, Any] | np.generic = self.value
        return value


def _read(kept: Kept) -> Any:
    return kept.read()


def _assign(kept: Kept, value: Any) -> Any:
    kept.value = value
    return ()


def _assign_add(kept: Kept, delta: Any) -> Any:
    kept.value = kept.read() + delta
    return ()


def _assign_sub(kept: Kept, delta: Any) -> Any:
    kept.value = kept.read() - delta
    return ()


def _is_initialized(kept: Kept) -> Any:
    return np.bool_(kept.value is not None)


def _never(**_: Any) -> Any:
    raise AssertionError("a session gives this value")


def _nothing(*_: Any) -> Any:
    return ()


def _const(*, value: Any) -> Any:
    return value


handle_p = Primitive("VarHandleOp", _never, tracked=0)
read_p = Primitive("ReadVariableOp", _read, tracked=0)
assign_p = Primitive("AssignVariableOp", _assign, tracked=0)
assign_add_p = Primitive("AssignAddVariableOp", _assign_add, tracked=0)
assign_sub_p = Primitive("AssignSubVariableOp", _assign_sub, tracked=0)
is_initialized_p = Primitive("VarIsInitializedOp", _is_initialized, tracked=0)
no_op_p = Primitive("NoOp", _nothing, tracked=0)
const_p = Primitive("Const", _const, tracked=0)
CHANGES = frozenset({assign_p, assign_add_p, assign_sub_p})
for _primitive in (handle_p, read_p, is_initialized_p, no_op_p, const_p, *CHANGES):
    bind(_primitive)
