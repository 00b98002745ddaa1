"""Nested structures of lists, tuples, dictionaries and similar containers.

The rules are exactly those of TensorFlow: dictionaries are flattened in the order of their sorted
keys and rebuilt in their own order, None and strings are leaves, a structure is rebuilt with its
own types. A general pytree library was tried and rejected: it sorts ordered dictionaries
differently, and takes longer to import than this module.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping, MappingView, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gradtape._src.base.export import export

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


class Container(NamedTuple):
    """The functions that flatten and rebuild one type of container."""

    children: Callable[[Any], Iterable[Any]]
    rebuild: Callable[[Any, list[Any]], Any]  # the instance to resemble, its new children


class _Containers(dict[type, "Container | None"]):
    """The container kind of each type seen so far, None for leaves."""

    def __missing__(self, cls: type) -> Container | None:
        if len(self) > 4096:  # limits the memory if a program creates ever more classes
            self.clear()
        kind = self[cls] = _kind_of(cls)
        return kind


_kinds = _Containers()
_composites: dict[type, Container] = {}
_expanding = _Containers()  # like _kinds, but composite tensors are containers, too


def register_composite(cls: type, container: Container) -> None:
    """Makes `expand_composites=True` flatten objects of class `cls`."""
    _composites[cls] = _expanding[cls] = container


def _kind_of(cls: type) -> Container | None:
    if issubclass(cls, (str, bytes)):
        return None
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return Container(lambda x: x.__tf_flatten__()[1], _rebuild_dataclass)
    if hasattr(cls, "__attrs_attrs__"):
        names = [attribute.name for attribute in cls.__attrs_attrs__]
        return Container(lambda x: [getattr(x, name) for name in names], _rebuild_fields)
    if issubclass(cls, Mapping):
        return Container(lambda x: [x[key] for key in _sorted_keys(x)], _rebuild_mapping)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return Container(lambda x: x, _rebuild_fields)
    if cls in (list, range) or issubclass(cls, MappingView):
        return Container(lambda x: x, lambda _, values: values)
    if issubclass(cls, Sequence):
        return Container(lambda x: x, lambda like, values: type(like)(values))
    return None


def _rebuild_dataclass(like: Any, values: list[Any]) -> Any:
    return type(like).__tf_unflatten__(like.__tf_flatten__()[0], tuple(values))


def _rebuild_fields(like: Any, values: list[Any]) -> Any:
    return type(like)(*values)


def _rebuild_mapping(like: Any, values: list[Any]) -> Any:
    new = dict(zip(_sorted_keys(like), values, strict=True))
    if type(like) is dict:
        return {key: new[key] for key in like}
    if isinstance(like, collections.defaultdict):
        return type(like)(like.default_factory, ((key, new[key]) for key in like))
    try:
        return type(like)((key, new[key]) for key in like)
    except TypeError as error:
        raise TypeError(
            f"Error creating an object of type {type(like)} like {like}. Note that it must accept "
            "a single positional argument representing an iterable of key-value pairs, in "
            f"addition to self. Cause: {error}"
        ) from error


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError(
            f"{error}: a dictionary with keys that have no order cannot be flattened. Give all "
            f"keys one type: {list(mapping)!r}"
        ) from error


@export("nest.is_nested", direct=True)
def is_nested(seq: Any) -> bool:
    """Whether `seq` is a container (a list, tuple, dictionary, ...) and not a leaf.

    Args:
        seq: Any value.

    Returns:
        True for a container, False for a leaf.
    """
    return _kinds[type(seq)] is not None


def is_nested_or_composite(seq: Any) -> bool:
    """Whether `seq` is a container, or a composite tensor such as a ragged one."""
    return _expanding[type(seq)] is not None


def children_of(structure: Any) -> Iterable[Any]:
    """Returns the direct children of a container; empty for a leaf."""
    kind = _kinds[type(structure)]
    return () if kind is None else kind.children(structure)


def rebuild(like: Any, children: list[Any]) -> Any:
    """Returns a container of the kind of `like` with other children."""
    kind = _kinds[type(like)]
    assert kind is not None
    return kind.rebuild(like, children)


def composite_children(composite: Any) -> list[Any]:
    """Returns the parts of a composite tensor, which may be composite themselves."""
    kind = _expanding[type(composite)]
    assert kind is not None
    return list(kind.children(composite))


def composite_rebuilt(like: T, parts: list[Any]) -> T:
    """Returns a composite tensor of the kind of `like` with other parts."""
    kind = _expanding[type(like)]
    assert kind is not None
    made: T = kind.rebuild(like, parts)
    return made


@export("nest.flatten", direct=True)
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the leaves of a nested structure in order.

    Args:
        structure: A leaf, or a container of structures. Dictionaries are sorted by key.
        expand_composites: Whether composite tensors such as `IndexedSlices` are flattened.

    Returns:
        A list of the leaves.

    Raises:
        TypeError: If the keys of a dictionary cannot be sorted.

    >>> flatten({"b": [1, (2,)], "a": None})
    [None, 1, 2]
    """
    kinds = _expanding if expand_composites else _kinds
    kind = kinds[type(structure)]
    if kind is None:
        return [structure]
    leaves: list[Any] = []
    _extend(leaves, structure, kind, kinds)
    return leaves


