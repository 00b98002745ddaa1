"""`tensorflow.python.keras.utils.conv_utils`: arguments and output lengths of convolutions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_SPATIAL = {3: "W", 4: "HW", 5: "DHW"}
_PADDINGS = ("valid", "same", "causal")


def convert_data_format(data_format: str, ndim: int) -> str:
    """Returns TensorFlow's name of a data format of Keras.

    Args:
      data_format: "channels_last" or "channels_first".
      ndim: The rank of the input, from 3 to 5.

    Raises:
      ValueError: There is no such data format or rank.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if ndim not in _SPATIAL:
        raise ValueError("Input rank not supported:", ndim)
    axes = _SPATIAL[ndim]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """Returns an integer for each of `n` axes.

    Args:
      value: An integer, or `n` of them.
      n: The number of axes.
      name: The name of the argument in messages.

    Raises:
      ValueError: The argument is neither an integer nor `n` integers.
    """
    if isinstance(value, int):
        return (value,) * n
    wanted = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    if not isinstance(value, Iterable):
        raise ValueError(wanted)
    values = tuple(value)
    if len(values) != n:
        raise ValueError(wanted)
    for each in values:
        try:
            int(each)
        except (TypeError, ValueError):
            raise ValueError(f"{wanted} including element {each} of type {type(each)}") from None
    return values


def normalize_data_format(value: str | None) -> str:
    """Returns a data format in lower case; None means "channels_last".

    Raises:
      ValueError: There is no such data format.
    """
    found = "channels_last" if value is None else value.lower()
    if found not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return found


def normalize_padding(value: Any) -> object:
    """Returns the name of a padding in lower case; lists and tuples are returned as they are.

    Raises:
      ValueError: There is no such padding.
    """
    if isinstance(value, (list, tuple)):
        return value
    found: str = value.lower()
    if found not in _PADDINGS:
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", '
            f"only for `Conv1D). Received: {found}"
        )
    return found


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """Returns the length of a convolution's output along an axis.

    Args:
      input_length: The length of the input; None if it is unknown.
      filter_size: The length of the filter.
      padding: "same", "valid", "causal" or "full".
      stride: The stride of the window.
      dilation: The dilation of the filter.
    """
    if input_length is None:
        return None
    reach = (filter_size - 1) * dilation
    more = {"same": 0, "causal": 0, "valid": -reach, "full": reach}
    assert padding in more
    return (input_length + more[padding] + stride - 1) // stride


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """Returns the length of a convolution's input along an axis.

    Args:
      output_length: The length of the output; None if it is unknown.
      filter_size: The length of the filter.
      padding: "same", "valid" or "full".
      stride: The stride of the window.
    """
    if output_length is None:
        return None
    pads = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}
    assert padding in pads
    return (output_length - 1) * stride - 2 * pads[padding] + filter_size


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> int | None:
    """Returns the length of a transposed convolution's output along an axis.

    Args:
      input_length: The length of the input; None if it is unknown.
      filter_size: The length of the filter.
      padding: "same", "valid" or "full".
      output_padding: The number of elements that are added to the output; None for the length of
        the longest input that gives such an output.
      stride: The stride of the window.
      dilation: The dilation of the filter.
    """
    assert padding in ("same", "valid", "full")
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is None:
        more = {"same": 0, "valid": max(reach - stride, 0), "full": 2 - stride - reach}
        return input_length * stride + more[padding]
    pads = {"same": reach // 2, "valid": 0, "full": reach - 1}
    return (input_length - 1) * stride + reach - 2 * pads[padding] + output_padding
