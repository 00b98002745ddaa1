"""Of `tensorflow.python.ops.array_ops`, what is not a public function."""

from typing import Any

from gradtape._src.autodiff.custom import custom_gradient
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.identities import identity


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The value, of which no gradient may be asked.

    Args:
      input: A tensor.
      message: What the error says where one is.
      name: Accepted for compatibility.

    Raises:
      LookupError: By the gradient, if one is asked for.
    """

    def refuse(_: Any) -> Any:
        raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")

    @custom_gradient
    def same(x: Any) -> Any:
        return identity(x), refuse

    out: Tensor = same(convert_to_tensor(input))
    return out
