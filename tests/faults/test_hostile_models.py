"""Whole models whose messages were edited to do harm: each ends in an error, within bounds."""

import numpy as np
import pytest
from graph_nodes import Name, const, function, node

import gradtape as tf
from gradtape._src.messages import protos

MEMORY = 1 << 30
FLOAT, INT = tf.float32, tf.int32
BIG, MILLION = 2**31 - 1, 10**6


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a good model, and its message."""
    folder = tmp_path_factory.mktemp("model")
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.f = tf.function(lambda x: x + module.v, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, folder)
    return folder, (folder / "saved_model.pb").read_bytes()


@pytest.fixture
def edited(whole, memory_limit):
    """Loads the model after an edit of its message, and calls it."""
    folder, data = whole

    def run(edit, options=None):
        model = protos.SavedModel.FromString(data)
        edit(model.meta_graphs[0])
        (folder / "saved_model.pb").write_bytes(model.SerializeToString())
        with memory_limit(MEMORY):
            loaded = tf.saved_model.load(folder, options=options)
            return lambda: loaded.f(tf.constant([1.0, 2.0]))

    return run


def graph(nodes, result, functions=()):
    """An edit that gives the model's function other nodes, whose argument is `x`."""

    def edit(meta):
        library = meta.graph_def.library
        changed = next(f for f in library.function if len(f.signature.input_arg) == 2)
        changed.signature.input_arg[0].name = "x"
        del changed.node_def[:]
        changed.node_def.extend(nodes)
        for name in list(changed.ret):
            changed.ret[name] = result
        changed.control_ret.clear()
        library.function.extend(functions)

    return edit


def one(operation, *inputs, out="output", **attributes):
    """An edit to one node, of constants and of the argument."""
    made, names = [], []
    for i, value in enumerate(inputs):
        if isinstance(value, str):
            names.append(value)
            continue
        made.append(const(f"c{i}", value))
        names.append(f"c{i}:output:0")
    return graph([*made, node("y", operation, *names, **attributes)], f"y:{out}:0")


def constant_of(*lengths):
    made = node("y", "Const", dtype=FLOAT)
    made.attr["value"].tensor.dtype = FLOAT.as_datatype_enum
    for n in lengths:
        made.attr["value"].tensor.tensor_shape.dim.add(size=n)
    made.attr["value"].tensor.float_val.append(1.0)
    return graph([made], "y:output:0")


def with_dtype(number, name="T"):
    made = node("y", "Neg", "x")
    made.attr[name].type = number
    return graph([made], "y:y:0")


def call(name, of, result="y"):
    return node(result, "PartitionedCall", of, Tin=[FLOAT], Tout=[FLOAT], f=Name(name))


def of_calls(*pairs, to):
    """An edit to a call of functions that call others: pairs of a name, and the calls in it."""
    made = [function("end", {"x": FLOAT}, [node("y", "Neg", "x", T=FLOAT)], {"y:y:0": FLOAT})]
    for name, called in pairs:
        before, calls = "x", []
        for i, other in enumerate(called):
            calls.append(call(other, before, f"y{i}"))
            before = f"y{i}:output:0"
        made.append(function(name, {"x": FLOAT}, calls, {before: FLOAT}))
    return graph([call(to, "x")], "y:output:0", made)


def chain(depth, times=1):
    pairs = [(f"f{i}", [f"f{i - 1}" if i else "end"] * times) for i in range(depth)]
    return of_calls(*pairs, to=f"f{depth - 1}")


def loop(nodes, result):
    """An edit to a loop with a huge count, whose body has such nodes of `x`."""
    ends = [const("n", BIG), node("l", "Less", "i", "n:output:0", T=INT)]
    steps = [const("o", 1), node("a", "AddV2", "i", "o:output:0", T=INT), *nodes]
    arguments = {"i": INT, "x": FLOAT}
    functions = [
        function("test", arguments, ends, {"l:z:0": tf.bool}),
        function("body", arguments, steps, {"a:z:0": INT, result: FLOAT}),
    ]
    attributes = {"cond": Name("test"), "body": Name("body"), "parallel_iterations": 10}
    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    made = node(
        *("w", "While", "z:output:0", "x"), T=[INT, FLOAT], output_shapes=shapes, **attributes
    )
    return graph([const("z", 0), made], "w:output:1", functions)


def of_list(element, stacked, count=-1, of=FLOAT):
    """An edit to a list of two vectors of three elements, which is stacked to another shape."""
    made = [
        *(const("k", [2, 3]), const("o", 1.0), const("e", element), const("s", stacked)),
        node("rows", "Fill", "k:output:0", "o:output:0", T=FLOAT, index_type=INT),
        node(
            *("l", "TensorListFromTensor", "rows:output:0", "e:output:0"),
            element_dtype=FLOAT,
            shape_type=INT,
        ),
        node(
            *("y", "TensorListStack", "l:output_handle:0", "s:output:0"),
            element_dtype=of,
            num_elements=count,
        ),
    ]
    return graph(made, "y:tensor:0")


