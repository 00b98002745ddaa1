"""The private functions of `tensorflow.python.ops.array_ops`."""

from typing import Any

from gradtape._src.autodiff.custom import custom_gradient
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.identities import identity


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """Returns the value; computing its gradient raises an error.

    Args:
      input: A tensor.
      message: The text of the error.
      name: Accepted for compatibility.

    Raises:
      LookupError: When the gradient is computed.
    """

    def refuse(_: Any) -> Any:
        raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")

    @custom_gradient
    def same(x: Any) -> Any:
        return identity(x), refuse

    out: Tensor = same(convert_to_tensor(input))
    return out
