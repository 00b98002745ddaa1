"""The methods of tensors and variables that operations provide, and the way to provide them.

`core` knows no operation, so the classes below only declare the methods; the rooms that define the
operations call `register_method` on import. The functions become attributes of these classes, so
that method calls have no overhead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradtape._src.base.display import no_item_assignment

if TYPE_CHECKING:
    from gradtape._src.core.tensor import Tensor

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]


class Operators:  # noqa: PLW1641 (the subclasses have a hash, which raises)
    """The operators of tensors and variables."""

    __slots__ = ()

    __add__: Binary
    __radd__: Binary
    __sub__: Binary
    __rsub__: Binary
    __mul__: Binary
    __rmul__: Binary
    __truediv__: Binary
    __rtruediv__: Binary
    __floordiv__: Binary
    __rfloordiv__: Binary
    __mod__: Binary
    __rmod__: Binary
    __pow__: Binary
    __rpow__: Binary
    __matmul__: Binary
    __rmatmul__: Binary
    __and__: Binary
    __rand__: Binary
    __or__: Binary
    __ror__: Binary
    __xor__: Binary
    __rxor__: Binary
    __eq__: Binary  # elementwise
    __ne__: Binary
    __lt__: Binary
    __le__: Binary
    __gt__: Binary
    __ge__: Binary
    __neg__: Unary
    __abs__: Unary
    __invert__: Unary
    __getitem__: Binary

    if not TYPE_CHECKING:  # For type checkers, an assignment is an error.

        def __setitem__(self, key: Any, value: Any) -> None:
            raise no_item_assignment(self)


class TensorMethods:
    """The methods of tensors only: assignment to a slice of a variable, and NumPy's methods.

    NumPy's methods exist after `tf.experimental.numpy.experimental_enable_numpy_behavior()`.
    """

    __slots__ = ()

    assign: Any
    assign_add: Any
    assign_sub: Any
    T: Any
    data: Any
    size: Any
    astype: Callable[..., Any]
    clip: Callable[..., Any]
    flatten: Callable[..., Any]
    max: Callable[..., Any]
    mean: Callable[..., Any]
    min: Callable[..., Any]
    ravel: Callable[..., Any]
    reshape: Callable[..., Any]
    tolist: Callable[..., Any]
    transpose: Callable[..., Any]
    __round__: Callable[..., Any]


class VariableMethods:
    """The methods of variables only: reading and changing some of their rows or elements.

    `variable += value` raises an error, since it would not change the variable.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers read `__init__`
        # under a strategy with several replicas, it is one of the strategy's variables
        __new__: Callable[..., Any]
    _copy_of: Callable[[Tensor], Tensor]  # a new tensor with the same value
    _update: Callable[..., Any]  # combines values with the elements at an index
    sparse_read: Callable[..., Any]
    gather_nd: Callable[..., Any]
    scatter_add: Callable[..., Any]
    scatter_sub: Callable[..., Any]
    scatter_update: Callable[..., Any]
    scatter_mul: Callable[..., Any]
    scatter_div: Callable[..., Any]
    scatter_max: Callable[..., Any]
    scatter_min: Callable[..., Any]
    scatter_nd_add: Callable[..., Any]
    scatter_nd_sub: Callable[..., Any]
    scatter_nd_update: Callable[..., Any]
    scatter_nd_max: Callable[..., Any]
    scatter_nd_min: Callable[..., Any]
    batch_scatter_update: Callable[..., Any]
    __iadd__: Binary
    __isub__: Binary
    __imul__: Binary
    __itruediv__: Binary
    __ipow__: Binary


Methods = type[Operators] | type[TensorMethods] | type[VariableMethods]


def register_method(owner: Methods, name: str, method: Any) -> None:
    """Registers a function (or a property) as a method, in place of an earlier one.

    Args:
      owner: `Operators`, `TensorMethods` or `VariableMethods`.
      name: A name that `owner` declares.
      method: The function, which gets the tensor or variable as its first argument.

    Raises:
      AttributeError: `owner` declares no such method.
    """
    if name not in owner.__annotations__:
        raise AttributeError(
            f"{owner.__name__} declares no method {name!r}: add it to the class in {__name__}"
        )
    setattr(owner, name, method)
