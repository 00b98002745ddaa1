"""The wire format of protocol buffers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradtape._src.files import wire


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_there_and_back(number):
    data = wire.varint(number)
    read, end = wire.read_varint(data + b"rest", 0)
    assert (wire.signed(read), end) == (number, len(data))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=300))
def test_packed_numbers_there_and_back(numbers):
    assert wire.read_varints(wire.varints(numbers)) == numbers


@pytest.mark.parametrize(
    ("number", "data"), [(0, b"\0"), (1, b"\x01"), (300, b"\xac\x02"), (-1, b"\xff" * 9 + b"\x01")]
)
def test_known_encodings(number, data):
    assert wire.varint(number) == data


def test_fields():
    data = wire.field(1, 0, wire.varint(150)) + wire.field(2, 2, b"testing")
    assert [
        (n, bytes(v) if isinstance(v, (bytes, memoryview)) else v) for n, _, v in wire.fields(data)
    ] == [
        (1, 150),
        (2, b"testing"),
    ]


@pytest.mark.parametrize(
    "data", [b"\x08", b"\xff" * 11, b"\x12\x05ab", b"\x0b", b"\x0d\0\0", b"\0\0"]
)
def test_damaged_bytes(data):
    with pytest.raises(wire.DecodeError):
        list(wire.fields(data))
