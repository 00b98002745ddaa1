from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape._src.saving.bundle import CheckpointReader, Entry, data_file, write_bundle
from gradtape._src.saving.table import read_table, write_table

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"
NUMBERS = [[0, 1, 2], [3, 4, 100]]
DTYPES = ["float16", "float32", "float64", "bfloat16", "complex64", "complex128"]
DTYPES += ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def test_every_dtype_of_tensorflow():
    reader = tf.train.load_checkpoint(TENSORFLOWS / "dtypes")
    for name in DTYPES:
        value = reader.get_tensor(name)
        assert value.dtype == tf.as_dtype(name).np_dtype
        assert value.astype(np.complex128).tolist() == NUMBERS
    assert reader.get_tensor("bool").tolist() == [True, False]
    assert reader.get_tensor("float8_e5m2").dtype == ml_dtypes.float8_e5m2
    assert reader.get_tensor("string").tolist() == [[b"a", b"b" * 300], [b"", b"\0z"]]
    assert reader.get_tensor("one string") == b"hello"
    assert reader.get_tensor("nothing").shape == (0, 3)
    assert reader.get_variable_to_dtype_map()["bfloat16"] is tf.bfloat16
    assert reader.debug_string().decode().startswith("bfloat16 (DT_BFLOAT16) [2,3]\nbool (DT_BOOL)")


def test_our_files_are_tensorflows(tmp_path):
    """Byte by byte: the same bytes of tensors, and an index with the same entries."""
    reader = tf.train.load_checkpoint(TENSORFLOWS / "dtypes")
    values = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    write_bundle(str(tmp_path / "own"), values)
    for end in (".data-00000-of-00001",):
        own = (tmp_path / f"own{end}").read_bytes()
        assert own == (TENSORFLOWS / f"dtypes{end}").read_bytes()
    ours, theirs = (
        list(read_table(path.read_bytes()))
        for path in (tmp_path / "own.index", TENSORFLOWS / "dtypes.index")
    )
    assert [k for k, _ in ours] == [k for k, _ in theirs]
    assert [Entry.parse(v) for _, v in ours[1:]] == [Entry.parse(v) for _, v in theirs[1:]]


def test_writing_over_a_checkpoint(tmp_path):
    prefix = str(tmp_path / "ckpt")
    for number in range(3):
        write_bundle(prefix, {"x": np.float32(number)})
        assert CheckpointReader(prefix).get_tensor("x") == number
    assert len(list(tmp_path.iterdir())) == 2  # old data is gone


def saved(path, size=5):
    value = np.arange(size, dtype=np.float32)
    write_bundle(str(path / "c"), {"x": value, "s": np.array([b"one", b"two"], object)})
    return value


def test_damage_is_noticed(tmp_path):
    value = saved(tmp_path)
    files = [tmp_path / "c.index", Path(data_file(str(tmp_path / "c"), 0, 1))]

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.sampled_from(files), st.data())
    def damaged(path, data):
        whole = path.read_bytes()
        raw = bytearray(whole)
        place = data.draw(st.integers(0, len(raw) - 1))
        if data.draw(st.booleans()):
            del raw[place:]
        else:
            raw[place] ^= data.draw(st.integers(1, 255))
        path.write_bytes(raw)
        try:
            reader = CheckpointReader(tmp_path / "c")
            np.testing.assert_array_equal(reader.get_tensor("x"), value)
            assert reader.get_tensor("s").tolist() == [b"one", b"two"]
        except tf.errors.DataLossError:
            pass
        finally:
            path.write_bytes(whole)

    damaged()


HUGE = 1 << 60


@pytest.mark.parametrize(
    "entry",
    [
        Entry(tf.float32, (HUGE,), 0, 0, 4 * HUGE, 0, ()),
        Entry(tf.float32, (HUGE, HUGE, 0), 0, 0, 0, 0, ()),
        Entry(tf.float32, (5,), 0, HUGE, 20, 0, ()),
        Entry(tf.float32, (6,), 0, 0, 20, 0, ()),
        Entry(tf.string, (HUGE,), 0, 0, 8, 0, ()),
        Entry(tf.float32, (5,), 0, 0, 20, 1, ()),
    ],
)
def test_hostile_entries(tmp_path, entry):
    saved(tmp_path)
    items = dict(read_table((tmp_path / "c.index").read_bytes()))
    items[b"x"] = entry.packed()
    (tmp_path / "c.index").write_bytes(write_table(sorted(items.items())))
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        CheckpointReader(tmp_path / "c").get_tensor("x")


def test_errors(tmp_path):
    saved(tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match="Key y not found in checkpoint"):
        tf.train.load_variable(tmp_path / "c", "y")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.load_checkpoint(tmp_path / "nothing")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(tmp_path)
    Path(data_file(str(tmp_path / "c"), 0, 1)).unlink()
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.train.load_variable(tmp_path / "c", "x")
