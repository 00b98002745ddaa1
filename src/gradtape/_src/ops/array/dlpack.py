"""`tf.experimental.dlpack`: tensors from and for other libraries, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.dlpack_capsules import CPU, array_of, device_of_capsule, name_of
from gradtape._src.core.tensor import Tensor

_CAPSULES = ("dltensor", "dltensor_versioned")


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: Tensor) -> object:
    """Returns a DLPack capsule with a tensor's value.

    Other libraries' functions also take the tensor itself, and then know that the memory is
    read-only: `numpy.from_dlpack(tensor)`, `torch.from_dlpack(tensor)`.

    Args:
      tf_tensor: A tensor.

    Returns:
      A capsule, which can be consumed once. The capsule holds a copy of its value, since other
      libraries may write to the memory and tensors never change. TensorFlow shares the memory.

    Raises:
      InvalidArgumentError: The argument is not a tensor, or DLPack does not support its dtype.

    >>> import numpy as np
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1., 2.], dtype=float32)
    >>> np.from_dlpack(tf.constant([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tf_tensor, Tensor):
        raise InvalidArgumentError(
            None,
            None,
            f"The argument to `to_dlpack` must be a TF tensor, not {type(tf_tensor).__name__} "
            "(tf.convert_to_tensor makes one)",
        )
    try:
        return tf_tensor.__dlpack__()
    except BufferError as error:
        raise InvalidArgumentError(
            None, None, f"{tf_tensor.dtype.name} is not supported by dlpack [to_dlpack]"
        ) from error


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> Tensor:
    """Makes a tensor of another library's array, in the same memory.

    The owner of the array must not change it afterwards: the tensor would change, too.

    Args:
      dlcapsule: A DLPack capsule, or an array of NumPy, PyTorch, JAX or another library that has
        the method `__dlpack__`; TensorFlow accepts only capsules. An array on a GPU is copied with
        JAX.

    Returns:
      A tensor of the array's dtype and shape.

    Raises:
      InvalidArgumentError: The capsule was consumed before, or its data are not in the CPU's
        memory.
      TypeError: The argument is neither a capsule nor an array.

    >>> import numpy as np
    >>> tf.experimental.dlpack.from_dlpack(np.arange(3.0)).numpy()
    array([0., 1., 2.])
    """
    name = name_of(dlcapsule)
    if name in _CAPSULES:
        if device_of_capsule(dlcapsule) != CPU:
            raise InvalidArgumentError(
                None,
                None,
                "from_dlpack: the capsule's data are not in the processor's memory; pass the array "
                "itself instead of its capsule",
            )
        return _as_tensor(array_of(dlcapsule))
    if name:
        raise InvalidArgumentError(
            None,
            None,
            f'DLPack tensor must be a capsule with name "dltensor", got "{name}". Note that a '
            "DLPack tensor may be consumed at most once.",
        )
    if not (hasattr(dlcapsule, "__dlpack__") and hasattr(dlcapsule, "__dlpack_device__")):
        raise TypeError(
            f"from_dlpack takes a DLPack capsule or an array with the method __dlpack__, not "
            f"{dlcapsule!r} ({type(dlcapsule).__name__})"
        )
    if dlcapsule.__dlpack_device__()[0] != CPU:
        from jax import dlpack

        return _as_tensor(np.asarray(dlpack.from_dlpack(dlcapsule)))
    try:
        capsule = dlcapsule.__dlpack__(max_version=(1, 0))
    except TypeError:  # The array's library does not know the parameter `copy` yet.
        capsule = dlcapsule.__dlpack__()
    return _as_tensor(array_of(capsule))


def _as_tensor(array: np.ndarray[Any, Any]) -> Tensor:
    return Tensor(array if array.ndim else array[()])
