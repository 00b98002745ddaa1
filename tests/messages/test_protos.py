"""Bytes and texts are what Google's library gives for TensorFlow's messages."""

import copy
import pickle

import google.protobuf
import numpy as np
import pytest
from google.protobuf.message import DecodeError

from gradtape._src.messages import protos
from gradtape._src.messages.protos import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)

OLD = google.protobuf.__version__.startswith("6.")


def example():
    return Example(
        features=Features(
            feature={
                "a": Feature(int64_list=Int64List(value=[1, -2, 300])),
                "b": Feature(float_list=FloatList(value=np.array([1.1, 2.0]))),
                "c": Feature(bytes_list=BytesList(value=[b"x", b'\xff\n"'])),
            }
        )
    )


SERIALIZED = (
    b"\n<\n\x16\n\x01a\x12\x11\x1a\x0f\n\r\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02\n"
    b"\x11\n\x01b\x12\x0c\x12\n\n\x08\xcd\xcc\x8c?\x00\x00\x00@\n\x0f\n\x01c\x12\n\n\x08\n\x01x\n"
    b'\x03\xff\n"'
)


def test_bytes_and_back():
    assert example().SerializeToString(deterministic=True) == SERIALIZED
    assert example().ByteSize() == len(SERIALIZED)
    found = Example.FromString(SERIALIZED)
    assert found == example()
    assert found.features.feature["a"].int64_list.value == [1, -2, 300]
    assert found.features.feature["b"].float_list.value[0] == np.float32(1.1)
    for copied in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert copied == found
        assert copied is not found


def test_sequences():
    many = SequenceExample(
        context=Features(feature={"k": Feature(int64_list=Int64List(value=[7, 5]))}),
        feature_lists=FeatureLists(
            feature_list={
                "w": FeatureList(
                    feature=[
                        Feature(int64_list=Int64List(value=[7, 5])),
                        Feature(float_list=FloatList(value=[0.5])),
                    ]
                )
            }
        ),
    )
    serialized = (
        b"\n\r\n\x0b\n\x01k\x12\x06\x1a\x04\n\x02\x07\x05\x12\x19\n\x17\n\x01w\x12\x12\n\x06\x1a\x04"
        b"\n\x02\x07\x05\n\x08\x12\x06\n\x04\x00\x00\x00?"
    )
    assert many.SerializeToString() == serialized
    assert SequenceExample.FromString(serialized) == many


def test_text():
    small = Features(feature={"b": Feature(float_list=FloatList(value=[1.1, 1 / 3, 3, 1e10]))})
    assert str(small) == (
        'feature {\n  key: "b"\n  value {\n    float_list {\n      value: 1.1\n'
        "      value: 0.333333343\n      value: 3\n      value: 1e+10\n    }\n  }\n}\n"
    )
    assert str(BytesList(value=[b'\xff\n"'])) == 'value: "\\377\\n\\""\n'
    assert str(Example()) == ""


def test_parts_come_to_be_when_they_are_used():
    made = Example()
    assert made.SerializeToString() == b""
    made.features.feature["q"].bytes_list.value.append(b"z")
    made.features.feature["r"].CopyFrom(Feature(int64_list={"value": [1]}))
    assert sorted(made.features.feature) == ["q", "r"]
    feature = made.features.feature["r"]
    assert (feature.WhichOneof("kind"), feature.HasField("int64_list")) == ("int64_list", True)
    feature.float_list.value.append(1.0)
    assert feature.WhichOneof("kind") == "float_list"
    feature.ClearField("float_list")
    assert Feature(int64_list=Int64List()).SerializeToString() == b"\x1a\x00"
    assert Feature().WhichOneof("kind") is None
    rows = FeatureList()
    rows.feature.add().int64_list.value.extend([3, 4])
    assert rows.feature[0].int64_list.value[1:] == [4]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda: BytesList(value=["text"])),
        (TypeError, lambda: Int64List(value=[1.0])),
        pytest.param(
            TypeError,
            lambda: Int64List(value=[True]),
            marks=pytest.mark.skipif(OLD, reason="protobuf 6 takes booleans for numbers"),
        ),
        (TypeError, lambda: Int64List(value=1)),
        (ValueError, lambda: Int64List(value=[1 << 63])),
        (TypeError, lambda: FloatList(value=["a"])),
        (ValueError, lambda: Feature(nope=3)),
        (TypeError, lambda: Feature(int64_list=3)),
        (ValueError, lambda: Feature().HasField("nope")),
        (AttributeError, lambda: setattr(Feature(), "int64_list", Int64List())),
        (AttributeError, lambda: setattr(Feature(), "nope", 3)),
        (ValueError, lambda: Features().feature.__setitem__("a", Feature())),
        (TypeError, lambda: hash(Example())),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def test_damaged_bytes_are_an_error_and_nothing_else():
    for size in range(1, len(SERIALIZED)):
        with pytest.raises(DecodeError):
            Example.FromString(SERIALIZED[:size])
    for data in (b"\xff\xff", b"\x0b", b"\x02\x00", b"\x0a\xff\xff\xff\xff\x7f", b"\x80" * 11):
        with pytest.raises(DecodeError):
            Example.FromString(data)


def test_events():
    event = protos.Event(wall_time=1.5, step=3)
    event.summary.value.add(tag="loss", simple_value=0.0)
    again = protos.Event.FromString(event.SerializeToString())
    assert again == event
    assert again.WhichOneof("what") == "summary"
    assert again.summary.value[0].HasField("simple_value")
