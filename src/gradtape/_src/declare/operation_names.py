"""The default names of operations in graphs, which are TensorFlow's."""

from __future__ import annotations

import re

OPERATORS = {
    "AddV2": "add",
    "Sub": "sub",
    "Mul": "mul",
    "RealDiv": "truediv",
    "FloorDiv": "floordiv",
    "FloorMod": "mod",
    "Pow": "pow",
    "MatMul": "matmul",
    "BatchMatMulV2": "matmul",
    "StridedSlice": "strided_slice",
}
"""The default names of the operations behind Python's operators, if they have a special one."""

_FUNCTIONS = {
    "add": "Add",
    "divide": "truediv",
    "expand_dims": "ExpandDims",
    "gather": "GatherV2",
    "squeeze": "Squeeze",
    "gradient": "gradient_tape",
    "reduce_logsumexp": "ReduceLogSumExp",
    "tensordot": "Tensordot",
    "normal": "random_normal",
    "uniform": "random_uniform",
    "gelu": "Gelu",
    "trace": "Trace",
    **{
        name: name
        for name in (  # noqa: SIM905 (a list would take a line for each)
            "boolean_mask clip_by_value concat diag dropout einsum embedding_lookup eye "
            "l2_normalize linspace moments norm one_hot ones ones_like range reduce_std "
            "reduce_variance sort split stack transpose unstack zeros zeros_like"
        ).split()
    },
}
_OF_BITS = {
    "LogicalAnd": "and",
    "BitwiseAnd": "and",
    "LogicalOr": "or",
    "BitwiseOr": "or",
    "NotEqual": "xor",
    "BitwiseXor": "xor",
}
"""The default names for `&`, `|` and `^`."""

METHODS = frozenset(
    {
        "run",
        "<lambda>",
        "backwards",
        "compared",
        "getitem",
        "__getitem__",
        "operator",
        "power",
        "quotient",
        "read_value",
        "value",
    }
)
"""Functions that implement Python's operators."""

IDENTITY = "Identity"
CAST = "Cast"
CONST = "Const"
NO_OP = "NoOp"
"""The types of the additional operations that graphs show."""

LABELS = {
    "ConcatV2": "concat",
    "OneHot": "one_hot",
    "Pack": "stack",
    "SplitV": "split",
    "Transpose": "transpose",
    "Unpack": "unstack",
}
"""The default names of operations on known values that are not those of their kinds."""
STATIC = frozenset(
    {
        *("Cast", "ConcatV2", "Const", "Equal", "Fill", "Identity", "NotEqual", "Pack", "Range"),
        *("Rank", "Shape", "Size", "Split", "SplitV", "StopGradient", "Unpack"),
    }
)
"""The operations through which TensorFlow knows the values of tensors in graphs."""

_ALLOWED = re.compile(r"[A-Za-z0-9_.\\/>-]*")
_FIRST = re.compile(r"[A-Za-z0-9.]")


def default_name(function: str, operation: str) -> str:
    """Returns the default name of an operation.

    Args:
      function: The function that was called.
      operation: TensorFlow's name of the operation, such as "AddV2".
    """
    if function == "operator":
        return _OF_BITS.get(operation, operation)
    if function in METHODS:
        return OPERATORS.get(operation, operation)
    return _FUNCTIONS.get(function) or operation


def scope_of(function: str, operation: str) -> str:
    """Returns the scope for a function that consists of several operations."""
    if function in METHODS or function.startswith("_"):
        return default_name(function, operation)
    return _FUNCTIONS.get(function, function)


def checked(name: str, inner: bool) -> str:
    """Returns a name for an operation.

    Args:
      name: The name.
      inner: Whether the name is within a scope, in which more characters may come first.

    Raises:
      ValueError: The name is not valid for an operation.
    """
    if not _ALLOWED.fullmatch(name) or not (inner or _FIRST.match(name)):
        raise ValueError(f"'{name}' is not a valid root scope name")
    return name


class Names:
    """Names that are already taken."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Returns a new name, with a number appended if the name was taken."""
        made = self.following(name)
        key = name.lower()
        self._count[key] = self._count.get(key, 0) + 1
        if made != name:
            self._count[made.lower()] = 1
        return made

    def following(self, name: str) -> str:
        """Returns the name that `unique` would return next."""
        n = self._count.get(name.lower(), 0)
        if not n:
            return name
        while (made := f"{name}_{n}").lower() in self._count:
            n += 1
        return made
