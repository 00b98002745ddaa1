"""Conditionals: `if`, conditional expressions, `and`, `or`, `not`, comparisons and `assert`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.autograph.symbolic import is_symbolic
from gradtape._src.autograph.values import (
    Static,
    check_structure,
    dtype_of,
    flat,
    packed,
    statics,
    tensors_of,
)
from gradtape._src.autograph.variables import (
    Block,
    Undefined,
    UndefinedReturnValue,
    holding,
    is_undefined,
)
from gradtape._src.base.dtypes import bool_
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.control.assertions import Assert
from gradtape._src.ops.control.control_flow import cond as tf_cond
from gradtape._src.ops.elementwise.comparison import equal, not_equal
from gradtape._src.ops.elementwise.identities import ensure_shape
from gradtape._src.ops.elementwise.logical import logical_not

_BRANCHES = ("main", "else")


def condition(value: Any, statement: str, is_expression: bool = False) -> Tensor:
    """Returns a symbolic condition as a scalar.

    Raises:
      ValueError: `value` is not a boolean, or has more than one element.
      InvalidArgumentError: `value` is not a boolean, in an expression.
    """
    x: Tensor = convert_to_tensor(value)
    shape = x.shape
    several = shape.rank is not None and any(n not in (1, None) for n in shape.as_list())
    if x.dtype.name != "bool" or several:
        cast = "" if x.dtype.name == "bool" else "to use as boolean Tensor, use `tf.cast`; "
        why = (
            f"condition of {statement} expected to be `tf.bool` scalar, got {x!r}; {cast}to check "
            "for None, use `is not None`"
        )
        raise InvalidArgumentError(None, None, why) if cast and is_expression else ValueError(why)
    if shape.rank is None:
        return ensure_shape(x, [])
    return x if shape.rank == 0 else reshape(x, [])


def if_stmt(
    cond: Any,
    body: Any,
    orelse: Any,
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """Runs one of two blocks; traces both if the condition is symbolic.

    Args:
      cond: The condition.
      body: The block that runs if it holds.
      orelse: The block that runs if it does not hold.
      get_state: Returns the variables that the blocks change.
      set_state: Sets their values.
      symbol_names: Their names, in this order.
      nouts: The number of leading variables that are used afterwards.
    """
    if not is_symbolic(cond):
        body() if cond else orelse()
        return
    block, first = Block(get_state, set_state, body, orelse), get_state()

    def run(k: int) -> Sequence[Any]:
        get, put, *blocks = block.fresh()
        with holding(get, put, symbol_names, first):
            blocks[k]()
            values: Sequence[Any] = get()[:nouts]
            return values

    chosen = _Choice(symbol_names[:nouts]).traced(condition(cond, "if statement"), run)
    set_state((*chosen, *get_state()[nouts:]))


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> object:
    """Returns one of two expressions' values."""
    if not is_symbolic(cond):
        return if_true() if cond else if_false()
    block = Block(if_true, if_false)  # type: ignore[arg-type]
    choice = _Choice((expr_repr,))
    test = condition(cond, "conditional expression", is_expression=True)
    return choice.traced(test, lambda k: [block.fresh()[k]()])[0]


