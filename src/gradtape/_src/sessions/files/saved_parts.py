"""The variables that a saver saves, by the names that they have in checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.saving.bundle import Sliced
from gradtape._src.sessions.save_slices import SaveSliceInfo
from gradtape._src.sessions.training.partitioned_variables import PartitionedVariable, places


class SavedParts(NamedTuple):
    """Variables that are parts of a larger one and are saved under its name.

    Attributes:
      variables: The variables.
      slices: Their places in the larger variable.
    """

    variables: list[Any]
    slices: list[SaveSliceInfo]

    def sliced(self, values: Iterable[Any]) -> np.ndarray[Any, Any] | Sliced:
        """Returns what is saved: the whole if there is a single part, otherwise its slices.

        Args:
          values: The values of the variables.
        """
        arrays = [np.asarray(x) for x in values]
        first = self.slices[0]
        if list(first.full_shape) == list(first.var_shape):
            return arrays[0]
        pairs = zip([x.place for x in self.slices], arrays, strict=True)
        return Sliced(tuple(first.full_shape), list(pairs))


def by_name(given: Any) -> dict[str, Any]:
    """Returns variables by the names that they have in checkpoints.

    Args:
      given: Variables, or variables by name. Partitioned variables become `SavedParts`.

    Raises:
      ValueError: Two have one name.
    """
    if isinstance(given, Mapping):
        return {name: _target(name, x) for name, x in given.items()}
    found: dict[str, Any] = {}
    for variable in given:
        if isinstance(variable, PartitionedVariable):
            name, target = variable.name, _target(variable.name, variable)
        elif (info := slice_of(variable)) is not None:
            name, target = info.full_name, SavedParts([], [])
            if isinstance(known := found.pop(name, target), SavedParts):
                target = known
                target.variables.append(variable)
                target.slices.append(info)
        else:
            name, target = variable.name.partition(":")[0], variable
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = target
    return found


def slice_of(variable: Any) -> SaveSliceInfo | None:
    """Returns the place of a variable in a larger one; None if it is not a part.

    Args:
      variable: The variable.
    """
    found: SaveSliceInfo | None = getattr(variable, "_save_slice_info", None)
    return found


def _target(name: str, x: Any) -> Any:
    if isinstance(x, PartitionedVariable):
        return SavedParts(list(x), places(name, x.shape, x._get_partitions()))
    if isinstance(x, list) and all(slice_of(part) is not None for part in x):
        return SavedParts(x, [info for part in x if (info := slice_of(part))])
    return x


def variables_of(target: Any) -> list[Any]:
    """Returns the variables that are saved under one name.

    Args:
      target: A value of the result of `by_name`.
    """
    return target.variables if isinstance(target, SavedParts) else [target]


def each_variable(saved: Mapping[str, Any]) -> Iterator[tuple[str, Any, SaveSliceInfo | None]]:
    """Yields the names, the variables, and their places in larger ones.

    Args:
      saved: The result of `by_name`.
    """
    for name, target in saved.items():
        if isinstance(target, SavedParts):
            for variable, info in zip(target.variables, target.slices, strict=True):
                yield name, variable, info
        else:
            yield name, target, None
