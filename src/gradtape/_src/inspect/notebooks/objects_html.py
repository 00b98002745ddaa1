"""HTML of modules, layers and datasets for notebooks."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from gradtape._src.base import nest
from gradtape._src.core.variable import Variable
from gradtape._src.inspect.pictures.drawing import readable, typed

_SOURCES = ("TensorSlice", "Tensor", "Range")
"""Kinds of datasets whose elements are in memory, so that showing them runs no function and reads
no file."""
_ELEMENTS = 3
_LONGEST = 120  # the maximum number of characters for a component of an element
_FINE = "opacity:.75"


def module_html(module: Any) -> str:
    """Returns HTML for a `tf.Module`: its variables with their paths, shapes and sizes.

    Args:
      module: The module.
    """
    found = module._flatten(predicate=_is_variable, with_path=True)
    seen: dict[int, tuple[str, Any]] = {}
    for path, variable in found:
        seen.setdefault(id(variable), (_dotted(path), variable))
    name = f"{type(module).__name__} \u201c{module.name}\u201d"
    return _framed(name, _variables_table(list(seen.values())), [v for _, v in seen.values()])


def layer_html(layer: Any) -> str:
    """Returns HTML for a layer or model of Keras.

    Args:
      layer: The layer. Inner layers are lines that a click opens.
    """
    name = f"{type(layer).__name__} \u201c{layer.name}\u201d"
    held = list(layer.weights)
    if not held and not layer.built:
        note = "It has no variables yet: they are made at the first call, or by `build`."
        return _framed(name, f'<div style="{_FINE}">{note}</div>', [])
    inner = [part for part in getattr(layer, "layers", ()) if part is not layer]
    if not inner:
        return _framed(name, _variables_table([(v.path, v) for v in held]), held)
    parts = [_layer_line(part) for part in inner]
    own = {id(v) for part in inner for v in part.weights}
    rest = [(v.path, v) for v in held if id(v) not in own]
    return _framed(name, "".join(parts) + (_variables_table(rest) if rest else ""), held)


def _layer_line(layer: Any) -> str:
    title = f"<b>{html.escape(layer.name)}</b> &nbsp; {html.escape(type(layer).__name__)}"
    count = sum(_count(v) for v in layer.weights)
    shape = _output_shape(layer)
    facts = [*([shape] if shape else []), f"{count:,} parameters" if count else "no parameters"]
    if count and not layer.trainable:
        facts.append("not trainable")
    line = f'{title} &nbsp; <span style="{_FINE}">{html.escape(", ".join(facts))}</span>'
    if not layer.weights:
        return f'<div style="padding-left:1.1em">{line}</div>'
    table = _variables_table([(v.path, v) for v in layer.weights])
    return f"<details><summary>{line}</summary>{table}</details>"


def _output_shape(layer: Any) -> str:
    """Returns the shape of a layer's result, if it is known without a call."""
    try:
        shape = layer.output.shape
    except (AttributeError, ValueError):  # the layer has not been called exactly once
        return ""
    return "\u00d7".join("?" if n is None else str(n) for n in shape)


def _is_variable(x: Any) -> bool:
    return isinstance(x, Variable)


def _dotted(path: Iterable[Any]) -> str:
    """Returns a path of attributes and keys as a program writes it."""
    text = ""
    for step in path:
        attribute = isinstance(step, str) and step.isidentifier()
        text += f".{step}" if attribute else f"[{step!r}]"
    return text.removeprefix(".")


def _count(variable: Any) -> int:
    total = 1
    for n in variable.shape:
        total *= n or 0
    return total


def _variables_table(variables: Sequence[tuple[str, Any]]) -> str:
    rows = []
    for path, variable in variables:
        dtype = getattr(variable.dtype, "name", variable.dtype)
        kind = typed(tuple(variable.shape), str(dtype))
        cells = (path, kind, f"{_count(variable):,}", "" if variable.trainable else "not trainable")
        rows.append(_row(cells, "td"))
    head = _row(("variable", "shape and dtype", "numbers", ""), "th")
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _row(cells: Sequence[str], tag: str) -> str:
    sides = ("left", "left", "right", "left")
    made = [
        f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=False)
    ]
    return f"<tr>{''.join(made)}</tr>"


