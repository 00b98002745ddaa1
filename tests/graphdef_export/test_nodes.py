import numpy as np
import pytest

from gradtape._src.base.errors import UnimplementedError
from gradtape._src.graphdef_export.nodes import Nodes


def test_attributes_follow_from_inputs() -> None:
    nodes = Nodes()
    x = nodes.const(np.ones((2, 3), np.float64))
    out = nodes.op("ConcatV2", [x, x], nodes.const(0, "int32"))
    made = nodes.made[-1]
    assert made.attr["N"].i == 2
    assert made.attr["T"].type == 2
    assert list(made.input) == ["Const:output:0", "Const:output:0", "Const_1:output:0"]
    assert (out.dtype, out.in_function()) == ("float64", "ConcatV2:output:0")


def test_what_is_no_value_becomes_a_constant_of_the_other_inputs_dtype() -> None:
    nodes = Nodes()
    x = nodes.const(np.ones(2, np.float16))
    nodes.op("Maximum", x, 0)
    assert [node.attr["dtype"].type for node in nodes.made[:2]] == [19, 19]


def test_equal_small_constants_are_one_node() -> None:
    nodes = Nodes()
    assert nodes.const(1, "int32") == nodes.const(1, "int32")
    assert nodes.const(1, "int64") != nodes.const(1, "int32")


def test_names_in_a_graph_count_outputs() -> None:
    nodes = Nodes(is_function=False)
    _, second = nodes.op("TopKV2", nodes.const(np.ones(3)), nodes.const(1, "int32"))
    assert second.in_graph() == "TopKV2:1"


@pytest.mark.parametrize(
    ("inputs", "attributes", "message"),
    [
        ((), {}, "takes 2 inputs"),
        (("int32", "float32"), {}, "got dtypes"),
        (("int32", "int32"), {"colour": 1}, "has no attributes"),
    ],
)
def test_wrong_nodes_are_refused(
    inputs: tuple[str, ...], attributes: dict[str, int], message: str
) -> None:
    nodes = Nodes()
    values = [nodes.const(1, dtype) for dtype in inputs]
    with pytest.raises(TypeError, match=message):
        nodes.op("AddV2", *values, **attributes)


def test_a_missing_attribute_is_named() -> None:
    nodes = Nodes()
    with pytest.raises(TypeError, match="Cast needs the attribute DstT"):
        nodes.op("Cast", nodes.const(1.0))


def test_values_that_an_operation_does_not_take_are_refused() -> None:
    nodes = Nodes()
    x = nodes.const(np.ones((1, 2, 3), np.float32))
    with pytest.raises(UnimplementedError, match="BiasAdd does not take data_format = NCW"):
        nodes.op("BiasAdd", x, nodes.const(np.ones(2, np.float32)), data_format="NCW")
    z = nodes.const(np.ones(2, np.complex64))
    with pytest.raises(UnimplementedError, match="Complex does not take T = complex64"):
        nodes.op("Complex", z, z, Tout="complex64")
