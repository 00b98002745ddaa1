"""`tensorflow.python.data.util.nest`: a dataset's elements, in which lists are leaves.

Each function hides the lists in leaves, and calls the function of the same name of `tf.nest`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base import nest
from gradtape._src.compat.python import nest as shallow


class _Leaf:
    """Hides a list.

    Args:
      value: The list.
    """

    def __init__(self, value: list[Any]) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def _hidden(structure: Any) -> Any:
    if isinstance(structure, list):
        return _Leaf(structure)
    if not nest.is_nested(structure):
        return structure
    return nest.rebuild(structure, [_hidden(child) for child in nest.children_of(structure)])


def _found(structure: Any) -> Any:
    return nest.map_structure(lambda x: x.value if isinstance(x, _Leaf) else x, structure)


def is_nested(structure: Any) -> bool:
    """Whether a value is a container other than a list."""
    return nest.is_nested(structure) and not isinstance(structure, list)


def flatten(structure: Any) -> list[Any]:
    """Returns the leaves of a structure."""
    return [_found(leaf) for leaf in nest.flatten(_hidden(structure))]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> object:
    """Returns a structure with other leaves.

    Args:
      structure: The structure that the result resembles.
      flat_sequence: The leaves.

    Raises:
      ValueError: The number of leaves differs.
    """
    packed: object = nest.pack_sequence_as(_hidden(structure), list(flat_sequence))
    return packed


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: bool) -> object:
    """Applies a function to the leaves of structures.

    Args:
      func: A function of a leaf of each structure.
      *structure: Structures that nest in the same way.
      **check_types_dict: `check_types`, whether the types of containers must be the same.
    """
    hidden = [_hidden(each) for each in structure]
    mapped: object = nest.map_structure(
        lambda *leaves: func(*map(_found, leaves)), *hidden, **check_types_dict
    )
    return mapped


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures nest in the same way; see `tf.nest.assert_same_structure`."""
    nest.assert_same_structure(_hidden(nest1), _hidden(nest2), check_types)


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that a structure has the nesting of a shallower one.

    Args:
      shallow_tree: The shallower structure.
      input_tree: The structure.
      check_types: Whether containers must have the same types.

    Raises:
      TypeError: The structure has a leaf, or a container of another type, in place of a container.
      ValueError: Containers differ in length or in keys.
    """
    shallow.assert_shallow_structure(_hidden(shallow_tree), _hidden(input_tree), check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """Returns the parts of a structure at the leaves of a shallower one."""
    parts = shallow.flatten_up_to(_hidden(shallow_tree), _hidden(input_tree))
    return [_found(part) for part in parts]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> object:
    """Applies a function to the parts of structures at the leaves of a shallower one.

    Args:
      shallow_tree: The shallower structure; the result resembles it.
      func: A function of the corresponding part of each structure.
      *inputs: One or more structures.

    Raises:
      ValueError: There is no structure, or containers differ in length or in keys.
    """
    hidden = [_hidden(each) for each in inputs]
    mapped: object = shallow.map_structure_up_to(
        _hidden(shallow_tree), lambda *parts: func(*map(_found, parts)), *hidden
    )
    return mapped
