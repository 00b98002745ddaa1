"""The functions of `tf.raw_ops`, made from `@raw_op` declarations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape._src.base.export import RAW_OPS
from gradtape._src.declare.named_results import named


def raw_function(name: str) -> Callable[..., Any]:
    """Returns a function of `tf.raw_ops`, which takes keyword arguments only.

    Raises:
      KeyError: No loaded module declares a raw operation of this name.
    """
    op = RAW_OPS[name]

    @functools.wraps(op.function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{name} only takes keyword args. Please pass these args as kwargs instead: "
                f"tf.raw_ops.{name}(name=value)."
            )
        given = {op.renamed.get(k, k): v for k, v in kwargs.items() if k not in op.ignored}
        return named(name, op.function(**given))

    run.__name__ = run.__qualname__ = name
    return run
