"""The names in `tensorflow.python.ops.linalg.linear_operator` other than the class."""

from __future__ import annotations

from typing import TypeVar

from gradtape._src.ops.linear_operators.linear_operator import LinearOperator as LinearOperator
from gradtape._src.ops.linear_operators.specs import spec_class
from gradtape._src.ops.types.spec_names import register

C = TypeVar("C", bound=type)


def make_composite_tensor(cls: C, module_name: str = "tf.linalg") -> C:
    """Registers a name for the specs of a class of operators; all operators are composite tensors.

    Args:
      cls: The class.
      module_name: The prefix of the spec class's registered name.
    """
    spec = spec_class(cls)
    register(f"{module_name}.{spec.__name__}")(spec)
    return cls
