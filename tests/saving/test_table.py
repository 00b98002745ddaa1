import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.table import read_table, unsnapped, write_table

KEYS = st.dictionaries(st.binary(max_size=12), st.binary(max_size=40), max_size=60)


@given(KEYS)
def test_what_is_written_is_read(entries):
    items = sorted(entries.items())
    assert list(read_table(write_table(items))) == items


def test_many_blocks():
    items = [(b"key/%06d" % i, bytes(100)) for i in range(500)]
    assert list(read_table(write_table(items))) == items


@settings(max_examples=3 * settings.default.max_examples)
@given(st.data())
def test_damage_is_noticed(data):
    items = [(b"key/%03d" % i, b"value" * (i % 7)) for i in range(60)]
    table = bytearray(write_table(items))
    place = data.draw(st.integers(0, len(table) - 1))
    if data.draw(st.booleans()):
        del table[place:]
    else:
        table[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(DecodeError):
        assert list(read_table(bytes(table))) == items  # a byte that only fills up the footer


def test_snappy():
    # From the description of the format: a literal, copies with offsets of one and two bytes, a
    # copy that overlaps itself, and a literal whose length stands in a byte of its own.
    assert unsnapped(b"\x03\x08abc") == b"abc"
    assert unsnapped(b"\x0b\x08abc\x11\x03") == b"abcabcabcab"[:11]
    assert unsnapped(b"\x0d\x00a\x2e\x01\x00") == b"a" * 13
    assert unsnapped(b"\x46\xf0\x45" + bytes(70)) == bytes(70)
    for bad in (b"\x03\x08ab", b"\x04\x08abc", b"\x05\x00a\x01\x02", b"\xff\xff\xff\xff\x0f\x00a"):
        with pytest.raises(DecodeError):
            unsnapped(bad)
