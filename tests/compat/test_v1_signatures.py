"""Functions and classes of `tf.compat.v1` have TensorFlow's parameters, in TensorFlow's order."""

import enum
import inspect
from pathlib import Path

import gradtape as tf
from gradtape._src.compat.lists.left_out import left_out

RECORDED = Path(__file__).with_name("v1_signatures.txt").read_text(encoding="utf-8")
KNOWN = {
    "batch_to_space": "the old name of an argument may be left out",
    "meshgrid": "the keyword arguments are named",
    "print": "the keyword arguments are named",
    "train.export_meta_graph": "options that only TensorFlow's devices have are gathered",
}
_PRIVATE = "programs make objects by other functions"
KNOWN_CLASSES = {
    "QueueBase": "the queues are not handles of a runtime",
    "RaggedTensor": _PRIVATE,
    "RaggedTensorSpec": "the innermost values are always a tensor",
    "ReaderBase": "the readers are not handles of a runtime",
    "Tensor": _PRIVATE,
    "Variable": "TensorFlow's metaclass takes one more argument",
    "data.Dataset": _PRIVATE,
    "data.Iterator": _PRIVATE,
    "data.experimental.Optional": _PRIVATE,
    "distribute.ReplicaContext": "a context knows the run that it belongs to",
    "distribute.Strategy": "a strategy makes its extended part",
    "experimental.ExtensionTypeSpec": "subclasses have fields, which are the parameters",
    "experimental.Optional": _PRIVATE,
    "io.QueueBase": "the queues are not handles of a runtime",
    "queue.QueueBase": "the queues are not handles of a runtime",
    "train.Checkpoint": "the class of TensorFlow 2, which has a root",
}
MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def found(path):
    value = tf.compat.v1
    for part in path.split("."):
        value = getattr(value, part, None)
    return value


def names():
    for line in RECORDED.splitlines()[1:]:
        path, _, parameters = line.partition(":")
        value = found(path)
        if value is not None and not isinstance(value, enum.EnumMeta):
            yield path, value, parameters.split()


def parameters(value):
    return [
        f"{MARKS.get(p.kind, '')}{p.name}{'' if p.default is p.empty else '='}"
        for p in inspect.signature(value).parameters.values()
    ]


def test_functions():
    unlike = {
        path: (parameters(value), wanted)
        for path, value, wanted in names()
        if not inspect.isclass(value) and path not in KNOWN and parameters(value) != wanted
    }
    assert not unlike


def test_constructors():
    unlike = {
        path: (parameters(value), wanted)
        for path, value, wanted in names()
        if inspect.isclass(value) and parameters(value) != wanted
    }
    assert unlike.keys() == KNOWN_CLASSES.keys(), unlike


def test_every_name_that_is_missing_has_a_reason():
    paths = [line.partition(":")[0] for line in RECORDED.splitlines()[1:]]
    missing = [path for path in paths if found(path) is None]
    assert missing
    assert [p for p in missing if not (left_out(f"compat.v1.{p}") or left_out(p))] == []
