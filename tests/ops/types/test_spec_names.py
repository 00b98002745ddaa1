"""Names under which classes of specs are saved."""

import pytest

import gradtape as tf
from gradtape._src.ops.types import spec_names


def test_names_of_specs():
    class Spec(tf.TypeSpec):
        pass

    assert spec_names.register("gradtape_test.Spec")(Spec) is Spec
    assert spec_names.lookup("gradtape_test.Spec") is Spec
    assert spec_names.get_name(Spec) == "gradtape_test.Spec"
    with pytest.raises(ValueError, match="already been registered"):
        spec_names.register("gradtape_test.Other")(Spec)
    with pytest.raises(ValueError, match="must have the form"):
        spec_names.register("plain")


class Point(tf.experimental.ExtensionType):
    __name__ = "gradtape_test.Point"
    x: tf.Tensor


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (tf.TensorSpec([1, None]), "tf.TensorSpec"),
        (tf.RaggedTensorSpec([2, None]), "tf.RaggedTensorSpec"),
        (tf.SparseTensorSpec([2]), "tf.SparseTensorSpec"),
        (tf.TensorArraySpec([2]), "tf.TensorArraySpec"),
        (Point.Spec(tf.TensorSpec([2])), "gradtape_test.Point.Spec"),
        (
            tf.type_spec_from_value(tf.linalg.LinearOperatorDiag([1.0, 2.0])),
            "tf.linalg.LinearOperatorDiagSpec",
        ),
    ],
)
def test_specs_by_their_names(spec, name):
    assert spec_names.get_name(type(spec)) == name
    assert spec_names.lookup(name)._deserialize(spec._serialize()) == spec


def test_extension_types_without_a_name_are_not_registered():
    class Unnamed(tf.experimental.ExtensionType):
        x: tf.Tensor

    with pytest.raises(ValueError, match="has not been registered"):
        spec_names.get_name(Unnamed.Spec)
