"""The parameters of functions, as source code for functions around them."""

from __future__ import annotations

import inspect
import types
from typing import NamedTuple


class Parameters(NamedTuple):
    """The parameters of a function.

    Attributes:
      positional: The number of those that can be given by position.
      keywords: The names of those that can only be given by keyword.
      variadic: Whether there are `*args`, and whether there are `**kwargs`.
    """

    positional: int
    keywords: tuple[str, ...]
    variadic: tuple[bool, bool]

    @classmethod
    def of(cls, code: types.CodeType) -> Parameters:
        """Returns the parameters of a function with this code."""
        first, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
        flags = (
            bool(code.co_flags & inspect.CO_VARARGS),
            bool(code.co_flags & inspect.CO_VARKEYWORDS),
        )
        return cls(first, code.co_varnames[first:last], flags)

    def declared(self) -> str:
        """Returns the parameters as source code for a definition."""
        star = "*_args" if self.variadic[0] else "*"
        parts = [f"_{i}" for i in range(self.positional)]
        parts += [star] if self.keywords or self.variadic[0] else []
        parts += self.keywords
        return ", ".join(parts + ["**_kwargs"] * self.variadic[1])

    def given(self) -> str:
        """Returns source code for the arguments of a call that passes all of them on."""
        parts = [f"_{i}" for i in range(self.positional)] + ["*_args"] * self.variadic[0]
        parts += [f"{name}={name}" for name in self.keywords]
        return ", ".join(parts + ["**_kwargs"] * self.variadic[1])

    def values(self) -> str:
        """Returns source code for the tuple of all parameters' values, for `Api.find`."""
        if any(self.variadic):
            return "_api.values(_args, _kwargs)"
        return "(" + "".join([f"_{i}, " for i in range(self.positional)]) + ")"
