import numpy as np
import pytest
from saving.export import models

import gradtape as tf
from gradtape._src.graphdef.op_definitions import op_definition
from gradtape._src.saving.export.saved_functions import SavedFunctions


@pytest.mark.parametrize("name", models.MODELS)
def test_models_become_valid_graphs(name):
    module, _ = models.MODELS[name]()
    functions = SavedFunctions()
    saved = functions.of(module.f.get_concrete_function())
    wrapper = functions.signature(saved)
    assert {saved.name, wrapper.name} <= {f.signature.name for f in functions.library.functions}
    assert len({f.signature.name for f in functions.library.functions}) == len(
        functions.library.functions
    )
    for function in functions.library.functions:
        known = {x.name for x in function.signature.input_arg}
        assert len(function.attr["_input_shapes"].list.shape) == len(known)
        for node in function.node_def:
            assert set(node.attr) == set(op_definition(node.op).attributes)
            assert known.issuperset([x.strip("^").partition(":")[0] for x in node.input])
            known.add(node.name)


def test_a_function_without_a_graph_says_why(tmp_path):
    model = tf.Module()
    model.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec(None)])
    with pytest.raises(tf.errors.UnimplementedError, match="has no graph"):
        tf.saved_model.save(model, tmp_path)


@pytest.mark.parametrize("name", models.MODELS)
def test_models_give_the_same_when_they_are_loaded(tmp_path, name):
    module, inputs = models.MODELS[name]()
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    found, wanted = loaded.f(*inputs), module.f(*inputs)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
