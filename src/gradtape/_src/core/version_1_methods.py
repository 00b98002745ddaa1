"""Methods of variables from TensorFlow 1, as far as they exist in eager execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradtape._src.base.display import Reference
from gradtape._src.base.error_messages import unsupported
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.core.tensor import Tensor

if TYPE_CHECKING:
    from gradtape._src.base.dtypes import DType


class Version1Methods:
    """The methods and properties of variables that programs for TensorFlow 1 call."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> DType: ...
        def assign(self, value: Any) -> object: ...
        def assign_add(self, delta: Any) -> object: ...

        _numpy: Any

    @property
    def initializer(self) -> object:
        """Always None: only graphs have an operation that sets the initial value."""
        return None

    @property
    def initial_value(self) -> object:
        """The initial value, which only variables in graphs keep."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def load(self, value: Any, session: Any = None) -> None:
        """Gives the variable a new value, as `assign` does.

        Args:
          value: A value that `assign` takes.
          session: Accepted for compatibility.
        """
        self.assign(value)

    def eval(self, session: Any = None) -> object:
        """Raises an error: only variables in graphs are evaluated in a session.

        Args:
          session: Accepted for compatibility.

        Raises:
          RuntimeError: Always; `numpy()` returns the value.
        """
        raise RuntimeError(
            "This operation is not supported when eager execution is enabled: `numpy()` returns "
            "the value."
        )

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to a counter that is below a limit.

        Args:
          limit: The maximum of the counter.

        Returns:
          The value before the addition, a scalar tensor.

        Raises:
          InvalidArgumentError: The variable's dtype is not int32 or int64.
          OutOfRangeError: The counter has reached the limit.
        """
        if self.dtype.name not in ("int32", "int64"):
            raise unsupported("ResourceCountUpTo", (np.int32, np.int64), self.dtype)
        before = Tensor(self._numpy()).numpy()
        if before >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit} [Op:ResourceCountUpTo]")
        self.assign_add(np.ones((), self.dtype.np_dtype))
        return Tensor(before)

    def initialized_value(self) -> Tensor:
        """Raises an error, as in TensorFlow 2: a variable is always initialized.

        Returns:
          Nothing.

        Raises:
          NotImplementedError: Always; `read_value()` returns the value.
        """
        raise NotImplementedError("initialized_value: use read_value(), which always has a value")

    def experimental_ref(self) -> Reference[Self]:
        """Returns a hashable reference to this very variable, like `ref`.

        Returns:
          A reference.
        """
        return Reference(self)
