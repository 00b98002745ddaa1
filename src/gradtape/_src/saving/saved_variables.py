"""The variables of a saved model, as `saved_model.pb` declares and the checkpoint stores them.

No variable is created until the two agree. A size in `saved_model.pb` therefore allocates no more
memory than the checkpoint has bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.bundle import GRAPH_KEY, CheckpointReader
from gradtape._src.saving.object_graph import VALUE, Node, parse

Nodes: TypeAlias = "Sequence[protos.SavedObject]"
_MOST_BYTES = 1 << 34  # the limit on the size of all variables without values
_SHOWN = 10


@dataclass(frozen=True)
class Declaration:
    """The declaration of one variable in a saved model."""

    dtype: DType
    shape: TensorShape
    trainable: bool
    name: str | None

    @classmethod
    def parse(cls, message: protos.SavedVariable) -> Declaration:
        """Reads the declaration of a variable from its message.

        Raises:
          DecodeError: The message is damaged, or its dtype is one that variables cannot have.
        """
        try:
            dtype = as_dtype(message.dtype)
        except TypeError as error:
            raise DecodeError(f"the dtype of a variable is not valid: {error}") from None
        if not dtype.is_numpy_compatible:
            raise DecodeError(f"a variable has dtype {dtype.name}, which variables cannot have")
        sizes = [None if axis.size < 0 else axis.size for axis in message.shape.dim]
        shape = TensorShape(None if message.shape.unknown_rank else sizes)
        return cls(dtype, shape, message.trainable, message.name or None)

    def described(self) -> str:
        """Returns dtype and shape, for messages."""
        return f"{self.dtype.name}, shape {self.shape}"

    def variable(self, value: Any) -> Variable:
        """Creates the variable; `value` is its initial value, an array."""
        return Variable(
            value if self.dtype.name == "string" else Tensor(value[()]),
            trainable=self.trainable,
            name=self.name,
            shape=None if self.shape.is_fully_defined() else self.shape,
        )

    def empty(self) -> Variable:
        """Creates the variable filled with zeros, or with empty strings."""
        shape = self._least()
        if self.dtype.name == "string":
            return self.variable(np.full(shape, b"", object))
        return self.variable(np.zeros(shape, self.dtype.np_dtype))

    @property
    def bytes(self) -> int:
        """The memory that the result of `empty` takes, in bytes."""
        return prod(self._least()) * max(self.dtype.size, 1)

    def _least(self) -> tuple[int, ...]:
        """Returns the shape with zero for lengths that are not known."""
        return () if self.shape.rank is None else tuple([n or 0 for n in self.shape])


def saved_variables(
    nodes: Nodes, directory: Path, *, skip: bool = False, partial: bool = False
) -> dict[int, Variable]:
    """Returns the variables of a saved model, keyed by object number.

    Args:
      nodes: The objects of the model.
      directory: The directory of the model.
      skip: Whether to leave all variables without values, and the checkpoint unread.
      partial: Whether variables may be left without values.

    Raises:
      FileNotFoundError: The model has no checkpoint.
      AssertionError: The checkpoint has no value for a variable.
      ValueError: A value's shape differs from its variable's.
      InvalidArgumentError: The dtype of a value differs from its variable's dtype.
      DataLossError: The checkpoint is damaged.
      DecodeError: `saved_model.pb` is damaged.
    """
    paths = _paths(nodes)
    declarations = {
        n: Declaration.parse(nodes[n].variable) for n in paths if nodes[n].HasField("variable")
    }
    if skip:
        return _without_values(declarations)
    reader = _checkpoint(directory)
    keys = _keys(nodes, reader)
    lacking = [number for number in declarations if number not in keys]
    if lacking and not partial:
        shown = [f"(root){paths[n]}: {declarations[n].described()}" for n in lacking[:_SHOWN]]
        raise AssertionError(
            f"Found {len(lacking)} Python objects that were not bound to checkpointed values: the "
            f"checkpoint in {directory / 'variables'} belongs to another model. Showing "
            f"{len(shown)} of {len(lacking)} unmatched objects: {shown}"
        )
    for number in declarations.keys() & keys.keys():
        _check(reader, declarations[number], keys[number], f"(root){paths[number]}")
    reader.check_total([keys[n] for n in declarations if n in keys])
    found = _without_values({n: declarations[n] for n in lacking})
    with reader.files_open():
        for number in declarations.keys() & keys.keys():
            found[number] = declarations[number].variable(reader.read(keys[number]))
    return found


def other_values(nodes: Nodes, directory: Path) -> dict[int, list[Any]]:
    """Returns the checkpoint's values for objects that functions of the model restore.

    Args:
      nodes: The objects of the model.
      directory: The directory of the model.

    Returns:
      Arrays in the checkpoint's order, by the numbers of the objects.
    """
    wanted = [n for n in _paths(nodes) if nodes[n].saveable_objects]
    if not wanted:
        return {}
    reader = _checkpoint(directory)
    held = _held(nodes, reader)
    parts = sorted(reader.get_variable_to_dtype_map())
    keys = {
        n: [part for a in held[n].attributes for part in parts if _is_part(part, a.key)]
        for n in wanted
        if n in held
    }
    reader.check_total([key for found in keys.values() for key in found])
    with reader.files_open():
        return {n: [reader.read(key) for key in found] for n, found in keys.items()}


def _is_part(key: str, of: str) -> bool:
    """Whether a key of the checkpoint belongs to an attribute, or to a part such as "-values"."""
    return key == of or key.startswith(f"{of}-")


def _children(node: protos.SavedObject) -> list[tuple[str, int]]:
    return [(part.local_name, part.node_id) for part in node.children]


def _paths(nodes: Nodes) -> dict[int, str]:
    """Returns each object's path from the root; objects that cannot be reached are left out."""
    paths = {0: ""}
    queue = [0]
    for number in queue:  # The loop extends the queue.
        for name, child in _children(nodes[number]):
            if not 0 <= child < len(nodes):
                raise DecodeError(f"object {number} has the part {child}, of {len(nodes)} objects")
            if child not in paths:
                paths[child] = f"{paths[number]}.{name}"
                queue.append(child)
    return paths


