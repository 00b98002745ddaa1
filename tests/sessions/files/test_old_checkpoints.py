import numpy as np
import pytest

import gradtape as tf
from gradtape._src.sessions.files.old_checkpoints import is_old, read_old, write_old


def test_values_come_back(tmp_path):
    path = str(tmp_path / "old")
    values = {
        "b/c": np.float32([[1.5, -2.0]]),
        "a": np.int64(-5),
        "empty": np.zeros((0, 3)),
        "a\x00b": np.array([b"text", b""], object),
        "small": np.uint8([255, 0]),
    }
    write_old(path, values)
    assert is_old(path)
    found = read_old(path)
    assert found.keys() == values.keys()
    for name, value in values.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_array_equal(found[name], value)


def test_a_dtype_without_a_place(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match=r"SaverDef\.V2"):
        write_old(str(tmp_path / "old"), {"a": np.complex64([1j])})


def test_a_damaged_file(tmp_path):
    path = tmp_path / "old"
    write_old(str(path), {"a": np.arange(100.0)})
    data = bytearray(path.read_bytes())
    data[20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r".") as caught:
        read_old(str(path))
    assert caught.type.__name__ == "DecodeError"
