"""The manifest names all that is loaded on first use, and everything is found there."""

import importlib
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape._src.first_use import loading
from gradtape._src.first_use.manifest import IMPLEMENTING, NAMES, PROVIDERS
from gradtape._src.first_use.operations import OPERATIONS
from gradtape._src.ops.types import dispatch_for_api

ALL_ROOMS = (
    "import gradtape as tf, pkgutil, importlib\n"
    "names = [m.name for m in pkgutil.walk_packages(tf.__path__, 'gradtape.')]\n"
    "for name in names:\n"
    "    if '._src.' in name and '.cli' not in name:\n"
    "        try:\n"
    "            importlib.import_module(name)\n"
    "        except ImportError:\n"  # of an optional package
    "            pass\n"
)


def output(program):
    """Returns the words that a program prints in a new process."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_each_name_is_there_and_listed():
    listed = set(dir(tf))
    for name, place in NAMES.items():
        module, _, attribute = place.partition(":")
        found = importlib.import_module(module)
        assert getattr(tf, name) is (getattr(found, attribute) if attribute else found), name
        assert name in listed


def test_the_import_loads_what_a_tensor_needs_and_no_other_room():
    loaded = output("import sys, gradtape; print(*sys.modules)")
    rooms = {name.split("._src.")[1] for name in loaded if "gradtape._src." in name}
    heads = {room.split(".")[0] for room in rooms}
    assert heads == {"base", "compat", "compute", "core", "declare", "first_use", "ops"}
    folders = {room.split(".")[1] for room in rooms if room.startswith("ops.")}
    assert folders == {"array", "elementwise", "linalg", "operators", "types"}
    public = {name for name in loaded if name.startswith("gradtape.") and "_src" not in name}
    assert public == {"gradtape._version"}


@pytest.mark.slow
def test_a_star_import_gives_every_name_but_keras():
    found = output("from gradtape import *\nimport sys; sys.stdout.write(' '.join(globals()))")
    assert set(NAMES) <= set(found)
    assert "keras" not in found


def test_the_star_import_and_the_names_of_a_program_are_the_same_objects():
    given = output(
        "import gradtape as tf\nfrom gradtape import reduce_sum, nn\n"
        "print(tf.reduce_sum is reduce_sum, tf.nn is nn, tf.reduce_sum is tf.math.reduce_sum)"
    )
    assert given == ["True"] * 3


USES = {
    "operators": "print((tf.constant([1.0, 2.0]) @ tf.constant([[1.0], [2.0]]) if False else "
    "tf.constant(2.0) * 3).numpy())",
    "ragged values": "print((tf.RaggedTensor.from_row_lengths([1.0, 2.0], [1, 1]) + 1).to_list())",
    "sparse values": "print(tf.abs(tf.SparseTensor([[0]], [-1.0], [2])).values.numpy())",
    "linear operators": "d = tf.linalg.LinearOperatorDiag([2.0]); "
    "print(tf.linalg.matmul(d, d).diag_part().numpy())",
    "functions": "f = tf.function(lambda x: tf.while_loop(lambda i: i < x, lambda i: i + 1, [0])); "
    "print(f(tf.constant(3)))",
    "data sets with loops": "d = tf.data.Dataset.range(2).map(lambda x: tf.cond(x > 0, "
    "lambda: x, lambda: -x)); print([int(x) for x in d])",
    "a summary of a tape": "x = tf.Variable(1.0)\nwith tf.GradientTape() as t: y = x * x\n"
    "print(t.summary())",
    "pictures in notebooks": "print('<' in tf.constant([1.0])._repr_html_())",
    "specs of slices": "s = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), [3, 2]); "
    "print(tf.nest.flatten(s._type_spec))",
    "raw operations": "print(tf.raw_ops.Betainc(a=1.0, b=1.0, x=0.5).numpy())",
    "definitions of graphs": "f = tf.function(lambda x: tf.sin(x)); "
    "print(len(f.get_concrete_function(tf.constant(1.0)).graph.as_graph_def().node))",
}


@pytest.mark.slow
@pytest.mark.parametrize("use", USES)
def test_what_a_program_uses_first_is_found(use):
    assert output(f"import gradtape as tf\n{USES[use]}")


def test_an_operation_of_a_room_that_is_not_loaded_keeps_its_name_and_gradient():
    program = (
        "import gradtape as tf\n"
        "for declare in (lambda: tf.define_op('Betainc')(abs), "
        "lambda: tf.RegisterGradient('Lgamma')(abs)):\n"
        "    try:\n"
        "        declare()\n"
        "        print('accepted')\n"
        "    except KeyError:\n"
        "        print('refused')\n"
    )
    assert output(program) == ["refused"] * 2


@pytest.mark.slow
def test_each_operation_is_named_with_the_module_that_declares_it():
    program = (
        f"{ALL_ROOMS}"
        "import sys\n"
        "from gradtape._src.declare.general import REGISTRY\n"
        "from gradtape._src.base.export import RAW_OPS\n"
        "print(*REGISTRY, *RAW_OPS)"
    )
    assert set(output(program)) <= set(OPERATIONS)


def test_the_module_of_an_operation_declares_it():
    for name in ("Betainc", "MatMulAdjointX", "MatrixExponential", "ResizeBilinear"):
        loading.operation(name)
        assert OPERATIONS[name] in sys.modules
    loading.operation("NoSuchOperation")  # is nobody's


@pytest.mark.slow
def test_each_extension_point_that_a_module_fills_is_in_the_manifest():
    program = (
        f"{ALL_ROOMS}"
        "import gc\n"
        "from gradtape._src.core.extension_point import ExtensionPoint\n"
        "for point in gc.get_objects():\n"
        "    if type(point) is ExtensionPoint and point.provided is not None:\n"
        "        print(point._purpose.replace(' ', '_'))\n"
    )
    assert set(output(program)) <= {purpose.replace(" ", "_") for purpose in PROVIDERS}


@pytest.mark.slow
def test_each_module_with_implementations_is_in_the_manifest():
    program = (
        "import gradtape as tf\n"
        "from gradtape._src.first_use import loading\n"
        "from gradtape._src.base.dispatch import APIS, expect_composites\n"
        "expect_composites()\n"
        "known = {e.target for a in APIS.values() for e in a.entries}\n"
        f"{ALL_ROOMS}"
        "for api in APIS.values():\n"
        "    for e in api.entries:\n"
        "        other = e.target.__module__ != api.function.__module__\n"
        "        if other and e.target not in known: print(e.target.__module__)\n"
    )
    of_listeners = {dispatch_for_api.__name__}  # which hear of each function that is made
    assert set(output(program)) <= of_listeners
    assert IMPLEMENTING