def variable(**values):
    """An edit of the variable's description."""

    def edit(meta):
        for saved in meta.object_graph_def.nodes:
            if saved.WhichOneof("kind") == "variable":
                if "shape" in values:
                    del saved.variable.shape.dim[:]
                    for n in values["shape"]:
                        saved.variable.shape.dim.add(size=n)
                if "dtype" in values:
                    saved.variable.dtype = values["dtype"]

    return edit


def results_in_lists(depth):
    def edit(meta):
        for described in meta.object_graph_def.concrete_functions.values():
            inner = described.output_signature
            for _ in range(depth):
                outer = protos.StructuredValue()
                outer.list_value.values.add().CopyFrom(inner)
                inner = outer
            described.output_signature.CopyFrom(inner)

    return edit


def parts_of(number):
    def edit(meta):
        for saved in meta.object_graph_def.nodes:
            for child in saved.children:
                child.node_id = number

    return edit


def captures_of(number):
    def edit(meta):
        for described in meta.object_graph_def.concrete_functions.values():
            described.bound_inputs[:] = [number] * len(described.bound_inputs)

    return edit


def argument_dtypes(number):
    def edit(meta):
        for known in meta.graph_def.library.function:
            for argument in known.signature.input_arg:
                argument.type = number

    return edit


DAMAGED = {
    "a constant of 10**12 elements": constant_of(MILLION, MILLION),
    "a constant of more than 2**63 elements": constant_of(2**40, 2**40),
    "a constant of a negative length": constant_of(-5),
    "a constant of 1000 axes": constant_of(*[1] * 1000),
    "a dtype without a name": with_dtype(999),
    "no dtype": with_dtype(1, "U"),
    "an argument of a dtype without a name": argument_dtypes(999),
    "an argument of dtype 0": argument_dtypes(0),
    "a variable of a dtype without a name": variable(dtype=999),
    "a variable of resources": variable(dtype=tf.resource.as_datatype_enum),
    "a function that calls itself": of_calls(("f", ["g"]), ("g", ["f"]), to="f"),
    "calls that are nested too deeply": chain(5000),
    "more calls than a computer makes": chain(60, times=2),
    "more results than there is memory for": one("Unpack", "x", num=BIG, T=FLOAT, axis=0),
    "more inputs than there is memory for": one("Pack", "x", N=10**12, T=FLOAT, axis=0),
    "messages that are nested too deeply": results_in_lists(200),
    "a part that does not exist": parts_of(10**9),
    "a part with a negative number": parts_of(-1),
    "a capture that does not exist": captures_of(10**9),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_models_that_are_refused(what, edited):
    with pytest.raises(tf.errors.DataLossError):
        edited(DAMAGED[what])


HUGE = [MILLION, MILLION]
GREEDY = {
    "Fill": one("Fill", HUGE, 1.0, T=FLOAT, index_type=INT),
    "Range": one("Range", 0, BIG, 1, Tidx=INT),
    "LinSpace": one("LinSpace", 0.0, 1.0, BIG, T=FLOAT, Tidx=INT),
    "OneHot": one("OneHot", [1], BIG, 1.0, 0.0, TI=INT, T=FLOAT, axis=-1),
    "Pad": one("Pad", "x", [[BIG, BIG]], T=FLOAT, Tpaddings=INT),
    "Tile": one("Tile", "x", [BIG], T=FLOAT, Tmultiples=INT),
    "ScatterNd": one("ScatterNd", [[0]], [1.0], [BIG], T=FLOAT, Tindices=INT),
    "UnsortedSegmentSum": one(
        *("UnsortedSegmentSum", "x", [0, 1], BIG), T=FLOAT, Tindices=INT, Tnumsegments=INT
    ),
    "DenseBincount": one(
        "DenseBincount", [1], BIG, np.zeros(0), Tidx=INT, T=FLOAT, binary_output=False
    ),
    "AsString": one(
        "AsString", "x", T=FLOAT, width=BIG, precision=-1, scientific=False, shortest=False, fill=""
    ),
    "RandomStandardNormal": one("RandomStandardNormal", HUGE, T=INT, dtype=FLOAT, seed=1, seed2=2),
    "ResizeBilinear": one(
        *("ResizeBilinear", np.ones([1, 1, 1, 1]), HUGE),
        out="resized_images",
        T=FLOAT,
        align_corners=False,
        half_pixel_centers=False,
    ),
    "MaxPool": one(
        *("MaxPool", np.ones([1, 4, 4, 1])),
        T=FLOAT,
        ksize=[1, 10**9, 10**9, 1],
        strides=[1, 1, 1, 1],
        padding="EXPLICIT",
        data_format="NHWC",
        explicit_paddings=[0, 0, *[10**9] * 4, 0, 0],
    ),
    "RFFT": one("RFFT", "x", [BIG], Treal=FLOAT, Tcomplex=tf.complex64),
    "TensorListReserve": graph(
        [
            *(const("e", [2]), const("n", BIG)),
            node(
                *("l", "TensorListReserve", "e:output:0", "n:output:0"),
                element_dtype=FLOAT,
                shape_type=INT,
            ),
            node(
                *("y", "TensorListStack", "l:handle:0", "e:output:0"),
                element_dtype=FLOAT,
                num_elements=-1,
            ),
        ],
        "y:tensor:0",
    ),
    "a loop that doubles a vector": loop(
        [
            const("axis", 0),
            node("c", "ConcatV2", "x", "x", "axis:output:0", N=2, T=FLOAT, Tidx=INT),
        ],
        "c:output:0",
    ),
}


@pytest.mark.parametrize("what", GREEDY)
def test_models_that_ask_for_too_much_memory(what, edited, memory_limit):
    run = edited(GREEDY[what])
    with memory_limit(MEMORY), pytest.raises(tf.errors.ResourceExhaustedError):
        run()


@pytest.mark.parametrize(("operation", "expected"), [("MaxPool", 15), ("AvgPool", 7.5)])
def test_windows_of_a_billion_elements_take_the_time_of_the_image(
    operation, expected, edited, memory_limit
):
    run = edited(
        one(
            *(operation, np.arange(16.0).reshape(1, 4, 4, 1)),
            T=FLOAT,
            ksize=[1, 10**9, 10**9, 1],
            strides=[1, 1, 1, 1],
            padding="SAME",
            data_format="NHWC",
        )
    )
    with memory_limit(MEMORY):
        assert np.all(run() == np.full((1, 4, 4, 1), expected))


WRONG = {
    "a list stacked to another length": of_list([3], [4]),
    "a list stacked to another rank": of_list([3], [3, 3]),
    "a list of unknown shapes stacked to another length": of_list([-1], [4]),
    "a list stacked to a negative length": of_list([3], [-5]),
    "a list stacked to another number of elements": of_list([3], [3], 5),
    "a list stacked to another dtype": of_list([3], [3], of=INT),
    "a list of another shape": of_list([5], [-1]),
    "more than 64 axes": one("Fill", [1] * 200, 1.0, T=FLOAT, index_type=INT),
    "no window": one(
        *("MaxPool", np.ones([1, 4, 4, 1])),
        T=FLOAT,
        ksize=[1, 0, 0, 1],
        strides=[1, 0, 0, 1],
        padding="SAME",
        data_format="NHWC",
        explicit_paddings=[],
    ),
    "a cast to resources": one("Cast", "x", out="y", SrcT=FLOAT, DstT=tf.resource),
}


@pytest.mark.parametrize("what", WRONG)
def test_models_that_are_wrong(what, edited):
    run = edited(WRONG[what])
    with pytest.raises((ValueError, TypeError, tf.errors.OpError)):
        run()


def test_edits_that_do_no_harm(edited):
    assert edited(of_list([3], [3], 2))().numpy().tolist() == [[1, 1, 1]] * 2
    assert edited(of_list([-1], [-1]))().shape == (2, 3)
    assert edited(chain(20))().numpy().tolist() == [-1, -2]
    assert edited(chain(6, times=2))().numpy().tolist() == [1, 2]
    assert edited(results_in_lists(10))()[0][0][0] is not None


def test_a_loop_of_huge_count_is_not_unrolled(edited):
    run = edited(loop([node("c", "Neg", "x", T=FLOAT)], "c:y:0"))
    made = tf.function(run).get_concrete_function()
    assert len(made.graph.get_operations()) < 20_000


@pytest.mark.parametrize("shape", [HUGE, [2**62, 2**62]])
def test_variables_of_huge_shapes(shape, edited, memory_limit):
    with pytest.raises(ValueError, match="another model"):
        edited(variable(shape=shape))
    skip = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    with pytest.raises(tf.errors.DataLossError):
        edited(variable(shape=shape), skip)


def test_a_model_without_the_values_of_its_variables(whole, tmp_path):
    _, data = whole
    (tmp_path / "saved_model.pb").write_bytes(data)
    with pytest.raises(FileNotFoundError, match="values of its variables"):
        tf.saved_model.load(tmp_path)
