"""The inputs, outputs and attributes of TensorFlow's operations, as data.

`op_definitions.txt` has a line for each operation, such as

    MatMul a:$T b:$T > product:$T ; transpose_a:bool=false transpose_b:bool=false T:type

with its inputs, outputs and attributes. `!` after the name means that it is stateful. The type of
an input or output is a dtype's name, or `$` and the attribute that holds the dtype; `N*` before it
means a list of N tensors, where N is an attribute, `*Ts` a list with the dtypes Ts, and `&` a
reference. A name such as `dim|axis` is `dim` in graphs, and `axis` in `tf.raw_ops`. After the type
of an attribute, `^` begins the least number, or the least length of a list, and braces hold the
values that are allowed.
`tools/write_op_definitions.py` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_suffix(".txt")


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output of an operation.

    Attributes:
      name: Its name.
      dtype: The name of its dtype, if that is always the same.
      type_attr: The attribute that holds its dtype.
      number_attr: The attribute with the number of its tensors.
      type_list_attr: The attribute with the list of its tensors' dtypes.
      is_ref: Whether it is a reference to a variable, as in TensorFlow 1.
      python_name: Its name in `tf.raw_ops`, if that differs.
    """

    name: str
    dtype: str | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False
    python_name: str | None = None

    @property
    def is_list(self) -> bool:
        """Whether it consists of several tensors."""
        return self.number_attr is not None or self.type_list_attr is not None

    def dtypes(self, attributes: Callable[[str], Any]) -> list[Any]:
        """Returns the dtypes of its tensors: names, or values of attributes.

        Args:
          attributes: Returns the value of an attribute by name.
        """
        if self.type_list_attr is not None:
            return list(attributes(self.type_list_attr))
        kind = self.dtype if self.type_attr is None else attributes(self.type_attr)
        return [kind] * (1 if self.number_attr is None else int(attributes(self.number_attr)))


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an operation.

    Attributes:
      name: Its name.
      kind: "int", "float", "bool", "string", "type", "shape", "tensor", "func", or "list(...)".
      has_default: Whether it may be left out.
      default: Its default: dtypes by name, shapes as lists with None for unknown lengths (None
        for an unknown rank), tensors as a list of their dtype, shape and elements.
      python_name: Its name in `tf.raw_ops`, if that differs.
      minimum: The least number, or the least length of a list; None means any.
      allowed: The values that it may have, dtypes by name; empty for any.
    """

    name: str
    kind: str
    has_default: bool = False
    default: Any = None
    python_name: str | None = None
    minimum: int | None = None
    allowed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OpDefinition:
    """The definition of an operation.

    Attributes:
      name: Its name.
      inputs: Its inputs.
      outputs: Its outputs.
      attributes: Its attributes by name.
      stateful: Whether it is stateful or has side effects.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: Mapping[str, Attribute]
    stateful: bool


@cache
def op_definition(name: str) -> OpDefinition:
    """Returns the definition of an operation.

    Raises:
      KeyError: TensorFlow has no operation of this name, or its definition is not included.
    """
    return _parsed(_lines()[name])


def is_defined(name: str) -> bool:
    """Whether there is a definition of this operation."""
    return name in _lines()


@cache
def _lines() -> dict[str, str]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return {line.partition(" ")[0].rstrip("!"): line for line in lines}


def _parsed(line: str) -> OpDefinition:
    head, _, rest = line.partition(" ")
    taken, _, rest = rest.partition(">")
    given, _, kept = rest.partition(";")
    attributes = [_attribute(word) for word in kept.split()]
    return OpDefinition(
        head.rstrip("!"),
        tuple([_argument(word) for word in taken.split()]),
        tuple([_argument(word) for word in given.split()]),
        {a.name: a for a in attributes},
        head.endswith("!"),
    )


def _argument(word: str) -> Argument:
    names, _, kind = word.partition(":")
    name, _, python = names.partition("|")
    if kind.startswith("*"):
        return Argument(name, type_list_attr=kind[1:], python_name=python or None)
    number, _, kind = kind.rpartition("*")
    is_ref = kind.startswith("&")
    kind = kind.lstrip("&")
    by_attr = kind.startswith("$")
    return Argument(
        name,
        dtype=None if by_attr else kind,
        type_attr=kind[1:] if by_attr else None,
        number_attr=number or None,
        is_ref=is_ref,
        python_name=python or None,
    )


def _attribute(word: str) -> Attribute:
    names, _, rest = word.partition(":")
    name, _, python = names.partition("|")
    kind, equals, default = rest.partition("=")
    value = json.loads(default) if equals else None
    kind, _, allowed = kind.removesuffix("}").partition("{")
    kind, _, least = kind.partition("^")
    return Attribute(
        name,
        kind,
        bool(equals),
        value,
        python or None,
        int(least) if least else None,
        frozenset(allowed.split(",")) if allowed else frozenset(),
    )