class _Choice:
    """The two branches of a conditional: their values for each name, and the results."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.given: list[Sequence[Any] | None] = [None, None]

    def traced(self, test: Tensor, run: Callable[[int], Sequence[Any]]) -> list[Any]:
        """Traces both branches; returns the values for the names."""

        def side(k: int) -> list[Any]:
            values = run(k)
            if self.given[k] is None:
                self.given[k] = values
                self._check()
            return [x for value in values for x in tensors_of(value)]

        chosen: Any = tf_cond(test, lambda: side(0), lambda: side(1))
        # In a TensorFlow 1 graph, a conditional without results is an operation.
        found = iter(chosen if isinstance(chosen, (list, tuple)) else ())
        main, other = self.given
        assert main is not None
        assert other is not None
        return [
            packed(value, self._settled(name, value, alternative), found)
            for name, value, alternative in zip(self.names, main, other, strict=True)
        ]

    def _check(self) -> None:
        """Compares both branches, once both are traced."""
        main, other = self.given
        if main is None or other is None:
            return
        for name, a, b in zip(self.names, main, other, strict=True):
            self._check_defined(name, a, b)
            try:
                check_structure(a, b)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"'{name}' must have the same nested structure in the main and else branches:"
                    f"\n\n{error}",
                ) from None
            self._check_dtypes(name, a, b)
            self._settled(name, a, b)

    def _check_defined(self, name: str, *values: Any) -> None:
        for branch, x in zip(_BRANCHES, values, strict=True):
            if type(x) is UndefinedReturnValue and not all(map(is_undefined, values)):
                raise ValueError(f"the {branch} branch must also have a return statement.")
            if type(x) is Undefined and not all(map(is_undefined, values)):
                raise ValueError(f"'{name}' must also be initialized in the {branch} branch")
        for branch, x in zip(_BRANCHES, values, strict=True):
            if x is None and any(y is not None for y in values):
                raise ValueError(f"'{name}' is None at the end of the {branch} branch.")

    def _check_dtypes(self, name: str, main: Any, other: Any) -> None:
        for a, b in zip(flat(main), flat(other), strict=True):
            one, two = dtype_of(a), dtype_of(b)
            if one is not None and two is not None and one is not two:
                raise TypeError(
                    f"'{name}' has dtype {one.name} in the main branch, but dtype {two.name} in "
                    "the else branch",
                )

    def _settled(self, name: str, main: Any, other: Any) -> list[Any]:
        """Returns the values of both branches, with `Static.VARIES` in place of tensors."""
        found = []
        for a, b in zip(statics(main), statics(other), strict=True):
            same = a is b or (is_undefined(a) and is_undefined(b))
            if not same and not _varies(a) and not _varies(b):
                raise TypeError(
                    f"'{name}' is {a!r} in the main branch and {b!r} in the else branch: if a "
                    "tensor is the condition, branches must give Tensors, ExtensionTypes, or the "
                    "same object",
                )
            found.append(a if same else Static.VARIES)
        return found


def _varies(known: Any) -> bool:
    return known is Static.VARIES or isinstance(known, bool)


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> object:
    """Returns `a() and b()`; `b` is part of a branch if `a()` is symbolic."""
    first = a()
    if not is_symbolic(first):
        return _decided(first, first and b())
    return tf_cond(condition(first, "`and`", is_expression=True), b, lambda: first)


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> object:
    """Returns `a() or b()`; `b` is part of a branch if `a()` is symbolic."""
    first = a()
    if not is_symbolic(first):
        return _decided(first, first or b())
    return tf_cond(condition(first, "`or`", is_expression=True), lambda: first, b)


def _decided(first: Any, found: Any) -> object:
    """Returns the result of `and` or `or`; in graphs, a tensor if the first operand is one."""
    truth = isinstance(first, Tensor) and isinstance(found, bool)
    return convert_to_tensor(found) if truth and active_compiler() is not None else found


def not_(a: Any) -> object:
    """Returns `not a`, which is a tensor in a graph if `a` is a truth value in one."""
    truth = isinstance(a, Tensor) and a.dtype is bool_ and active_compiler() is not None
    return logical_not(a) if truth or is_symbolic(a) else not a


def eq(a: Any, b: Any) -> object:
    """Returns `a == b`, elementwise if one is symbolic."""
    return equal(a, b) if is_symbolic(a) or is_symbolic(b) else a == b


def not_eq(a: Any, b: Any) -> object:
    """Returns `a != b`, elementwise if one is symbolic."""
    return not_equal(a, b) if is_symbolic(a) or is_symbolic(b) else not_(a == b)


def assert_stmt(test: Any, message: Callable[[], Any]) -> None:
    """Checks a condition; if it is symbolic, the check happens when the function runs."""
    if not is_symbolic(test):
        assert test, message()
        return
    Assert(test, [message()])
