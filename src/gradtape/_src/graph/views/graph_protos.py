"""TensorFlow's messages of graphs, by the field numbers of its files."""

from __future__ import annotations

from gradtape._src.base.export import export
from gradtape._src.files.message import Field, Message
from gradtape._src.files.protos import TensorProto, TensorShapeProto


class ListValue(Message):
    """Several values of an attribute, in the list of their type."""

    FIELDS = (
        Field(2, "s", "bytes", repeated=True),
        Field(3, "i", "int64", repeated=True),
        Field(4, "f", "float", repeated=True),
        Field(5, "b", "bool", repeated=True),
        Field(6, "type", "dtype", repeated=True),
        Field(7, "shape", TensorShapeProto, repeated=True),
    )


class NameAttrList(Message):
    """A function, by its `name`."""

    FIELDS = (Field(1, "name", "string"),)


@export("compat.v1.AttrValue")
class AttrValue(Message):
    """An attribute of an operation: one of several kinds of values."""

    FIELDS = (
        Field(1, "list", ListValue, group="value"),
        Field(2, "s", "bytes", group="value"),
        Field(3, "i", "int64", group="value"),
        Field(4, "f", "float", group="value"),
        Field(5, "b", "bool", group="value"),
        Field(6, "type", "dtype", group="value"),
        Field(7, "shape", TensorShapeProto, group="value"),
        Field(8, "tensor", TensorProto, group="value"),
        Field(10, "func", NameAttrList, group="value"),
    )


@export("compat.v1.NodeDef")
class NodeDef(Message):
    """An operation: `name`, `op`, the names of its inputs `input`, and attributes `attr`."""

    FIELDS = (
        Field(1, "name", "string"),
        Field(2, "op", "string"),
        Field(3, "input", "string", repeated=True),
        Field(4, "device", "string"),
        Field(5, "attr", AttrValue, is_map=True),
    )


class ArgDef(Message):
    """An argument or result of a function: `name` and `type`."""

    FIELDS = (Field(1, "name", "string"), Field(3, "type", "dtype"))


class OpDef(Message):
    """The signature of a function."""

    FIELDS = (
        Field(1, "name", "string"),
        Field(2, "input_arg", ArgDef, repeated=True),
        Field(3, "output_arg", ArgDef, repeated=True),
    )


class Result(Message):
    """Which tensor a result of a function is: an entry of a map."""

    FIELDS = (Field(1, "key", "string"), Field(2, "value", "string"))


class FunctionDef(Message):
    """A function that operations of a graph call: `signature`, `node_def` and `ret`."""

    FIELDS = (
        Field(1, "signature", OpDef),
        Field(3, "node_def", NodeDef, repeated=True),
        Field(4, "ret", Result, repeated=True),
    )


class FunctionDefLibrary(Message):
    """The functions of a graph: `function`."""

    FIELDS = (Field(1, "function", FunctionDef, repeated=True),)


class VersionDef(Message):
    """Which version of TensorFlow's formats a graph is of."""

    FIELDS = (Field(1, "producer", "int32"), Field(2, "min_consumer", "int32"))


@export("compat.v1.GraphDef")
class GraphDef(Message):
    """A graph: the operations `node`, and the functions that they call, `library`."""

    FIELDS = (
        Field(1, "node", NodeDef, repeated=True),
        Field(2, "library", FunctionDefLibrary),
        Field(4, "versions", VersionDef),
    )


class FunctionGraphs(Message):
    """The graphs of a function that ran."""

    FIELDS = (Field(2, "pre_optimization_graph", GraphDef),)


@export("compat.v1.RunMetadata")
class RunMetadata(Message):
    """What is told of a run: `function_graphs`."""

    FIELDS = (Field(4, "function_graphs", FunctionGraphs, repeated=True),)
