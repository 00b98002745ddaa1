"""Raw operations that have gradients."""

from __future__ import annotations

from gradtape._src.base.export import RAW_OPS, export
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.registered import Opaque, registered


@export("autodiff.has_gradient")
def has_gradient(op_type: str) -> bool:
    """Whether a raw operation has a gradient.

    If it has no gradient, a tape returns None or, if TensorFlow does so, raises a LookupError.

    Args:
      op_type: The name of the operation, as in `tf.raw_ops` or in the error "gradient registry has
        no entry for".

    Returns:
      True for an operation that has a gradient.

    Raises:
      KeyError: There is no operation of this name.

    >>> from gradtape import autodiff
    >>> autodiff.has_gradient("MatMul"), autodiff.has_gradient("Equal")
    (True, False)
    """
    from gradtape._src.raw import modules  # noqa: F401 (fills RAW_OPS; slow to import)

    if op_type in REGISTRY:
        primitive = REGISTRY[op_type]
        if isinstance(primitive, Opaque):
            refuses = op_type in RAW_OPS and not RAW_OPS[op_type].differentiable
            return registered(op_type) and not refuses
        return bool(primitive.tracked)
    if op_type in RAW_OPS:
        return RAW_OPS[op_type].differentiable
    raise KeyError(f"there is no operation named {op_type!r}; dir(tf.raw_ops) lists them")
