"""The names that operations of a graph get if the program gives none, as TensorFlow's."""

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
"""Of Python's operators, by the operation; of others it is the operation's own name."""

_FUNCTIONS = {
    "add": "Add",
    "divide": "truediv",
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
"""Of `&`, `|` and `^`."""

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
"""Functions through which Python's operators arrive."""

IDENTITY = "Identity"
CAST = "Cast"
NO_OP = "NoOp"
"""The types of the operations that graphs show besides those that were called."""

_ALLOWED = re.compile(r"[A-Za-z0-9_.\\/>-]*")
_FIRST = re.compile(r"[A-Za-z0-9.]")


def default_name(function: str, operation: str) -> str:
    """Returns the name of an operation that has none of its own.

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
    """Returns the scope of the operations of a call that takes several."""
    if function in METHODS or function.startswith("_"):
        return default_name(function, operation)
    return _FUNCTIONS.get(function, function)


def checked(name: str, inner: bool) -> str:
    """Returns a name for an operation.

    Args:
      name: The name.
      inner: Whether it stands in a scope, where it may begin with what a name can't begin with.

    Raises:
      ValueError: No operation may be called so.
    """
    if not _ALLOWED.fullmatch(name) or not (inner or _FIRST.match(name)):
        raise ValueError(f"'{name}' is not a valid root scope name")
    return name


class Names:
    """Names that were given already."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Returns a name that is given now, with a number behind it if it was given before."""
        made = self.following(name)
        key = name.lower()
        self._count[key] = self._count.get(key, 0) + 1
        if made != name:
            self._count[made.lower()] = 1
        return made

    def following(self, name: str) -> str:
        """Returns the name that `unique` gives next."""
        n = self._count.get(name.lower(), 0)
        if not n:
            return name
        while (made := f"{name}_{n}").lower() in self._count:
            n += 1
        return made