def _framed(name: str, inside: str, variables: Sequence[Any]) -> str:
    count = sum(_count(v) for v in variables)
    trained = sum(_count(v) for v in variables if v.trainable)
    size = sum(int(getattr(_value(v), "nbytes", 0)) for v in variables)
    facts = f"{count:,} parameters, {trained:,} of them trainable, {readable(size)}"
    return (
        f'<div style="line-height:1.5"><div><b>{html.escape(name)}</b> &nbsp; '
        f'<span style="{_FINE}">{facts}</span></div>{inside}</div>'
    )


def _value(variable: Any) -> Any:
    """Returns the memory of a variable."""
    held = getattr(variable, "value", None)
    return getattr(variable if held is None or callable(held) else held, "_value", None)


def dataset_html(dataset: Any) -> str:
    """Returns HTML for a dataset: the spec of its elements, and the first ones if that is free.

    Args:
      dataset: The dataset. Its functions do not run and no file is read, so that showing it changes
        nothing.
    """
    spec = dataset.known_spec()
    count = int(dataset._cardinality)
    size = {-1: "endless", -2: "of unknown length"}.get(count, f"{count:,} elements")
    title = f"<b>Dataset</b> &nbsp; {html.escape(dataset._kind)} &nbsp; {size}"
    if spec is None:
        note = "The spec of the elements will be known once the first one has been computed."
        return f'<div style="line-height:1.5">{title}<div style="{_FINE}">{note}</div></div>'
    paths = ["".join(f"[{step!r}]" for step in path) for path in _paths(spec)]
    leaves = nest.flatten(spec)
    first = _first(dataset)
    names = ["component", "spec", *[f"element {k}" for k in range(len(first))]]
    rows = []
    for k, (path, leaf) in enumerate(zip(paths, leaves, strict=True)):
        shown = [_shortened(str(nest.flatten(element)[k])) for element in first]
        rows.append((path or "element", _of_spec(leaf), *shown))
    note = "" if first else (
        f'<div style="{_FINE}">Elements are not shown: to compute them may run functions '
        "or read files. <code>next(iter(dataset))</code> gives the first one.</div>"
    )  # fmt: skip
    table = "".join(_plain_row(row, "td") for row in rows)
    head = _plain_row(names, "th")
    return (
        f'<div style="line-height:1.5">{title}<table><thead>{head}</thead>'
        f"<tbody>{table}</tbody></table>{note}</div>"
    )


def _plain_row(cells: Sequence[str], tag: str) -> str:
    style = "text-align:left;white-space:pre-wrap"
    made = [f'<{tag} style="{style}">{html.escape(cell)}</{tag}>' for cell in cells]
    return f"<tr>{''.join(made)}</tr>"


def _paths(spec: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the keys that lead to each component, in the order of `nest.flatten`."""
    if isinstance(spec, dict):
        return [p for key in sorted(spec) for p in _paths(spec[key], (*path, key))]
    if isinstance(spec, tuple | list):
        return [p for k, part in enumerate(spec) for p in _paths(part, (*path, k))]
    return [path]


def _of_spec(spec: Any) -> str:
    shape, dtype = getattr(spec, "shape", None), getattr(spec, "dtype", None)
    if type(spec).__name__ != "TensorSpec" or shape is None or shape.rank is None:
        return str(spec)
    extents = "\u00d7".join("?" if n is None else str(n) for n in shape) or "scalar"
    return f"{extents} {dtype.name}" if dtype is not None else extents


def _first(dataset: Any) -> list[Any]:
    """Returns the first elements of a dataset that lies in memory."""
    if dataset._kind not in _SOURCES or dataset._in_graph:
        return []
    return [
        nest.map_structure(lambda x: getattr(x, "numpy", lambda x=x: x)(), element)
        for element in itertools.islice(dataset, _ELEMENTS)
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"
