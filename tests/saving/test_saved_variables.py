"""A saved model gives the values that it promises, or an error; never zeros without a word."""

import shutil

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.saving.bundle import write_bundle
from gradtape._src.saving.object_graph import GRAPH_KEY, Attribute, Node
from gradtape._src.saving.saved_variables import Declaration


class Model(tf.Module):
    def __init__(self, size=3):
        super().__init__()
        self.a = tf.Variable(tf.ones([size]))
        self.parts = [tf.Variable(2.0)]


@pytest.fixture
def model(tmp_path):
    tf.saved_model.save(Model(), tmp_path / "model")
    return tmp_path / "model"


def of_another(model, other):
    tf.saved_model.save(other, model.parent / "other")
    shutil.rmtree(model / "variables")
    shutil.copytree(model.parent / "other" / "variables", model / "variables")


def test_values(model):
    loaded = tf.saved_model.load(model)
    assert loaded.a.numpy().tolist() == [1, 1, 1]
    assert float(loaded.parts[0]) == 2
    assert loaded.a.name == "Variable:0"


@pytest.mark.parametrize("what", ["variables", "variables/variables.index"])
def test_variables_that_are_missing(model, what):
    lost = model / what
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    with pytest.raises(FileNotFoundError, match=r"Failed to find any matching files(.|\n)*lacks"):
        tf.saved_model.load(model)


def test_data_that_is_missing(model):
    (model / "variables" / "variables.data-00000-of-00001").unlink()
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.saved_model.load(model)


def test_variables_of_another_model(model):
    other = tf.Module()
    other.b = tf.Variable([1.0])
    of_another(model, other)
    with pytest.raises(AssertionError, match=r"Found 2 .*another model.*\(root\)\.a"):
        tf.saved_model.load(model)


def test_variables_of_another_shape(model):
    of_another(model, Model(5))
    with pytest.raises(ValueError, match=r"shape \(5,\).*shape \(3,\)"):
        tf.saved_model.load(model)


def test_variables_of_another_dtype(model):
    other = Model()
    other.a = tf.Variable([1, 2, 3])
    of_another(model, other)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32 does not equal .* int32"):
        tf.saved_model.load(model)


def test_a_checkpoint_without_a_graph(model):
    write_bundle(str(model / "variables" / "variables"), {"a": np.ones(3, np.float32)})
    with pytest.raises(AssertionError, match="Found 2"):
        tf.saved_model.load(model)


def test_zeros_only_where_they_are_asked_for(model):
    half = tf.Module()
    half.a = tf.Variable(tf.fill([3], 7.0))
    of_another(model, half)
    options = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
    loaded = tf.saved_model.load(model, options=options)
    assert loaded.a.numpy().tolist() == [7, 7, 7]
    assert float(loaded.parts[0]) == 0
    shutil.rmtree(model / "variables")
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    assert tf.saved_model.load(model, options=options).a.numpy().tolist() == [0, 0, 0]


def graph_of(nodes):
    """The graph of objects of a checkpoint, serialized."""
    graph = protos.TrackableObjectGraph(nodes=[node.message(full=True) for node in nodes])
    return graph.SerializeToString()


def hostile(shape, parts=1):
    """A saved model whose variables claim a shape."""
    model = protos.SavedModel()
    graph = model.meta_graphs.add().object_graph_def
    root = graph.nodes.add(user_object={})
    for n in range(1, parts + 1):
        root.children.add(node_id=n, local_name=f"v{n}")
        graph.nodes.add(variable={"dtype": 1, "shape": {"dim": [{"size": n} for n in shape]}})
    return model.SerializeToString()


def test_claims_take_no_memory(model, memory_limit):
    data = hostile([1 << 32])
    assert len(data) < 60
    (model / "saved_model.pb").write_bytes(data)
    with memory_limit(1 << 28), pytest.raises(AssertionError, match="another model"):
        tf.saved_model.load(model)
    shutil.rmtree(model / "variables")
    with memory_limit(1 << 28), pytest.raises(FileNotFoundError):
        tf.saved_model.load(model)


def test_one_value_for_many_variables_takes_no_memory(model, memory_limit):
    size, parts = 1 << 20, 300
    nodes = [Node(children=[(f"v{n}", n) for n in range(1, parts + 1)])]
    nodes += [Node(attributes=[Attribute("VARIABLE_VALUE", "", "x")])] * parts
    tensors = {"x": np.ones(size, np.float32), GRAPH_KEY: graph_of(nodes)}
    write_bundle(str(model / "variables" / "variables"), tensors)
    (model / "saved_model.pb").write_bytes(hostile([size], parts))
    with memory_limit(1 << 28), pytest.raises(tf.errors.DataLossError, match="but the files have"):
        tf.saved_model.load(model)


@pytest.mark.parametrize("name", ["__class__", "__dict__", "_trackable_children", "__setattr__"])
def test_names_that_objects_need(model, name):
    written = protos.SavedModel()
    graph = written.meta_graphs.add().object_graph_def
    graph.nodes.add(user_object={}).children.add(node_id=1, local_name=name)
    graph.nodes.add()
    (model / "saved_model.pb").write_bytes(written.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match=f"part of the name '{name}'"):
        tf.saved_model.load(model)


def test_a_state_that_the_checkpoint_lacks(tmp_path):
    class State(tf.train.experimental.PythonState):
        value = "first"

        def serialize(self):
            return self.value

        def deserialize(self, string_value):
            self.value = string_value.decode()

    graph = [
        Node(children=[("state", 1)]),
        Node(attributes=[Attribute("py_state", "", "state/.ATTRIBUTES/py_state")]),
    ]
    packed = graph_of(graph)
    write_bundle(str(tmp_path / "c"), {GRAPH_KEY: packed})
    state = State()
    with pytest.raises(tf.errors.NotFoundError, match=r"Key state/\.ATTRIBUTES/py_state not found"):
        tf.train.Checkpoint(state=state).read(tmp_path / "c")
    write_bundle(str(tmp_path / "c"), {GRAPH_KEY: packed, "state/.ATTRIBUTES/other": b"x"})
    with pytest.raises(tf.errors.NotFoundError, match="Key py_state not found"):
        tf.train.Checkpoint(state=state).read(tmp_path / "c")
    assert state.value == "first"


def test_a_value_that_no_variable_takes(tmp_path):
    graph = [
        Node(children=[("v", 1)]),
        Node(attributes=[Attribute("ANOTHER_VALUE", "", "v/.ATTRIBUTES/ANOTHER_VALUE")]),
    ]
    packed = graph_of(graph)
    value = np.float32(3)
    write_bundle(str(tmp_path / "c"), {GRAPH_KEY: packed, "v/.ATTRIBUTES/ANOTHER_VALUE": value})
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).read(tmp_path / "c").expect_partial()
    with pytest.raises(AssertionError, match="not bound to checkpointed values"):
        status.assert_existing_objects_matched()
    with pytest.raises(AssertionError):
        status.assert_consumed()


def test_a_variable_may_have_any_rank():
    message = protos.SavedVariable(dtype=1, trainable=True)
    message.shape.unknown_rank = True
    declaration = Declaration.parse(message)
    assert declaration.empty().numpy() == 0
    variable = declaration.variable(np.ones([2], np.float32))
    assert variable.shape.rank is None
    variable.assign([[3.0]])
    assert variable.numpy().tolist() == [[3.0]]