def _without_values(declarations: dict[int, Declaration]) -> dict[int, Variable]:
    total = sum(declaration.bytes for declaration in declarations.values())
    if total > _MOST_BYTES:
        raise DecodeError(
            f"its variables without values would take {total} bytes, more than {_MOST_BYTES}"
        )
    return {number: declaration.empty() for number, declaration in declarations.items()}


def _checkpoint(directory: Path) -> CheckpointReader:
    prefix = directory / "variables" / "variables"
    try:
        return CheckpointReader(prefix)
    except NotFoundError as error:
        raise FileNotFoundError(
            f"{error.message}\nThe saved model at {directory} lacks the values of its "
            "variables: copy the whole directory, including `variables`. (To load it without "
            "values: LoadOptions(experimental_skip_checkpoint=True).)"
        ) from None


def _keys(nodes: Nodes, reader: CheckpointReader) -> dict[int, str]:
    """Returns the checkpoint's key of each variable."""
    held = _held(nodes, reader)
    found = {n: [a.key for a in node.attributes if a.name == VALUE] for n, node in held.items()}
    return {n: keys[0] for n, keys in found.items() if keys}


def _held(nodes: Nodes, reader: CheckpointReader) -> dict[int, Node]:
    """Returns the checkpoint's object for each object of the model, by names of children."""
    if not reader.has_tensor(GRAPH_KEY):
        return {}
    held = reader.object_graph(parse)
    pairs = [(0, 0)]
    seen = {0: held[0]}
    for saved, kept in pairs:  # The loop extends them.
        below = dict(held[kept].children)
        for name, child in _children(nodes[saved]):
            if name in below and child not in seen:
                seen[child] = held[below[name]]
                pairs.append((child, below[name]))
    return seen


def _check(reader: CheckpointReader, declaration: Declaration, key: str, path: str) -> None:
    """Raises if a tensor does not have the dtype and shape that its variable declares."""
    entry = reader.entry(key)
    if entry is None:
        raise AssertionError(
            f"The variable {path} of the saved model has no value: Key {key} not found in "
            "checkpoint"
        )
    if entry.dtype is not declaration.dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"tensor_name = {key}; expected dtype {declaration.dtype.name} does not equal original "
            f"dtype {entry.dtype.name}: the directory `variables` belongs to another model",
        )
    wanted = declaration.shape
    if not wanted.is_compatible_with(entry.shape):
        raise ValueError(
            f"Received incompatible tensor with shape {entry.shape} when attempting to restore "
            f"variable with shape {wanted} and name {declaration.name} ({path}): the directory "
            "`variables` belongs to another model"
        )