def _extend(leaves: list[Any], structure: Any, kind: Container, kinds: _Containers) -> None:
    for child in kind.children(structure):
        child_kind = kinds[type(child)]
        if child_kind is None:
            leaves.append(child)
        else:
            _extend(leaves, child, child_kind, kinds)


@export("nest.pack_sequence_as", direct=True)
def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """Return a structure like `structure` that holds the leaves of `flat_sequence`.

    Args:
        structure: A leaf, or a container of structures.
        flat_sequence: The new leaves, in the order in which `flatten` gives them.
        expand_composites: Whether composite tensors such as `IndexedSlices` are rebuilt from their
          parts.

    Returns:
        A structure of the kind of `structure`.

    Raises:
        TypeError: If `flat_sequence` is not a sequence.
        ValueError: If the number of items is not the number of leaves of `structure`.

    >>> pack_sequence_as({"b": [1, (2,)], "a": None}, [10, 20, 30])
    {'b': [20, (30,)], 'a': 10}
    """
    if _kinds[type(flat_sequence)] is None:
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    kinds = _expanding if expand_composites else _kinds
    if kinds[type(structure)] is None:
        if len(flat_sequence) == 1:
            return flat_sequence[0]
        raise ValueError(
            f"The target structure is of type `{type(structure)}`\n  {structure}\nHowever the "
            f"input is a sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  "
            f"{flat_sequence}\nnest cannot guarantee that it is safe to map one to the other."
        )
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had "
            f"{len(flat_sequence)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _fill(structure, kinds, iter([flat_sequence[i] for i in range(wanted)]))


def _fill(structure: Any, kinds: _Containers, leaves: Iterator[Any]) -> Any:
    kind = kinds[type(structure)]
    if kind is None:
        return next(leaves)
    return kind.rebuild(
        structure,
        [
            next(leaves) if kinds[type(child)] is None else _fill(child, kinds, leaves)
            for child in kind.children(structure)
        ],
    )


