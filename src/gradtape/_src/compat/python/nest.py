"""`tensorflow.python.util.nest`: `tf.nest`, and functions for shallower structures and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.nest import assert_same_structure as assert_same_structure
from gradtape._src.base.nest import children_of, composite_children, rebuild
from gradtape._src.base.nest import flatten as flatten
from gradtape._src.base.nest import is_nested as is_nested
from gradtape._src.base.nest import is_nested_or_composite as is_nested_or_composite
from gradtape._src.base.nest import map_structure as map_structure
from gradtape._src.base.nest import pack_sequence_as as pack_sequence_as

is_sequence_or_composite = is_nested_or_composite


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


def _is_composite(value: Any) -> bool:
    return is_nested_or_composite(value) and not is_nested(value)


def _beside(
    shallow: Any, deep: Any, check_types: bool, expand: bool, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the parts of `deep` at the leaves of `shallow`, with their paths."""
    if expand and _is_composite(shallow) and _is_composite(deep):
        if type(shallow) is not type(deep):
            raise ValueError(
                f"Incompatible CompositeTensor TypeSpecs: {shallow._type_spec} vs. "
                f"{deep._type_spec}"
            )
        parts = composite_children(shallow), composite_children(deep)
        yield from _beside(*parts, check_types, expand, (*path, type(shallow).__name__))
        return
    if not (is_nested_or_composite if expand else is_nested)(shallow):
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
        yield from _beside(child, other, check_types, expand, (*path, key))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that a structure has the nesting of a shallower one.

    Args:
      shallow_tree: A structure.
      input_tree: A structure that may have further structures at the leaves of `shallow_tree`.
      check_types: Whether containers must have the same types, and dictionaries the same keys.
      expand_composites: Whether composite tensors, such as ragged ones, count as containers.

    Raises:
      TypeError: The other structure has a leaf, or a container of another type, in place of a
        container.
      ValueError: Containers differ in length or in keys.
    """
    for _ in _beside(shallow_tree, input_tree, check_types, expand_composites):
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
      expand_composites: Whether composite tensors count as containers.

    Returns:
      A list of the parts.
    """
    pairs = _beside(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in pairs]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Like `flatten_up_to`, but returns each value with the tuple of keys that lead to it."""
    return list(_beside(shallow_tree, input_tree, check_types, expand_composites))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Like `map_structure_up_to` with a function that takes the tuple of keys first."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    rows = [list(_beside(shallow_tree, each, check_types, expand)) for each in inputs]
    results = [
        func(row[0][0], *(value for _, value in row), **kwargs) for row in zip(*rows, strict=True)
    ]
    return pack_sequence_as(shallow_tree, results, expand)


@export("__internal__.nest.map_structure_up_to")
def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the parts of structures at the leaves of a shallower one.

    Args:
      shallow_tree: The shallower structure; the result resembles it.
      func: A function of the corresponding part of each structure.
      *inputs: One or more structures.
      **kwargs: `check_types`, which defaults to True, and `expand_composites` (False); all others
        are passed to `func`.

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


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> object:
    """Like `map_structure` with a function that takes the keys first, joined in one string."""

    def with_text(path: tuple[Any, ...], *values: Any, **extra: Any) -> Any:
        return func("/".join(map(str, path)), *values, **extra)

    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves, each with the tuple of keys that lead to it."""
    return list(_beside(structure, structure, False, expand_composites))


@export("__internal__.nest.yield_flat_paths")
def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yields the tuples of keys that lead to the leaves.

    Args:
      nest: A structure.
      expand_composites: Whether composite tensors are containers of their tensors.

    Returns:
      An iterator over tuples.
    """
    return (path for path, _ in _beside(nest, nest, False, expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Returns the leaves, each with the keys that lead to it, joined in one string."""
    return [
        (separator.join(map(str, path)), value)
        for path, value in flatten_with_tuple_paths(structure, expand_composites)
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
