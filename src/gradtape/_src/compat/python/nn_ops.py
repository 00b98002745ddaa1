"""The private class of `tensorflow.python.ops.nn_ops` that libraries construct."""

from collections.abc import Sequence
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.nn.convolution import convolution


class Convolution:
    """A convolution with fixed strides, padding and dilations.

    Args:
      input_shape: Accepted for compatibility; each call finds the shapes.
      filter_shape: Accepted for compatibility.
      padding: "SAME", "VALID", or a list of pairs of numbers.
      strides: The stride of the window along each axis.
      dilation_rate: The dilation of the window along each axis.
      name: Accepted for compatibility.
      data_format: None, or "NC..." if channels come before the spatial axes.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: int | Sequence[int] | None = None,
        dilation_rate: int | Sequence[int] | None = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        self.padding = padding
        self.strides = strides
        self.dilation_rate = dilation_rate
        self.data_format = data_format

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """Convolves a tensor of shape (batch, *space, channels) with filters."""
        return convolution(
            inp, filter, self.strides, self.padding, self.data_format, self.dilation_rate
        )
