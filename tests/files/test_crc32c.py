import random
import sys

import numpy as np
import pytest

from gradtape._src.files import crc32c as sums
from gradtape._src.files.crc32c import in_python, masked, masked_crc32c


def bit_by_bit(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.fixture(params=[pytest.param(sums.crc32c, id="installed"), in_python])
def crc32c(request):
    """The implementations with and without google-crc32c."""
    return request.param


def test_published_values(crc32c):
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert masked_crc32c(b"") == 0xA282EAD8


@pytest.mark.parametrize("size", [1, 3, 4, 511, 3000, 3001, 5000])
def test_long_and_short_data_alike(crc32c, size):
    data = random.Random(0).randbytes(size)
    assert crc32c(data) == bit_by_bit(data)
    assert crc32c(data[size // 3 :], crc32c(data[: size // 3])) == crc32c(data)


@pytest.mark.parametrize("size", [2 * 5275 * 8 + 13, (1 << 23) + 3])
def test_folded_data(crc32c, size):
    data = random.Random(1).randbytes(size)
    whole = 0
    for start in range(0, size, 50_000):  # too short for folding
        whole = crc32c(data[start : start + 50_000], whole)
    assert crc32c(data) == whole
    assert crc32c(data[-3:], crc32c(data[:-3])) == whole
    assert crc32c(memoryview(data)) == crc32c(bytearray(data))


def test_google_crc32c_is_used_where_it_is_installed():
    pytest.importorskip("google_crc32c")
    assert sums.in_c() is not None
    data = random.Random(2).randbytes(9999)
    assert sums.crc32c(data, 77) == in_python(data, 77)


@pytest.mark.parametrize("data", [b"", bytearray(b"abc"), memoryview(b"abcdef")[1:4]])
def test_buffers(crc32c, data):
    assert crc32c(data) == bit_by_bit(bytes(data))
    assert masked_crc32c(data) == masked(bit_by_bit(bytes(data)))


def test_arrays(crc32c):
    array = np.arange(100, dtype=np.float32)
    assert crc32c(array) == crc32c(array.tobytes())


def test_without_google_crc32c(monkeypatch):
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    sums.in_c.cache_clear()
    try:
        assert sums.in_c() is None
        assert sums.crc32c(b"123456789") == 0xE3069283
    finally:
        monkeypatch.undo()
        sums.in_c.cache_clear()


def test_without_words(monkeypatch):
    data = random.Random(3).randbytes(1001)
    monkeypatch.setattr(sums, "_LITTLE", False)  # as on a machine with high bytes first
    assert in_python(data) == bit_by_bit(data)