@export("nest.map_structure", direct=True)
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func` to the corresponding leaves of structures that are alike.

    Args:
        func: A function of one leaf of each structure.
        *structure: One or more structures; the result resembles the first.
        **kwargs: `check_types` (True) says whether containers must have the same types, and
          `expand_composites` (False) whether composite tensors are flattened.

    Returns:
        The results of `func`, in a structure like the first one.

    Raises:
        TypeError: If `func` cannot be called, or containers differ in type.
        ValueError: If the structures are not alike, or none is given.

    >>> map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}])
    [11, {'a': 22}]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    kinds = _expanding if expand else _kinds
    if len(structure) == 1:
        return _map(func, structure[0], kinds)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    rows = zip(*[flatten(each, expand) for each in structure], strict=True)
    return _map(lambda _: func(*next(rows)), structure[0], kinds)


def _map(func: Callable[[Any], Any], structure: Any, kinds: _Containers) -> Any:
    kind = kinds[type(structure)]
    if kind is None:
        return func(structure)
    return kind.rebuild(structure, [_map(func, x, kinds) for x in kind.children(structure)])


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Check that two structures nest in the same way, whatever their leaves.

    Args:
        nest1: A structure.
        nest2: Another structure.
        check_types: Whether containers must have the same types, and dictionaries the same keys.
        expand_composites: Whether composite tensors are flattened.

    Raises:
        TypeError: If containers differ in type only.
        ValueError: If the structures differ otherwise.
    """
    kinds = _expanding if expand_composites else _kinds
    error = next(_differences(nest1, nest2, check_types, kinds), None)
    if error is None:
        return
    dots = [str(_map(lambda _: _DOT, nest, _kinds)) for nest in (nest1, nest2)]
    raise type(error)(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_shown(nest1)}\n\nSecond structure: {_shown(nest2)}\n\n"
        f"More specifically: {error}\n"
        f"Entire first structure:\n{dots[0]}\nEntire second structure:\n{dots[1]}"
    )


class _Dot:
    """Represents any leaf in a message."""

    def __repr__(self) -> str:
        return "."


_DOT = _Dot()


def _shown(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure}"


def _differences(
    one: Any, two: Any, check_types: bool, kinds: _Containers
) -> Iterator[TypeError | ValueError]:
    """Yield the differences, as errors with TensorFlow's messages."""
    kind1, kind2 = kinds[type(one)], kinds[type(two)]
    if kinds is _expanding and kind1 and kind2 and type(one) in _composites:
        yield from _differences_of_composites(one, two)
        return
    if kind1 is None or kind2 is None:
        if kind1 is not kind2:
            inner, leaf = (one, two) if kind2 is None else (two, one)
            yield ValueError(
                f'Substructure "{_shown(inner)}" is a sequence, while substructure '
                f'"{_shown(leaf)}" is not'
            )
        return
    if check_types:
        if not _same_type(one, two):
            yield TypeError(
                "The two namedtuples don't have the same sequence type. First structure "
                f"{_shown(one)} has type {type(one).__name__}, while second structure "
                f"{_shown(two)} has type {type(two).__name__}"
            )
        elif isinstance(one, Mapping) and set(one) != set(two):
            yield ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{_shown(list(one))}, while second structure has keys {_shown(list(two))}"
            )
    children1, children2 = list(kind1.children(one)), list(kind2.children(two))
    if len(children1) != len(children2):
        yield ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{_shown(one)}. Second structure: {_shown(two)}"
        )
    for a, b in zip(children1, children2, strict=False):
        yield from _differences(a, b, check_types, kinds)


def _differences_of_composites(one: Any, two: Any) -> Iterator[ValueError]:
    """Yields an error unless one spec describes both composite tensors."""
    spec, other = (getattr(x, "_type_spec", x) for x in (one, two))
    if not hasattr(spec, "most_specific_common_supertype"):
        return
    if spec.most_specific_common_supertype([other]) is None:
        yield ValueError(f"Incompatible CompositeTensor TypeSpecs: {spec} vs. {other}")


def _same_type(one: Any, two: Any) -> bool:
    """Whether two containers count as having one type."""
    class1, class2 = type(one), type(two)
    if class1 is class2:
        return True
    if hasattr(class1, "_fields") and hasattr(class2, "_fields"):
        return class1.__name__ == class2.__name__ and class1._fields == class2._fields
    return any(isinstance(one, group) and isinstance(two, group) for group in (list, Mapping))
