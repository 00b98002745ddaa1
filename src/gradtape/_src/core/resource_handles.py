"""The handles of variables: scalars of dtype `resource`, each of which represents a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from gradtape._src.base.dtypes import resource
from gradtape._src.core.tensor import Tensor

if TYPE_CHECKING:
    from gradtape._src.core.variable import Variable


class ResourceHandle:
    """The value of a handle.

    Args:
      variable: The variable.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Variable) -> None:
        self.variable = variable

    def __repr__(self) -> str:
        v = self.variable
        shape = "<unknown>" if v.shape.rank is None else v.shape.as_list()
        return (
            f'<ResourceHandle(name="{v._shared_name}/{v._id}", device="{v.device}", '
            'container="Anonymous", type="tensorflow::Var", dtype and shapes : "[ DType enum: '
            f'{v.dtype.as_datatype_enum}, Shape: {shape} ]")>'
        )


HANDLE = resource.np_dtype

_handles: WeakValueDictionary[int, Tensor] = WeakValueDictionary()


def handle_of(variable: Variable) -> Tensor:
    """Returns the handle of a variable, which is the same object as long as it exists."""
    found = _handles.get(variable._id)
    if found is None:
        value = np.empty((), HANDLE)
        value[()] = (ResourceHandle(variable),)
        found = _handles[variable._id] = Tensor(value, variable._id)
    return found


def variable_of(handle: Any) -> Variable | None:
    """Returns the variable that a handle represents, or None for another value."""
    value = handle._value if type(handle) is Tensor else None
    if isinstance(value, (np.ndarray, np.void)) and value.dtype == HANDLE and value.ndim == 0:
        (found,) = value.item()
        return found.variable if isinstance(found, ResourceHandle) else None
    return None
