"""Names under which classes of specs are saved."""

import pytest

import gradtape as tf
from gradtape._src.compat.python import spec_names


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
