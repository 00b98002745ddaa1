"""Stable hashes of byte strings, which determine for example the bucket of a word.

* `fingerprint64`: FarmHash's Fingerprint64 (Google, 2014), with separate formulas for inputs of up
  to 16, 32 and 64 bytes and for longer ones;
* `siphash`: SipHash-2-4 (Aumasson and Bernstein, 2012), keyed;
* `murmur64`: MurmurHash64A (Appleby, 2008) with TensorFlow's seed.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

_M: Final = 0xFFFFFFFFFFFFFFFF
_K0: Final = 0xC3A5C85C97CB3127
_K1: Final = 0xB492B66FBE98F273
_K2: Final = 0x9AE16A3B2F90404F
_MURMUR: Final = 0xC6A4A7935BD1E995
_MURMUR_SEED: Final = 0xDECAFCAFFE


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _rotated(x: int, by: int) -> int:
    """Rotates a number to the right."""
    return (x >> by | x << 64 - by) & _M


def _mixed(x: int) -> int:
    return x ^ x >> 47


def _two(u: int, v: int, mul: int) -> int:
    """Hashes two numbers to a single number."""
    a = _mixed((u ^ v) * mul & _M)
    b = _mixed((v ^ a) * mul & _M)
    return b * mul & _M


def fingerprint64(data: bytes) -> int:
    """Returns FarmHash's Fingerprint64, a number below 2⁶⁴."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data, size)
    if size <= 32:
        return _up_to_32(data, size)
    if size <= 64:
        return _up_to_64(data, size)
    return _long(data, size)


def _up_to_16(data: bytes, size: int) -> int:
    mul = _K2 + 2 * size
    if size >= 8:
        a, b = _u64(data, 0) + _K2 & _M, _u64(data, size - 8)
        c = _rotated(b, 37) * mul + a & _M
        d = (_rotated(a, 25) + b) * mul & _M
        return _two(c, d, mul)
    if size >= 4:
        return _two(size + (_u32(data, 0) << 3), _u32(data, size - 4), mul)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mixed(y * _K2 & _M ^ z * _K0 & _M) * _K2 & _M
    return _K2


def _up_to_32(data: bytes, size: int) -> int:
    mul = _K2 + 2 * size
    a, b = _u64(data, 0) * _K1 & _M, _u64(data, 8)
    c, d = _u64(data, size - 8) * mul & _M, _u64(data, size - 16) * _K2 & _M
    return _two(
        _rotated(a + b & _M, 43) + _rotated(c, 30) + d & _M,
        a + _rotated(b + _K2 & _M, 18) + c & _M,
        mul,
    )


def _up_to_64(data: bytes, size: int) -> int:
    mul = _K2 + 2 * size
    a, b = _u64(data, 0) * _K2 & _M, _u64(data, 8)
    c, d = _u64(data, size - 8) * mul & _M, _u64(data, size - 16) * _K2 & _M
    y = _rotated(a + b & _M, 43) + _rotated(c, 30) + d & _M
    z = _two(y, a + _rotated(b + _K2 & _M, 18) + c & _M, mul)
    e, f = _u64(data, 16) * mul & _M, _u64(data, 24)
    g, h = (y + _u64(data, size - 32)) * mul & _M, (z + _u64(data, size - 24)) * mul & _M
    return _two(
        _rotated(e + f & _M, 43) + _rotated(g, 30) + h & _M,
        e + _rotated(f + a & _M, 18) + g & _M,
        mul,
    )


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Hashes the 32 bytes from index `at` on, and two seeds, to two numbers."""
    w, x, y, z = struct.unpack_from("<4Q", data, at)
    a = a + w & _M
    b = _rotated(b + a + z & _M, 21)
    c = a
    a = a + x + y & _M
    return a + z & _M, b + _rotated(a, 44) + c & _M


def _long(data: bytes, size: int) -> int:
    x, y = 81, 81 * _K1 + 113 & _M
    z = _mixed(y * _K2 + 113 & _M) * _K2 & _M
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _u64(data, 0) & _M
    last = (size - 1) // 64 * 64
    for at in range(0, last, 64):
        x = _rotated(x + y + v[0] + _u64(data, at + 8) & _M, 37) * _K1 & _M
        y = _rotated(y + v[1] + _u64(data, at + 48) & _M, 42) * _K1 & _M
        x ^= w[1]
        y = y + v[0] + _u64(data, at + 40) & _M
        z = _rotated(z + w[0] & _M, 33) * _K1 & _M
        v = _weak(data, at, v[1] * _K1 & _M, x + w[0] & _M)
        w = _weak(data, at + 32, z + w[1] & _M, y + _u64(data, at + 16) & _M)
        z, x = x, z
    mul = _K1 + ((z & 0xFF) << 1)
    at = size - 64
    w = (w[0] + (size - 1 & 63) & _M, w[1])
    v = (v[0] + w[0] & _M, v[1])
    w = (w[0] + v[0] & _M, w[1])
    x = _rotated(x + y + v[0] + _u64(data, at + 8) & _M, 37) * mul & _M
    y = _rotated(y + v[1] + _u64(data, at + 48) & _M, 42) * mul & _M
    x ^= w[1] * 9 & _M
    y = y + v[0] * 9 + _u64(data, at + 40) & _M
    z = _rotated(z + w[0] & _M, 33) * mul & _M
    v = _weak(data, at, v[1] * mul & _M, x + w[0] & _M)
    w = _weak(data, at + 32, z + w[1] & _M, y + _u64(data, at + 16) & _M)
    z, x = x, z
    return _two(
        _two(v[0], w[0], mul) + _mixed(y) * _K0 + z & _M, _two(v[1], w[1], mul) + x & _M, mul
    )


def _sip_round(v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    v0 = v0 + v1 & _M
    v1 = _rotated(v1, 51) ^ v0
    v0 = _rotated(v0, 32)
    v2 = v2 + v3 & _M
    v3 = _rotated(v3, 48) ^ v2
    v0 = v0 + v3 & _M
    v3 = _rotated(v3, 43) ^ v0
    v2 = v2 + v1 & _M
    v1 = _rotated(v1, 47) ^ v2
    return v0, v1, _rotated(v2, 32), v3


def siphash(data: bytes, key: Sequence[int]) -> int:
    """Returns SipHash-2-4 with a key of two numbers below 2⁶⁴."""
    k0, k1 = key[0] & _M, key[1] & _M
    v = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    whole = len(data) // 8 * 8
    tail = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for word in (*[_u64(data, at) for at in range(0, whole, 8)], tail):
        v0, v1, v2, v3 = _sip_round(*_sip_round(v[0], v[1], v[2], v[3] ^ word))
        v = (v0 ^ word, v1, v2, v3)
    v = (v[0], v[1], v[2] ^ 0xFF, v[3])
    for _ in range(4):
        v = _sip_round(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def concatenated(one: int, other: int) -> int:
    """Returns a fingerprint of two fingerprints, as TensorFlow's feature crosses compute it."""
    mixed = _mixed(other * _MURMUR & _M) * _MURMUR & _M
    found = (one ^ _MURMUR ^ mixed) * _MURMUR & _M
    return _mixed(_mixed(found) * _MURMUR & _M)


def murmur64(data: bytes) -> int:
    """Returns MurmurHash64A with TensorFlow's seed."""
    h = _MURMUR_SEED ^ len(data) * _MURMUR & _M
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        k = _u64(data, at) * _MURMUR & _M
        h = (h ^ _mixed(k) * _MURMUR & _M) * _MURMUR & _M
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _MURMUR & _M
    h = _mixed(h) * _MURMUR & _M
    return _mixed(h)
