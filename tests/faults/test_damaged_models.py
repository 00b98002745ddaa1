"""Models with other bytes in them: they are refused, or run, within bounded memory."""

import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from graph_nodes import Name, body, const, function, node, run
from saving.recorded_models import Recorded

import gradtape as tf
from gradtape._src.graphdef.bodies import Functions
from gradtape._src.graphdef.nodes import Surroundings

MODELS = sorted((Path(__file__).parents[1] / "saving" / "tensorflow_models").glob("*.zip"))
MEMORY = 1 << 30
CHANGED = 40  # forms of each model
LOADING = (tf.errors.DataLossError, FileNotFoundError)
# Of variables that the checkpoint doesn't have, or of other shapes; as in TensorFlow.
OTHER_MODEL = (AssertionError, ValueError, tf.errors.InvalidArgumentError)
# A call may be of another structure, and operations may get other shapes, dtypes and attributes.
CALLING = (tf.errors.OpError, ValueError, TypeError, AssertionError)


def changed(data, choose):
    """Bytes of which some are others, are gone, or are new."""
    made = bytearray(data)
    for _ in range(choose.choice([1, 1, 1, 2, 4, 8])):
        at = choose.randrange(len(made))
        way = choose.randrange(4)
        if way == 0:
            made[at] ^= 1 << choose.randrange(8)
        elif way == 1:
            made[at] = choose.choice([0, 0x01, 0x7F, 0x80, 0xFF])
        elif way == 2:
            del made[at : at + choose.randrange(1, 9)]
        else:
            made[at:at] = bytes([choose.randrange(256)]) * choose.randrange(1, 5)
    return bytes(made)


def unpacked(file, folder):
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def try_calls(folder):
    """Runs what can be loaded; returns whether it could."""
    try:
        tf.saved_model.load(folder)
    except (*LOADING, *OTHER_MODEL):
        return False
    try:
        recorded = Recorded(tf, folder)
        for number, call in enumerate(recorded.about["calls"]):
            try:
                recorded.check_call(number, call)
            except CALLING:
                continue
    except (AttributeError, KeyError, StopIteration, IndexError):  # no function of that name
        pass
    return True


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of operations that gradtape doesn't know
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_models_with_other_bytes(file, tmp_path, memory_limit):
    folder = unpacked(file, tmp_path)
    path = folder / "saved_model.pb"
    whole, choose = path.read_bytes(), random.Random(file.stem)
    loaded = 0
    for _ in range(CHANGED):
        path.write_bytes(changed(whole, choose))
        with memory_limit(MEMORY):
            loaded += try_calls(folder)
    assert loaded < CHANGED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["variables.index", "variables.data-00000-of-00001"])
@pytest.mark.parametrize("model", ["dense", "tables"])
def test_models_with_other_values(model, name, tmp_path, memory_limit):
    folder = unpacked(next(file for file in MODELS if file.stem == model), tmp_path)
    path = folder / "variables" / name
    whole, choose = path.read_bytes(), random.Random(model + name)
    for _ in range(CHANGED * 4):
        path.write_bytes(damaged := changed(whole, choose))
        with memory_limit(MEMORY):
            try:
                tf.saved_model.load(folder)
            except (*LOADING, *OTHER_MODEL):
                continue
        assert damaged == whole or name.endswith("index")


@pytest.mark.parametrize("at", [0, 3, 50])
def test_a_model_that_is_cut_off(at, tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(path.read_bytes()[:at])
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(tmp_path)


BIG = 2**31 - 1
OF = {"element_dtype": tf.float32}
SHAPED = {**OF, "shape_type": tf.int32}
HUGE = np.array([10**6, 10**6], np.int32)


def a_list():
    return run("TensorListReserve", [2], 2, **SHAPED)[0]


GREEDY = {
    "filled and used": lambda: run("Fill", HUGE, 1.0, T=tf.float32, index_type=tf.int32),
    "broadcast": lambda: run("BroadcastTo", [1.0], HUGE, T=tf.float32, Tidx=tf.int32),
    "reserved": lambda: run("TensorListReserve", [2], BIG, **SHAPED),
    "resized": lambda: run("TensorListResize", a_list(), BIG),
    "array": lambda: run("TensorArrayV3", BIG, dtype=tf.float32, gives=2),
    "scattered": lambda: run("TensorListScatterV2", [[1.0, 2.0]], [BIG - 1], [2], -1, **SHAPED),
    "set past the end": lambda: run(
        "TensorListSetItem", a_list(), BIG, [1.0, 2.0], **OF, resize_if_index_out_of_bounds=True
    ),
    "range": lambda: run("Range", 0, BIG, 1, Tidx=tf.int32),
    "tiled": lambda: run("Tile", [[1.0]], HUGE, T=tf.float32, Tmultiples=tf.int32),
    "random": lambda: run("RandomUniform", HUGE, T=tf.int32, dtype=tf.float32),
}


@pytest.mark.parametrize("what", GREEDY)
def test_nodes_that_ask_for_too_much(what, memory_limit):
    with memory_limit(MEMORY), pytest.raises(tf.errors.ResourceExhaustedError):
        GREEDY[what]()


WRONG = {
    "a negative size": lambda: run("TensorListReserve", [2], -5, **SHAPED),
    "a negative new size": lambda: run("TensorListResize", a_list(), -3),
    "a list of a scalar": lambda: run("TensorListFromTensor", 1.0, [], **SHAPED),
    "a tensor as a list": lambda: run("TensorListStack", 1.0, [2], **OF),
    "a tensor as an optional": lambda: run(
        "OptionalGetValue", 1.0, output_types=[tf.float32], output_shapes=[tf.TensorShape([])]
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_nodes_with_wrong_lists(what):
    with pytest.raises(tf.errors.InvalidArgumentError):
        WRONG[what]()


def call_of(name):
    kind = tf.float32
    return node("y", "PartitionedCall", "x", Tin=[kind], Tout=[kind], f=Name(name))


def nested(depth):
    own = [node("y", "Neg", "x", T=tf.float32)]
    made = [function("f0", {"x": tf.float32}, own, {"y:y:0": tf.float32})]
    for i in range(depth):
        calls = [call_of(f"f{i}")]
        made.append(function(f"f{i + 1}", {"x": tf.float32}, calls, {"y:output:0": tf.float32}))
    return made


def test_calls_that_are_nested_too_deeply():
    with pytest.raises(ValueError, match="nested too deeply"):
        Functions(nested(5000), Surroundings()).body("f5000")
    few = Functions(nested(20), Surroundings()).body("f20")
    assert few.run([tf.constant(2.0)])[0].numpy() == -2


def test_functions_that_call_each_other():
    made = [
        function(f, {"x": tf.float32}, [call_of(g)], {"y:output:0": tf.float32})
        for f, g in (("f", "g"), ("g", "f"))
    ]
    with pytest.raises(ValueError, match="calls itself"):
        Functions(made, Surroundings()).body("f")


def test_a_stack_that_is_pushed_on_itself():
    made = [
        const("most", -1),
        node("s", "StackV2", "most", elem_type=tf.float32, stack_name="a"),
        node("p", "StackPushV2", "p", "x", T=tf.float32),
    ]
    with pytest.raises(ValueError, match="depends on itself"):
        body(made, ["x"], ["p"])
