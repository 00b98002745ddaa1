import pytest

from gradtape._src.compat.python.linear_operator import LinearOperator, make_composite_tensor
from gradtape._src.ops.types.spec_names import get_name, lookup
from gradtape.linalg import LinearOperatorDiag


def test_a_class_of_operators_gets_a_name_for_its_specs():
    @make_composite_tensor
    class Own(LinearOperatorDiag):
        pass

    operator = Own([1.0, 2.0])
    assert isinstance(operator, LinearOperator)
    spec = type(operator._type_spec)
    assert get_name(spec) == "tf.linalg.OwnSpec"
    assert lookup("tf.linalg.OwnSpec") is spec
    with pytest.raises(ValueError, match="already"):
        make_composite_tensor(Own)
