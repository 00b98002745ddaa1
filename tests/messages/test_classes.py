"""Classes of messages are Google's, of descriptors that no other program has."""

import copy
import os
import pickle
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pool, json_format, text_format

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.messages.classes import pool
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.messages.varints import read_varint, varint


def test_importing_gradtape_does_not_load_the_runtime():
    program = (
        "import sys, gradtape as tf; tf.train; tf.io; tf.summary; tf.saved_model; tf.compat.v1\n"
        "assert not [name for name in sys.modules if name.startswith('google.protobuf')]\n"
        "tf.train.Example()\n"
        "assert 'google.protobuf' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_json_and_text_of_googles_library():
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(3)
    written = json_format.MessageToDict(example)
    assert written == {"features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}}
    assert json_format.ParseDict(written, tf.train.Example()) == example
    text = text_format.MessageToString(example)
    assert text_format.Parse(text, tf.train.Example()) == example


def test_any_holds_our_messages():
    meta = tf.compat.v1.MetaGraphDef()
    meta.meta_info_def.any_info.Pack(tf.train.Int64List(value=[5]))
    assert meta.meta_info_def.any_info.type_url == "type.googleapis.com/tensorflow.Int64List"
    found = json_format.MessageToDict(meta, descriptor_pool=pool()[0])
    assert found["metaInfoDef"]["anyInfo"]["value"] == ["5"]


def test_the_pool_is_our_own():
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("gradtape.Element")
    assert protos.Example.DESCRIPTOR.full_name == "tensorflow.Example"
    assert protos.Example.DESCRIPTOR.file.pool is pool()[0]


@pytest.mark.parametrize(
    "make", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize(
    "message",
    [
        protos.Int64List(value=[1, 2]),
        protos.Summary.Value(tag="loss", simple_value=0.5),
        protos.AttrValue.ListValue(i=[3]),
    ],
    ids=lambda message: type(message).__qualname__,
)
def test_copies(make, message):
    assert make(message) == message
    assert type(make(message)) is type(message)


def test_names_and_documentation():
    assert tf.train.Example.__module__ == "gradtape._src.messages.protos"
    assert "training example" in tf.train.Example.__doc__
    assert tf.compat.v1.Summary.Value is protos.Summary.Value
    assert protos.DataType.Value("DT_FLOAT") == tf.float32.as_datatype_enum
    with pytest.raises(AttributeError, match="no message 'Nope'"):
        protos.Nope  # noqa: B018
    assert not hasattr(protos, "__wrapped__")


@pytest.mark.parametrize("module", [tf.train, tf.compat.v1, tf.compat.v1.train])
def test_every_public_message_is_there(module):
    assert set(dir(module)) >= module._MESSAGES
    for name in module._MESSAGES:
        assert getattr(module, name).DESCRIPTOR.full_name == f"tensorflow.{name}"


def test_damaged_bytes():
    assert parsed(protos.Int64List, b"\n\x01\x05").value == [5]
    with pytest.raises(DecodeError):
        parsed(protos.Int64List, b"\n\x05\x05")
    deep = b""
    for _ in range(200):
        size = len(deep)
        deep = b"\x0a" + varint(size + 1 + len(varint(size))) + b"\x0a" + varint(size) + deep
    with pytest.raises(DecodeError):
        parsed(protos.TypeSpecProto, b"\x1a" + varint(len(deep)) + deep)


@pytest.mark.parametrize(
    ("number", "data"),
    [(0, b"\0"), (1, b"\x01"), (300, b"\xac\x02"), (2**64 - 1, b"\xff" * 9 + b"\x01")],
)
def test_numbers_of_variable_length(number, data):
    assert varint(number) == data
    assert read_varint(data + b"rest", 0) == (number, len(data))
    for cut in range(len(data)):
        with pytest.raises(DecodeError):
            read_varint(data[:cut], 0)


def test_a_number_of_variable_length_that_is_too_long():
    with pytest.raises(DecodeError):
        read_varint(b"\xff" * 11, 0)


@pytest.mark.slow
def test_the_librarys_part_in_python_serves_as_well():
    program = (
        "from google.protobuf.internal import api_implementation\n"
        "assert api_implementation.Type() == 'python'\n"
        "import gradtape as tf\n"
        "from gradtape._src.messages.reading import DecodeError, parsed\n"
        "value = tf.compat.v1.Summary.Value(tag='a', simple_value=0.5)\n"
        "data = tf.compat.v1.Summary(value=[value]).SerializeToString()\n"
        "assert parsed(tf.compat.v1.Summary, data).value[0] == value\n"
        "example = tf.train.Example(features={'feature': {'x': {'int64_list': {'value': [5]}}}})\n"
        "feature = tf.io.VarLenFeature(tf.int64)\n"
        "found = tf.io.parse_example([example.SerializeToString()] * 2, {'x': feature})\n"
        "assert found['x'].values.numpy().tolist() == [5, 5]\n"
        "try:\n"
        "    parsed(tf.compat.v1.NodeDef, b'\\n\\x01\\xff')\n"
        "except DecodeError:\n"
        "    pass\n"
        "else:\n"
        "    raise AssertionError('text that is not UTF-8 was read')\n"
    )
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


@pytest.mark.parametrize("kind", ["SavedModel", "GraphDef", "TrackableObjectGraph", "Event"])
def test_memory_grows_with_the_bytes_that_are_there(kind, memory_limit):
    field = {"SavedModel": 2, "GraphDef": 1, "TrackableObjectGraph": 1, "Event": 5}[kind]
    many = bytes([field << 3 | 2, 0]) * (1 << 19)  # empty messages, of two bytes each
    claimed = bytes([field << 3 | 2]) + varint(1 << 40)  # a message that is not there
    with memory_limit(1 << 28):
        parsed(getattr(protos, kind), many)
        with pytest.raises(DecodeError):
            parsed(getattr(protos, kind), claimed)


@pytest.mark.slow
def test_tensorflows_modules_of_messages():
    program = (
        "import gradtape; gradtape.install()\n"
        "from tensorflow.core.framework import graph_pb2, summary_pb2, types_pb2\n"
        "import tensorflow.core.protobuf.config_pb2 as config\n"
        "from tensorflow.core.util.event_pb2 import Event\n"
        "import tensorflow as tf\n"
        "assert graph_pb2.GraphDef is tf.compat.v1.GraphDef\n"
        "assert config.ConfigProto(log_device_placement=True).log_device_placement\n"
        "assert (types_pb2.DT_INT32, types_pb2.DataType.Name(1)) == (3, 'DT_FLOAT')\n"
        "assert Event is tf.compat.v1.Event\n"
        "try:\n"
        "    from tensorflow.core.framework import nope_pb2\n"
        "except ImportError:\n"
        "    pass\n"
        "else:\n"
        "    raise AssertionError('a module that does not exist was imported')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_value_of_an_enumeration_has_a_name():
    assert tf.bfloat16.as_datatype_enum == protos.DT_BFLOAT16
    assert protos.VARIABLE_SYNCHRONIZATION_ON_READ == 3
    assert protos.GPUOptions.Experimental.DESCRIPTOR.name == "Experimental"
    assert protos.OptimizerOptions.L0 == -1


def test_threads_get_the_same_classes():
    """In a process of its own, in which no class is made yet."""
    code = """
import sys, threading
from gradtape._src.messages import protos

sys.setswitchinterval(1e-6)
start, found = threading.Barrier(8), []

def make():
    start.wait()
    found.append((protos.TensorShapeProto, protos.GraphDef))

threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(set(found)) == 1
kind, graph = found[0]
graph(node=[{"name": "x", "attr": {"s": {"shape": kind(dim=[{"size": 2}])}}}])
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_attributes_of_operations_of_xla():
    numbers = protos.DotDimensionNumbers(lhs_contracting_dimensions=[1], rhs_batch_dimensions=[0])
    assert numbers.SerializeToString() == b"\x0a\x01\x01\x22\x01\x00"  # TensorFlow's bytes
    axes = protos.ConvolutionDimensionNumbers(
        kernel_input_feature_dimension=2, input_feature_dimension=3, output_spatial_dimensions=[1]
    )
    assert axes.SerializeToString() == b"\x18\x02\x40\x03\x62\x01\x01"
    assert protos.PrecisionConfig(operand_precision=[2, 0]).operand_precision[0] == (
        protos.PrecisionConfig.HIGHEST
    )
    assert protos.RandomAlgorithm.RNG_PHILOX == protos.RNG_PHILOX == 2
    assert protos.GatherDimensionNumbers.DESCRIPTOR.full_name == "xla.GatherDimensionNumbers"
