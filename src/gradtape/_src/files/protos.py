"""TensorFlow's messages, by the field numbers of its files."""

from __future__ import annotations

from gradtape._src.base.export import export
from gradtape._src.files.message import Field, Message

# Examples: what records hold.


@export("train.BytesList")
class BytesList(Message):
    """Strings, in the field `value`."""

    FIELDS = (Field(1, "value", "bytes", repeated=True),)


@export("train.FloatList")
class FloatList(Message):
    """float32 numbers, in the field `value`."""

    FIELDS = (Field(1, "value", "float", repeated=True),)


@export("train.Int64List")
class Int64List(Message):
    """int64 numbers: `value`."""

    FIELDS = (Field(1, "value", "int64", repeated=True),)


@export("train.Feature")
class Feature(Message):
    """One of `bytes_list`, `float_list` and `int64_list`."""

    FIELDS = (
        Field(1, "bytes_list", BytesList, group="kind"),
        Field(2, "float_list", FloatList, group="kind"),
        Field(3, "int64_list", Int64List, group="kind"),
    )


@export("train.Features")
class Features(Message):
    """Features by name: the map `feature`."""

    FIELDS = (Field(1, "feature", Feature, is_map=True),)


@export("train.Example")
class Example(Message):
    """One training example: `features`.

    >>> numbers = Int64List(value=[1, 2])
    >>> Example(features=Features(feature={"x": Feature(int64_list=numbers)})).ByteSize()
    15
    """

    FIELDS = (Field(1, "features", Features),)


@export("train.FeatureList")
class FeatureList(Message):
    """Features one after the other: `feature`."""

    FIELDS = (Field(1, "feature", Feature, repeated=True),)


@export("train.FeatureLists")
class FeatureLists(Message):
    """Lists of features by name: the map `feature_list`."""

    FIELDS = (Field(1, "feature_list", FeatureList, is_map=True),)


@export("train.SequenceExample")
class SequenceExample(Message):
    """One training example with sequences: `context` and `feature_lists`."""

    FIELDS = (Field(1, "context", Features), Field(2, "feature_lists", FeatureLists))


# Tensors.


class Dim(Message):
    """One extent of a shape: `size`, -1 if unknown."""

    FIELDS = (Field(1, "size", "int64"), Field(2, "name", "string"))


class TensorShapeProto(Message):
    """A shape: `dim`, or `unknown_rank`."""

    FIELDS = (Field(2, "dim", Dim, repeated=True), Field(3, "unknown_rank", "bool"))


class TensorProto(Message):
    """A tensor: `dtype`, `tensor_shape`, and the elements as bytes or in the list of their type."""

    FIELDS = (
        Field(1, "dtype", "dtype"),
        Field(2, "tensor_shape", TensorShapeProto),
        Field(3, "version_number", "int32"),
        Field(4, "tensor_content", "bytes"),
        Field(5, "float_val", "float", repeated=True),
        Field(6, "double_val", "double", repeated=True),
        Field(7, "int_val", "int32", repeated=True),
        Field(8, "string_val", "bytes", repeated=True),
        Field(9, "scomplex_val", "float", repeated=True),
        Field(10, "int64_val", "int64", repeated=True),
        Field(11, "bool_val", "bool", repeated=True),
        Field(12, "dcomplex_val", "double", repeated=True),
        Field(13, "half_val", "int32", repeated=True),
        Field(16, "uint32_val", "uint32", repeated=True),
        Field(17, "uint64_val", "uint64", repeated=True),
        Field(18, "float8_val", "bytes"),
    )


# Events: what TensorBoard reads.


class PluginData(Message):
    """Which part of TensorBoard shows a value: `plugin_name`, and its own `content`."""

    FIELDS = (Field(1, "plugin_name", "string"), Field(2, "content", "bytes"))


@export("compat.v1.SummaryMetadata")
class SummaryMetadata(Message):
    """What is said of a value: `plugin_data`, `display_name`, `summary_description`."""

    FIELDS = (
        Field(1, "plugin_data", PluginData),
        Field(2, "display_name", "string"),
        Field(3, "summary_description", "string"),
        Field(4, "data_class", "int32"),
    )


@export("compat.v1.HistogramProto")
class HistogramProto(Message):
    """How often values lie between limits."""

    FIELDS = (
        Field(1, "min", "double"),
        Field(2, "max", "double"),
        Field(3, "num", "double"),
        Field(4, "sum", "double"),
        Field(5, "sum_squares", "double"),
        Field(6, "bucket_limit", "double", repeated=True),
        Field(7, "bucket", "double", repeated=True),
    )


class SummaryImage(Message):
    """A picture in the older way: PNG in `encoded_image_string`."""

    FIELDS = (
        Field(1, "height", "int32"),
        Field(2, "width", "int32"),
        Field(3, "colorspace", "int32"),
        Field(4, "encoded_image_string", "bytes"),
    )


class SummaryValue(Message):
    """One value of a summary, with its `tag`."""

    FIELDS = (
        Field(1, "tag", "string"),
        Field(2, "simple_value", "float", group="value"),
        Field(4, "image", SummaryImage, group="value"),
        Field(5, "histo", HistogramProto, group="value"),
        Field(7, "node_name", "string"),
        Field(8, "tensor", TensorProto, group="value"),
        Field(9, "metadata", SummaryMetadata),
    )


@export("compat.v1.Summary")
class Summary(Message):
    """Values of one step: `value`."""

    FIELDS = (Field(1, "value", SummaryValue, repeated=True),)
    Value = SummaryValue
    Image = SummaryImage


class SourceMetadata(Message):
    """Who wrote a file: `writer`."""

    FIELDS = (Field(1, "writer", "string"),)


@export("compat.v1.Event")
class Event(Message):
    """What happened at a `wall_time` and `step`."""

    FIELDS = (
        Field(1, "wall_time", "double"),
        Field(2, "step", "int64"),
        Field(3, "file_version", "string", group="what"),
        Field(4, "graph_def", "bytes", group="what"),
        Field(5, "summary", Summary, group="what"),
        Field(10, "source_metadata", SourceMetadata),
    )
