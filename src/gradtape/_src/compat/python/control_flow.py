"""Private functions of `tensorflow.python.ops` for control flow and vectorized loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._src.autodiff.vectorized_map import vectorized_map
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.ops.array.creation import range as range_of

R = TypeVar("R")

ENABLE_CONTROL_FLOW_V2 = True


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802 (TensorFlow's name)
    """Whether a graph is built for XLA, which never happens here."""
    return False


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Calls the function for the first predicate that is true, by means of `cond_fn`.

    Args:
      cond_fn: A function of a predicate and the arguments `true_fn`, `false_fn` and `name`.
      pred_fn_pairs: Pairs of a predicate and a function, or a dictionary of them.
      default: A function that is called if no predicate is true.
      exclusive: Whether only one predicate may be true.
      name: Accepted for compatibility.
      allow_python_preds: Accepted for compatibility.
      **cond_kwargs: Further arguments of `cond_fn`.

    Raises:
      InvalidArgumentError: No predicate is true and there is no default, or several are true and
        `exclusive` is True.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if exclusive and sum(bool(pred) for pred, _ in pairs) > 1:
        raise InvalidArgumentError(
            None, None, "case: more than one of the predicates is true, and exclusive=True"
        )

    def of(rest: list[Any]) -> Callable[[], Any]:
        if not rest:
            return default or _none_holds
        (pred, function), *others = rest
        return lambda: cond_fn(
            pred, true_fn=function, false_fn=of(others), name=name, **cond_kwargs
        )

    return of(pairs)()


def _none_holds() -> Any:
    raise InvalidArgumentError(None, None, "case: no predicate is true, and there is no default")


def pfor(
    loop_fn: Callable[[Any], R],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
) -> R:
    """Calls a function for 0, 1, ..., `iters` - 1 in vectorized form, and stacks the results.

    Args:
      loop_fn: Takes a number and returns a structure of tensors.
      iters: The number of calls.
      fallback_to_while_loop: Whether to call `loop_fn` once per iteration if an operation can't be
        vectorized.
      parallel_iterations: Accepted for compatibility.
    """
    return vectorized_map(loop_fn, range_of(iters), fallback_to_while_loop=fallback_to_while_loop)
