import random

import pytest

from gradtape._src.files.crc32c import crc32c, masked_crc32c


def bit_by_bit(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_published_values():
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert masked_crc32c(b"") == 0xA282EAD8


@pytest.mark.parametrize("size", [1, 511, 1500, 1501, 5000])
def test_long_and_short_data_alike(size):
    data = random.Random(0).randbytes(size)
    assert crc32c(data) == bit_by_bit(data)
    assert crc32c(data[size // 3 :], crc32c(data[: size // 3])) == crc32c(data)


@pytest.mark.parametrize("size", [2 * 5275 * 8 + 13, (1 << 23) + 3])
def test_folded_data(size):
    data = random.Random(1).randbytes(size)
    whole = 0
    for start in range(0, size, 50_000):  # too short for folding
        whole = crc32c(data[start : start + 50_000], whole)
    assert crc32c(data) == whole
    assert crc32c(data[-3:], crc32c(data[:-3])) == whole
    assert crc32c(memoryview(data)) == crc32c(bytearray(data))
