"""Small graphs of TensorFlow's operations, for tests of what reads and runs those."""

import numpy as np

import gradtape as tf
from gradtape._src.graphdef.bodies import Functions, GraphReader, by_name, recovered_nodes
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.messages import protos


class Name(str):
    """The name of a function, as an attribute."""

    __slots__ = ()


PLAIN = ((bool, "b"), (int, "i"), (float, "f"))


def attribute(value):
    """A value as the message of an attribute."""
    made = protos.AttrValue()
    kind = next((name for of, name in PLAIN if type(value) is of), None)
    if kind is not None:
        setattr(made, kind, value)
    elif isinstance(value, Name):
        made.func.name = value
    elif isinstance(value, str):
        made.s = value.encode()
    elif isinstance(value, tf.DType):
        made.type = value.as_datatype_enum
    elif isinstance(value, tf.TensorShape):
        made.shape.SetInParent()
        for n in value:
            made.shape.dim.add(size=-1 if n is None else n)
    else:
        made.list.SetInParent()
        for part in value:
            add(made.list, attribute(part))
    return made


def add(values, one):
    """Adds a value to a list of an attribute."""
    kind = one.WhichOneof("value")
    held = getattr(one, kind)
    if isinstance(held, (bool, int, float, bytes)):
        getattr(values, kind).append(held)
    else:
        getattr(values, kind).add().CopyFrom(held)


def node(name, op, *inputs, **attributes):
    """A node of a graph."""
    made = protos.NodeDef(name=name, op=op, input=inputs)
    for key, value in attributes.items():
        made.attr[key].CopyFrom(attribute(value))
    return made


def const(name, value):
    """A node of a constant."""
    value = np.asarray(value)
    value = value.astype({"f": np.float32, "i": np.int32}.get(value.dtype.kind, value.dtype))
    dtype = tf.string if value.dtype.kind in "SO" else tf.as_dtype(value.dtype)
    made = node(name, "Const", dtype=dtype)
    made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype))
    return made


def function(name, arguments, nodes, returned, controls=()):
    """A function: arguments as names with dtypes, results as names of tensors with dtypes."""
    made = protos.FunctionDef()
    made.signature.name = name
    for key, dtype in arguments.items():
        made.signature.input_arg.add(name=key, type=dtype.as_datatype_enum)
    for i, (reference, dtype) in enumerate(returned.items()):
        made.signature.output_arg.add(name=f"r{i}", type=dtype.as_datatype_enum)
        made.ret[f"r{i}"] = reference
    made.node_def.extend(nodes)
    for key in controls:
        made.control_ret[key] = key
    return made


def body(nodes, feeds, fetches, *, functions=(), surroundings=None, kept=()):
    """A graph as what runs: of some tensors, for others."""
    around = surroundings or Surroundings()
    reader = GraphReader("graph", Functions(functions, around), around)
    for place, name in enumerate(feeds):
        reader.feed(name, place)
    return reader.body(len(feeds), recovered_nodes(by_name(nodes)), fetches, kept, effects=False)


def run(op, *inputs, **attributes):
    """Returns the results of one node for values."""
    feeds = [f"x{i}" for i in range(len(inputs))]
    count = attributes.pop("gives", 1)
    fetches = [f"y:{i}" for i in range(count)]
    made = body([node("y", op, *feeds, **attributes)], feeds, fetches, kept=["y"])
    return made.run([tf.convert_to_tensor(x) if _is_plain(x) else x for x in inputs])


def _is_plain(x):
    return isinstance(x, (int, float, str, bytes, list, np.ndarray, np.generic))
