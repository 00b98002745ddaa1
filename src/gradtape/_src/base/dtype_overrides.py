"""Operations that run in another's stead for some dtypes: `+` of strings joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradtape._src.base.dtypes import DType
from gradtape._src.base.error_messages import unsupported

STAND_INS: dict[tuple[str, DType], Callable[..., Any]] = {}
"""By the name of the operation that was asked for, and the dtype that it does not take."""


def stand_in(operation: str, allowed: Iterable[type], got: DType) -> Callable[..., Any]:
    """What to run where an operation does not take a dtype.

    Raises:
      InvalidArgumentError: Nothing stands in.
    """
    run = STAND_INS.get((operation, got))
    if run is None:
        raise unsupported(operation, allowed, got)
    return run
