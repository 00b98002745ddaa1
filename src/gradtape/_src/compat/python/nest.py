"""`tensorflow.python.util.nest`: `tf.nest`, and functions for shallower structures and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradtape._src.base.composite_tensor import AnyCompositeTensor
from gradtape._src.base.export import export
from gradtape._src.base.nest import assert_same_structure as assert_same_structure
from gradtape._src.base.nest import children_of, rebuild
from gradtape._src.base.nest import flatten as flatten
from gradtape._src.base.nest import is_nested as is_nested
from gradtape._src.base.nest import map_structure as map_structure
from gradtape._src.base.nest import pack_sequence_as as pack_sequence_as


@export("__internal__.nest.is_mapping")
def is_mapping(obj: Any) -> bool:
    """Whether a value is a mapping.

    Args:
      obj: Anything.

    Returns:
      True for a mapping.
    """
    return isinstance(obj, Mapping)


@export("__internal__.nest.is_attrs")
def is_attrs(obj: Any) -> bool:
    """Whether a value is an object of a class that the package `attrs` made.

    Args:
      obj: Anything.

    Returns:
      True for such an object.
    """
    return hasattr(type(obj), "__attrs_attrs__")


@export("__internal__.nest.list_to_tuple")
def list_to_tuple(structure: Any) -> object:
    """Replaces each list in a structure by a tuple.

    Args:
      structure: A structure.

    Returns:
      The structure with tuples.
    """
    if not is_nested(structure):
        return structure
    children = [list_to_tuple(child) for child in children_of(structure)]
    made: object = tuple(children) if isinstance(structure, list) else rebuild(structure, children)
    return made


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether a value is a named tuple; with `strict`, subclasses of named tuples don't count."""
    named = isinstance(instance, tuple) and hasattr(instance, "_fields")
    return named and (not strict or type(instance).__bases__ == (tuple,))


_is_namedtuple = is_namedtuple


def _yield_value(iterable: Any) -> Iterator[Any]:
    """Yields the direct children of a container."""
    yield from children_of(iterable)


def _yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the direct children of a container, each with its key, field or number."""
    if isinstance(iterable, Mapping):
        keys: Any = sorted(iterable)
    elif hasattr(iterable, "_fields"):
        keys = iterable._fields
    elif hasattr(iterable, "__attrs_attrs__"):
        keys = [attribute.name for attribute in iterable.__attrs_attrs__]
    else:
        yield from enumerate(children_of(iterable))
        return
    yield from zip(keys, children_of(iterable), strict=True)


@export("__internal__.nest.sequence_like")
def sequence_like(instance: Any, args: Any) -> object:
    """Makes a container of the kind of another one, with other children.

    Args:
      instance: The other container.
      args: The children.

    Returns:
      The container.
    """
    made: object = rebuild(instance, list(args))
    return made


_sequence_like = sequence_like


def _same_kind(shallow: Any, deep: Any) -> bool:
    if type(shallow) is type(deep):
        return True
    if is_namedtuple(shallow) and is_namedtuple(deep):
        return type(shallow).__name__ == type(deep).__name__
    return any(isinstance(shallow, kind) and isinstance(deep, kind) for kind in (list, Mapping))


def _beside(
    shallow: Any, deep: Any, check_types: bool, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the parts of `deep` at the leaves of `shallow`, with their paths."""
    if not is_nested(shallow):
        yield path, deep
        return
    if not is_nested(deep):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(deep)}."
        )
    if check_types and not _same_kind(shallow, deep):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(deep)}, while shallow structure has type {type(shallow)}."
        )
    wanted, there = list(_yield_sorted_items(shallow)), list(_yield_sorted_items(deep))
    if len(wanted) != len(there):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(there)}, while shallow structure has length {len(wanted)}."
        )
    if check_types and isinstance(shallow, Mapping):
        absent = sorted(set(shallow).difference(deep))
        if absent:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                "shallow_tree has the following keys that are not in the input_tree: "
                f"{absent}."
            )
    for (key, child), (_, other) in zip(wanted, there, strict=True):
        yield from _beside(child, other, check_types, (*path, key))


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that a structure has the nesting of a shallower one.

    Args:
      shallow_tree: A structure.
      input_tree: A structure that may have further structures at the leaves of `shallow_tree`.
      check_types: Whether containers must have the same types, and dictionaries the same keys.

    Raises:
      TypeError: The other structure has a leaf, or a container of another type, in place of a
        container.
      ValueError: Containers differ in length or in keys.
    """
    for _ in _beside(shallow_tree, input_tree, check_types):
        pass


@export("__internal__.nest.flatten_up_to")
def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Returns the parts of a structure at the leaves of a shallower one.

    See `assert_shallow_structure`.

    Args:
      shallow_tree: The shallower structure.
      input_tree: The structure.
      check_types: Whether containers must have the same types.
      expand_composites: Whether composite tensors among the parts are flattened.

    Returns:
      A list of the parts.
    """
    parts = [value for _, value in _beside(shallow_tree, input_tree, check_types)]
    if not expand_composites:
        return parts
    return [leaf for part in parts for leaf in _tensors_of(part)]


