"""Every format, damaged in every way: the right value, or an error that TensorFlow has.

A small valid file of each format is cut at every length, changed at each byte, given numbers that
claim too much, and reassembled. Nothing but the errors that are documented may come of it,
and no more memory may be taken than a small file warrants.
"""

import gzip
import importlib.util
import random
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError

import gradtape as tf
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.event_files import summary_iterator
from gradtape._src.messages.protos import Event, Example, SequenceExample, TensorProto
from gradtape._src.saving.bundle import GRAPH_KEY, CheckpointReader, write_bundle

pytestmark = pytest.mark.slow

MEMORY = 1 << 30  # bytes above what the process has
CUTS, CHANGES = 250, 250  # at most, of each kind
GIANT = [
    b"\xff" * 9 + b"\x01",
    b"\xff\xff\xff\xff\x07",
    b"\xff\xff\xff\x7f",
    b"\x80" * 10,
    b"\0" * 8,
]
Error = tf.errors.OpError
Invalid = tf.errors.InvalidArgumentError
OLD = Path(__file__).parents[1] / "saving" / "from_gradtape_0_1"
"""Models whose functions version 0.1 saved as StableHLO."""


def damages(data, seed=0):
    """Damaged forms of some bytes; the same ones every time."""
    choose = random.Random(seed)
    size = len(data)
    yield from (data[:at] for at in _some(choose, size, CUTS))
    yield from (data[at:] for at in _some(choose, size, CUTS // 5))
    for at in _some(choose, size, CHANGES):
        for change in (1 << choose.randrange(8), 0xFF, choose.randrange(1, 256)):
            yield data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
    for at in _some(choose, size, CHANGES // 5):
        giant, other = choose.choice(GIANT), choose.randrange(size)
        yield data[:at] + giant + data[at:]
        yield data[:at] + giant + data[at + len(giant) :]
        yield data[:at] + data[other : other + choose.randrange(40)] + data[at:]
        yield data[:at] + data[at + choose.randrange(1, 20) :]
    yield data + data
    yield data + b"\0" * 50


def _some(choose, size, most):
    return range(size) if size <= most else sorted(choose.sample(range(size), most))


@dataclass
class Format:
    """A valid example, how to read it, and what may come of damage."""

    data: bytes
    read: Any
    errors: tuple[type[Exception], ...] = (Error,)
    check: Any = None  # looks at what is read in spite of damage
    lists: list[bytes] = field(default_factory=list)


def try_damages(made, limit):
    """Reads every damaged form; what is undamaged must be read."""
    right = made.read(made.data)
    if made.check is not None:
        made.check(right)
    refused = 0
    for damaged in [*damages(made.data), *made.lists]:
        with limit(MEMORY):
            try:
                found = made.read(damaged)
            except made.errors:
                refused += 1
                continue
        if made.check is not None:
            made.check(found)
    assert refused


def some_of(right):
    def check(found):
        assert all(each in right for each in found)

    return check


def equals(right):
    def check(found):
        assert found == right

    return check


def in_a_file(path, read):
    """Reads bytes through a file of that name."""

    def run(data):
        path.write_bytes(data)
        return read()

    return run


RECORDS = [b"first", b"", b"third" * 20]


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records(tmp_path, memory_limit, kind):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        for record in RECORDS:
            writer.write(record)
    dataset = tf.data.TFRecordDataset(str(path), kind)
    read = in_a_file(path, lambda: list(dataset.as_numpy_iterator()))
    try_damages(
        Format(path.read_bytes(), read, check=some_of(RECORDS)),
        memory_limit,
    )


def test_a_record_of_a_giant_length(tmp_path, memory_limit):
    path = tmp_path / "records"
    from gradtape._src.files.crc32c import masked_crc32c

    length = (1 << 62).to_bytes(8, "little")
    path.write_bytes(length + masked_crc32c(length).to_bytes(4, "little") + b"abc")
    with (
        memory_limit(MEMORY),
        pytest.raises(tf.errors.DataLossError, match="truncated record at 0"),
    ):
        list(tf.data.TFRecordDataset(str(path)))


def test_events(tmp_path, memory_limit):
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.scalar("loss", 1.5, step=1)
        tf.summary.scalar("loss", 2.5, step=2)
    (path,) = tmp_path.iterdir()
    read = in_a_file(path, lambda: list(summary_iterator(str(path))))
    data = path.read_bytes()
    try_damages(Format(data, read, check=some_of(read(data))), memory_limit)


def test_an_event_that_is_none(tmp_path):
    path = str(tmp_path / "events")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match=r"Event 0 of .*events is damaged"):
        list(summary_iterator(path))


def parts():
    model = tf.Module()
    model.a = tf.Variable([1.0, 2.0])
    model.b = [tf.Variable(np.arange(6).reshape(2, 3)), tf.Variable("text")]
    return model


def values(model):
    return [model.a.numpy().tolist(), [v.numpy().tolist() for v in model.b[:1]], model.b[1].numpy()]


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_checkpoints(tmp_path, memory_limit, end):
    prefix = tf.train.Checkpoint(model=parts()).write(tmp_path / "c")

    def restored():
        model = parts()
        for variable in (model.a, *model.b):
            variable.assign(tf.zeros_like(variable))
        tf.train.Checkpoint(model=model).read(prefix).assert_consumed()
        return values(model)

    path = Path(prefix + end)
    made = Format(path.read_bytes(), in_a_file(path, restored), check=equals(values(parts())))
    try_damages(made, memory_limit)


def test_graphs_of_objects(tmp_path, memory_limit):
    prefix = tf.train.Checkpoint(model=parts()).write(tmp_path / "c")
    reader = CheckpointReader(prefix)
    tensors = {name: reader.read(name) for name in reader.get_variable_to_shape_map()}
    data = tensors.pop(GRAPH_KEY).item()

    def restored(graph):
        write_bundle(prefix, {**tensors, GRAPH_KEY: graph})
        model = parts()
        tf.train.Checkpoint(model=model).read(prefix).expect_partial()

    try_damages(Format(data, restored, (Error, ValueError)), memory_limit)
    for wrong in (np.float32(1), np.array([b"a", b"b"], object), np.array([], object)):
        with pytest.raises(Error, match="graph of objects is damaged"):
            restored(wrong)


def test_saved_models(tmp_path, memory_limit):
    tf.saved_model.save(parts(), tmp_path)
    path = tmp_path / "saved_model.pb"
    read = in_a_file(path, lambda: tf.saved_model.load(tmp_path))
    # Of a name that has changed, the checkpoint has no value: AssertionError, as in TensorFlow.
    errors = (Error, AssertionError, ValueError)
    try_damages(Format(path.read_bytes(), read, errors), memory_limit)


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs JAX")
@pytest.mark.parametrize("name", ["functions.json", "0.stablehlo", "checksums.json"])
def test_saved_functions(tmp_path, name):
    copytree(OLD / "parts", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "assets.extra" / "gradtape" / name
    whole = path.read_bytes()
    every = list(damages(whole))
    for damaged in [*random.Random(1).sample(every, 60), b"[" * 100_000, b"", b"{}"]:
        path.write_bytes(damaged)
        try:
            loaded = tf.saved_model.load(tmp_path)
        except tf.errors.DataLossError as error:
            assert "assets.extra" in str(error)  # noqa: PT017 (JSON may mean the same as before)
        else:
            assert name == "checksums.json"
            assert loaded.f(tf.constant([3.0, 4.0])).numpy().tolist() == [3, 8]
    path.unlink()
    if name == "0.stablehlo":
        with pytest.raises(tf.errors.NotFoundError):
            tf.saved_model.load(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs JAX")
def test_saved_functions_without_checksums(tmp_path):
    """As older versions wrote them."""
    copytree(OLD / "doubled", tmp_path, dirs_exist_ok=True)
    extra = tmp_path / "assets.extra" / "gradtape"
    (extra / "checksums.json").unlink()
    assert tf.saved_model.load(tmp_path).f(tf.constant([3.0, 4.0])).numpy().tolist() == [6, 8]
    path = extra / "functions.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 50)):
        path.write_bytes(whole[:at])
        with pytest.raises(tf.errors.DataLossError, match=r"functions\.json"):
            tf.saved_model.load(tmp_path)


def test_descriptions_of_functions_without_a_checksum(tmp_path):
    copytree(OLD / "parts", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "assets.extra" / "gradtape" / "functions.json"
    path.with_name("checksums.json").unlink()
    described = '{"functions": [%s], "programs": [], "signatures": {}}'
    for text in (
        '{"functions": [], "signatures": {}}',
        described % '{"node": -1, "name": "f", "programs": []}',
        described % '{"node": 0, "name": "__class__", "programs": []}',
        '{"functions": [], "signatures": {"a": 0}, "programs": []}',
        '{"functions": [], "signatures": {}, "programs": [{"inputs": '
        + '{"list": [' * 400
        + "]}" * 400
        + "}]}",
        "5",
    ):
        path.write_text(text)
        with pytest.raises(tf.errors.DataLossError, match=r"functions\.json"):
            tf.saved_model.load(tmp_path)


def test_state_files(tmp_path, memory_limit, caplog):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path, 2)
    manager.save()
    path = tmp_path / "checkpoint"
    whole = path.read_bytes()
    for damaged in [*damages(whole), b'model_checkpoint_path: "\\777\\"' * 1000]:
        path.write_bytes(damaged)
        state = tf.train.get_checkpoint_state(tmp_path)
        assert state is None or isinstance(state.model_checkpoint_path, str)
        assert tf.train.latest_checkpoint(tmp_path) in (None, manager.latest_checkpoint)
    assert caplog.text.encode("utf-8")  # whatever stands in the file, a log can be written


def pictures():
    image = (np.arange(5 * 6 * 3).reshape(5, 6, 3) * 2).astype(np.uint8)
    yield "png", tf.io.encode_png(image).numpy(), tf.io.decode_png
    yield "png16", tf.io.encode_png(image.astype(np.uint16) * 257).numpy(), tf.io.decode_image
    yield "jpeg", tf.io.encode_jpeg(image).numpy(), tf.io.decode_jpeg
    yield "jpeg shape", tf.io.encode_jpeg(image).numpy(), tf.io.extract_jpeg_shape
    from io import BytesIO

    from PIL import Image

    for kind in ("GIF", "BMP", "WEBP"):
        out = BytesIO()
        frames = [Image.fromarray(image), Image.fromarray(255 - image)]
        more = {"save_all": True, "append_images": frames[1:]} if kind == "GIF" else {}
        frames[0].save(out, kind, **more)
        yield kind, out.getvalue(), tf.io.decode_image


@pytest.mark.filterwarnings("ignore::Warning:PIL")
def test_images(memory_limit):
    pytest.importorskip("PIL")
    for _, data, read in pictures():
        try_damages(Format(data, read, (Invalid,)), memory_limit)


def header_of(kind, width, height):
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    if kind == "png16":
        return _png(size + b"\x10\x02\0\0\0")
    if kind == "png":
        return _png(size + b"\x08\x02\0\0\0")
    if kind == "bmp":
        body = (
            (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little")
        )
        head = body + b"\1\0\x18\0" + b"\0" * 24
        return b"BM" + (54).to_bytes(4, "little") + b"\0" * 4 + (54).to_bytes(4, "little") + head
    edges = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return b"GIF89a" + edges + b"\0\0\0," + b"\0" * 4 + edges + b"\0\2\2\x4c\1\0;"


def _png(header):
    def chunk(kind, data):
        check = zlib.crc32(kind + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + kind + data + check

    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("kind", ["png", "png16", "bmp", "gif"])
@pytest.mark.parametrize("side", [0, 11_000, 60_000])
def test_pictures_that_claim_a_size(memory_limit, kind, side):
    pytest.importorskip("PIL")
    with memory_limit(1 << 27), pytest.raises(Invalid, match="Op:DecodeImage"):
        tf.io.decode_image(header_of(kind, side, side))


def test_16_bits_without_a_header():
    whole = tf.io.encode_png(np.ones([2, 2, 1], np.uint16)).numpy()
    body = zlib.compress(b"broken")[:-3]
    check = zlib.crc32(b"IDAT" + body).to_bytes(4, "big")
    end = whole.index(b"IDAT") - 4
    bad = whole[:end] + len(body).to_bytes(4, "big") + b"IDAT" + body + check + whole[-12:]
    for data in (whole[:8], bad, whole[:8] + whole[33:], whole[:33] + whole[-12:]):
        with pytest.raises(Invalid):
            tf.io.decode_image(data)


def feature(**held):
    return tf.train.Feature(**held)


EXAMPLE = Example(
    features=tf.train.Features(
        feature={
            "x": feature(int64_list=tf.train.Int64List(value=[1, 2, 3])),
            "y": feature(float_list=tf.train.FloatList(value=[0.5])),
            "z": feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"])),
        }
    )
).SerializeToString(deterministic=True)
WANTED = {
    "x": tf.io.RaggedFeature(tf.int64),
    "y": tf.io.FixedLenFeature([1], tf.float32, default_value=[0.0]),
    "z": tf.io.VarLenFeature(tf.string),
}
SEQUENCES = SequenceExample(
    feature_lists=tf.train.FeatureLists(
        feature_list={
            "s": tf.train.FeatureList(
                feature=[feature(int64_list=tf.train.Int64List(value=[n])) for n in range(4)]
            )
        }
    )
).SerializeToString(deterministic=True)
TENSOR = tf.io.serialize_tensor(tf.reshape(tf.range(6.0), [2, 3])).numpy()
TEXTS = tf.io.serialize_tensor(tf.constant(["a", "bc"])).numpy()
DEEP = bytes.fromhex("0a7f") * 5000


def claim(sides, dtype=1):
    """A tensor of one element that claims a shape."""
    return TensorProto(
        dtype=dtype,
        tensor_shape={"dim": [{"size": n} for n in sides]},
        float_val=[1.0],
        string_val=[b"a"],
    ).SerializeToString(deterministic=True)


MESSAGES = {
    "example": (EXAMPLE, lambda d: tf.io.parse_example([d], WANTED), (Invalid,)),
    "single": (EXAMPLE, lambda d: tf.io.parse_single_example(d, WANTED), (Invalid,)),
    "sequences": (
        SEQUENCES,
        lambda d: tf.io.parse_single_sequence_example(
            d, sequence_features={"s": tf.io.FixedLenSequenceFeature([], tf.int64)}
        ),
        (Invalid,),
    ),
    "tensor": (TENSOR, lambda d: tf.io.parse_tensor(d, tf.float32), (Invalid,)),
    "texts": (TEXTS, lambda d: tf.io.parse_tensor(d, tf.string), (Invalid,)),
    "message": (EXAMPLE, Example.FromString, (DecodeError,)),
    "event": (Event(wall_time=1.0, step=3).SerializeToString() + b"\x1a\x01a", Event.FromString,
              (DecodeError,)),
    "ndarray": (TENSOR, lambda d: tf.make_ndarray(TensorProto.FromString(d)),
                (DecodeError, ValueError, TypeError)),
    "gzip": (gzip.compress(b"text" * 9), lambda d: tf.io.decode_compressed(d, "GZIP"), (Error,)),
    "zlib": (zlib.compress(b"text" * 9), lambda d: tf.io.decode_compressed(d, "ZLIB"), (Error,)),
    "base64": (tf.io.encode_base64("some text").numpy(), tf.io.decode_base64, (Invalid,)),
    "raw": (b"12345678" * 4, lambda d: tf.io.decode_raw(d, tf.int64), (Invalid,)),
    "csv": (
        b'12,1.5,"a ""b"", c",9',
        lambda d: tf.io.decode_csv(d, [[0], [0.0], [""], [0]]),
        (Invalid,),
    ),
    "number": (b"1.5e3", tf.strings.to_number, (Invalid,)),
    "whole number": (b"12345", lambda d: tf.strings.to_number(d, tf.int64), (Invalid,)),
}  # fmt: skip


@pytest.mark.parametrize("what", MESSAGES)
def test_strings(memory_limit, what):
    data, read, errors = MESSAGES[what]
    lists = [b"", DEEP, b"9" * 5000, b"0x1p" + b"9" * 300, *GIANT]
    lists += [claim([1 << 40]), claim([1 << 31, 1 << 31]), claim([-1]), claim([1 << 32], 7)]
    lists += [claim([2], dtype) for dtype in range(-3, 60)]
    try_damages(Format(data, read, errors, lists=lists), memory_limit)


@pytest.mark.parametrize("digits", [20, 5000])
def test_numbers_of_many_digits(digits):
    with pytest.raises(Invalid, match="is not a valid int32"):
        tf.io.decode_csv("9" * digits, [[0]])
    assert tf.io.decode_csv("9" * digits, [[0.0]])[0].numpy() == float("9" * digits)
    assert tf.strings.to_number("0" * digits + "7", tf.int64).numpy() == 7
    assert tf.strings.to_number("-" + "0" * digits + "7", tf.int64).numpy() == -7
    assert tf.strings.to_number("0x1p" + "9" * 9).numpy() == np.inf
    with pytest.raises(Invalid):
        tf.strings.to_number("9" * 100_000 + "x")  # whose time grows with its length alone


@pytest.mark.parametrize("rows", [[1 << 40], [5, 0], [-1], [1 << 62, (1 << 62) + 1]])
def test_rows_that_claim_too_much(memory_limit, rows):
    example = Example(
        features=tf.train.Features(
            feature={
                "v": feature(int64_list=tf.train.Int64List(value=[1] * len(rows))),
                "p": feature(int64_list=tf.train.Int64List(value=rows)),
            }
        )
    ).SerializeToString(deterministic=True)
    kinds = (tf.io.RaggedFeature.ValueRowIds, tf.io.RaggedFeature.RowLengths)
    for kind in kinds:
        wanted = {"v": tf.io.RaggedFeature(tf.int64, partitions=[kind("p")])}
        with memory_limit(MEMORY), pytest.raises(Invalid, match="does not divide"):
            tf.io.parse_single_example(example, wanted)


@pytest.mark.parametrize("name", ["dataset.json", "elements"])
def test_saved_datasets(tmp_path, memory_limit, name):
    dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2, 3], "t": ["a", "b", "c"]})
    dataset.save(str(tmp_path))
    (path,) = tmp_path.glob(f"{name}*")
    read = in_a_file(path, lambda: list(tf.data.Dataset.load(str(tmp_path)).as_numpy_iterator()))
    data = path.read_bytes()
    right = read(data)
    check = equals(right) if name == "elements" else None
    try_damages(Format(data, read, check=check, lists=[b"[" * 100_000]), memory_limit)


def test_files_of_text(tmp_path, memory_limit):
    path = tmp_path / "table"
    data = b"a\t1\nb\t2\n"

    def table():
        made = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter="\t")
        return tf.lookup.StaticHashTable(made, -1)

    try_damages(Format(data, in_a_file(path, table)), memory_limit)

    def rows():
        dataset = tf.data.experimental.CsvDataset(str(path), [tf.string, tf.float32], header=True)
        return list(dataset.as_numpy_iterator())

    try_damages(Format(b"name,n\nx,0x1p5\ny,2\n", in_a_file(path, rows)), memory_limit)

    def batches():
        made = tf.data.experimental.make_csv_dataset(str(path), 1, num_epochs=1, shuffle=False)
        return list(made.as_numpy_iterator())

    csv = b"name,n\nx,0x15\ny,2\n"
    try_damages(Format(csv, in_a_file(path, batches), (Error, ValueError)), memory_limit)


NAMES = ["x" * 5000, "a\0b", "\ud800"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_file_has(tmp_path, name):
    path = f"{tmp_path}/{name}"
    for call in (
        lambda: tf.io.gfile.GFile(path, "w").write("text"),
        lambda: tf.io.gfile.GFile(path).read(),
        lambda: tf.io.gfile.stat(path),
        lambda: tf.io.gfile.mkdir(path),
        lambda: tf.io.gfile.makedirs(path),
        lambda: tf.io.gfile.remove(path),
        lambda: tf.io.gfile.copy(path, path + "2", overwrite=True),
        lambda: tf.io.gfile.rename(path, path + "2", overwrite=True),
        lambda: tf.io.gfile.rmtree(path),
        lambda: tf.io.gfile.listdir(path),
        lambda: list(tf.data.TFRecordDataset([Path(path)])),
        lambda: tf.train.Checkpoint().read(path),
        lambda: tf.train.load_variable(path, "v"),
        lambda: tf.data.Dataset.load(path),
        lambda: tf.io.TFRecordWriter(path),
    ):
        with pytest.raises(Error):
            call()
    if name.isascii():
        for op in (tf.io.read_file, lambda held: tf.io.write_file(held, "text")):
            with pytest.raises(Error):
                op(path)
    assert not tf.io.gfile.exists(path)
    assert not tf.io.gfile.isdir(path)
    assert tf.train.latest_checkpoint(path) is None
    assert not tf.saved_model.contains_saved_model(path)
    assert list(tf.io.gfile.walk(path)) == []
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        tf.saved_model.load(path)


def test_places_in_files(tmp_path, memory_limit):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    for place in (-5, 1 << 70):
        with tf.io.gfile.GFile(path, "rb") as file, pytest.raises(Invalid):
            file.seek(place)
    with memory_limit(MEMORY), tf.io.gfile.GFile(path, "rb") as file:
        assert file.read(1 << 60) == b"abc"
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.io.gfile.GFile(tmp_path, "rb").read()


def test_the_boundary_lets_other_errors_pass():
    for error in (KeyboardInterrupt, FileNotFoundError, ModuleNotFoundError):
        with pytest.raises(error), reading("x"):
            raise error
    unknown = tf.errors.UnimplementedError(None, None, "why")
    with pytest.raises(tf.errors.UnimplementedError, match="why"), reading("x"):
        raise unknown
    match = "x is damaged or cut off: 'k' is missing"
    with pytest.raises(Invalid, match=match), reading("x", Invalid):
        raise KeyError("k")