def _tensors_of(part: Any) -> list[Any]:
    """Returns the tensors of a composite tensor, and anything else as it is."""
    return flatten(part, True) if isinstance(part, AnyCompositeTensor) else [part]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> list[tuple[tuple[Any, ...], Any]]:
    """Like `flatten_up_to`, but returns each value with the tuple of keys that lead to it."""
    return list(_beside(shallow_tree, input_tree, check_types))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Like `map_structure_up_to` with a function that takes the tuple of keys first."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    rows = [list(_beside(shallow_tree, each, check_types)) for each in inputs]
    results = [
        func(row[0][0], *(value for _, value in row), **kwargs) for row in zip(*rows, strict=True)
    ]
    return pack_sequence_as(shallow_tree, results)


@export("__internal__.nest.map_structure_up_to")
def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the parts of structures at the leaves of a shallower one.

    Args:
      shallow_tree: The shallower structure; the result resembles it.
      func: A function of the corresponding part of each structure.
      *inputs: One or more structures.
      **kwargs: `check_types`, which defaults to True; all others are passed to `func`.

    Returns:
      A structure like `shallow_tree`.

    Raises:
      TypeError: A structure has a leaf, or a container of another type, in place of a container.
      ValueError: Containers differ in length or in keys, or there is no structure.
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values, **extra: func(*values, **extra), *inputs, **kwargs
    )


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Like `map_structure` with a function that takes the tuple of keys first."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def flatten_with_tuple_paths(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves, each with the tuple of keys that lead to it."""
    return list(_beside(structure, structure, check_types=False))


@export("__internal__.nest.yield_flat_paths")
def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yields the tuples of keys that lead to the leaves.

    Args:
      nest: A structure.
      expand_composites: Whether composite tensors are containers of their tensors.

    Returns:
      An iterator over tuples.
    """
    for path, leaf in _beside(nest, nest, check_types=False):
        if expand_composites and isinstance(leaf, AnyCompositeTensor):
            yield from ((*path, number) for number, _ in enumerate(flatten(leaf, True)))
        else:
            yield path


def flatten_with_joined_string_paths(structure: Any, separator: str = "/") -> list[tuple[str, Any]]:
    """Returns the leaves, each with the keys that lead to it, joined in one string."""
    return [
        (separator.join(map(str, path)), value)
        for path, value in flatten_with_tuple_paths(structure)
    ]


@export("__internal__.nest.get_traverse_shallow_structure")
def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Returns a structure of booleans whose depth `traverse_fn` determines.

    Args:
      traverse_fn: Takes a structure and returns whether to descend into it, or a structure of
        booleans of its kind, one for each child.
      structure: The structure.
      expand_composites: Accepted for compatibility; composite tensors are leaves.

    Returns:
      A structure of booleans.

    Raises:
      TypeError: `traverse_fn` returned something else.
    """
    said = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(said, bool):
            raise TypeError(
                f"traverse_fn returned structure: {said} for non-structure: {structure}"
            )
        return said
    if not is_nested(said):
        if not isinstance(said, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {said} for input: {structure}"
            )
        if not said:
            return False
        return rebuild(
            structure,
            [get_traverse_shallow_structure(traverse_fn, each) for each in children_of(structure)],
        )
    assert_shallow_structure(said, structure)
    inner = []
    for go, each in zip(children_of(said), children_of(structure), strict=True):
        if not isinstance(go, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {said}  for "
                f"structure: {structure}"
            )
        inner.append(get_traverse_shallow_structure(traverse_fn, each) if go else False)
    return rebuild(structure, inner)
